package design

import "fmt"

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
	line, col := d.nearPlace()
	if err := d.connections(&n, inside); err != nil {
		return err
	}
	n.num = uint32(len(d.snap.conns)) - n.off
	d.addNet(n, line, col)
	return nil
}

// addNet keeps a net; whether its name is new is found out later, in a batch.
func (d *defReader) addNet(n Net, line, col int) {
	at := len(d.snap.Nets)
	d.snap.Nets = append(d.snap.Nets, n)
	if d.netIx.add(n.Name, at, line, col) {
		d.resolveNets()
	}
}

// resolveCells puts the waiting components into the table. A name that is there already ends the reading.
func (d *defReader) resolveCells() error {
	var err error
	d.cells.resolve(func(q *insert, _ int32) {
		if err == nil {
			err = &SyntaxError{
				Line: int(q.line), Col: int(q.col), What: "component " + show([]byte(q.name)) + " a second time",
				Want: "each component once: a name is never reused",
			}
		}
	})
	return err
}

// netAgain is a net whose name an earlier one has.
type netAgain struct{ first, again int32 }

func (d *defReader) resolveNets() {
	d.netIx.resolve(func(q *insert, old int32) {
		d.twice = append(d.twice, netAgain{old, q.at})
		if d.snap.Nets[q.at].Special || d.snap.Nets[old].Special {
			return
		}
		d.snap.Source.find(int(q.line), int(q.col), "duplicate_net",
			fmt.Sprintf("net %s a second time; its connections are added to the first", show([]byte(q.name))))
	})
}

// joinNets makes one net of those of one name. A special net of a name that NETS has too holds only more of its wiring (qflow
// writes clock nets so), and a net in two parts is one net.
func (d *defReader) joinNets() {
	if len(d.twice) == 0 {
		return
	}
	s := d.snap
	gone := make([]bool, len(s.Nets))
	parts := map[int32][]int32{}
	for _, t := range d.twice {
		gone[t.again] = true
		parts[t.first] = append(parts[t.first], t.again)
	}
	kept := s.Nets[:0]
	for i, n := range s.Nets {
		if gone[i] {
			continue
		}
		if again := parts[int32(i)]; again != nil {
			n = d.joined(n, again)
		}
		kept = append(kept, n)
	}
	s.Nets = kept
}

// joined appends the connections of the later parts behind those of the first. Parts come after the first in s.Nets, so they
// are still there while the slice is compacted.
func (d *defReader) joined(n Net, again []int32) Net {
	s := d.snap
	off := uint32(len(s.conns))
	s.conns = append(s.conns, s.conns[n.off:n.off+n.num]...)
	for _, i := range again {
		part := s.Nets[i]
		s.conns = append(s.conns, s.conns[part.off:part.off+part.num]...)
		n.Special = n.Special && part.Special
	}
	n.off, n.num = off, uint32(len(s.conns))-off
	return n
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
				if wiring, err = d.netOption(n, inside); err != nil {
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
func (d *defReader) netOption(n *Net, inside string) (bool, error) {
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
		d.snap.Source.drop(wiringKey(n.Special))
		d.wiring.add(stringAsBytes(n.Name))
		d.wiring.add(w)
		return true, nil
	case "SHAPE", "STYLE", "RECT", "POLYGON", "VIA", "MASK":
		d.wiring.add(w)
		return true, nil
	case "SUBNET", "VPIN":
		d.dropOption(inside, w)
		return true, nil // parts with points of their own: they are wiring as far as the model goes
	}
	d.dropOption(inside, w)
	return false, nil
}

func wiringKey(special bool) string {
	if special {
		return "SPECIALNETS wiring"
	}
	return "NETS wiring"
}

// use keeps a USE, with "" for the default, so that writers that spell it out and writers that do not agree.
func (d *defReader) use(w []byte) (string, error) {
	if string(w) == "SIGNAL" {
		return "", nil
	}
	return d.word(w)
}

// connection reads `instance pin [+ SYNTHESIZED] )` after its parenthesis. The instance is looked up later, in a batch.
func (d *defReader) connection(inside string) error {
	w, err := d.need(inside, "an instance, PIN or *")
	if err != nil {
		return err
	}
	c := Conn{Cell: connUnknown}
	switch {
	case string(w) == "PIN":
		c.Cell = ConnPort
	case string(w) == "*":
		c.Cell = ConnAll
	case len(w) == 1 && (w[0] == ')' || w[0] == ';'):
		return d.fault("a connection without an instance", "( instance pin )")
	default:
		line, col := d.nearPlace()
		if d.find.add(w, uint32(len(d.snap.conns)), line, col) {
			defer d.resolve()
		}
	}
	if w, err = d.need(inside, "a pin's name"); err != nil {
		return err
	}
	if len(w) == 1 && (w[0] == ')' || w[0] == ';') {
		return d.fault("a connection without a pin", "( instance pin )")
	}
	if c.Pin, err = d.pin(w); err != nil {
		return err
	}
	if len(d.snap.conns) >= 1<<32-1 {
		return d.fault("more than 2^32 connections", "a smaller design")
	}
	d.snap.conns = append(d.snap.conns, c)
	return d.closeConnection(inside)
}

// connUnknown marks a connection whose instance COMPONENTS does not have. It is taken out before the snapshot is handed over.
const connUnknown int32 = -3

// resolve looks up the instances that wait.
func (d *defReader) resolve() {
	d.find.resolve(func(q *lookup, name []byte, at int32) {
		if at >= 0 {
			d.snap.conns[q.conn].Cell = at
			return
		}
		d.unknown++
		d.snap.Source.find(int(q.line), int(q.col), "unknown_cell",
			fmt.Sprintf("a net names %s, which COMPONENTS does not have; the connection is left out", show(name)))
	})
}

// dropUnknown takes the connections without an instance out of their nets.
func (d *defReader) dropUnknown() {
	if d.unknown == 0 {
		return
	}
	for i := range d.snap.Nets {
		n := &d.snap.Nets[i]
		kept := d.snap.conns[n.off:n.off]
		for _, c := range d.snap.Conns(i) {
			if c.Cell != connUnknown {
				kept = append(kept, c)
			}
		}
		n.num = uint32(len(kept))
	}
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
