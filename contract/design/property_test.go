package design

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/contract"
)

// toy is a design small enough to draw at random and to write as DEF.
type toy struct {
	cells map[string]toyCell
	nets  map[string][]string // pins "cell pin"
}

type toyCell struct {
	master string
	place  string // "" or "+ PLACED ( x y ) N"
}

var (
	toyMasters = []string{"INV", "BUF", "DFF", "FILL1"}
	toyPins    = []string{"A", "B", "Z"}
)

func drawCell(t *rapid.T) toyCell {
	c := toyCell{master: rapid.SampledFrom(toyMasters).Draw(t, "master")}
	if rapid.IntRange(0, 4).Draw(t, "placed") > 0 {
		c.place = fmt.Sprintf("+ %s ( %d %d ) %s", rapid.SampledFrom([]string{"PLACED", "FIXED"}).Draw(t, "status"),
			rapid.IntRange(-50, 50).Draw(t, "x"), rapid.IntRange(-50, 50).Draw(t, "y"), rapid.SampledFrom([]string{"N", "FS", "W"}).Draw(t, "orient"))
	}
	return c
}

func drawToy(t *rapid.T) toy {
	d := toy{map[string]toyCell{}, map[string][]string{}}
	for i := range rapid.IntRange(0, 8).Draw(t, "cells") {
		d.cells[fmt.Sprintf("u%d/_%d_", i%2, i)] = drawCell(t)
	}
	names := d.names()
	for i := range rapid.IntRange(0, 6).Draw(t, "nets") {
		d.nets[fmt.Sprintf("n%d", i)] = drawPins(t, names)
	}
	return d
}

func (d toy) names() []string {
	var names []string
	for name := range d.cells {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func drawPins(t *rapid.T, names []string) []string {
	var pins []string
	for range rapid.IntRange(0, 4).Draw(t, "pins") {
		cell := "PIN"
		if len(names) > 0 && rapid.IntRange(0, 5).Draw(t, "port") > 0 {
			cell = rapid.SampledFrom(names).Draw(t, "cell")
		}
		pins = append(pins, cell+" "+rapid.SampledFrom(toyPins).Draw(t, "pin"))
	}
	slices.Sort(pins)
	return slices.Compact(pins)
}

// change draws another state of the design: cells and nets come, go and change.
func (d toy) change(t *rapid.T) toy {
	e := toy{map[string]toyCell{}, map[string][]string{}}
	for _, name := range d.names() { // in order: a draw must not depend on a map's
		c := d.cells[name]
		switch rapid.IntRange(0, 6).Draw(t, "cell "+name) {
		case 0:
		case 1, 2:
			e.cells[name] = drawCell(t)
		default:
			e.cells[name] = c
		}
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "new cells") {
		e.cells[fmt.Sprintf("new%d", i)] = drawCell(t)
	}
	names := e.names()
	for _, name := range slices.Sorted(maps.Keys(d.nets)) {
		pins := d.nets[name]
		switch rapid.IntRange(0, 6).Draw(t, "net "+name) {
		case 0:
		case 1:
			e.nets[name] = drawPins(t, names)
		default:
			for _, pin := range pins {
				cell, _, _ := strings.Cut(pin, " ")
				if _, ok := e.cells[cell]; ok || cell == "PIN" {
					e.nets[name] = append(e.nets[name], pin)
				}
			}
			if e.nets[name] == nil {
				e.nets[name] = []string{}
			}
		}
	}
	if rapid.Bool().Draw(t, "new net") {
		e.nets["extra"] = drawPins(t, names)
	}
	return e
}

// def writes the design with its items in a random order.
func (d toy) def(t *rapid.T) string {
	var b strings.Builder
	fmt.Fprintf(&b, "DESIGN toy ;\nUNITS DISTANCE MICRONS 10 ;\nCOMPONENTS %d ;\n", len(d.cells))
	for _, name := range rapid.Permutation(d.names()).Draw(t, "order") {
		c := d.cells[name]
		fmt.Fprintf(&b, "- %s %s %s ;\n", name, c.master, c.place)
	}
	fmt.Fprintf(&b, "END COMPONENTS\nNETS %d ;\n", len(d.nets))
	for _, name := range rapid.Permutation(slices.Sorted(maps.Keys(d.nets))).Draw(t, "net order") {
		fmt.Fprintf(&b, "- %s", name)
		for _, pin := range rapid.Permutation(d.nets[name]).Draw(t, "pin order") {
			fmt.Fprintf(&b, " ( %s )", pin)
		}
		b.WriteString(" ;\n")
	}
	b.WriteString("END NETS\nEND DESIGN\n")
	return b.String()
}

func (d toy) read(t *rapid.T) *Snapshot {
	s, err := Read(strings.NewReader(d.def(t)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Source.Findings) > 0 {
		t.Fatalf("findings %v", s.Source.Findings)
	}
	return s
}

func mustDelta(t *rapid.T, a, b *Snapshot, rule Rule) *Answer {
	d, err := Delta(a, b, rule)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSelfDelta: the order of a file changes neither its hash nor anything else.
func TestSelfDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawToy(t)
		a, b := d.read(t), d.read(t)
		if a.Hash() != b.Hash() {
			t.Fatal("the order of the file changes the hash")
		}
		got := mustDelta(t, a, b, Rule{})
		if got.Counts.Changed != 0 || len(got.Delta.NewNets) != 0 || !got.Equal || got.Counts.String() != "nothing changed" {
			t.Fatalf("%+v", got.Counts)
		}
	})
}

// TestApplyReconstructs: before plus the measured delta is after, under both rules.
func TestApplyReconstructs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawToy(t)
		a, b := d.read(t), d.change(t).read(t)
		rule := Rule{Identity: rapid.SampledFrom([]Identity{ByName, ByDrivenNet}).Draw(t, "identity")}
		made, err := Apply(a, mustDelta(t, a, b, rule))
		if err != nil {
			t.Fatal(err)
		}
		rest := mustDelta(t, made, b, Rule{})
		if rest.Counts.Changed != 0 || len(rest.Delta.NewNets) != 0 {
			t.Fatalf("what is left over: %v %+v", rest.Counts, rest.Delta)
		}
	})
}

