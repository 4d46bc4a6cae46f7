package design

// portReader collects one item of PINS. Shapes come before or after the placement that moves them (OpenROAD writes both
// orders), so they are kept until the part ends.
type portReader struct {
	port   Port
	shapes [][4]int64
	placed bool
	at     Point
	orient uint8
}

// port reads `name + NET net [+ …]… ;` after its dash.
func (d *defReader) port() error {
	const inside = "PINS"
	w, err := d.need(inside, "a pin's name")
	if err != nil {
		return err
	}
	var p portReader
	if p.port.Name, err = d.name(w); err != nil {
		return err
	}
	if _, dup := d.ports[p.port.Name]; dup {
		// name.extraN pins of one port are separate names in DEF; a true duplicate is a broken file.
		return d.fault("pin "+show(w)+" a second time", "each pin once")
	}
	for {
		if w, err = d.need(inside, `"+" or ";"`); err != nil {
			return err
		}
		if len(w) != 1 {
			continue
		}
		if w[0] == ';' {
			break
		}
		if w[0] == '-' {
			return d.fault(`"-" inside a pin`, `";" (a word of its own) before the next item`)
		}
		if w[0] == '+' {
			if err := d.portOption(&p); err != nil {
				return err
			}
		}
	}
	p.endPart()
	d.ports[p.port.Name] = struct{}{}
	d.snap.Ports = append(d.snap.Ports, p.port)
	return nil
}

func (d *defReader) portOption(p *portReader) error {
	const inside = "PINS"
	w, err := d.need(inside, "an option")
	if err != nil {
		return err
	}
	switch string(w) {
	case "NET":
		return d.optionWord(&p.port.Net)
	case "DIRECTION":
		if w, err = d.need(inside, "INPUT, OUTPUT, INOUT or FEEDTHRU"); err != nil {
			return err
		}
		p.port.Dir = defDir(w)
		return nil
	case "USE":
		if w, err = d.need(inside, "a use such as SIGNAL"); err != nil {
			return err
		}
		p.port.Use, err = d.use(w)
		return err
	case "PORT":
		p.endPart()
		return nil
	case "LAYER":
		return d.layerShape(p)
	}
	if status, ok := defStatus(w); ok {
		p.port.Status = status
		if status == Unplaced {
			return nil
		}
		p.at, p.orient, err = d.placement(inside)
		p.placed = err == nil
		return err
	}
	d.dropOption(inside, w)
	return nil
}

func (d *defReader) optionWord(to *string) error {
	w, err := d.need("PINS", "a name")
	if err != nil {
		return err
	}
	*to, err = d.name(w)
	return err
}

// layerShape reads `layer [MASK n] [SPACING n | DESIGNRULEWIDTH n] ( x1 y1 ) ( x2 y2 )`.
func (d *defReader) layerShape(p *portReader) error {
	const inside = "PINS"
	for {
		w, err := d.need(inside, `a layer and two points`)
		if err != nil {
			return err
		}
		if len(w) == 1 && (w[0] == ';' || w[0] == '+') {
			return d.fault("a LAYER without its two points", "+ LAYER name ( x1 y1 ) ( x2 y2 )")
		}
		if string(w) != "(" {
			continue
		}
		a, err := d.pointAfter(w, inside)
		if err != nil {
			return err
		}
		if w, err = d.need(inside, "a second point"); err != nil {
			return err
		}
		b, err := d.pointAfter(w, inside)
		if err != nil {
			return err
		}
		p.shapes = append(p.shapes, [4]int64{min(a.X, b.X), min(a.Y, b.Y), max(a.X, b.X), max(a.Y, b.Y)})
		return nil
	}
}

// endPart puts the shapes seen so far where the placement puts them. Writers differ in how they split a place into placement
// and shape ("FIXED ( 0 0 ) S" with a shape from 0 to 280, or "FIXED ( 0 -140 ) N" with one from -140 to 140), so only the
// result is kept.
func (p *portReader) endPart() {
	if p.placed {
		if len(p.shapes) == 0 {
			p.grow([4]int64{p.at.X, p.at.Y, p.at.X, p.at.Y})
		}
		for _, box := range p.shapes {
			p.grow(placeBox(box, p.at, p.orient))
		}
	}
	p.shapes, p.placed = p.shapes[:0], false
}

func (p *portReader) grow(b [4]int64) {
	if !p.port.HasBox {
		p.port.Box, p.port.HasBox = b, true
		return
	}
	q := &p.port.Box
	*q = [4]int64{min(q[0], b[0]), min(q[1], b[1]), max(q[2], b[2]), max(q[3], b[3])}
}

// placeBox turns a box about the origin and moves it. Orientations are numbered as in contract.Orients, from 1.
func placeBox(b [4]int64, at Point, orient uint8) [4]int64 {
	x1, y1 := turn(b[0], b[1], orient)
	x2, y2 := turn(b[2], b[3], orient)
	return [4]int64{at.X + min(x1, x2), at.Y + min(y1, y2), at.X + max(x1, x2), at.Y + max(y1, y2)}
}

func turn(x, y int64, orient uint8) (int64, int64) {
	switch orient {
	case 2: // R90
		return -y, x
	case 3: // R180
		return -x, -y
	case 4: // R270
		return y, -x
	case 5: // MX
		return x, -y
	case 6: // MY
		return -x, y
	case 7: // MXR90
		return y, x
	case 8: // MYR90
		return -y, -x
	}
	return x, y
}

func defDir(w []byte) Dir {
	switch string(w) {
	case "INPUT":
		return DirIn
	case "OUTPUT":
		return DirOut
	case "INOUT":
		return DirInOut
	}
	return DirUnknown
}
