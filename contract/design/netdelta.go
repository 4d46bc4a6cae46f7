package design

import (
	"slices"
	"sort"

	"flowdbg/contract"
)

// nets lists added, removed and reconnected nets. Two connections are the same when their cells are matched and their pins
// have the same name, so a renamed cell does not reconnect its nets.
func (d *differ) nets() {
	k := newConnKeys(d)
	n := &d.out.Counts
	for i := range d.a.Nets {
		net := &d.a.Nets[i]
		if d.rule.ignoresNet(net) {
			continue
		}
		to := d.m.netTo[i]
		switch {
		case net.Special || to >= 0 && d.b.Nets[to].Special:
			if to < 0 || !k.equal(i, int(to)) {
				n.SpecialChanged++
			}
		case to < 0:
			n.NetsRemoved++
			d.addNet(net.Name, contract.NetRemoved, nil, k.names(k.before(i)))
		default:
			k.compare(i, int(to))
		}
	}
	for j := range d.b.Nets {
		net := &d.b.Nets[j]
		if d.m.netFrom[j] >= 0 || d.rule.ignoresNet(net) {
			continue
		}
		if net.Special {
			n.SpecialChanged++
			continue
		}
		n.NetsAdded++
		d.addNet(net.Name, contract.NetAdded, k.names(k.after(j)), nil)
	}
}

func (d *differ) addNet(name, kind string, added, removed []string) {
	d.out.Delta.NewNets = append(d.out.Delta.NewNets, contract.NetChange{
		NetID: contract.StableID(name), Kind: kind, PinsAdded: orEmpty(added), PinsRemoved: orEmpty(removed),
	})
}

// connKeys turns the connections of both sides into numbers that are equal when the connections are the same.
type connKeys struct {
	d          *differ
	pinA, pinB []uint32 // pin of a side → number of its name
	pins       []string
	bufA, bufB []uint64
}

// Cell numbers of a key: 0 = port, 1 = all, 2+j = cell j of after, 2+len(after)+i = cell i of before without a counterpart.
const firstCell = 2

func newConnKeys(d *differ) *connKeys {
	k := &connKeys{d: d}
	seen := map[string]uint32{}
	number := func(pins []Pin) []uint32 {
		out := make([]uint32, len(pins))
		for i, p := range pins {
			n, ok := seen[p.Name]
			if !ok {
				n = uint32(len(k.pins))
				seen[p.Name] = n
				k.pins = append(k.pins, p.Name)
			}
			out[i] = n
		}
		return out
	}
	k.pinA, k.pinB = number(d.a.Pins), number(d.b.Pins)
	return k
}

func (k *connKeys) before(net int) []uint64 {
	k.bufA = k.bufA[:0]
	for _, c := range k.d.a.Conns(net) {
		cell := k.special(c.Cell)
		if c.Cell >= 0 {
			if k.d.m.ignA[c.Cell] {
				continue
			}
			cell = uint64(firstCell + len(k.d.b.Cells) + int(c.Cell))
			if to := k.d.m.cellTo[c.Cell]; to >= 0 {
				cell = uint64(firstCell + int(to))
			}
		}
		k.bufA = append(k.bufA, cell<<32|uint64(k.pinA[c.Pin]))
	}
	slices.Sort(k.bufA)
	k.bufA = slices.Compact(k.bufA)
	return k.bufA
}

func (k *connKeys) after(net int) []uint64 {
	k.bufB = k.bufB[:0]
	for _, c := range k.d.b.Conns(net) {
		cell := k.special(c.Cell)
		if c.Cell >= 0 {
			if k.d.m.ignB[c.Cell] {
				continue
			}
			cell = uint64(firstCell + int(c.Cell))
		}
		k.bufB = append(k.bufB, cell<<32|uint64(k.pinB[c.Pin]))
	}
	slices.Sort(k.bufB)
	k.bufB = slices.Compact(k.bufB)
	return k.bufB
}

func (k *connKeys) special(cell int32) uint64 {
	if cell == ConnAll {
		return 1
	}
	return 0
}

func (k *connKeys) equal(i, j int) bool { return slices.Equal(k.before(i), k.after(j)) }

// compare lists net i of before against net j of after if their connections differ.
func (k *connKeys) compare(i, j int) {
	a, b := k.before(i), k.after(j)
	if slices.Equal(a, b) {
		return
	}
	var added, removed []uint64
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			removed = append(removed, a[0])
			a = a[1:]
		case len(a) == 0 || b[0] < a[0]:
			added = append(added, b[0])
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	k.d.out.Counts.NetsReconnected++
	k.d.addNet(k.d.b.Nets[j].Name, contract.NetReconnected, k.names(added), k.names(removed))
}

// names are the sorted pin names of keys; a cell that has a counterpart goes by its new name.
func (k *connKeys) names(keys []uint64) []string {
	out := make([]string, len(keys))
	nb := uint64(len(k.d.b.Cells))
	for i, key := range keys {
		cell, pin := key>>32, k.pins[uint32(key)]
		switch {
		case cell == 0:
			out[i] = "PIN/" + pin
		case cell == 1:
			out[i] = "*/" + pin
		case cell < firstCell+nb:
			out[i] = k.d.b.Cells[cell-firstCell].Name + "/" + pin
		default:
			out[i] = k.d.a.Cells[cell-firstCell-nb].Name + "/" + pin
		}
	}
	sort.Strings(out)
	return out
}
