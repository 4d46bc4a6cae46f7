package app

import (
	"fmt"
	"strings"
	"testing"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// doing is how a test reaches an action, and what must be seen of it. Every action of the table has one in doings.
type doing struct {
	// from opens a session; nil is the replay of the seed's flow at 150×40.
	from func(*testing.T) *driver
	// ready goes to where the action does something.
	ready func(*driver)
	// shows are texts that the screen has afterwards; at least one of them was not there before.
	shows []string
	// done looks at what no text tells; now and was are the session and the screen after and before.
	done func(d *driver, now, was facts) bool
	// why are the reasons for which it cannot be done, or parts of them. Each is met in one of the states of offStates, and no
	// other reason is.
	why []string
}

// facts are what an action may change.
type facts struct {
	pos, total, run, runs, breaks, watches int
	view                                   viewNo
	pane                                   layout.Pane
	zoom, mouse                            bool
	over, notice, hash                     string
	cursor                                 string                 // where the cursor of the pane is, "" when it has none
	sizes                                  map[layout.Pane][2]int // of the panes that are there, borders included
	asked                                  []string               // of Bubble Tea, by commands
	frame                                  string
}

func (d *driver) facts() facts {
	m, frame := d.m, d.frame() // first: some lists are made while they are drawn
	f := facts{pos: m.s.Pos(), total: m.s.Total(), run: m.s.CurrentRun(), runs: len(m.s.Runs()), breaks: len(m.s.Breakpoints()), watches: len(m.s.Watches()),
		view: m.view, pane: m.pane(), zoom: m.zoom, mouse: m.mouse, notice: m.notice.text, hash: m.hash, cursor: d.cursor(), asked: d.asked, frame: frame}
	if m.over != nil {
		f.over = m.over.title()
	}
	for _, p := range m.screen().Panes {
		if f.sizes == nil {
			f.sizes = map[layout.Pane][2]int{}
		}
		f.sizes[p.Pane] = [2]int{p.Outer.W, p.Outer.H}
	}
	return f
}

// grew is by how many cells a pane has grown.
func (d *driver) grew(p layout.Pane, was facts) [2]int {
	now := d.facts().sizes[p]
	return [2]int{now[0] - was.sizes[p][0], now[1] - was.sizes[p][1]}
}

// cursor is the row that the cursor of the pane is on, or the pointer of the node, "" when the pane has neither.
func (d *driver) cursor() string {
	m := d.m
	if f := m.face(); f != nil {
		if l, ok := f.list(m.pane()).(interface{ Cursor() int }); ok {
			return fmt.Sprint(l.Cursor())
		}
		return ""
	}
	switch m.pane() {
	case layout.Events:
		return fmt.Sprint(m.events.list.Cursor())
	case layout.Agents:
		return fmt.Sprint(m.agents.list.Cursor())
	case layout.Inbox:
		return fmt.Sprint(m.inbox.list.Cursor())
	case layout.Main:
		return fmt.Sprint(m.problems.list.Cursor())
	case layout.Inspector:
		ptr, _, _, _ := m.inspect.tree().Selected()
		return ptr
	}
	return ""
}

// missing says what of an action's effect is not there, "" when all of it is.
func (x *doing) missing(d *driver, was facts) string {
	now := d.facts()
	screen, before, news := d.plain(), plainOf(was.frame), len(x.shows) == 0
	for _, s := range x.shows {
		if !strings.Contains(screen, s) {
			return fmt.Sprintf("the screen does not show %q:\n%s", s, screen)
		}
		news = news || !strings.Contains(before, s)
	}
	switch {
	case !news:
		return "all that it should show was there before"
	case x.done != nil && !x.done(d, now, was):
		return fmt.Sprintf("its effect is not there; before\n%+v\nnow\n%+v", was, now)
	case x.done == nil && len(x.shows) == 0:
		return "its entry checks nothing"
	}
	return ""
}

// at opens the entry's session and goes to where the action does something.
func (x *doing) at(t *testing.T, id keymap.ID, store string) (*driver, facts) {
	d := open150
	if x.from != nil {
		d = x.from
	}
	s := d(t)
	s.m.cfg.StoreDir = store
	if x.ready != nil {
		x.ready(s)
	}
	if why := s.m.why(id); why != "" {
		t.Fatalf("%s cannot be done where its entry leads to: %s\n%s", id, why, s.plain())
	}
	return s, s.facts()
}

func open150(t *testing.T) *driver { return open(t, 150, 40) }

// viaPalette does an action by its name.
func (d *driver) viaPalette(a keymap.Action) *driver {
	d.t.Helper()
	d.do(keymap.Palette)
	if _, ok := d.m.over.(*palette); !ok {
		d.t.Fatal("the palette does not open")
	}
	return d.text(a.Short).press("enter")
}

// TestEveryAction does every action of the table by each of its keys and by its name in the palette, in a session of its own
// each time: it has the effect that its entry says, and the same one both ways.
func TestEveryAction(t *testing.T) {
	for _, a := range Actions() {
		x, ok := doings[a.ID]
		if !ok {
			t.Errorf("the action %s has no entry in doings: say how to reach it and what must be seen of it", a.ID)
			continue
		}
		t.Run(string(a.ID), func(t *testing.T) {
			store := t.TempDir()
			d, was := x.at(t, a.ID, store)
			d.viaPalette(a)
			if wrong := x.missing(d, was); wrong != "" {
				t.Fatalf("by the palette: %s", wrong)
			}
			want := d.facts()
			for _, k := range a.Keys {
				d, was := x.at(t, a.ID, store)
				d.press(k)
				if wrong := x.missing(d, was); wrong != "" {
					t.Errorf("by %s: %s", k, wrong)
				} else if got := d.facts(); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("by %s it leads to\n%+v\nby the palette to\n%+v", k, got, want)
				}
			}
			// An entry that an action without effect would satisfy proves nothing.
			old := actions[a.ID]
			actions[a.ID] = func(*Model) tea.Cmd { return nil }
			defer func() { actions[a.ID] = old }()
			d, was = x.at(t, "", store)
			d.press(a.Key())
			if x.missing(d, was) == "" {
				t.Error("its entry is satisfied although the action does nothing")
			}
		})
	}
	for id := range doings {
		if !hasAction(id) {
			t.Errorf("doings has %s, which is in no table", id)
		}
	}
}

