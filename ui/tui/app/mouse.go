package app

import (
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// wheelRows is how many rows a notch of the wheel scrolls.
const wheelRows = 3

// drag is a border that the mouse holds.
type drag struct {
	border layout.Border
	grip   int // how far from the border's place it was taken
	from   layout.Sizes
}

// pointer handles the mouse, which is off until it is switched on: a click gives a pane the keys and selects, the wheel
// scrolls the pane under the pointer, a click on a tab shows its pane, and a border that is dragged gives its panes other sizes.
func (m *Model) pointer(e tea.MouseEvent) tea.Cmd {
	if !m.mouse || m.over != nil {
		return m.drop()
	}
	m.stepping = ""
	if m.arr.drag != nil && e.Action != tea.MouseActionPress {
		return m.pull(e)
	}
	sc := m.screen()
	if sc.Tabs.Contains(e.X, e.Y) && e.Button == tea.MouseButtonLeft && e.Action == tea.MouseActionPress {
		if p, ok := m.tabAt(e.X - sc.Tabs.X); ok {
			m.notice = notice{}
			m.focus[m.view] = p
		}
		return nil
	}
	p, ok := sc.At(e.X, e.Y)
	if !ok {
		return nil
	}
	switch {
	case e.Button == tea.MouseButtonWheelUp:
		m.scroll(p.Pane, -wheelRows)
	case e.Button == tea.MouseButtonWheelDown:
		m.scroll(p.Pane, wheelRows)
	case e.Button == tea.MouseButtonLeft && e.Action == tea.MouseActionPress:
		m.notice = notice{}
		m.focus[m.view] = p.Pane
		m.arr.drag = nil
		if d, ok := sc.DividerAt(e.X, e.Y); ok {
			m.arr.drag = &drag{border: d.Border, grip: along(d, e) - d.At, from: m.arr.sizes}
			return nil
		}
		if p.Inner.Contains(e.X, e.Y) {
			m.click(p.Pane, e.X-p.Inner.X, e.Y-p.Inner.Y)
		}
	}
	return nil
}

// along is where the pointer is in the direction in which a border moves.
func along(d layout.Divider, e tea.MouseEvent) int {
	if d.Vertical {
		return e.X
	}
	return e.Y
}

// pull moves the border that the mouse holds; when the button is let go, the sizes are kept.
func (m *Model) pull(e tea.MouseEvent) tea.Cmd {
	d, ok := m.screen().Divider(m.arr.drag.border)
	if ok {
		m.arr.sizes = d.Move(m.arr.sizes, along(d, e)-m.arr.drag.grip)
	}
	if !ok || e.Action == tea.MouseActionRelease {
		return m.drop()
	}
	return nil
}

// drop lets a border go that the mouse held.
func (m *Model) drop() tea.Cmd {
	held := m.arr.drag
	m.arr.drag = nil
	if held == nil || held.from == m.arr.sizes {
		return nil
	}
	return m.keepLayout()
}

// scroll moves a pane by rows, for the wheel.
func (m *Model) scroll(p layout.Pane, d int) {
	if f := m.face(); f != nil {
		m.faceScroll(f, p, d)
		return
	}
	switch p {
	case layout.Events:
		m.events.list.Scroll(d)
		m.events.moved(m)
	case layout.Agents:
		m.agents.scroll(m, d)
	case layout.Inspector:
		m.inspect.scroll(d)
	case layout.Inbox:
		m.inbox.list.Scroll(d)
	case layout.Main:
		m.problems.list.Scroll(d)
	case layout.Detail:
		m.problems.scroll(travel{rows: d})
	}
}

// click selects what is at a place of a pane's inside.
func (m *Model) click(p layout.Pane, x, y int) {
	if f := m.face(); f != nil {
		m.faceClick(f, p, x, y)
		return
	}
	switch p {
	case layout.Events:
		if i, ok := m.events.list.RowAt(y); ok {
			m.events.list.SetCursor(i)
			m.events.moved(m)
		}
	case layout.Agents:
		m.agents.click(m, y)
	case layout.Inspector:
		m.inspect.click(y)
	case layout.Inbox:
		if i, ok := m.inbox.list.RowAt(y); ok {
			m.inbox.list.SetCursor(i)
			m.inbox.moved(m)
		}
	case layout.Main:
		if i, ok := m.problems.list.RowAt(y); ok {
			m.problems.list.SetCursor(i)
			m.problems.scrolled = 0
		}
	}
}
