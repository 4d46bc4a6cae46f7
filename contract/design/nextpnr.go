package design

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// readJSON reads nextpnr's placed JSON (`nextpnr-… --write`), or a snapshot's own canonical text, whose first member is
// "cells".
func readJSON(r io.Reader) (*Snapshot, error) {
	j := newJSONIn(r)
	placed := &placedFile{j: j}
	var stored *modelReader
	first := true
	err := j.object(func(key []byte) error {
		name := string(key)
		if first && name == "cells" {
			stored = newModelReader(j)
		}
		first = false
		if stored != nil {
			return stored.member(name)
		}
		if name == "modules" {
			return placed.modules()
		}
		return j.skip()
	})
	if err != nil {
		return nil, err
	}
	if err := j.end(); err != nil {
		return nil, err
	}
	if stored != nil {
		return stored.finish()
	}
	return placed.finish()
}

// placedFile holds the modules of a placed JSON. nextpnr writes one, the top.
type placedFile struct {
	j    *jsonIn
	read []*module
}

func (p *placedFile) modules() error {
	return p.j.object(func(key []byte) error {
		m := newModule(p.j, string(key))
		p.read = append(p.read, m)
		return p.j.object(m.member)
	})
}

func (p *placedFile) finish() (*Snapshot, error) {
	var top *module
	for _, m := range p.read {
		if m.top || len(p.read) == 1 {
			if top != nil {
				return nil, &SyntaxError{What: fmt.Sprintf("two top modules, %q and %q", top.snap.Design, m.snap.Design), Want: "one"}
			}
			top = m
		}
	}
	if top == nil {
		return nil, &SyntaxError{What: fmt.Sprintf("no top module among %d", len(p.read)), Want: `a member "modules" with one module, or one with the attribute "top"`}
	}
	if !top.sawCells {
		return nil, &SyntaxError{What: fmt.Sprintf("module %q has no cells", top.snap.Design), Want: "the JSON that nextpnr writes with --write"}
	}
	return top.finish()
}

// module reads one module. Nets are named only after the cells, so connections are kept by the number of their bit.
type module struct {
	j        *jsonIn
	snap     *Snapshot
	top      bool
	sawCells bool
	names    arena
	intern   map[string]string
	cells    map[string]struct{}
	ports    map[string]struct{}
	pins     map[Pin]uint32
	bits     map[int64]int32 // bit → net
	nets     []netName
	conns    []bitConn
	wiring   *tokenHash
	cell     cellParts
}

type bitConn struct {
	net  int32
	conn Conn
}

// netName is the best name seen for a net so far.
type netName struct {
	name   string
	hidden bool
}

// cellParts is one cell while it is read: its directions may come after its connections.
type cellParts struct {
	dirs  map[string]Dir
	ports []cellPort
	bel   string
	fixed bool
}

type cellPort struct {
	name string
	bits []int64
}

func newModule(j *jsonIn, name string) *module {
	return &module{
		j:      j,
		snap:   &Snapshot{Design: name, Unit: UnitTile, Source: Source{Format: "nextpnr"}},
		intern: map[string]string{},
		cells:  map[string]struct{}{},
		ports:  map[string]struct{}{},
		pins:   map[Pin]uint32{},
		bits:   map[int64]int32{},
		wiring: newTokenHash(),
		cell:   cellParts{dirs: map[string]Dir{}},
	}
}

func (m *module) member(key []byte) error {
	switch string(key) {
	case "attributes":
		return m.attributes()
	case "ports":
		return m.j.object(m.port)
	case "cells":
		m.sawCells = true
		return m.j.object(m.readCell)
	case "netnames":
		return m.j.object(m.netName)
	}
	m.snap.Source.drop("module " + m.word(key))
	return m.j.skip()
}

func (m *module) attributes() error {
	return m.j.object(func(key []byte) error {
		if string(key) != "top" {
			m.snap.Source.drop("module attribute")
			return m.j.skip()
		}
		v, err := m.j.dec.ReadValue()
		if err != nil {
			return m.j.failed(err)
		}
		m.top = bytes.ContainsAny(v, "123456789") // "000…1", 1 or "1"
		return nil
	})
}

