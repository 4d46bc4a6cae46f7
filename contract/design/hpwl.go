package design

import "strings"

// HPWL is the half-perimeter wirelength of a snapshot: the sum over nets of width plus height of the box of their pins.
// Value and DBU are nil when no net has two pins with a place although pins are missing: before a placement nothing is known.
type HPWL struct {
	Value  *float64 `json:"value,omitempty"` // in Unit
	Unit   string   `json:"unit"`            // "um" or "tiles"
	DBU    *float64 `json:"dbu,omitempty"`   // the same in database units, or tiles
	Points string   `json:"points"`
	Nets   int      `json:"nets"` // nets that were summed
	// ExcludedNets are special nets and, for nextpnr, the global networks (`$glb` in the name) and nets without a driver cell,
	// which its own `wirelen` leaves out too.
	ExcludedNets int `json:"excluded_nets"`
	// UnplacedPins are pins that were left out of their nets because their cell or port has no place.
	UnplacedPins int `json:"unplaced_pins"`
}

// Where the pins of cells are taken to be.
const (
	PointsOrigin = "cell origins" // no LEF: the lower left corner stands for every pin
	PointsLEF    = "lef pins"     // middle of the pin's shapes; the origin where a master or pin is not in the LEF
	PointsTile   = "tiles"        // nextpnr
)

// HPWL measures the snapshot. The library may be nil; with pin shapes in it, the middle of each pin's shapes is used.
func (s *Snapshot) HPWL(lib *Library) HPWL {
	h := HPWL{Unit: "um", Points: PointsOrigin}
	if s.Unit == UnitTile {
		h.Unit, h.Points = "tiles", PointsTile
	} else if lib.knowsPins() {
		h.Points = PointsLEF
	}
	at := placer{s: s, ports: map[string]int{}}
	if h.Points == PointsLEF {
		at.lib = lib
	}
	for i := range s.Ports {
		at.ports[s.Ports[i].Name] = i
	}
	dbu := 0.0
	spans := false
	for i := range s.Nets {
		n := &s.Nets[i]
		if n.Special || s.Unit == UnitTile && (strings.Contains(n.Name, "$glb") || !s.cellDriven(i)) {
			h.ExcludedNets++
			continue
		}
		h.Nets++
		half, placed := at.halfPerimeter(s.Conns(i))
		dbu += half
		spans = spans || placed > 1
		h.UnplacedPins += len(s.Conns(i)) - placed
	}
	if !spans && h.UnplacedPins > 0 {
		return h
	}
	value := dbu
	if s.Unit == UnitDBU {
		value = dbu / float64(s.DBU)
	}
	h.Value, h.DBU = &value, &dbu
	return h
}

// cellDriven says that an output of a placed cell drives the net.
func (s *Snapshot) cellDriven(net int) bool {
	for _, c := range s.Conns(net) {
		if c.Cell >= 0 && s.Pins[c.Pin].Dir == DirOut && s.Cells[c.Cell].HasXY() {
			return true
		}
	}
	return false
}

// placer tells where pins are.
type placer struct {
	s     *Snapshot
	lib   *Library // nil: use origins
	ports map[string]int
}

// halfPerimeter is width plus height of the box around the pins that have a place, and how many have.
func (p *placer) halfPerimeter(conns []Conn) (half float64, placed int) {
	var x1, y1, x2, y2 float64
	for _, c := range conns {
		x, y, ok := p.where(c)
		if !ok {
			continue
		}
		if placed == 0 {
			x1, y1, x2, y2 = x, y, x, y
		}
		x1, y1, x2, y2 = min(x1, x), min(y1, y), max(x2, x), max(y2, y)
		placed++
	}
	return x2 - x1 + y2 - y1, placed
}

func (p *placer) where(c Conn) (x, y float64, ok bool) {
	switch c.Cell {
	case ConnAll:
		return 0, 0, false
	case ConnPort:
		i, ok := p.ports[p.s.Pins[c.Pin].Name]
		if !ok || !p.s.Ports[i].HasBox {
			return 0, 0, false
		}
		b := p.s.Ports[i].Box
		return float64(b[0]+b[2]) / 2, float64(b[1]+b[3]) / 2, true
	}
	cell := &p.s.Cells[c.Cell]
	if !cell.HasXY() {
		return 0, 0, false
	}
	x, y = float64(cell.X), float64(cell.Y)
	if p.lib == nil {
		return x, y, true
	}
	m := p.lib.masters[cell.Master]
	if m == nil {
		return x, y, true
	}
	if pin := m.pins[p.s.Pins[c.Pin].Name]; pin.hasBox {
		dx, dy := turnIn(pin.x, pin.y, m.W, m.H, cell.Orient)
		x += dx * float64(p.s.DBU)
		y += dy * float64(p.s.DBU)
	}
	return x, y, true
}

// turnIn is where a point of a master lies, from the lower left corner of the turned master (DEF 5.8 places that corner).
func turnIn(x, y, w, h float64, orient uint8) (float64, float64) {
	switch orient {
	case 2: // R90
		return h - y, x
	case 3: // R180
		return w - x, h - y
	case 4: // R270
		return y, w - x
	case 5: // MX
		return x, h - y
	case 6: // MY
		return w - x, y
	case 7: // MXR90
		return y, x
	case 8: // MYR90
		return h - y, w - x
	}
	return x, y
}