// TestMirror: from after to before everything is the other way round.
func TestMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawToy(t)
		a, b := d.read(t), d.change(t).read(t)
		rule := Rule{Identity: rapid.SampledFrom([]Identity{ByName, ByDrivenNet}).Draw(t, "identity")}
		if rapid.Bool().Draw(t, "ignore") {
			rule.Ignore = []string{ClassFillers}
		}
		x, y := mustDelta(t, a, b, rule), mustDelta(t, b, a, rule)
		n, m := x.Counts, y.Counts
		m.Placed, m.Unplaced = m.Unplaced, m.Placed
		m.Added, m.Removed = m.Removed, m.Added
		m.NetsAdded, m.NetsRemoved = m.NetsRemoved, m.NetsAdded
		m.UnmatchedBefore, m.UnmatchedAfter = m.UnmatchedAfter, m.UnmatchedBefore
		m.IgnoredBefore, m.IgnoredAfter = m.IgnoredAfter, m.IgnoredBefore
		m.AddedByClass, m.RemovedByClass = m.RemovedByClass, m.AddedByClass
		if rule.Identity == ByDrivenNet {
			m.Changed = n.Changed // a name may stand for two different cells, so distinct names are not symmetric
		}
		if fmt.Sprint(n) != fmt.Sprint(m) || fmt.Sprintf("%+v", n) != fmt.Sprintf("%+v", m) {
			t.Fatalf("forth %+v\nback  %+v", n, m)
		}
		if x.Displacement.Sum != y.Displacement.Sum || x.Displacement.Max != y.Displacement.Max {
			t.Fatalf("displacement %+v, back %+v", x.Displacement, y.Displacement)
		}
		if rule.Identity == ByName {
			mirrorLists(t, &x.Delta, &y.Delta)
		}
	})
}

func mirrorLists(t *rapid.T, x, y *contract.DesignDelta) {
	for i, c := range x.MovedCells {
		if b := y.MovedCells[i]; b.CellID != c.CellID || b.From != c.To || b.To != c.From {
			t.Fatalf("move %v, back %v", c, b)
		}
	}
	for i, c := range x.ResizedCells {
		if b := y.ResizedCells[i]; b.CellID != c.CellID || b.FromMaster != c.ToMaster || b.ToMaster != c.FromMaster {
			t.Fatalf("resize %v, back %v", c, b)
		}
	}
	for i, c := range x.NewNets {
		if b := y.NewNets[i]; b.NetID != c.NetID || !slices.Equal(b.PinsAdded, c.PinsRemoved) || !slices.Equal(b.PinsRemoved, c.PinsAdded) {
			t.Fatalf("net %v, back %v", c, b)
		}
	}
}

// TestClaimOfTheRecountHolds: a claim that is the measured delta is equal in every line.
func TestClaimOfTheRecountHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawToy(t)
		a, b := d.read(t), d.change(t).read(t)
		got := mustDelta(t, a, b, Rule{})
		all := map[string]bool{"summary": true}
		for _, lm := range listMembers {
			all[lm.member] = true
		}
		claim := Claim{Source: "itself", Delta: &got.Delta, Parent: got.Before.Snapshot, lists: all}
		for _, l := range got.Compare([]Claim{claim}) {
			if l.Verdict != VerdictEqual {
				t.Fatalf("%+v", l)
			}
		}
	})
}
