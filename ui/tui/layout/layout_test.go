package layout

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden drawings")

// TestDrawings compares layouts with drawings of them in testdata; the name of a file says what it draws.
func TestDrawings(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Input
	}{
		{"debug-wide-150x22", Input{W: 150, H: 22, Focus: Events}},
		{"debug-wide-120x12-short", Input{W: 120, H: 12, Focus: Inbox}},
		{"debug-medium-80x24", Input{W: 80, H: 24, Focus: Events}},
		{"debug-medium-119x11-short", Input{W: 119, H: 11, Focus: Events}},
		{"debug-medium-80x14-zoom", Input{W: 80, H: 14, Focus: Inspector, Zoom: true}},
		{"debug-narrow-60x14", Input{W: 60, H: 14, Focus: Inspector}},
		{"debug-narrow-40x7", Input{W: 40, H: 7, Focus: Events}},
		{"debug-tiny-19x8", Input{W: 19, H: 8, Focus: Agents}},
		{"debug-tiny-30x3", Input{W: 30, H: 3, Focus: Agents}},
		{"split-wide-130x14", Input{W: 130, H: 14, Mode: Split}},
		{"split-medium-80x24", Input{W: 80, H: 24, Mode: Split, Focus: Detail}},
		{"split-narrow-50x12", Input{W: 50, H: 12, Mode: Split, Focus: Detail}},
		{"sizes-wide-150x22", Input{W: 150, H: 22, Focus: Events, Sizes: Sizes{AgentsWidth: 400, RightWidth: 250, InspectorHeight: 400}}},
		{"sizes-wide-120x14-all", Input{W: 120, H: 14, Sizes: Sizes{AgentsWidth: Whole, RightWidth: Whole, InspectorHeight: Whole}}},
		{"sizes-medium-80x24", Input{W: 80, H: 24, Sizes: Sizes{LeftWidth: 1, AgentsHeight: 900, InspectorHeight: 1}}},
		{"sizes-split-wide-130x14", Input{W: 130, H: 14, Mode: Split, Sizes: Sizes{MainWidth: 250}}},
		{"sizes-split-medium-80x24", Input{W: 80, H: 24, Mode: Split, Sizes: Sizes{MainHeight: 800}}},
		{"preset-events-150x22", Input{W: 150, H: 22, Sizes: Presets()[1].Sizes}},
		{"preset-inspector-150x22", Input{W: 150, H: 22, Sizes: Presets()[2].Sizes}},
		{"preset-messages-80x24", Input{W: 80, H: 24, Sizes: Presets()[3].Sizes}},
		{"preset-agents-80x24", Input{W: 80, H: 24, Sizes: Presets()[4].Sizes}},
		{"single-medium-70x10", Input{W: 70, H: 10, Mode: Single}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := draw(Compute(c.in), c.in.W, c.in.H)
			file := filepath.Join("testdata", c.name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// draw paints a layout: bars as their names, panes as boxes with the size of their inside.
func draw(s Screen, w, h int) string {
	grid := make([][]rune, h)
	for y := range grid {
		grid[y] = []rune(strings.Repeat("?", w))
	}
	fill := func(r Rect, c rune) {
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				grid[y][x] = c
			}
		}
	}
	label := func(r Rect, s string) {
		for i, c := range []rune(s) {
			if i < r.W && r.H > 0 {
				grid[r.Y][r.X+i] = c
			}
		}
	}
	bar := func(r Rect, c rune, name string) { fill(r, c); label(r, name) }
	bar(s.Header, 'h', "header ")
	bar(s.Tabs, 't', "tabs ")
	bar(s.Stop, 's', "stop ")
	bar(s.Keys, 'k', "keys ")
	for _, p := range s.Panes {
		o := p.Outer
		if !p.Bare {
			fill(Rect{o.X, o.Y, o.W, 1}, '─')
			fill(Rect{o.X, o.Y + 1, 1, o.H - 1}, '│')
			fill(Rect{o.X + o.W - 1, o.Y + 1, 1, o.H - 1}, '│')
			corners := "┌┐"
			if p.Joined {
				corners = "├┤"
			}
			c := []rune(corners)
			grid[o.Y][o.X], grid[o.Y][o.X+o.W-1] = c[0], c[1]
			if !p.NoBottom {
				fill(Rect{o.X, o.Y + o.H - 1, o.W, 1}, '─')
				grid[o.Y+o.H-1][o.X], grid[o.Y+o.H-1][o.X+o.W-1] = '└', '┘'
			}
		}
		fill(p.Inner, ' ')
		label(p.Inner, fmt.Sprintf("%v %d×%d", p.Pane, p.Inner.W, p.Inner.H))
	}
	var b strings.Builder
	for _, row := range grid {
		b.WriteString(string(row) + "\n")
	}
	return b.String()
}

// TestEverySize: the rectangles cover the screen exactly, insides lie within, and the focused pane is visible.
func TestEverySize(t *testing.T) {
	for _, m := range []Mode{Debug, Split, Single} {
		for _, focus := range append(m.Panes(), Pane(99)) {
			for _, zoom := range []bool{false, true} {
				for h := -1; h <= 40; h++ {
					for w := -1; w <= 130; w++ {
						check(t, Input{W: w, H: h, Mode: m, Focus: focus, Zoom: zoom})
					}
				}
				check(t, Input{W: 250, H: 80, Mode: m, Focus: focus, Zoom: zoom})
				if t.Failed() {
					return
				}
			}
		}
	}
}

func check(t *testing.T, in Input) {
	t.Helper()
	s := Compute(in)
	w, h := max(in.W, 0), max(in.H, 0)
	cells := make([]uint8, w*h)
	cover := func(what string, r Rect) {
		if r.W < 0 || r.H < 0 || r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h {
			t.Errorf("%+v: %s is outside: %+v", in, what, r)
			return
		}
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				cells[y*w+x]++
			}
		}
	}
	cover("header", s.Header)
	cover("tabs", s.Tabs)
	cover("stop", s.Stop)
	cover("keys", s.Keys)
	for _, p := range s.Panes {
		cover(p.Pane.String(), p.Outer)
		o, i := p.Outer, p.Inner
		if i.W < 0 || i.H < 0 || i.X < o.X || i.Y < o.Y || i.X+i.W > o.X+o.W || i.Y+i.H > o.Y+o.H {
			t.Errorf("%+v: inside of %v is outside: %+v in %+v", in, p.Pane, i, o)
		}
		if i.Empty() {
			t.Errorf("%+v: %v has no inside", in, p.Pane)
		}
	}
	for i, n := range cells {
		if n != 1 {
			t.Errorf("%+v: cell %d,%d is covered %d times", in, i%w, i/w, n)
			return
		}
	}
	if _, ok := s.Find(in.Focus); w > 0 && h > 0 && in.Focus <= Detail && !ok && len(s.Panes) > 0 {
		t.Errorf("%+v: the focused pane is not visible", in)
	}
	if w > 0 && h > 0 && len(s.Panes) == 0 {
		t.Errorf("%+v: no pane at all", in)
	}
	if (in.Zoom || s.Kind <= Narrow) && len(s.Panes) > 1 {
		t.Errorf("%+v: %d panes where one was wanted", in, len(s.Panes))
	}
}

func TestAt(t *testing.T) {
	s := Compute(Input{W: 150, H: 30})
	for _, p := range s.Panes {
		got, ok := s.At(p.Outer.X, p.Outer.Y)
		if !ok || got.Pane != p.Pane {
			t.Errorf("At the corner of %v: %v, %v", p.Pane, got.Pane, ok)
		}
	}
	if _, ok := s.At(0, 0); ok {
		t.Error("the header is no pane")
	}
}

func BenchmarkCompute(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Compute(Input{W: 200, H: 60, Focus: Events})
	}
}
