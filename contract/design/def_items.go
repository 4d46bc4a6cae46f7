package design

import "fmt"

// orientation of a DEF word as an index into contract.Orients plus one; 0 = unknown word.
func defOrient(w []byte) uint8 {
	switch string(w) {
	case "N":
		return 1 // R0
	case "W":
		return 2 // R90
	case "S":
		return 3 // R180
	case "E":
		return 4 // R270
	case "FS":
		return 5 // MX
	case "FN":
		return 6 // MY
	case "FW":
		return 7 // MXR90
	case "FE":
		return 8 // MYR90
	}
	return 0
}

func defStatus(w []byte) (Status, bool) {
	switch string(w) {
	case "PLACED":
		return Placed, true
	case "FIXED":
		return Fixed, true
	case "COVER":
		return Cover, true
	case "UNPLACED":
		return Unplaced, true
	}
	return Unplaced, false
}

// placement reads `( x y ) orient`.
func (d *defReader) placement(inside string) (p Point, orient uint8, err error) {
	w, err := d.need(inside, `"( x y ) orient"`)
	if err != nil {
		return p, 0, err
	}
	if p, err = d.pointAfter(w, inside); err != nil {
		return p, 0, err
	}
	if w, err = d.need(inside, "an orientation"); err != nil {
		return p, 0, err
	}
	if orient = defOrient(w); orient == 0 {
		return p, 0, d.fault("orientation "+show(w)+" in "+inside, "N, S, W, E, FN, FS, FW or FE")
	}
	return p, orient, nil
}

// component reads `name master [+ …]… ;` after its dash.
func (d *defReader) component() error {
	const inside = "COMPONENTS"
	w, err := d.need(inside, "a component's name")
	if err != nil {
		return err
	}
	var c Cell
	if c.Name, err = d.name(w); err != nil {
		return err
	}
	at := len(d.snap.Cells)
	if at >= 1<<31-1 {
		return d.fault("more than 2^31 components", "a smaller design")
	}
	d.cells[c.Name] = int32(at)
	if len(d.cells) == at {
		return d.fault("component "+show(w)+" a second time", "each component once: a name is never reused")
	}
	if w, err = d.need(inside, "the component's master"); err != nil {
		return err
	}
	if len(w) == 1 && (w[0] == ';' || w[0] == '+') {
		return d.fault("component without a master", "- name master [+ PLACED ( x y ) orient] ;")
	}
	if c.Master, err = d.word(w); err != nil {
		return err
	}
	if err := d.componentOptions(&c); err != nil {
		return err
	}
	d.snap.Cells = append(d.snap.Cells, c)
	return nil
}

func (d *defReader) componentOptions(c *Cell) error {
	const inside = "COMPONENTS"
	for {
		w, err := d.need(inside, `"+" or ";"`)
		if err != nil {
			return err
		}
		switch {
		case len(w) != 1:
			continue // operands of an option that is not kept
		case w[0] == ';':
			return nil
		case w[0] == '-':
			return d.fault(`"-" inside a component`, `";" (a word of its own) before the next item`)
		case w[0] != '+':
			continue
		}
		if w, err = d.need(inside, "an option"); err != nil {
			return err
		}
		status, ok := defStatus(w)
		if !ok {
			d.dropOption(inside, w)
			continue
		}
		c.Status = status
		if status == Unplaced {
			c.Orient = 0 // some writers give a place to UNPLACED components; it is only a hint
			continue
		}
		p, orient, err := d.placement(inside)
		if err != nil {
			return err
		}
		c.X, c.Y, c.Orient = p.X, p.Y, orient
	}
}

// dropOption counts an option that the model leaves out, under its own name if it is one that DEF knows.
func (d *defReader) dropOption(section string, w []byte) {
	key, ok := optionNames[string(w)]
	if !ok {
		key = "other"
	}
	d.snap.Source.drop(section + " " + key)
}

var optionNames = func() map[string]string {
	m := map[string]string{}
	for _, w := range []string{
		"SOURCE", "HALO", "ROUTEHALO", "WEIGHT", "REGION", "PROPERTY", "EEQMASTER", "GENERATE", "MASKSHIFT", "NETEXPR",
		"SUPPLYSENSITIVITY", "GROUNDSENSITIVITY", "SHIELDNET", "VPIN", "SUBNET", "XTALK", "NONDEFAULTRULE", "FIXEDBUMP",
		"FREQUENCY", "ORIGINAL", "PATTERN", "ESTCAP", "VOLTAGE", "SPECIAL", "ANTENNAPINPARTIALMETALAREA", "ANTENNAMODEL",
		"ANTENNAPINPARTIALMETALSIDEAREA", "ANTENNAPINPARTIALCUTAREA", "ANTENNAPINDIFFAREA", "ANTENNAPINGATEAREA",
		"ANTENNAPINMAXAREACAR", "ANTENNAPINMAXSIDEAREACAR", "ANTENNAPINMAXCUTCAR", "VIA",
	} {
		m[w] = w
	}
	return m
}()

