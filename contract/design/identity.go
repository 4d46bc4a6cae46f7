package design

import "strings"

// matching pairs the cells and the nets of two snapshots.
type matching struct {
	a, b         *Snapshot
	ignA, ignB   []bool
	cellTo       []int32 // cell of a → cell of b, or -1
	cellFrom     []int32
	netTo        []int32 // net of a → net of b, or -1
	netFrom      []int32
	byNet        int // cells paired by the net they drive
	byName       int
	respelled    int // cells and nets paired although their spelling differs
	undriven     int // nets of either side without one driver cell (ByDrivenNet)
	driverSource string
}

func match(a, b *Snapshot, rule *Rule) *matching {
	a.sortOnce()
	b.sortOnce()
	m := &matching{
		a: a, b: b, ignA: rule.ignored(a), ignB: rule.ignored(b),
		cellTo: filled(len(a.Cells)), cellFrom: filled(len(b.Cells)),
		netTo: filled(len(a.Nets)), netFrom: filled(len(b.Nets)),
	}
	m.nets(rule)
	if rule.Identity == ByDrivenNet {
		m.cellsByNet(rule.Library)
	}
	m.cellsByName()
	return m
}

func filled(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// side is one of two lists of names in order, with what is out of the game.
type side struct {
	order []int32
	name  func(int32) string
	out   func(int32) bool
	bus   string
}

// pairNames joins two ordered lists by name, and then what is left over by plain name, where both sides have it once.
func pairNames(a, b side, pair func(i, j int32)) (respelled int) {
	i, j := 0, 0
	var leftA, leftB []int32
	for i < len(a.order) || j < len(b.order) {
		switch {
		case i < len(a.order) && a.out(a.order[i]):
			i++
			continue
		case j < len(b.order) && b.out(b.order[j]):
			j++
			continue
		}
		c := 0
		switch {
		case i == len(a.order):
			c = 1
		case j == len(b.order):
			c = -1
		default:
			c = strings.Compare(a.name(a.order[i]), b.name(b.order[j]))
		}
		switch {
		case c < 0:
			leftA = append(leftA, a.order[i])
			i++
		case c > 0:
			leftB = append(leftB, b.order[j])
			j++
		default:
			pair(a.order[i], b.order[j])
			i++
			j++
		}
	}
	if len(leftA) == 0 || len(leftB) == 0 {
		return 0
	}
	plainA, plainB := plainOnce(a, leftA), plainOnce(b, leftB)
	for _, i := range leftA {
		key := plainName(a.name(i), a.bus)
		if j, ok := plainB[key]; ok && j >= 0 && plainA[key] == i {
			pair(i, j)
			respelled++
		}
	}
	return respelled
}

// plainOnce maps plain names to their item; a name that occurs twice maps to -1.
func plainOnce(s side, items []int32) map[string]int32 {
	m := make(map[string]int32, len(items))
	for _, i := range items {
		key := plainName(s.name(i), s.bus)
		if _, dup := m[key]; dup {
			i = -1
		}
		m[key] = i
	}
	return m
}

func (m *matching) nets(rule *Rule) {
	sideOf := func(s *Snapshot) side {
		return side{
			order: s.nets,
			name:  func(i int32) string { return s.Nets[i].Name },
			out:   func(i int32) bool { return rule.ignoresNet(&s.Nets[i]) },
			bus:   s.Source.BusBits,
		}
	}
	m.respelled += pairNames(sideOf(m.a), sideOf(m.b), func(i, j int32) { m.netTo[i], m.netFrom[j] = j, i })
}

func (m *matching) cellsByName() {
	sideOf := func(s *Snapshot, ignored []bool, paired []int32) side {
		return side{
			order: s.cells,
			name:  func(i int32) string { return s.Cells[i].Name },
			out:   func(i int32) bool { return ignored[i] || paired[i] >= 0 },
			bus:   s.Source.BusBits,
		}
	}
	m.respelled += pairNames(sideOf(m.a, m.ignA, m.cellTo), sideOf(m.b, m.ignB, m.cellFrom), func(i, j int32) {
		m.cellTo[i], m.cellFrom[j] = j, i
		m.byName++
	})
}

// cellsByNet pairs the drivers of nets that both snapshots have. A cell that drives several nets is paired by the first of
// them, in order of names, whose two drivers are both still free; so the pairs do not depend on which snapshot comes first.
func (m *matching) cellsByNet(lib *Library) {
	da, db := newDirector(m.a, lib), newDirector(m.b, lib)
	drvA, drvB := da.drivers(m.ignA), db.drivers(m.ignB)
	for _, list := range [][]int32{drvA, drvB} {
		for _, d := range list {
			if d < 0 {
				m.undriven++
			}
		}
	}
	for _, n := range m.a.nets {
		to := m.netTo[n]
		if to < 0 {
			continue
		}
		i, j := drvA[n], drvB[to]
		if i >= 0 && j >= 0 && m.cellTo[i] < 0 && m.cellFrom[j] < 0 {
			m.cellTo[i], m.cellFrom[j] = j, i
			m.byNet++
		}
	}
	m.driverSource = da.source()
}
