package app

import (
	"slices"
	"strings"
	"testing"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

// colourless are the looks without colour: weight only, nothing at all (NO_COLOR), and nothing in ASCII.
var colourless = []struct {
	name, theme string
	ascii       bool
}{{"mono", "mono", false}, {"NO_COLOR", "plain", false}, {"ASCII", "plain", true}}

// inLooks runs a test in each look without colour.
func inLooks(t *testing.T, sc screen, w, h int, test func(t *testing.T, d *driver, g theme.Glyphs)) {
	t.Helper()
	for _, l := range colourless {
		t.Run(l.name, func(t *testing.T) {
			d := sc.from(t)
			d.m.th = look(t, l.theme, l.ascii)
			d.send(tea.WindowSizeMsg{Width: w, Height: h})
			if sc.play != nil {
				sc.play(d)
			}
			if l.theme == "plain" && strings.Contains(d.frame(), "\x1b") {
				t.Fatal("a screen without colour has colours")
			}
			test(t, d, d.m.th.Glyph)
		})
	}
}

// marked are the places on the screen where the cursor's glyph stands at the left edge of a pane.
func (d *driver) marked() map[[2]int]bool {
	g, at := d.m.th.Glyph, map[[2]int]bool{}
	for y, line := range strings.Split(d.plain(), "\n") {
		row := cells(line)
		for x := 1; x < len(row); x++ {
			if row[x] == g.Select && row[x-1] == g.Edges.Vertical {
				at[[2]int{x, y}] = true
			}
		}
	}
	return at
}

// TestCursorWithoutColour: in every list of every view and panel the glyph of the cursor goes with the cursor, a row at a time.
func TestCursorWithoutColour(t *testing.T) {
	for name, c := range map[string]struct {
		sc   screen
		down []string // keys
	}{
		"1 agents":       {screen{open150, in(layout.Agents, keymap.Step)}, nil},
		"1 events":       {screen{open150, do(keymap.Step)}, nil},
		"1 inspector":    {screen{open150, in(layout.Inspector, keymap.Step)}, nil},
		"2 edges":        {screen{open150, in(layout.Detail, keymap.View(2))}, nil},
		"3 rows":         {screen{open150, do(keymap.Continue, keymap.View(3))}, nil},
		"3 steps":        {screen{open150, in(layout.Detail, keymap.Continue, keymap.View(3))}, nil},
		"4 tools, calls": {exampleAt("contract-flow", true, viewContract), nil},
		"5 candidates":   {exampleAt("explorer", false, viewCandidates), nil},
		"6 changes":      {exampleAt("explorer", false, viewDelta), nil},
		"7 events":       {screen{diverged, do(keymap.Continue, keymap.View(7), keymap.Home)}, nil},
		"7 difference":   {screen{diverged, func(d *driver) { in(layout.Detail, keymap.Continue, keymap.View(7))(d); d.do(keymap.Home) }}, nil},
		"8 runs":         {screen{open150, func(d *driver) { forked(d); d.do(keymap.View(8), keymap.Home) }}, nil},
		"9 problems":     {screen{exampleAt("damaged", false, viewProblems).from, func(d *driver) { d.atEnd(viewProblems) }}, nil},
		"palette":        {screen{open150, do(keymap.Palette)}, []string{"down"}},
		"breakpoints":    {screen{open150, func(d *driver) { screens["over-breaks"].play(d); d.press("up") }}, []string{"down"}},
		"why":            {screen{open150, func(d *driver) { screens["over-why"].play(d); d.do(keymap.Home) }}, nil},
		"source":         {screen{sourced, do(keymap.Source, keymap.Home)}, nil},
		"deltas":         {screen{explored, do(keymap.PickDelta)}, []string{"down"}},
		"objectives":     {screen{explored, do(keymap.Objectives)}, []string{"down"}},
		"answers":        {screen{held, do(keymap.Answer)}, []string{"down"}},
	} {
		t.Run(name, func(t *testing.T) {
			inLooks(t, c.sc, 150, 40, func(t *testing.T, d *driver, _ theme.Glyphs) {
				was := d.marked()
				if c.down == nil {
					d.do(keymap.Down)
				} else {
					d.press(c.down...)
				}
				now := d.marked()
				// Panes that show what the cursor is on may change theirs too.
				gone, came := map[int][]int{}, map[int][]int{} // column → rows
				for at := range was {
					if !now[at] {
						gone[at[0]] = append(gone[at[0]], at[1])
					}
				}
				down := false
				for at := range now {
					if !was[at] {
						came[at[0]] = append(came[at[0]], at[1])
					}
				}
				for x := range came {
					down = down || len(gone[x]) == 1 && len(came[x]) == 1 && came[x][0] > gone[x][0]
				}
				if !down {
					t.Fatalf("the cursor's glyph went from %v to %v\n%s", was, now, d.plain())
				}
			})
		})
	}
}

// TestBreakpointWithoutColour: a breakpoint that is on, one that is off and one whose name is gone have glyphs of their own,
// where agents, script lines and breakpoints are listed and where the run stops.
func TestBreakpointWithoutColour(t *testing.T) {
	line := func(d *driver, text string) string {
		for _, l := range strings.Split(d.plain(), "\n") {
			if strings.Contains(l, text) {
				return l
			}
		}
		d.t.Fatalf("no line has %q:\n%s", text, d.plain())
		return ""
	}
	inLooks(t, screen{open150, do(keymap.Step)}, 150, 40, func(t *testing.T, d *driver, g theme.Glyphs) {
		agent := func() string { return cut(line(d, "researcher   1"), 24) }
		if strings.Contains(agent(), g.Break) {
			t.Fatal("there is a mark without a breakpoint")
		}
		d.do(keymap.BreakHere)
		if !strings.Contains(agent(), g.Break) {
			t.Errorf("agents: %q does not have %s", agent(), g.Break)
		}
		d.do(keymap.Breakpoints)
		if l := line(d, "#1 agent researcher"); !strings.Contains(l, g.Break+" #1") {
			t.Errorf("the list: %q", l)
		}
		d.press("space")
		if l := line(d, "#1 agent researcher"); !strings.Contains(l, g.BreakOff+" #1") {
			t.Errorf("the list: %q", l)
		}
		d.text("agent nobody").press("enter")
		if l := line(d, "#2 agent nobody"); !strings.Contains(l, g.Unbound+" #2") {
			t.Errorf("the list: %q", l)
		}
		d.press("esc")
		if !strings.Contains(agent(), g.BreakOff) {
			t.Errorf("agents: %q does not have %s", agent(), g.BreakOff)
		}
		d.do(keymap.Breakpoints).text("agent writer").press("enter", "esc").do(keymap.Continue)
		for v := range viewNames { // the stop is told under every view
			d.do(keymap.View(v + 1)).has(g.Break + " breakpoint #3 agent writer")
		}
	})
	inLooks(t, screen{sourced, do(keymap.Source, keymap.Step, keymap.BreakHere)}, 150, 40, func(t *testing.T, d *driver, g theme.Glyphs) {
		if l := line(d, "total = 0"); !strings.Contains(l, g.Break) && !strings.Contains(line(d, "for n in"), g.Break) {
			t.Errorf("the source: %q", l)
		}
	})
}

// TestMismatchWithoutColour: what differs from the record has its glyph in the header and the stop line of every view, on both
// events of the debug view, on the line of the comparison.
func TestMismatchWithoutColour(t *testing.T) {
	inLooks(t, screen{diverged, do(keymap.Continue)}, 150, 40, func(t *testing.T, d *driver, g theme.Glyphs) {
		d.has(g.Differs+" recorded step 5", g.Differs+" got      step 5")
		for v := range viewNames {
			d.do(keymap.View(v+1)).has(g.Differs+" at step 5", g.Differs+" diverged")
		}
		d.do(keymap.View(int(viewCompare))).has(g.Differs+" 12 equal", g.Differs+"      12     12  receive critic")
		d.do(keymap.StepBack).hasNot(g.Differs + " at step 5").has(g.Equal + " trace")
	})
	inLooks(t, screen{open150, do(keymap.Continue, keymap.View(int(viewCompare)))}, 150, 40, func(t *testing.T, d *driver, g theme.Glyphs) {
		d.has(g.Equal + " recorded and run 0 are the same").hasNot(g.Differs + " ")
	})
}

// TestRanksWithoutColour: the rank of a candidate is a character, in the table and at its point of the scatter; one without a
// rank has another.
func TestRanksWithoutColour(t *testing.T) {
	inLooks(t, exampleAt("explorer", false, viewCandidates), 150, 40, func(t *testing.T, d *driver, g theme.Glyphs) {
		v := d.m.faces[viewCandidates].(*candidatesView)
		table, plot := until(d.inside(layout.Main), "front history"), until(d.inside(layout.Detail), g.Edges.BottomLeft+g.Edges.Horizontal)
		seen := 0
		for _, k := range v.order {
			c := &v.ex.Candidates[k]
			mark := g.Fail
			if c.Rank != nil {
				mark = g.Digits[min(*c.Rank, 9)]
			}
			for _, l := range table[1:] {
				if strings.Contains(cut(l, 24), " "+c.ID+" ") && c.Gate != "" {
					if seen++; !strings.Contains(l[20:], " "+mark+" ") {
						t.Errorf("%s: %q does not have %s", c.ID, l, mark)
					}
				}
			}
		}
		if seen < 20 {
			t.Errorf("%d rows of candidates are on the screen", seen)
		}
		front, behind := g.Digits[0], g.Digits[1]+g.Digits[2]
		if front == "0" { // among words a digit would be a number of things
			front, behind = "(0)", "(1)(2)"
		}
		d.has(front+" rank 0, the front", behind+" behind it", g.Fail+" no rank")
		points := map[string]int{}
		for _, l := range plot {
			if axis := strings.IndexAny(l, g.Edges.Vertical+g.Next); axis >= 0 && axis < 12 {
				for _, mark := range []string{g.Digits[0], g.Digits[1], g.Digits[2], g.Fail} {
					points[mark] += strings.Count(l[axis:], mark)
				}
			}
		}
		if points[g.Digits[0]] == 0 || points[g.Digits[0]] > frontSize(v) || points[g.Digits[1]] == 0 || points[g.Fail] == 0 {
			t.Errorf("the points of the scatter: %v; the front has %d\n%s", points, frontSize(v), d.plain())
		}
	})
}

// until are the lines before the one that has a text.
func until(lines []string, text string) []string {
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, text) })
	return lines[:max(i, 0)]
}

// inside is what stands in a pane.
func (d *driver) inside(p layout.Pane) (lines []string) {
	screen := strings.Split(d.plain(), "\n")
	for _, placed := range d.m.screen().Panes {
		if r := placed.Inner; placed.Pane == p {
			for y := r.Y; y < r.Y+r.H; y++ {
				row := cells(screen[y])
				lines = append(lines, strings.Join(row[min(r.X, len(row)):min(r.X+r.W, len(row))], ""))
			}
		}
	}
	return lines
}

func frontSize(v *candidatesView) (n int) {
	for i := range v.ex.Candidates {
		if r := v.ex.Candidates[i].Rank; r != nil && *r == 0 {
			n++
		}
	}
	return n
}
