package app

import (
	"strconv"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// questions is what the actions do that ask about the run or begin another one; they join the table of actions.
var questions = map[keymap.ID]func(*Model) tea.Cmd{
	keymap.Why:         func(m *Model) tea.Cmd { return m.askWhy(false) },
	keymap.CameOf:      func(m *Model) tea.Cmd { return m.askWhy(true) },
	keymap.WhoChanged:  (*Model).askWhoChanged,
	keymap.Source:      (*Model).openSource,
	keymap.Print:       func(m *Model) tea.Cmd { m.over = newPrint(m); return nil },
	keymap.Search:      func(m *Model) tea.Cmd { m.over = newSearch(m); return nil },
	keymap.SearchNext:  func(m *Model) tea.Cmd { return m.searchOn(false) },
	keymap.SearchPrev:  func(m *Model) tea.Cmd { return m.searchOn(true) },
	keymap.Filter:      (*Model).askFilter,
	keymap.Objectives:  func(m *Model) tea.Cmd { m.over = newObjectives(m); return nil },
	keymap.PickDelta:   (*Model).pickDelta,
	keymap.Edit:        func(m *Model) tea.Cmd { m.over = newEdit(m); return nil },
	keymap.EditSource:  (*Model).editSource,
	keymap.Fork:        func(m *Model) tea.Cmd { return m.fork(nil) },
	keymap.Answer:      func(m *Model) tea.Cmd { m.over = newPending(m); return nil },
	keymap.Watch:       (*Model).toggleWatch,
	keymap.Watches:     func(m *Model) tea.Cmd { m.over = newWatches(m); return nil },
	keymap.CompareRuns: (*Model).compareRuns,
	keymap.KeepRun:     (*Model).keepRun,
}

// whyNot says why one of these actions cannot be done now.
func (m *Model) whyNot(id keymap.ID) string {
	switch id {
	case keymap.Why, keymap.CameOf:
		if _, ok := m.subject(); !ok {
			return "the cursor is on nothing that has a cause"
		}
		return m.busy()
	case keymap.WhoChanged, keymap.Watch:
		if _, _, ok := m.place(); !ok {
			return "no place of an agent's state is selected; go to one in the inspector"
		}
		if id == keymap.WhoChanged {
			return m.busy()
		}
	case keymap.Source:
		return m.whyNoSource()
	case keymap.SearchNext, keymap.SearchPrev:
		if m.search.text == "" {
			return "nothing was searched for yet"
		}
		return m.busy()
	case keymap.Search, keymap.Filter, keymap.Print:
		return m.busy()
	case keymap.Edit, keymap.Fork:
		if m.s.Machine() == nil || m.s.Mode() == debug.Playback {
			return "a trace that is played back cannot run on; open its flow too"
		}
		return m.busy()
	case keymap.EditSource:
		return m.whyNoFile()
	case keymap.Objectives, keymap.PickDelta:
		return m.whyNoPayload(id)
	case keymap.Answer:
		if m.s.Pending() == nil {
			return "no effect waits for an answer"
		}
	case keymap.CompareRuns:
		return m.whyNoRuns()
	case keymap.KeepRun:
		return m.whyNoKeep()
	}
	return ""
}

// subject is what the cursor is on, as something that has a cause.
func (m *Model) subject() (trace.Ref, bool) {
	if f := m.face(); f != nil {
		if x, ok := f.(interface{ event(*Model) int }); ok {
			i := x.event(m)
			return trace.EventRef(i), i >= 0
		}
		return trace.Ref{}, false
	}
	pane := m.pane()
	if pane == layout.Inspector {
		pane = m.inspect.home()
	}
	switch pane {
	case layout.Events:
		i, ok := m.events.list.Key()
		return trace.EventRef(i), ok && i < m.s.Total()
	case layout.Inbox:
		return trace.InboxRef(m.inbox.agent, m.inbox.list.Cursor(), m.s.Pos()), m.inbox.list.Len() > 0
	case layout.Agents:
		if key, ok := m.agents.output(); ok {
			return trace.OutputRef(key, m.outputIndex(key)), true
		}
		i, ok, _ := m.actBefore(m.s.Pos(), m.agents.selected(m))
		return trace.EventRef(i), ok
	case layout.Main, layout.Detail:
		p, ok := m.problems.selected()
		return trace.EventRef(p.Event), ok && p.Event >= 0 && p.Event < m.s.Total()
	}
	return trace.Ref{}, false
}

// outputIndex is the message of an output that the inspector's cursor is in, else the last one.
func (m *Model) outputIndex(key string) int {
	n := m.s.State().OutputLen(key)
	if m.pane() == layout.Inspector && !m.inspect.raw {
		ptr, _, _, _ := m.inspect.tree().Selected()
		first, _, _ := strings.Cut(strings.TrimPrefix(ptr, "/"), "/")
		if i, err := strconv.Atoi(first); err == nil {
			return i + max(n-maxListed, 0)
		}
	}
	return n - 1
}

// place is the place of an agent's state under the cursor of the inspector; all of the state while the agent is selected.
func (m *Model) place() (agent, pointer string, ok bool) {
	if m.view != viewDebug || m.inspect.kind != ofAgent || m.agents.selected(m) == "" {
		return "", "", false
	}
	agent = m.agents.selected(m)
	if m.pane() == layout.Agents || m.inspect.raw {
		return agent, "", true
	}
	if m.pane() != layout.Inspector {
		return "", "", false
	}
	ptr, _, _, ok := m.inspect.tree().Selected()
	return agent, ptr, ok
}