func hasAction(id keymap.ID) bool {
	for _, a := range Actions() {
		if a.ID == id {
			return true
		}
	}
	return false
}

// TestEveryReason: an action that cannot be done says why, in the palette and when its key is pressed, and changes nothing.
// The reasons are those of its entry.
func TestEveryReason(t *testing.T) {
	met := map[keymap.ID]map[string]bool{}
	for name, open := range offStates {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			for _, a := range Actions() {
				why := d.m.why(a.ID)
				if why == "" {
					continue
				}
				if met[a.ID] == nil {
					met[a.ID] = map[string]bool{}
				}
				met[a.ID][why] = true
				refused(t, d, a, why)
			}
		})
	}
	for _, a := range Actions() {
		listed := doings[a.ID].why
		for why := range met[a.ID] {
			if !anyIn(why, listed) {
				t.Errorf("%s: the reason %q is not in its entry", a.ID, why)
			}
		}
		for _, part := range listed {
			found := false
			for why := range met[a.ID] {
				found = found || strings.Contains(why, part)
			}
			if !found {
				t.Errorf("%s: no state of offStates leads to the reason %q", a.ID, part)
			}
		}
	}
}

func anyIn(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// refused fails unless an action that cannot be done says so by its key and in the palette, and leaves all as it is.
func refused(t *testing.T, d *driver, a keymap.Action, why string) {
	t.Helper()
	d.m.notice = notice{}
	was := d.facts()
	said := a.Short + ": " + why
	check := func(how string) {
		t.Helper()
		now := d.facts()
		if a.ID != keymap.Cancel { // Esc too often is no mistake that one has to be told of
			if now.notice != said {
				t.Errorf("%s by %s says %q, not %q", a.ID, how, now.notice, said)
			}
			if head := cut(said, 60); !strings.Contains(d.plain(), head) {
				t.Errorf("%s by %s: the screen does not show %q:\n%s", a.ID, how, head, d.plain())
			}
		}
		d.m.notice = notice{}
		if now := d.facts(); fmt.Sprint(now) != fmt.Sprint(was) {
			t.Errorf("%s by %s is refused and changes something: before\n%+v\nnow\n%+v", a.ID, how, was, now)
		}
	}
	d.press(a.Key())
	check(a.Key())
	d.do(keymap.Palette).text(a.Short)
	if p, ok := d.m.over.(*palette); !ok {
		t.Fatal("the palette does not open")
	} else if id, _ := p.list.Key(); id != a.ID {
		t.Errorf("the palette finds %s by %q, not %s", id, a.Short, a.ID)
	}
	if row := "not now: " + cut(why, 40); !strings.Contains(d.plain(), row) {
		t.Errorf("the palette does not show %q:\n%s", row, d.plain())
	}
	d.press("enter")
	check("the palette")
}

// cut is the first n bytes of a text of ours.
func cut(s string, n int) string { return s[:min(len(s), n)] }
