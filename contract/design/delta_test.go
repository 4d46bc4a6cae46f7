package design

import (
	"encoding/json"
	"strings"
	"testing"

	"flowdbg/contract"
)

func TestDeltaRefusals(t *testing.T) {
	def := parse(t, twoCellDEF("INV", "N"))
	json := parse(t, placed)
	odd := parse(t, strings.Replace(twoCellDEF("INV", "N"), "MICRONS 1000", "MICRONS 300", 1))
	for _, c := range []struct {
		a, b *Snapshot
		rule Rule
		want string
	}{
		{def, json, Rule{}, "before are in database units (DEF), those after in tiles (nextpnr)"},
		{def, odd, Rule{}, "neither is a multiple of the other"},
		{def, def, Rule{Identity: "luck"}, `identity rule "luck"`},
		{def, def, Rule{Ignore: []string{"fills"}}, `class "fills"; want fillers, decaps, taps, packer`},
	} {
		if _, err := Delta(c.a, c.b, c.rule); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestFinerUnits: the same places in other database units are the same places, and a move is in the finer unit.
func TestFinerUnits(t *testing.T) {
	coarse := parse(t, twoCellDEF("INV", "N"))
	fine := parse(t, strings.Replace(strings.Replace(twoCellDEF("INV", "N"), "MICRONS 1000", "MICRONS 2000", 1), "( 10000 0 )", "( 20002 0 )", 1))
	a, err := Delta(coarse, fine, Rule{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Delta(fine, coarse, Rule{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Counts.Moved != 1 || a.Delta.MovedCells[0].From.X != 20000 || a.Displacement.Sum != 0.001 {
		t.Errorf("%v %+v %+v", a.Counts, a.Delta.MovedCells, a.Displacement)
	}
	if b.Counts.Moved != 1 || b.Delta.MovedCells[0].To.X != 20000 || b.Displacement.Sum != 0.001 {
		t.Errorf("%v %+v %+v", b.Counts, b.Delta.MovedCells, b.Displacement)
	}
	validDelta(t, a)
}

func TestKinds(t *testing.T) {
	base := twoCellDEF("INV", "N")
	for _, c := range []struct {
		name, old, new string
		want           Counts
	}{
		{"turned is moved", ") N ;\nEND", ") FS ;\nEND", Counts{Moved: 1, Reoriented: 1, Changed: 1}},
		{"fixed is not moved", "b INV + PLACED", "b INV + FIXED", Counts{StatusChanged: 1}},
		{"unplaced", "b INV + PLACED ( 10000 0 ) N", "b INV", Counts{Unplaced: 1, Changed: 1}},
		{"resized in place", "b INV", "b BUF", Counts{Resized: 1, Changed: 1}},
		{"filler gone", "- b INV + PLACED ( 10000 0 ) N ;\n", "", Counts{Removed: 1, NetsReconnected: 1, Changed: 1, UnmatchedBefore: 1}},
		{"escaped otherwise", "b ", `\b `, Counts{Respelled: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			after := strings.Replace(base, c.old, c.new, 1)
			after = strings.ReplaceAll(after, "COMPONENTS 2", "COMPONENTS "+string(rune('0'+strings.Count(after, "- ")-1)))
			if c.name == "filler gone" {
				after = strings.Replace(after, " ( b A )", "", 1)
			}
			if c.name == "escaped otherwise" {
				after = strings.Replace(after, "( b A )", `( \b A )`, 1)
			}
			a, err := Delta(parse(t, base), parse(t, after), Rule{})
			if err != nil {
				t.Fatal(err)
			}
			validDelta(t, a)
			a.Counts.MatchedByName = 0
			got, _ := json.Marshal(a.Counts)
			want, _ := json.Marshal(c.want)
			if string(got) != string(want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestBusBrackets: names in <> and in [] are the same when each file declares its brackets.
func TestBusBrackets(t *testing.T) {
	square := strings.ReplaceAll(twoCellDEF("INV", "N"), "b ", "b[3] ")
	angle := `BUSBITCHARS "<>" ;` + "\n" + strings.ReplaceAll(twoCellDEF("INV", "N"), "b ", "b<3> ")
	a, err := Delta(parse(t, square), parse(t, angle), Rule{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Counts.Changed != 0 || a.Counts.Respelled != 1 || len(a.Delta.NewNets) != 0 {
		t.Errorf("%+v", a.Counts)
	}
}

// TestIgnoredPacker leaves nextpnr's constant drivers and their nets out.
func TestIgnoredPacker(t *testing.T) {
	moved := strings.Replace(placedPacker, "X1/Y1/lc0", "X5/Y5/lc0", 1)
	for _, c := range []struct {
		rule           Rule
		moved, ignored int
	}{{Rule{}, 1, 0}, {Rule{Ignore: []string{ClassPacker}}, 0, 1}, {Rule{IgnoreNames: []string{"$PACKER*"}}, 0, 1}, {Rule{IgnoreMasters: []string{"L?"}}, 0, 2}} {
		a, err := Delta(parse(t, placedPacker), parse(t, moved), c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if a.Counts.Moved != c.moved || a.Counts.IgnoredBefore != c.ignored || a.Counts.IgnoredAfter != c.ignored {
			t.Errorf("%v: %+v", c.rule, a.Counts)
		}
		validDelta(t, a)
	}
}

const placedPacker = `{"modules":{"top":{"cells":{
 "$PACKER_GND":{"type":"LC","attributes":{"NEXTPNR_BEL":"X1/Y1/lc0"},"port_directions":{"O":"output"},"connections":{"O":[1]}},
 "u":{"type":"LC","attributes":{"NEXTPNR_BEL":"X2/Y1/lc0"},"port_directions":{"I":"input"},"connections":{"I":[1]}}},
 "netnames":{"$PACKER_GND_NET":{"bits":[1]}}}}}`

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		p, s string
		want bool
	}{
		{"*", "", true}, {"", "", true}, {"", "a", false}, {"FILL*", "FILLCELL_X1", true}, {"*fill*", "sky130__fill_1", true},
		{"a?c", "abc", true}, {"a?c", "ac", false}, {"*a*b", "xaxxb", true}, {"*a*b", "xaxxbc", false}, {"u/*", "u/v/w", true},
	} {
		if got := glob(c.p, c.s); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.p, c.s, got)
		}
	}
}

func TestClassOf(t *testing.T) {
	for _, c := range []struct{ name, master, want string }{
		{"x", "FILLCELL_X1", ClassFillers}, {"x", "sky130_fd_sc_hs__fill_4", ClassFillers}, {"x", "sky130_fd_sc_hd__decap_3", ClassDecaps},
		{"x", "TAPCELL_ASAP7_75t_R", ClassTaps}, {"$PACKER_VCC", "ICESTORM_LC", ClassPacker}, {"fill", "INV_X1", ""}, {"x", "DFFPOSX1", ""},
	} {
		if got := classOf(&Cell{Name: c.name, Master: c.master}); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.name, c.master, got, c.want)
		}
	}
}

func TestHistogram(t *testing.T) {
	var moves []Moved
	for _, d := range []float64{99, 20, 19.9, 3, 0} {
		moves = append(moves, Moved{Distance: d})
	}
	total, zero := 0, 0
	for _, b := range bins(moves) {
		total += b.Count
		if b.From == 0 {
			zero = b.Count
		}
		if b.Count > 0 && b.From == 20 && b.Count != 1 {
			t.Errorf("bin %+v: 20 belongs to the bin that begins with it", b)
		}
	}
	if total != len(moves) || zero != 1 {
		t.Errorf("%+v", bins(moves))
	}
	if b := bins([]Moved{{Distance: 0}}); len(b) != 1 || b[0].Count != 1 {
		t.Errorf("only turned: %+v", b)
	}
}

func TestApplyRefusals(t *testing.T) {
	a, b := parse(t, twoCellDEF("INV", "N")), parse(t, twoCellDEF("BUF", "N"))
	d, err := Delta(a, b, Rule{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(b, d); err == nil || !strings.Contains(err.Error(), "was measured from") {
		t.Errorf("the wrong snapshot: %v", err)
	}
	ignoring, _ := Delta(a, b, Rule{Ignore: []string{ClassTaps}})
	if _, err := Apply(a, ignoring); err == nil || !strings.Contains(err.Error(), "ignores cells") {
		t.Errorf("ignored cells: %v", err)
	}
	d.Delta.ResizedCells[0].CellID = "nobody"
	if _, err := Apply(a, d); err == nil || !strings.Contains(err.Error(), `"nobody", which does not exist`) {
		t.Errorf("an unknown cell: %v", err)
	}
	d.Delta = contract.DesignDelta{AddedCells: []contract.CellAdd{{CellID: "a", Master: "INV"}}}
	if _, err := Apply(a, d); err == nil || !strings.Contains(err.Error(), `second cell "a"`) {
		t.Errorf("a second cell: %v", err)
	}
}
