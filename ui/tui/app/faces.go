package app

import (
	"strings"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// face is a numbered view beside the debug view: what stands in its panes, and what the keys do there.
type face interface {
	// mode says which panes the view has.
	mode() layout.Mode
	// sync takes over what the session looks like now; it is called after every move while the view is shown.
	sync(m *Model) tea.Cmd
	// draw is what stands in a pane.
	draw(m *Model, p layout.Pane, w, h int, focus bool) (title, note string, lines []string)
	// list is the list in a pane, for the cursor, the wheel and the scroll bar; nil when it has none.
	list(p layout.Pane) lister
	// head is how many lines stand above the list.
	head(p layout.Pane) int
	// moved is called when the cursor of a pane has moved.
	moved(m *Model, p layout.Pane)
	// enter does what Enter does.
	enter(m *Model, p layout.Pane) tea.Cmd
	// picked is what the cursor is on, for copying; ok is false when it is on nothing.
	picked(m *Model, p layout.Pane) (sel selected, ok bool)
	// hints are actions of the view for the bottom bar, most useful first.
	hints(m *Model) []keymap.ID
}

// lister is a list whatever its keys are.
type lister interface {
	mover
	Scroll(d int)
	Thumb() (from, to int)
	RowAt(y int) (int, bool)
	SetCursor(i int)
	Len() int
}

var _ lister = (*rows.List[int])(nil)

// faces are the views that are shown by the interface; the others are older than it.
func newFaces() map[viewNo]face {
	candidates := &candidatesView{}
	return map[viewNo]face{
		viewContract: &contractView{}, viewCandidates: candidates, viewDelta: &deltaView{cand: candidates},
		viewGraph: &graphView{}, viewLedger: &ledgerView{}, viewCompare: &compareView{other: recordSide, key: compareKey{a: -2}}, viewRuns: &runsView{},
	}
}

// face is the view that is shown, nil for the debug view and the problems.
func (m *Model) face() face { return m.faces[m.view] }

// faceTravel moves the cursor in a pane of the view.
func (m *Model) faceTravel(f face, t travel) {
	if l := f.list(m.pane()); l != nil {
		t.apply(l)
		f.moved(m, m.pane())
	}
}

func (m *Model) faceScroll(f face, p layout.Pane, d int) {
	if l := f.list(p); l != nil {
		l.Scroll(d)
		f.moved(m, p)
	}
}

// clicked is a view with a pane where a click means more than a row: x and y count from the pane's inside.
type clicked interface {
	click(m *Model, p layout.Pane, x, y int) (done bool)
}

func (m *Model) faceClick(f face, p layout.Pane, x, y int) {
	if c, ok := f.(clicked); ok && c.click(m, p, x, y) {
		return
	}
	if l := f.list(p); l != nil {
		if i, ok := l.RowAt(y - f.head(p)); ok {
			l.SetCursor(i)
			f.moved(m, p)
		}
	}
}

// faceThumb is the scroll bar of a pane.
func faceThumb(f face, p layout.Pane) (from, to int) {
	if l := f.list(p); l != nil {
		if from, to = l.Thumb(); from != to {
			return from + f.head(p), to + f.head(p)
		}
	}
	return 0, 0
}

// faceHints is the bottom bar of a view.
func (m *Model) faceHints(f face) []keymap.ID {
	ids := append(f.hints(m), keymap.Step, keymap.StepBack, keymap.View(int(viewDebug)), keymap.NextPane, keymap.Zoom, keymap.Copy)
	return append(ids, keymap.Palette, keymap.Quit, keymap.Help)
}

// jump shows an event in the debug view: the run goes behind it.
func (m *Model) jump(event int) tea.Cmd {
	if event < 0 || event >= m.s.Total() || m.busy() != "" {
		return nil
	}
	m.show(viewDebug)
	m.focus[viewDebug] = layout.Events
	return m.gotoPos(event + 1)
}

// viewTitle names the view for the line of tabs.
func (m *Model) viewTitle() string {
	name := viewNames[m.view-1]
	return strings.ToUpper(name[:1]) + name[1:]
}

// scroller is a drawing that is moved through by lines; it has no cursor.
type scroller struct{ top, n, h int }

func (s *scroller) fit(n, h int) {
	s.n, s.h = n, h
	s.Move(0)
}

// Move and the others go by lines, by windows, and to the ends.
func (s *scroller) Move(d int) { s.top = min(max(s.top+d, 0), max(s.n-s.h, 0)) }

// Page goes by windows.
func (s *scroller) Page(d int) { s.Move(d * max(s.h-1, 1)) }

// Home goes to the first line.
func (s *scroller) Home() { s.top = 0 }

// End goes to the last line.
func (s *scroller) End() { s.Move(s.n) }

// Scroll is Move, for the wheel.
func (s *scroller) Scroll(d int) { s.Move(d) }

// Thumb is the part of a scroll bar that stands for the window.
func (s *scroller) Thumb() (from, to int) {
	if s.h <= 1 || s.n <= s.h {
		return 0, 0
	}
	from = s.top * s.h / s.n
	return from, from + max(s.h*s.h/s.n, 1)
}

// RowAt and SetCursor do nothing: there is no cursor.
func (s *scroller) RowAt(int) (int, bool) { return 0, false }

// SetCursor does nothing.
func (s *scroller) SetCursor(int) {}

// Len is the number of lines.
func (s *scroller) Len() int { return s.n }
