package design

import (
	"fmt"

	"flowdbg/contract"
)

// modelReader reads the text that WriteModel writes. Cells come before nets there, because members are sorted.
type modelReader struct {
	j      *jsonIn
	snap   *Snapshot
	format string
	names  arena
	intern map[string]string
	cells  map[string]int32
	nets   map[string]struct{}
	ports  map[string]struct{}
	pins   map[Pin]uint32
}

func newModelReader(j *jsonIn) *modelReader {
	return &modelReader{
		j: j, snap: &Snapshot{Source: Source{Format: "snapshot"}}, intern: map[string]string{},
		cells: map[string]int32{}, nets: map[string]struct{}{}, ports: map[string]struct{}{}, pins: map[Pin]uint32{},
	}
}

func (m *modelReader) finish() (*Snapshot, error) {
	switch {
	case m.format != ModelFormat:
		return nil, &SyntaxError{What: fmt.Sprintf("snapshot format %q", m.format), Want: ModelFormat}
	case m.snap.Unit != UnitDBU && m.snap.Unit != UnitTile:
		return nil, &SyntaxError{What: fmt.Sprintf("unit %q", m.snap.Unit), Want: `"dbu" or "tile"`}
	case m.snap.Unit == UnitDBU && m.snap.DBU <= 0:
		return nil, &SyntaxError{What: "no database units per micron", Want: `a member "dbu" above 0`}
	}
	return m.snap, nil
}

func (m *modelReader) member(name string) (err error) {
	switch name {
	case "cells":
		return m.j.array(func(int) error { return m.cell() })
	case "nets":
		return m.j.array(func(int) error { return m.net() })
	case "ports":
		return m.j.array(func(int) error { return m.port() })
	case "die":
		return m.j.array(func(int) error { return m.point() })
	case "dbu":
		m.snap.DBU, err = m.j.integer()
		return err
	case "design":
		m.snap.Design, err = m.string()
		return err
	case "format":
		m.format, err = m.string()
		return err
	case "unit":
		var unit string
		unit, err = m.string()
		m.snap.Unit = Unit(unit)
		return err
	}
	return m.unknown(name)
}

func (m *modelReader) unknown(name string) error {
	return m.j.fault("unknown member "+show([]byte(name)), "a member of "+ModelFormat)
}

func (m *modelReader) string() (string, error) {
	w, err := m.j.text()
	return string(w), err
}

func (m *modelReader) word() (string, error) {
	w, err := m.j.text()
	if s, ok := m.intern[string(w)]; ok || err != nil {
		return s, err
	}
	s := string(w)
	m.intern[s] = s
	return s, nil
}

func (m *modelReader) name() (string, error) {
	w, err := m.j.text()
	return m.names.keep(w), err
}

func (m *modelReader) point() error {
	var xy [2]int64
	err := m.ints(xy[:])
	m.snap.Die = append(m.snap.Die, Point{xy[0], xy[1]})
	return err
}

func (m *modelReader) ints(to []int64) error {
	n := 0
	err := m.j.array(func(i int) (err error) {
		if i >= len(to) {
			return m.j.fault("too many numbers", fmt.Sprint(len(to)))
		}
		to[i], err = m.j.integer()
		n++
		return err
	})
	if err == nil && n < len(to) {
		err = m.j.fault("too few numbers", fmt.Sprint(len(to)))
	}
	return err
}

func (m *modelReader) status() (Status, error) {
	w, err := m.j.text()
	for st, name := range statusNames {
		if string(w) == name {
			return Status(st), err
		}
	}
	if err == nil {
		err = m.j.fault("status "+show(w), "unplaced, placed, fixed or cover")
	}
	return Unplaced, err
}

func (m *modelReader) dir() (Dir, error) {
	w, err := m.j.text()
	for d, name := range dirNames {
		if d > 0 && string(w) == name {
			return Dir(d), err
		}
	}
	if err == nil {
		err = m.j.fault("direction "+show(w), "input, output or inout")
	}
	return DirUnknown, err
}

