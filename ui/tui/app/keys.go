package app

import (
	"runtime"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// actions is what each action of the table does. A test walks the table, so nothing is listed that does nothing.
var actions map[keymap.ID]func(*Model) tea.Cmd

func init() {
	actions = map[keymap.ID]func(*Model) tea.Cmd{
		keymap.Step:            func(m *Model) tea.Cmd { m.release(); m.s.Step(m.ctx); return m.arrive(false) },
		keymap.StepBack:        func(m *Model) tea.Cmd { m.s.StepBack(); return m.arrive(false) },
		keymap.NextEvent:       func(m *Model) tea.Cmd { m.release(); m.s.NextEvent(m.ctx); return m.arrive(false) },
		keymap.PrevEvent:       func(m *Model) tea.Cmd { m.s.PrevEvent(); return m.arrive(false) },
		keymap.Continue:        func(m *Model) tea.Cmd { m.release(); return m.begin("continue", m.s.Continue(), -1) },
		keymap.ReverseContinue: func(m *Model) tea.Cmd { return m.begin("reverse", m.s.ReverseContinue(), -1) },
		keymap.NextOf:          func(m *Model) tea.Cmd { return m.stepOf(false) },
		keymap.PrevOf:          func(m *Model) tea.Cmd { return m.stepOf(true) },
		keymap.Goto:            func(m *Model) tea.Cmd { m.over = newGoto(); return nil },
		keymap.Mark:            func(m *Model) tea.Cmd { m.over = newMark(m); return nil },
		keymap.Marks:           func(m *Model) tea.Cmd { m.over = newMarks(m); return nil },
		keymap.Restart:         func(m *Model) tea.Cmd { return m.begin("restart", m.s.Goto(0), 0) },
		keymap.Breakpoints:     func(m *Model) tea.Cmd { m.over = newBreaks(m); return nil },
		keymap.BreakHere:       func(m *Model) tea.Cmd { m.breakHere(); return nil },

		keymap.Up:       func(m *Model) tea.Cmd { m.travel(travel{rows: -1}); return nil },
		keymap.Down:     func(m *Model) tea.Cmd { m.travel(travel{rows: 1}); return nil },
		keymap.PageUp:   func(m *Model) tea.Cmd { m.travel(travel{pages: -1}); return nil },
		keymap.PageDown: func(m *Model) tea.Cmd { m.travel(travel{pages: 1}); return nil },
		keymap.Home:     func(m *Model) tea.Cmd { m.travel(travel{end: -1}); return nil },
		keymap.End:      func(m *Model) tea.Cmd { m.travel(travel{end: 1}); return nil },
		keymap.Toggle:   (*Model).toggle,
		keymap.Open:     (*Model).open,
		keymap.Close:    (*Model).shut,
		keymap.Follow:   func(m *Model) tea.Cmd { m.followRun(); m.inspect.kind = ofAgent; m.sync(); return nil },

		keymap.NextPane:   func(m *Model) tea.Cmd { m.turn(1); return nil },
		keymap.PrevPane:   func(m *Model) tea.Cmd { m.turn(-1); return nil },
		keymap.Zoom:       func(m *Model) tea.Cmd { m.zoom = !m.zoom; return nil },
		keymap.Wider:      func(m *Model) tea.Cmd { return m.resize(keymap.Wider) },
		keymap.Narrower:   func(m *Model) tea.Cmd { return m.resize(keymap.Narrower) },
		keymap.Taller:     func(m *Model) tea.Cmd { return m.resize(keymap.Taller) },
		keymap.Shorter:    func(m *Model) tea.Cmd { return m.resize(keymap.Shorter) },
		keymap.ResetSizes: (*Model).resetSizes,
		keymap.NextLayout: (*Model).nextLayout,
		keymap.Layouts:    func(m *Model) tea.Cmd { m.over = newLayouts(m); return nil },
		keymap.Theme:      func(m *Model) tea.Cmd { m.over = newThemes(m); return nil },
		keymap.Inspect:    (*Model).swapInspect,
		keymap.Raw:        (*Model).toggleRaw,

		keymap.Palette: func(m *Model) tea.Cmd { m.over = newPalette(m); return nil },
		keymap.Help:    func(m *Model) tea.Cmd { m.over = newHelp(m); return nil },
		keymap.Cancel:  (*Model).cancel,
		keymap.Copy:    (*Model).copyOut,
		keymap.Write:   func(m *Model) tea.Cmd { m.over = newWrite(m); return nil },
		keymap.Mouse:   (*Model).toggleMouse,
		keymap.Reload:  func(m *Model) tea.Cmd { return m.load(byKey) },
		keymap.Suspend: func(*Model) tea.Cmd { return tea.Suspend },
		keymap.Quit:    (*Model).leave,
	}
	for id, do := range questions {
		actions[id] = do
	}
	for i, name := range viewNames {
		if no := viewNo(i + 1); name != "" {
			actions[keymap.View(i+1)] = func(m *Model) tea.Cmd { return m.show(no) }
		}
	}
}

// why says why an action cannot be done now, "" when it can.
func (m *Model) why(id keymap.ID) string {
	if (id == keymap.NextOf || id == keymap.PrevOf) && m.cursorAgent() == "" {
		return "no agent is selected"
	}
	switch id {
	case keymap.Step, keymap.NextEvent, keymap.Continue, keymap.NextOf:
		if why := m.busy(); why != "" {
			return why
		}
		if m.s.AtEnd() {
			return "nothing lies ahead"
		}
		if m.lost.some && m.s.Pos() >= m.lost.from {
			return m.lost.text(m.s.Total())
		}
	case keymap.StepBack, keymap.PrevEvent, keymap.ReverseContinue, keymap.Restart, keymap.PrevOf:
		if why := m.busy(); why != "" {
			return why
		}
		if m.s.Pos() == 0 {
			return "this is the start"
		}
	case keymap.Goto:
		return m.busy()
	case keymap.Reload:
		if m.cfg.Reload == nil {
			return errNoFile.Error()
		}
	case keymap.Cancel:
		if m.over == nil {
			return m.nothingToCancel()
		}
	case keymap.Follow:
		if m.events.follow && m.agents.follow && m.inspect.kind == ofAgent {
			return "the cursor is there already"
		}
	case keymap.Raw, keymap.Inspect:
		if v, ok := m.face().(*compareView); ok && id == keymap.Inspect && len(v.lines) > 0 {
			return m.busy()
		}
		if m.view != viewDebug && (m.view != viewContract || id != keymap.Raw) {
			return "there is no inspector in this view"
		}
	case keymap.BreakHere:
		if m.agents.selected(m) == "" {
			return "no agent is selected"
		}
	case keymap.Copy, keymap.Write:
		if !m.onSomething() {
			return "the cursor is on nothing"
		}
	case keymap.Wider, keymap.Narrower, keymap.Taller, keymap.Shorter:
		return m.whyNoResize(id)
	case keymap.ResetSizes:
		if !m.arr.changed() {
			return "the panes have the sizes of the layout " + m.arr.now().Name
		}
	case keymap.Suspend:
		if runtime.GOOS == "windows" {
			return "this system has no job control"
		}
	default:
		return m.whyNot(id)
	}
	return ""
}

// nothingToCancel says why cancelling does nothing below what lies on top.
func (m *Model) nothingToCancel() string {
	if m.run == nil && !m.zoom {
		return "nothing is open and nothing runs"
	}
	return ""
}

func (m *Model) busy() string {
	if m.run != nil && !m.run.yields {
		return "a " + m.run.verb + " runs; Esc stops it"
	}
	return ""
}

// cancel closes what lies on top, stops a move, or gives the screen back to all panes.
func (m *Model) cancel() tea.Cmd {
	switch {
	case m.over != nil:
		m.over = nil
	case m.run != nil:
		return m.interrupt()
	default:
		m.zoom = false
	}
	return nil
}

// show goes to a view, which then takes over what the session looks like.
func (m *Model) show(v viewNo) tea.Cmd {
	m.view, m.zoom, m.reload.opened = v, false, false
	if f := m.face(); f != nil {
		return f.sync(m)
	}
	return nil
}

// turn gives the keys to another pane.
func (m *Model) turn(d int) {
	panes := m.mode().Panes()
	for i, p := range panes {
		if p == m.pane() {
			m.focus[m.view] = panes[(i+d+len(panes))%len(panes)]
			return
		}
	}
}

// travel is a movement of the cursor: by rows, by pages, or to an end.
type travel struct{ rows, pages, end int }

// mover is what a list can do, whatever its rows are.
type mover interface {
	Move(d int)
	Page(d int)
	Home()
	End()
}

func (t travel) apply(l mover) {
	switch {
	case t.rows != 0:
		l.Move(t.rows)
	case t.pages != 0:
		l.Page(t.pages)
	case t.end < 0:
		l.Home()
	default:
		l.End()
	}
}

// travel moves the cursor of the pane that has the keys.
func (m *Model) travel(t travel) {
	if f := m.face(); f != nil {
		m.faceTravel(f, t)
		return
	}
	switch m.pane() {
	case layout.Events:
		t.apply(&m.events.list)
		m.events.moved(m)
	case layout.Agents:
		m.agents.travel(m, t)
	case layout.Inspector:
		m.inspect.travel(t)
	case layout.Inbox:
		t.apply(&m.inbox.list)
		m.inbox.moved(m)
	case layout.Main:
		t.apply(&m.problems.list)
		m.problems.scrolled = 0
	case layout.Detail:
		m.problems.scroll(t)
	}
}

// toggle is Enter: it jumps to an event, or opens what the cursor is on.
func (m *Model) toggle() tea.Cmd {
	if f := m.face(); f != nil {
		return f.enter(m, m.pane())
	}
	switch m.pane() {
	case layout.Events:
		if i, ok := m.events.list.Key(); ok && i < m.s.Total() && m.busy() == "" {
			return m.gotoPos(i + 1)
		}
	case layout.Agents, layout.Inbox:
		return m.open()
	case layout.Inspector:
		m.inspect.tree().Toggle()
	case layout.Main, layout.Detail:
		if p, ok := m.problems.selected(); ok && p.Event >= 0 && m.busy() == "" {
			m.show(viewDebug)
			return m.gotoPos(p.Event + 1)
		}
	}
	return nil
}

// open enters the inspector from a list, and opens a node in it.
func (m *Model) open() tea.Cmd {
	switch m.pane() {
	case layout.Events:
		m.events.moved(m)
		m.focus[m.view] = layout.Inspector
	case layout.Agents:
		m.agents.moved(m)
		m.focus[m.view] = layout.Inspector
	case layout.Inbox:
		m.inbox.moved(m)
		m.focus[m.view] = layout.Inspector
	case layout.Inspector:
		m.inspect.tree().Open()
	case layout.Main:
		m.focus[m.view] = layout.Detail
	}
	return nil
}

// shut closes a node, or goes back to the list that the inspector shows something of.
func (m *Model) shut() tea.Cmd {
	switch m.pane() {
	case layout.Inspector:
		if m.inspect.raw || !m.inspect.tree().Close() {
			m.focus[m.view] = m.inspect.home()
		}
	case layout.Detail:
		m.focus[m.view] = layout.Main
	}
	return nil
}

func (m *Model) toggleMouse() tea.Cmd {
	if m.mouse = !m.mouse; m.mouse {
		m.say("the mouse is on: wheel, click and dragging borders work here; %s gives it back to the terminal for selecting", m.shownKey(keymap.Mouse))
		return tea.EnableMouseCellMotion
	}
	m.say("the mouse is off: the terminal can select text")
	return tea.DisableMouse
}

// resumed goes on after the shell had the terminal, which has forgotten then that the mouse was on. Bubble Tea itself asks for
// the size again.
func (m *Model) resumed() tea.Cmd {
	if m.mouse {
		return tea.EnableMouseCellMotion
	}
	return nil
}

// swapInspect shows the other one of state and event; where two runs are compared, their states.
func (m *Model) swapInspect() tea.Cmd {
	if v, ok := m.face().(*compareView); ok {
		return v.compareStates(m)
	}
	m.inspect.swap()
	return m.sync()
}

// switched switches a breakpoint on or off: one that carries conditions is not thrown away by one key.
func switched(b *debug.Breakpoint) string {
	b.Enabled = !b.Enabled
	if b.Enabled {
		return "on: breakpoint " + b.String()
	}
	return "off: breakpoint " + b.String()
}

// breakHere sets a breakpoint on the selected agent; removes it, or switches it when it has conditions.
func (m *Model) breakHere() {
	id := m.agents.selected(m)
	if b := m.s.BreakAt(id); b != nil {
		if !b.Plain() {
			m.say("%s", switched(b))
			return
		}
		m.say("removed breakpoint %s", b)
		m.s.Unbreak(b.ID)
		return
	}
	b, err := m.s.Break(debug.Breakpoint{Kind: debug.BreakAgent, Name: id})
	if err != nil {
		m.say("%s", err)
		return
	}
	m.say("breakpoint %s", b)
}
