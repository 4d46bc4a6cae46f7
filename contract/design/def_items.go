package design

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
	if line, col := d.nearPlace(); d.cells.add(c.Name, at, line, col) {
		if err := d.resolveCells(); err != nil {
			return err
		}
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
