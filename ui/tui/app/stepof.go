package app

import (
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// cursorEvent is the event of the run under the cursor; ok is false where the cursor is on no event.
func (m *Model) cursorEvent() (i int, ok bool) {
	pane := m.pane()
	if m.view == viewDebug && pane == layout.Inspector {
		pane = m.inspect.home()
	}
	if m.view == viewDebug && pane != layout.Events {
		return 0, false
	}
	ref, ok := m.subject()
	return ref.Event, ok && ref.Agent == "" && ref.Output == "" && ref.Event >= 0 && ref.Event < m.s.Total()
}

// cursorAgent is the agent of the event under the cursor, else the selected one; "" when there is none.
func (m *Model) cursorAgent() string {
	if m.stepping != "" {
		return m.stepping
	}
	if i, ok := m.cursorEvent(); ok {
		if id := m.s.Header(i).Agent; id != "" {
			return id
		}
	}
	return m.agents.selected(m)
}

// stepOf runs to the next or the previous step of the agent that the cursor is about.
func (m *Model) stepOf(back bool) tea.Cmd {
	agent := m.cursorAgent()
	m.stepping = agent
	if back {
		return m.begin("previous step of "+agent, m.s.PrevOf(agent), -1)
	}
	m.release()
	return m.begin("next step of "+agent, m.s.NextOf(agent), -1)
}
