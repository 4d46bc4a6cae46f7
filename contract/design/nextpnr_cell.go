package design

import (
	"bytes"
	"fmt"
	"strconv"
)

// readCell reads one cell of a module.
func (m *module) readCell(key []byte) error {
	c := Cell{Name: m.names.keep(key)}
	if c.Name == "" {
		return m.j.fault("a cell without a name", "a name")
	}
	if _, dup := m.cells[c.Name]; dup {
		return m.j.fault("cell "+show(key)+" a second time", "each cell once")
	}
	m.cells[c.Name] = struct{}{}
	p := &m.cell
	clear(p.dirs)
	p.ports, p.bel, p.fixed = p.ports[:0], "", false
	if err := m.j.object(func(key []byte) error { return m.cellMember(&c, key) }); err != nil {
		return err
	}
	if c.Master == "" {
		return m.j.fault(fmt.Sprintf("cell %q has no type", c.Name), `a member "type"`)
	}
	m.place(&c)
	at := int32(len(m.snap.Cells))
	m.snap.Cells = append(m.snap.Cells, c)
	for _, port := range p.ports {
		dir := p.dirs[port.name]
		for i, bit := range port.bits {
			if bit >= 0 {
				pin := Pin{m.word([]byte(indexed(port.name, i, len(port.bits)))), dir}
				m.connect(bit, Conn{Cell: at, Pin: m.pin(pin)})
			}
		}
	}
	return nil
}

func (m *module) cellMember(c *Cell, key []byte) error {
	switch string(key) {
	case "type":
		w, err := m.j.text()
		c.Master = m.word(w)
		return err
	case "attributes":
		return m.j.object(m.cellAttribute)
	case "port_directions":
		return m.j.object(func(key []byte) error {
			name := m.word(key)
			dir, err := m.direction()
			m.cell.dirs[name] = dir
			return err
		})
	case "connections":
		return m.j.object(func(key []byte) error {
			name := m.word(key)
			bits, err := m.bitList(nil)
			m.cell.ports = append(m.cell.ports, cellPort{name, bits})
			return err
		})
	case "hide_name":
		return m.j.skip()
	}
	m.snap.Source.drop("cell " + m.word(key))
	return m.j.skip()
}

func (m *module) cellAttribute(key []byte) error {
	switch string(key) {
	case "NEXTPNR_BEL":
		w, err := m.j.text()
		m.cell.bel = string(w)
		return err
	case "BEL_STRENGTH":
		v, err := m.j.dec.ReadValue()
		if err != nil {
			return m.j.failed(err)
		}
		// strengths above 3 (locked, user) forbid the placer to move the cell
		n, err := strconv.ParseUint(string(bytes.Trim(v, `" `)), 2, 32)
		m.cell.fixed = err == nil && n > 3
		return nil
	}
	m.snap.Source.drop("cell attribute")
	return m.j.skip()
}

// place turns the BEL's name into a position.
func (m *module) place(c *Cell) {
	bel := m.cell.bel
	if bel == "" {
		return
	}
	c.Site = m.names.keep([]byte(bel))
	c.Status = Placed
	if m.cell.fixed {
		c.Status = Fixed
	}
	x, y, ok := belXY(bel)
	if !ok {
		c.NoXY = true
		line, col := m.j.lines.position(m.j.dec.InputOffset())
		m.snap.Source.find(line, col, "bel_without_xy",
			fmt.Sprintf("cell %q is on BEL %q, whose name does not tell its tile; it counts as placed without coordinates", c.Name, bel))
		return
	}
	c.X, c.Y = x, y
}

// belXY reads the tile of a BEL name: "X2/Y3/lc0" (ice40, ecp5, generic) or "R3C2/…", "R3C2_…" (row and column: nexus, gowin).
func belXY(bel string) (x, y int64, ok bool) {
	if len(bel) > 0 && bel[0] == 'X' {
		x, rest, ok := leadingInt(bel[1:])
		if !ok || len(rest) < 2 || rest[0] != '/' || rest[1] != 'Y' {
			return 0, 0, false
		}
		y, rest, ok := leadingInt(rest[2:])
		return x, y, ok && (rest == "" || rest[0] == '/')
	}
	if len(bel) > 0 && bel[0] == 'R' {
		y, rest, ok := leadingInt(bel[1:])
		if !ok || len(rest) < 2 || rest[0] != 'C' {
			return 0, 0, false
		}
		x, rest, ok := leadingInt(rest[1:])
		return x, y, ok && (rest == "" || rest[0] == '/' || rest[0] == '_')
	}
	return 0, 0, false
}

func leadingInt(s string) (n int64, rest string, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' && i < 9 {
		n = n*10 + int64(s[i]-'0')
		i++
	}
	return n, s[i:], i > 0
}

// finish names the nets and groups the connections by net.
func (m *module) finish() (*Snapshot, error) {
	s := m.snap
	s.Nets = make([]Net, len(m.nets))
	for _, c := range m.conns {
		s.Nets[c.net].num++
	}
	off := uint32(0)
	for i := range s.Nets {
		s.Nets[i].off = off
		off += s.Nets[i].num
		s.Nets[i].num = 0
	}
	s.conns = make([]Conn, len(m.conns))
	for _, c := range m.conns {
		n := &s.Nets[c.net]
		s.conns[n.off+n.num] = c.conn
		n.num++
	}
	if err := m.nameNets(); err != nil {
		return nil, err
	}
	m.portNets()
	s.Source.Wiring = m.wiring.sum()
	s.Source.seal()
	return s, nil
}

// nameNets gives every net its name; one without gets the name of the pin that drives it, because bit numbers change from
// run to run.
func (m *module) nameNets() error {
	s := m.snap
	seen := make(map[string]struct{}, len(s.Nets))
	unnamed := 0
	for i := range s.Nets {
		name := m.nets[i].name
		if name == "" {
			unnamed++
			name = m.driverName(i)
		}
		if _, dup := seen[name]; dup {
			return &SyntaxError{What: fmt.Sprintf("two nets are named %q", name), Want: "one bit of one netnames entry per name"}
		}
		seen[name] = struct{}{}
		s.Nets[i].Name = name
	}
	if unnamed > 0 {
		s.Source.find(0, 0, "unnamed_nets", fmt.Sprintf("%d nets have no netnames entry; they are named after their driver", unnamed))
	}
	return nil
}

func (m *module) driverName(net int) string {
	s := m.snap
	best := ""
	for _, c := range s.Conns(net) {
		name := s.ConnName(c)
		if s.Pins[c.Pin].Dir == DirOut && c.Cell >= 0 {
			return "$driver$" + name
		}
		if best == "" || name < best {
			best = name
		}
	}
	return "$driver$" + best
}

func (m *module) portNets() {
	s := m.snap
	byName := make(map[string]string, len(s.Ports))
	for i := range s.Nets {
		for _, c := range s.Conns(i) {
			if c.Cell == ConnPort {
				byName[s.Pins[c.Pin].Name] = s.Nets[i].Name
			}
		}
	}
	for i := range s.Ports {
		s.Ports[i].Net = byName[s.Ports[i].Name]
	}
}
