package layout

import (
	"testing"

	"pgregory.net/rapid"
)

// anySizes are shares of every kind: built-in, sensible, and such as only a broken file has.
func anySizes() *rapid.Generator[Sizes] {
	return rapid.Custom(func(t *rapid.T) (s Sizes) {
		for i := range s {
			s[i] = rapid.OneOf(rapid.Just(0), rapid.IntRange(1, Whole), rapid.IntRange(-1<<40, 1<<40)).Draw(t, Border(i).String())
		}
		return s
	})
}

func anyInput() *rapid.Generator[Input] {
	return rapid.Custom(func(t *rapid.T) Input {
		m := rapid.SampledFrom([]Mode{Debug, Split, Single}).Draw(t, "mode")
		return Input{
			W: rapid.IntRange(-1, 300).Draw(t, "w"), H: rapid.IntRange(-1, 90).Draw(t, "h"), Mode: m,
			Focus: rapid.SampledFrom(m.Panes()).Draw(t, "focus"), Zoom: rapid.Bool().Draw(t, "zoom"), Sizes: anySizes().Draw(t, "sizes"),
		}
	})
}

// TestAnySizes: whatever sizes a user gave, the screen is covered, the focus is there, and every pane keeps its minimum.
func TestAnySizes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := anyInput().Draw(rt, "in")
		check(t, in)
		s := Compute(in)
		for _, p := range s.Panes {
			if len(s.Panes) > 1 && (p.Outer.W < minCols || p.Outer.H < minRows) {
				t.Errorf("%+v: %v has only %d×%d", in, p.Pane, p.Outer.W, p.Outer.H)
			}
		}
		for _, d := range s.Dividers {
			if d.At < d.Min || d.At > d.Max || d.Rect.Empty() {
				t.Errorf("%+v: divider %v is at %d, may be from %d to %d", in, d.Border, d.At, d.Min, d.Max)
			}
		}
		if t.Failed() {
			rt.FailNow()
		}
	})
}

// TestMovesAreExact: a border that is moved stands where it was put, and no other moves, except one that had less room than
// its size asks for.
func TestMovesAreExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := Input{W: rapid.IntRange(MediumFrom, 300).Draw(rt, "w"), H: rapid.IntRange(14, 90).Draw(rt, "h"),
			Mode: rapid.SampledFrom([]Mode{Debug, Split}).Draw(rt, "mode"), Sizes: anySizes().Draw(rt, "sizes")}
		before := Compute(in)
		d := rapid.SampledFrom(before.Dividers).Draw(rt, "divider")
		at := rapid.IntRange(d.Min-5, d.Max+5).Draw(rt, "at")
		want := min(max(at, d.Min), d.Max)
		moved := in
		moved.Sizes = d.Move(in.Sizes, at)
		after := Compute(moved)
		for _, x := range before.Dividers {
			y, ok := after.Divider(x.Border)
			switch {
			case !ok:
				rt.Fatalf("%v is gone", x.Border)
			case x.Border == d.Border && y.At != want:
				rt.Fatalf("%v was put to %d and stands at %d", d.Border, want, y.At)
			case x.Border != d.Border && y.At != x.At && x.At < x.Max:
				rt.Fatalf("%v went from %d to %d because %v moved", x.Border, x.At, y.At, d.Border)
			}
		}
	})
}