func (m *modelReader) cell() error {
	var c Cell
	hasX, hasY := false, false
	err := m.j.object(func(key []byte) (err error) {
		switch string(key) {
		case "id":
			c.Name, err = m.name()
		case "master":
			c.Master, err = m.word()
		case "site":
			c.Site, err = m.name()
		case "status":
			c.Status, err = m.status()
		case "orient":
			c.Orient, err = m.orient()
		case "x":
			c.X, err = m.j.integer()
			hasX = true
		case "y":
			c.Y, err = m.j.integer()
			hasY = true
		default:
			err = m.unknown(string(key))
		}
		return err
	})
	if err != nil {
		return err
	}
	c.NoXY = c.Status != Unplaced && !(hasX && hasY)
	at := len(m.snap.Cells)
	m.cells[c.Name] = int32(at)
	if len(m.cells) == at || c.Name == "" {
		return m.j.fault(fmt.Sprintf("cell %q without a name of its own", c.Name), "each cell once, with an id")
	}
	m.snap.Cells = append(m.snap.Cells, c)
	return nil
}

func (m *modelReader) orient() (uint8, error) {
	w, err := m.j.text()
	for i, name := range contract.Orients {
		if string(w) == name {
			return uint8(i + 1), err
		}
	}
	if err == nil {
		err = m.j.fault("orientation "+show(w), "R0, R90, R180, R270, MX, MY, MXR90 or MYR90")
	}
	return 0, err
}

func (m *modelReader) net() error {
	n := Net{off: uint32(len(m.snap.conns))}
	err := m.j.object(func(key []byte) (err error) {
		switch string(key) {
		case "id":
			n.Name, err = m.name()
		case "use":
			n.Use, err = m.word()
		case "special":
			n.Special, err = m.j.boolean()
		case "pins":
			err = m.j.array(func(int) error { return m.conn() })
		default:
			err = m.unknown(string(key))
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, dup := m.nets[n.Name]; dup || n.Name == "" {
		return m.j.fault(fmt.Sprintf("net %q without a name of its own", n.Name), "each net once, with an id")
	}
	m.nets[n.Name] = struct{}{}
	n.num = uint32(len(m.snap.conns)) - n.off
	m.snap.Nets = append(m.snap.Nets, n)
	return nil
}

// conn reads [port], ["*",pin] or [cell,pin,dir?].
func (m *modelReader) conn() error {
	var parts [2]string
	dir := DirUnknown
	n := 0
	err := m.j.array(func(i int) (err error) {
		n = i + 1
		switch i {
		case 0, 1:
			parts[i], err = m.word()
		case 2:
			dir, err = m.dir()
		default:
			err = m.j.fault("a connection of more than three parts", "[port], [cell, pin] or [cell, pin, direction]")
		}
		return err
	})
	if err != nil {
		return err
	}
	c := Conn{Cell: ConnPort}
	pin := Pin{parts[0], DirUnknown}
	switch {
	case n == 0:
		return m.j.fault("an empty connection", "[port], [cell, pin] or [cell, pin, direction]")
	case n > 1 && parts[0] == "*":
		c.Cell, pin = ConnAll, Pin{parts[1], DirUnknown}
	case n > 1:
		at, ok := m.cells[parts[0]]
		if !ok {
			return m.j.fault(fmt.Sprintf("a net names the cell %q, which does not exist", parts[0]), "a cell of this snapshot")
		}
		c.Cell, pin = at, Pin{parts[1], dir}
	}
	at, ok := m.pins[pin]
	if !ok {
		at = uint32(len(m.snap.Pins))
		m.pins[pin] = at
		m.snap.Pins = append(m.snap.Pins, pin)
	}
	c.Pin = at
	m.snap.conns = append(m.snap.conns, c)
	return nil
}

func (m *modelReader) port() error {
	var p Port
	err := m.j.object(func(key []byte) (err error) {
		switch string(key) {
		case "id":
			p.Name, err = m.name()
		case "net":
			p.Net, err = m.name()
		case "use":
			p.Use, err = m.word()
		case "dir":
			p.Dir, err = m.dir()
		case "status":
			p.Status, err = m.status()
		case "box":
			p.HasBox = true
			err = m.ints(p.Box[:])
		default:
			err = m.unknown(string(key))
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, dup := m.ports[p.Name]; dup || p.Name == "" {
		return m.j.fault(fmt.Sprintf("port %q without a name of its own", p.Name), "each port once, with an id")
	}
	m.ports[p.Name] = struct{}{}
	m.snap.Ports = append(m.snap.Ports, p)
	return nil
}
