package app

import (
	"fmt"
	"strings"
	"testing"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// press, move and release are what the left button does at a cell of the screen.
func (d *driver) mouse(a tea.MouseAction, b tea.MouseButton, x, y int) {
	d.send(tea.MouseMsg{X: x, Y: y, Button: b, Action: a})
}

func (d *driver) clickAt(x, y int) *driver {
	d.mouse(tea.MouseActionPress, tea.MouseButtonLeft, x, y)
	d.mouse(tea.MouseActionRelease, tea.MouseButtonLeft, x, y)
	d.frame()
	return d
}

// clickIn clicks on a line of a pane's inside.
func (d *driver) clickIn(p layout.Pane, x, y int) *driver {
	d.t.Helper()
	at, ok := d.m.screen().Find(p)
	if !ok {
		d.t.Fatalf("%v is not on the screen", p)
	}
	return d.clickAt(at.Inner.X+x, at.Inner.Y+y)
}

func TestMouse(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Continue)
	at := d.m.events.list.Cursor()
	click := tea.MouseMsg{X: 40, Y: 3, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress}
	d.send(click)
	if d.m.events.list.Cursor() != at {
		t.Fatal("the mouse works though it is off")
	}
	d.do(keymap.Mouse).has("the mouse is on")
	d.send(click)
	if got := d.m.events.list.Cursor(); got != 1 {
		t.Errorf("a click on the second event went to %d", got)
	}
	d.send(tea.MouseMsg{X: 10, Y: 4, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	if id := d.m.agents.selected(d.m); id != "researcher" || d.m.pane() != layout.Agents {
		t.Errorf("a click on the second agent went to %q", id)
	}
	for _, p := range []int{10, 40, 120} {
		d.send(tea.MouseMsg{X: p, Y: 10, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
	}
	d.frame()
	d.do(keymap.Mouse).has("the mouse is off")
}

// TestMouseTabs: where only one pane has room, a click on a name in the line of tabs shows that pane.
func TestMouseTabs(t *testing.T) {
	d := open(t, 50, 20)
	d.do(keymap.Continue, keymap.Mouse)
	tabs := d.m.screen().Tabs
	if tabs.Empty() {
		t.Fatal("there is no line of tabs")
	}
	for _, p := range []layout.Pane{layout.Inspector, layout.Agents, layout.Inbox, layout.Events} {
		x := strings.Index(strings.Split(d.plain(), "\n")[tabs.Y], p.String())
		if x < 0 {
			t.Fatalf("no tab %s in %q", p, strings.Split(d.plain(), "\n")[tabs.Y])
		}
		for _, at := range []int{x, x - 1, x + len(p.String())} { // the name, and the cells around it
			d.m.focus[viewDebug] = layout.Events
			d.frame()
			if d.clickAt(tabs.X+at, tabs.Y); d.m.pane() != p {
				t.Errorf("a click at %d of %q shows %s, not %s", at, strings.Split(d.plain(), "\n")[tabs.Y], d.m.pane(), p)
			}
		}
	}
	before := d.m.pane()
	if d.clickAt(tabs.X+tabs.W-1, tabs.Y); d.m.pane() != before {
		t.Errorf("a click beside the tabs shows %s", d.m.pane())
	}
}

// TestMouseGraph: a click on a box of the drawing selects its agent, for the list of edges, for Enter and in view 1.
func TestMouseGraph(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Continue, keymap.Mouse, keymap.View(int(viewGraph)))
	d.frame()
	v := d.m.faces[viewGraph].(*graphView)
	if len(v.boxes) < 3 {
		t.Fatalf("%d boxes", len(v.boxes))
	}
	for _, b := range v.boxes {
		for _, at := range [][2]int{{0, 0}, {b.W - 1, b.H - 1}, {b.W / 2, b.H / 2}} {
			v.clicked = ""
			d.clickIn(layout.Main, v.corner[0]+b.X+at[0], v.corner[1]+b.Y+at[1]).has(b.ID + " is selected")
			if v.selectedAgent() != b.ID || d.m.agents.selected(d.m) != b.ID {
				t.Errorf("a click on %s selects %q and %q", b.ID, v.selectedAgent(), d.m.agents.selected(d.m))
			}
		}
	}
	b := v.boxes[len(v.boxes)-1]
	row := []rune(strings.Split(d.plain(), "\n")[d.m.screen().Panes[0].Inner.Y+v.corner[1]+b.Y])
	if c := row[d.m.screen().Panes[0].Inner.X+v.corner[0]+b.X]; c != '┌' {
		t.Errorf("the corner of %s is told where %q stands", b.ID, c)
	}
	v.clicked = ""
	if d.clickIn(layout.Main, 0, 0); v.clicked != "" {
		t.Errorf("a click beside the boxes selects %s", v.clicked)
	}
	d.clickIn(layout.Main, v.corner[0]+b.X+1, v.corner[1]+b.Y+1).do(keymap.Toggle)
	if d.m.view != viewDebug || d.m.agents.selected(d.m) != b.ID {
		t.Errorf("Enter leads to view %d and %q", d.m.view, d.m.agents.selected(d.m))
	}
}

// TestDrag: a border that is dragged goes along with the pointer, as far as the panes have something to give; it is kept when
// the button is let go.
func TestDrag(t *testing.T) {
	d, path := keeps(t, "", 150, 40)
	was := d.facts().sizes
	drag := func(fromX, fromY, toX, toY int) {
		d.mouse(tea.MouseActionPress, tea.MouseButtonLeft, fromX, fromY)
		d.mouse(tea.MouseActionMotion, tea.MouseButtonLeft, (fromX+toX)/2, (fromY+toY)/2)
		d.frame()
		d.mouse(tea.MouseActionMotion, tea.MouseButtonLeft, toX, toY)
		d.frame()
	}
	drag(30, 10, 50, 10)
	if now := d.facts().sizes; fmt.Sprint(now) != fmt.Sprint(was) {
		t.Fatal("the mouse works though it is off")
	}
	d.do(keymap.Mouse)
	drag(30, 10, 50, 12)
	if d.grew(layout.Agents, facts{sizes: was}) != [2]int{20, 0} || d.grew(layout.Events, facts{sizes: was}) != [2]int{-20, 0} {
		t.Errorf("agents %v, events %v", d.facts().sizes[layout.Agents], d.facts().sizes[layout.Events])
	}
	if d.m.cfg.Settings.Kept.Sized || len(d.m.arr.keep.waiting) > 0 || d.m.arr.drag == nil {
		t.Error("something is kept before the button is let go")
	}
	d.mouse(tea.MouseActionRelease, tea.MouseButtonNone, 50, 12)
	if got := text(t, path); got != `{"preset":"balanced","sizes":{"agents-width":334},"version":1}` {
		t.Errorf("kept is %s", got)
	}
	sc := d.m.screen()
	between, _ := sc.Divider(layout.InspectorHeight)
	drag(120, between.At, 120, 0)
	d.mouse(tea.MouseActionRelease, tea.MouseButtonLeft, 120, 0)
	if now := d.facts().sizes[layout.Inspector]; now[1] != 4 || d.m.pane() != layout.Inbox {
		t.Errorf("the inspector has %v, the keys are with %v", now, d.m.pane())
	}
	// Moving the mouse afterwards moves nothing, and a list on top takes the border away from it.
	was = d.facts().sizes
	d.mouse(tea.MouseActionMotion, tea.MouseButtonLeft, 10, 10)
	d.mouse(tea.MouseActionPress, tea.MouseButtonLeft, 50, 10)
	d.do(keymap.Help)
	d.mouse(tea.MouseActionMotion, tea.MouseButtonLeft, 80, 10)
	d.press("esc")
	d.mouse(tea.MouseActionMotion, tea.MouseButtonLeft, 80, 10)
	if now := d.facts().sizes; fmt.Sprint(now) != fmt.Sprint(was) {
		t.Errorf("%v became %v", was, now)
	}
	d.send(tea.WindowSizeMsg{Width: 150, Height: 40})
	d.mouse(tea.MouseActionPress, tea.MouseButtonLeft, 50, 10)
	d.send(tea.WindowSizeMsg{Width: 50, Height: 20}) // the border is gone
	d.mouse(tea.MouseActionMotion, tea.MouseButtonLeft, 20, 10)
	if d.m.arr.drag != nil {
		t.Error("a border that is not there is still held")
	}
	d.frame()
}

// TestClickEverywhere: a click into any pane of any view gives it the keys; in a pane with rows it selects one, and the wheel
// scrolls the pane under the pointer, not the one with the keys.
func TestClickEverywhere(t *testing.T) {
	for v := viewDebug; v <= viewProblems; v++ {
		d := explored(t).do(keymap.Mouse, keymap.View(int(v)))
		d.frame()
		for _, p := range d.m.mode().Panes() {
			if d.clickIn(p, 3, 2); d.m.pane() != p {
				t.Errorf("view %d: a click in %v leaves the keys with %v", v, p, d.m.pane())
			}
		}
	}
	for _, c := range []struct {
		name, cursor string
		from         func(*testing.T) *driver
		ready        func(*driver)
		pane         layout.Pane
		y            int
	}{
		{"events", "4", open150, nil, layout.Events, 4},
		{"inspector", "/last", open150, do(keymap.Step), layout.Inspector, 0},
		{"raw", "1", open150, do(keymap.Continue, keymap.Home, keymap.Down, keymap.Down, keymap.Raw), layout.Inspector, 1},
		{"graph's edges", "2", open150, do(keymap.View(2)), layout.Detail, 2},
		{"candidates", "1", explored, nil, layout.Main, 2},
		{"runs", "1", open150, func(d *driver) { edited(d); d.do(keymap.View(int(viewRuns))) }, layout.Main, 1},
		{"calls", "2", flowed, do(keymap.Continue, keymap.View(int(viewContract))), layout.Main, 3},
	} {
		d := c.from(t)
		if c.ready != nil {
			c.ready(d)
		}
		d.do(keymap.Mouse)
		d.frame()
		d.clickIn(c.pane, 5, c.y)
		got := d.cursor()
		if d.m.inspect.raw {
			got = fmt.Sprint(d.m.inspect.text.list.Cursor())
		}
		if got != c.cursor || d.m.pane() != c.pane {
			t.Errorf("%s: the cursor is on %q of %v, not on %q\n%s", c.name, got, d.m.pane(), c.cursor, d.plain())
		}
	}
}

// TestClickOnPoint: a click on a point of the scatter selects its candidate.
func TestClickOnPoint(t *testing.T) {
	d := explored(t).do(keymap.Mouse)
	d.frame()
	v := d.m.face().(*candidatesView)
	clicked := 0
	for y := range v.scatter.field {
		for x := range v.scatter.field[y] {
			c := v.scatter.field[y][x] // it is drawn again after each click: of two at one place the selected one is seen
			if c.Point < 0 {
				continue
			}
			want := v.ex.Candidates[v.scatter.shown[c.Point]].ID
			d.clickIn(layout.Detail, gutter+x, y)
			if got := v.selected().ID; got != want {
				t.Fatalf("a click on the point of %s selects %s", want, got)
			}
			clicked++
		}
	}
	if clicked < 3 {
		t.Fatalf("only %d points were clicked on", clicked)
	}
}

// TestWheelOverDetails: the wheel moves the text of every detail that has more lines than fit.
func TestWheelOverDetails(t *testing.T) {
	for _, v := range []viewNo{viewContract, viewCandidates, viewDelta, viewRuns, viewProblems} {
		d := explored(t)
		if v == viewProblems {
			d.m.problems.own = append(d.m.problems.own, problemOf("a long problem "+fmt.Sprint(make([]int, 600))))
			d.m.sync()
		}
		d.m.arr.sizes[layout.MainHeight] = layout.Whole
		d.do(keymap.Mouse, keymap.View(int(v)), keymap.End)
		d.send(tea.WindowSizeMsg{Width: 70, Height: 16})
		before := d.plain()
		at, ok := d.m.screen().Find(layout.Detail)
		if !ok {
			t.Fatalf("view %d has no detail at this size", v)
		}
		d.mouse(tea.MouseActionPress, tea.MouseButtonWheelDown, at.Inner.X+1, at.Inner.Y+1)
		if d.plain() == before || d.m.pane() != layout.Main {
			t.Errorf("view %d: the wheel does nothing over the detail\n%s", v, before)
		}
	}
}

// TestResume: after the shell had the terminal, the mouse is switched on again when it was.
func TestResume(t *testing.T) {
	d := open150(t)
	d.send(tea.ResumeMsg{})
	if len(d.asked) != 0 {
		t.Errorf("asked for %v", d.asked)
	}
	d.do(keymap.Mouse)
	d.asked = nil
	d.send(tea.ResumeMsg{})
	if fmt.Sprint(d.asked) != "[tea.enableMouseCellMotionMsg]" {
		t.Errorf("asked for %v", d.asked)
	}
}
