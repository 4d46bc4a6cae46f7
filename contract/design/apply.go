package design

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract"
)

// Apply carries out a measured delta on the snapshot that it was measured from: cells and ordinary nets become those of the
// snapshot after. What a delta does not hold stays as it was before: ports, die, special nets, and placed against fixed.
// It fails when the answer does not fit the snapshot, ignores cells, or joins names by spelling.
func Apply(before *Snapshot, a *Answer) (*Snapshot, error) {
	switch {
	case contract.SnapshotRef(before.Hash()) != a.Before.Snapshot:
		return nil, fmt.Errorf("the delta was measured from %s, this is %s", a.Before.Snapshot, before.Hash())
	case len(a.Rule.Ignore) > 0:
		return nil, fmt.Errorf("the delta ignores cells, so it does not hold all that changed")
	case a.Counts.Respelled > 0:
		return nil, fmt.Errorf("the delta joined %d names that are spelled differently", a.Counts.Respelled)
	case a.Before.DBU != a.After.DBU:
		return nil, fmt.Errorf("the database units differ: %d and %d per micron", a.Before.DBU, a.After.DBU)
	}
	p := &applier{
		before: before, d: &a.Delta, index: map[string]int32{}, pins: map[Pin]uint32{},
		out: &Snapshot{
			Design: before.Design, Unit: before.Unit, DBU: before.DBU, Die: before.Die, Ports: before.Ports,
			Source: Source{Format: "applied", BusBits: before.Source.BusBits},
		},
	}
	if err := p.cells(a.ResizedRenames); err != nil {
		return nil, err
	}
	return p.out, p.nets()
}

type applier struct {
	before, out *Snapshot
	d           *contract.DesignDelta
	newIndex    []int32 // cell of before → cell of out, or -1
	index       map[string]int32
	pins        map[Pin]uint32
}

func (p *applier) cells(resizedRenames []contract.CellRename) error {
	names := map[string]string{}
	for _, list := range [][]contract.CellRename{p.d.RenamedCells, resizedRenames} {
		for _, r := range list {
			names[string(r.FromID)] = string(r.ToID)
		}
	}
	removed := map[string]bool{}
	for _, c := range p.d.RemovedCells {
		removed[string(c.CellID)] = true
	}
	p.newIndex = filled(len(p.before.Cells))
	for i, c := range p.before.Cells {
		if removed[c.Name] {
			continue
		}
		if name, ok := names[c.Name]; ok {
			c.Name = name
		}
		p.newIndex[i] = int32(len(p.out.Cells))
		if err := p.add(c); err != nil {
			return err
		}
	}
	for _, c := range p.d.ResizedCells {
		at, err := p.cell(c.CellID)
		if err != nil {
			return err
		}
		at.Master = c.ToMaster
	}
	if err := p.places(); err != nil {
		return err
	}
	for _, c := range p.d.AddedCells {
		cell := Cell{Name: string(c.CellID), Master: c.Master}
		if c.To != nil {
			put(&cell, *c.To)
		}
		if err := p.add(cell); err != nil {
			return err
		}
	}
	return nil
}

func (p *applier) add(c Cell) error {
	if _, dup := p.index[c.Name]; dup {
		return fmt.Errorf("the delta makes a second cell %q", c.Name)
	}
	p.index[c.Name] = int32(len(p.out.Cells))
	p.out.Cells = append(p.out.Cells, c)
	return nil
}

func (p *applier) cell(id contract.StableID) (*Cell, error) {
	at, ok := p.index[string(id)]
	if !ok {
		return nil, fmt.Errorf("the delta changes cell %q, which does not exist", id)
	}
	return &p.out.Cells[at], nil
}

func (p *applier) places() error {
	for _, c := range p.d.MovedCells {
		at, err := p.cell(c.CellID)
		if err != nil {
			return err
		}
		put(at, c.To)
	}
	for _, c := range p.d.PlacedCells {
		at, err := p.cell(c.CellID)
		if err != nil {
			return err
		}
		put(at, c.To)
	}
	for _, c := range p.d.UnplacedCells {
		at, err := p.cell(c.CellID)
		if err != nil {
			return err
		}
		*at = Cell{Name: at.Name, Master: at.Master}
	}
	return nil
}