// net reads `name ( instance pin )… [+ …]… ;` after its dash.
func (d *defReader) net(special bool) error {
	inside := "NETS"
	if special {
		inside = "SPECIALNETS"
	}
	w, err := d.need(inside, "a net's name")
	if err != nil {
		return err
	}
	if string(w) == "MUSTJOIN" {
		d.snap.Source.drop(inside + " MUSTJOIN")
		return d.skipStatement("MUSTJOIN")
	}
	n := Net{Special: special, off: uint32(len(d.snap.conns))}
	if n.Name, err = d.name(w); err != nil {
		return err
	}
	line, col := d.place()
	if err := d.connections(&n, inside); err != nil {
		return err
	}
	n.num = uint32(len(d.snap.conns)) - n.off
	d.addNet(n, line, col)
	return nil
}

// addNet keeps a net. A special net of a name that NETS already has holds only more of its wiring (qflow writes clock nets
// so), and a net written in two parts is one net.
func (d *defReader) addNet(n Net, line, col int) {
	s := d.snap
	at, dup := d.netIx[n.Name]
	if !dup {
		d.netIx[n.Name] = int32(len(s.Nets))
		s.Nets = append(s.Nets, n)
		return
	}
	old := &s.Nets[at]
	if !n.Special && !old.Special {
		s.Source.find(line, col, "duplicate_net", fmt.Sprintf("net %q a second time; its connections are added to the first", n.Name))
	}
	old.Special = old.Special && n.Special
	if n.num == 0 {
		return
	}
	both := append(append([]Conn(nil), s.Conns(int(at))...), s.conns[n.off:n.off+n.num]...)
	old.off, old.num = uint32(len(s.conns)), uint32(len(both))
	s.conns = append(s.conns, both...)
}

func (d *defReader) connections(n *Net, inside string) error {
	wiring := false
	for {
		w, err := d.need(inside, `"(", "+" or ";"`)
		if err != nil {
			return err
		}
		if len(w) == 1 {
			switch w[0] {
			case ';':
				return nil
			case '-':
				if !wiring {
					return d.fault(`"-" inside a net`, `";" (a word of its own) before the next item`)
				}
			case '(':
				if !wiring {
					if err := d.connection(inside); err != nil {
						return err
					}
					continue
				}
			case '+':
				if wiring, err = d.netOption(n, inside, wiring); err != nil {
					return err
				}
				continue
			}
		}
		if wiring {
			d.wiring.add(w)
		}
	}
}

// netOption reads the word after a "+". It says whether what follows is wiring.
func (d *defReader) netOption(n *Net, inside string, wiring bool) (bool, error) {
	w, err := d.need(inside, "an option")
	if err != nil {
		return false, err
	}
	switch string(w) {
	case "USE":
		if w, err = d.need(inside, "a use such as SIGNAL"); err != nil {
			return false, err
		}
		n.Use, err = d.use(w)
		return false, err
	case "ROUTED", "FIXED", "COVER", "NOSHIELD", "SHIELD":
		d.snap.Source.drop(inside + " wiring")
		d.wiring.add([]byte(n.Name))
		d.wiring.add(w)
		return true, nil
	case "SHAPE", "STYLE", "RECT", "POLYGON", "VIA", "MASK":
		if wiring || n.Special {
			d.wiring.add(w)
			return true, nil
		}
	case "SUBNET", "VPIN":
		d.dropOption(inside, w)
		return true, nil // parts with points of their own: they are wiring as far as the model goes
	}
	d.dropOption(inside, w)
	return false, nil
}

// use keeps a USE, with "" for the default, so that writers that spell it out and writers that do not agree.
func (d *defReader) use(w []byte) (string, error) {
	if string(w) == "SIGNAL" {
		return "", nil
	}
	return d.word(w)
}

// connection reads `instance pin [+ SYNTHESIZED] )` after its parenthesis.
func (d *defReader) connection(inside string) error {
	w, err := d.need(inside, "an instance, PIN or *")
	if err != nil {
		return err
	}
	c := Conn{}
	unknown := ""
	switch string(w) {
	case "PIN":
		c.Cell = ConnPort
	case "*":
		c.Cell = ConnAll
	default:
		cell, ok := d.cells[string(w)]
		if !ok {
			unknown = string(w)
		}
		c.Cell = cell
	}
	line, col := d.place()
	if w, err = d.need(inside, "a pin's name"); err != nil {
		return err
	}
	if len(w) == 1 && (w[0] == ')' || w[0] == ';') {
		return d.fault("a connection without a pin", "( instance pin )")
	}
	if c.Pin, err = d.pin(w); err != nil {
		return err
	}
	if err := d.closeConnection(inside); err != nil {
		return err
	}
	if unknown != "" {
		d.snap.Source.find(line, col, "unknown_cell", fmt.Sprintf("a net names %q, which COMPONENTS does not have; the connection is left out", unknown))
		return nil
	}
	d.snap.conns = append(d.snap.conns, c)
	return nil
}

func (d *defReader) closeConnection(inside string) error {
	for {
		w, err := d.need(inside, `")"`)
		if err != nil {
			return err
		}
		if len(w) == 1 {
			switch w[0] {
			case ')':
				return nil
			case ';', '(':
				return d.fault(show(w)+" inside a connection", `")"`)
			}
		}
	}
}

func (d *defReader) pin(w []byte) (uint32, error) {
	if i, ok := d.pins[string(w)]; ok {
		return i, nil
	}
	name, err := d.name(w)
	if err != nil {
		return 0, err
	}
	i := uint32(len(d.snap.Pins))
	d.snap.Pins = append(d.snap.Pins, Pin{Name: name})
	d.pins[name] = i
	return i, nil
}