// port reads one port of the module; a vector becomes one port per bit.
func (m *module) port(key []byte) error {
	name := string(key)
	dir := DirUnknown
	var bits []int64
	err := m.j.object(func(key []byte) error {
		var err error
		switch string(key) {
		case "direction":
			dir, err = m.direction()
			return err
		case "bits":
			bits, err = m.bitList(nil)
			return err
		}
		return m.j.skip()
	})
	if err != nil {
		return err
	}
	for i, bit := range bits {
		p := Port{Name: indexed(name, i, len(bits)), Dir: dir}
		if _, dup := m.ports[p.Name]; dup || p.Name == "" { // a[1] is also the second bit of a vector a
			return m.j.fault("port "+show([]byte(p.Name))+" without a name of its own", "each port once, with a name")
		}
		m.ports[p.Name] = struct{}{}
		m.snap.Ports = append(m.snap.Ports, p)
		if bit >= 0 {
			m.connect(bit, Conn{Cell: ConnPort, Pin: m.pin(Pin{p.Name, dir})})
		}
	}
	return nil
}

func indexed(name string, i, n int) string {
	if n == 1 {
		return name
	}
	return name + "[" + strconv.Itoa(i) + "]"
}

func (m *module) direction() (Dir, error) {
	w, err := m.j.text()
	if err != nil {
		return DirUnknown, err
	}
	for d, name := range dirNames {
		if d > 0 && string(w) == name {
			return Dir(d), nil
		}
	}
	return DirUnknown, m.j.fault("direction "+show(w), "input, output or inout")
}

// bitList reads [12, "x", …]; a constant or unconnected bit is -1.
func (m *module) bitList(bits []int64) ([]int64, error) {
	err := m.j.array(func(int) error {
		if m.j.dec.PeekKind() == '"' {
			m.snap.Source.drop("constant bits")
			bits = append(bits, -1)
			return m.j.skip()
		}
		n, err := m.j.integer()
		if err == nil && n < 0 {
			err = m.j.fault("a negative bit number", "0 or more")
		}
		bits = append(bits, n)
		return err
	})
	return bits, err
}

func (m *module) connect(bit int64, c Conn) {
	net, ok := m.bits[bit]
	if !ok {
		net = int32(len(m.nets))
		m.bits[bit] = net
		m.nets = append(m.nets, netName{})
	}
	m.conns = append(m.conns, bitConn{net, c})
}

func (m *module) pin(p Pin) uint32 {
	i, ok := m.pins[p]
	if !ok {
		i = uint32(len(m.snap.Pins))
		m.pins[p] = i
		m.snap.Pins = append(m.snap.Pins, p)
	}
	return i
}

func (m *module) word(w []byte) string {
	if s, ok := m.intern[string(w)]; ok {
		return s
	}
	s := string(w)
	m.intern[s] = s
	return s
}

// netName reads one entry of netnames. A bit with several names gets the visible, then the shorter, then the smaller one, so
// that the choice does not depend on the order of the file.
func (m *module) netName(key []byte) error {
	name := m.names.keep(key)
	hidden := false
	offset := int64(0)
	var bits []int64
	err := m.j.object(func(key []byte) error {
		var err error
		switch string(key) {
		case "hide_name":
			var n int64
			n, err = m.j.integer()
			hidden = n != 0
		case "offset":
			offset, err = m.j.integer()
		case "bits":
			bits, err = m.bitList(nil)
		case "attributes":
			err = m.netAttributes(name)
		default:
			err = m.j.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, bit := range bits {
		net, ok := m.bits[bit]
		if !ok {
			continue // named, but nothing is connected to it
		}
		n := netName{indexed(name, i+int(offset), len(bits)), hidden}
		if n.before(m.nets[net]) {
			m.nets[net] = n
		}
	}
	return nil
}

func (n netName) before(old netName) bool {
	switch {
	case old.name == "":
		return true
	case n.hidden != old.hidden:
		return old.hidden
	case len(n.name) != len(old.name):
		return len(n.name) < len(old.name)
	}
	return n.name < old.name
}

func (m *module) netAttributes(name string) error {
	return m.j.object(func(key []byte) error {
		if string(key) != "ROUTING" {
			m.snap.Source.drop("net attribute")
			return m.j.skip()
		}
		w, err := m.j.text()
		if err != nil {
			return err
		}
		m.snap.Source.drop("net attribute ROUTING")
		m.wiring.add([]byte(name))
		m.wiring.add(w)
		return nil
	})
}