// TestResize: the focused pane gets what was asked for, or nothing changes and ok says so.
func TestResize(t *testing.T) {
	size := func(in Input) (w, h int) {
		p, _ := Compute(in).Find(in.Focus)
		return p.Outer.W, p.Outer.H
	}
	for _, c := range []struct {
		name   string
		in     Input
		dw, dh int
		ok     bool
	}{
		{"agents", Input{W: 150, H: 40, Focus: Agents}, 2, 0, true},
		{"events", Input{W: 150, H: 40, Focus: Events}, 2, 0, true},
		{"events beside a least right column", Input{W: 150, H: 40, Focus: Events, Sizes: Sizes{RightWidth: 1}}, 2, 0, true},
		{"inspector", Input{W: 150, H: 40, Focus: Inspector}, -2, 0, true},
		{"inspector", Input{W: 150, H: 40, Focus: Inspector}, 0, 1, true},
		{"inbox", Input{W: 150, H: 40, Focus: Inbox}, 0, 1, true},
		{"agents have all the height", Input{W: 150, H: 40, Focus: Agents}, 0, 1, false},
		{"medium", Input{W: 80, H: 24, Focus: Events}, 2, 0, true},
		{"medium", Input{W: 80, H: 24, Focus: Events}, 0, 1, true},
		{"medium", Input{W: 80, H: 24, Focus: Agents}, 0, -1, true},
		{"main", Input{W: 130, H: 24, Mode: Split, Focus: Main}, -2, 0, true},
		{"detail", Input{W: 130, H: 24, Mode: Split, Focus: Detail}, 2, 0, true},
		{"detail below", Input{W: 80, H: 24, Mode: Split, Focus: Detail}, 0, 1, true},
		{"detail below", Input{W: 80, H: 24, Mode: Split, Focus: Detail}, 2, 0, false},
		{"zoom", Input{W: 150, H: 40, Focus: Agents, Zoom: true}, 2, 0, false},
		{"narrow", Input{W: 60, H: 40, Focus: Agents}, 2, 0, false},
		{"one pane", Input{W: 150, H: 40, Mode: Single, Focus: Main}, 2, 2, false},
		{"as narrow as it can be", Input{W: 150, H: 40, Focus: Agents, Sizes: Sizes{AgentsWidth: 1}}, -2, 0, false},
	} {
		w, h := size(c.in)
		s, ok := Resize(c.in, c.dw, c.dh)
		after := c.in
		after.Sizes = s
		aw, ah := size(after)
		if ok != c.ok || ok && (aw != w+c.dw || ah != h+c.dh) || !ok && s != c.in.Sizes {
			t.Errorf("%s: %d×%d by %d,%d gave %d×%d, %v", c.name, w, h, c.dw, c.dh, aw, ah, ok)
		}
	}
}

// TestPresets: names are there once, each has a purpose, and each is another picture on wide, medium and split screens.
func TestPresets(t *testing.T) {
	seen := map[string]bool{}
	for i, p := range Presets() {
		if p.Name == "" || p.For == "" || seen[p.Name] || (i == 0) != (p.Name == Balanced) || (i == 0) != (p.Sizes == Sizes{}) {
			t.Errorf("preset %d: %+v", i, p)
		}
		seen[p.Name] = true
		for b, share := range p.Sizes {
			if i > 0 && (share <= 0 || share >= Whole) {
				t.Errorf("%s: %v is %d", p.Name, Border(b), share)
			}
		}
	}
	for _, in := range []Input{{W: 150, H: 40}, {W: 80, H: 24}} {
		pictures := map[string]string{}
		for _, p := range Presets() {
			in.Sizes = p.Sizes
			picture := draw(Compute(in), in.W, in.H)
			if other, double := pictures[picture]; double {
				t.Errorf("%d×%d: %s looks like %s", in.W, in.H, p.Name, other)
			}
			pictures[picture] = p.Name
		}
	}
}

func TestDividerAt(t *testing.T) {
	s := Compute(Input{W: 150, H: 40})
	d, ok := s.Divider(AgentsWidth)
	if !ok || d.At != 30 {
		t.Fatalf("%+v %v", d, ok)
	}
	for x, want := range map[int]bool{28: false, 29: true, 30: true, 31: false} {
		if got, ok := s.DividerAt(x, 10); ok != want || ok && got.Border != AgentsWidth {
			t.Errorf("at column %d: %v %v", x, got.Border, ok)
		}
	}
	between, _ := s.Divider(InspectorHeight)
	if got, ok := s.DividerAt(149, between.At); !ok || got.Border != InspectorHeight {
		t.Errorf("between inspector and inbox: %v %v", got.Border, ok)
	}
	if _, ok := Compute(Input{W: 50, H: 40}).DividerAt(10, 10); ok {
		t.Error("a screen with one pane has no border to move")
	}
	if v, h := s.Beside(Events); v != 2 || h != 0 {
		t.Errorf("beside the events: %d upright, %d level", v, h)
	}
}