func put(c *Cell, to contract.Position) {
	c.X, c.Y, c.Site = to.X, to.Y, to.Site
	c.Orient = uint8(slices.Index(contract.Orients, to.Orient) + 1)
	if c.Status == Unplaced {
		c.Status = Placed
	}
}

func (p *applier) nets() error {
	changes := map[string]contract.NetChange{}
	for _, n := range p.d.NewNets {
		changes[string(n.NetID)] = n
	}
	for i := range p.before.Nets {
		n := p.before.Nets[i]
		change, ok := changes[n.Name]
		if ok && change.Kind == contract.NetRemoved {
			continue
		}
		gone := p.gone(i, change.PinsRemoved)
		start := len(p.out.conns)
		for _, c := range p.before.Conns(i) {
			if kept, ok := p.kept(c, gone); ok {
				p.out.conns = append(p.out.conns, kept)
			}
		}
		if err := p.addNet(n, start, change.PinsAdded); err != nil {
			return err
		}
	}
	for _, n := range p.d.NewNets {
		if n.Kind == contract.NetAdded {
			if err := p.addNet(Net{Name: string(n.NetID)}, len(p.out.conns), n.PinsAdded); err != nil {
				return err
			}
		}
	}
	return nil
}

// gone is what a net loses besides the pins of removed cells. A removed cell's name may belong to another cell
// afterwards; the first entry of such a name is then the removed cell's.
func (p *applier) gone(net int, removed []string) map[string]bool {
	left := map[string]int{}
	for _, pin := range removed {
		left[pin]++
	}
	for _, c := range p.before.Conns(net) {
		if c.Cell >= 0 && p.newIndex[c.Cell] < 0 {
			left[p.before.ConnName(c)]--
		}
	}
	gone := map[string]bool{}
	for pin, n := range left {
		if n > 0 {
			gone[pin] = true
		}
	}
	return gone
}

// kept is a connection of before as it stands after the cells changed, if the delta leaves it.
func (p *applier) kept(c Conn, gone map[string]bool) (Conn, bool) {
	pin := p.before.Pins[c.Pin]
	name := p.before.ConnName(c)
	if c.Cell >= 0 {
		to := p.newIndex[c.Cell]
		if to < 0 {
			return c, false // its cell is gone
		}
		name = p.out.Cells[to].Name + "/" + pin.Name
		c.Cell = to
	}
	c.Pin = p.pin(pin)
	return c, !gone[name]
}

func (p *applier) pin(pin Pin) uint32 {
	at, ok := p.pins[pin]
	if !ok {
		at = uint32(len(p.out.Pins))
		p.pins[pin] = at
		p.out.Pins = append(p.out.Pins, pin)
	}
	return at
}

func (p *applier) addNet(n Net, start int, pins []string) error {
	for _, name := range pins {
		c := Conn{Cell: ConnPort}
		inst, pin, ok := cutLast(name)
		switch {
		case strings.HasPrefix(name, "PIN/"):
			pin = strings.TrimPrefix(name, "PIN/")
		case !ok:
			return fmt.Errorf("pin %q of net %q; want instance/pin or PIN/port", name, n.Name)
		case inst == "*":
			c.Cell = ConnAll
		default:
			at, ok := p.index[inst]
			if !ok {
				return fmt.Errorf("net %q gets a pin of cell %q, which does not exist", n.Name, inst)
			}
			c.Cell = at
		}
		c.Pin = p.pin(Pin{Name: pin})
		p.out.conns = append(p.out.conns, c)
	}
	n.off, n.num = uint32(start), uint32(len(p.out.conns)-start)
	p.out.Nets = append(p.out.Nets, n)
	return nil
}

// cutLast splits at the last "/": instance names hold slashes, pin names do not.
func cutLast(s string) (inst, pin string, ok bool) {
	i := strings.LastIndexByte(s, '/')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}
