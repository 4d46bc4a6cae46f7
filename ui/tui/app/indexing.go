package app

import (
	"flowdbg/engine/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// indexedMsg says that a piece of the trace's file was indexed.
type indexedMsg struct {
	done bool
	err  error
}

// indexOn goes on indexing a trace that was opened before it was read to its end. Reading goes on in commands; the
// store may be looked at meanwhile.
func (m *Model) indexOn() tea.Cmd {
	store := m.s.Store()
	if store == nil || m.indexing {
		return nil
	}
	m.indexing = true
	return func() tea.Msg {
		done, err := store.Advance()
		return indexedMsg{done, err}
	}
}

// indexed takes over what the index has by now.
func (m *Model) indexed(msg indexedMsg) tea.Cmd {
	var next tea.Cmd
	m.indexing = false
	switch {
	case msg.err != nil:
		m.problems.own = append(m.problems.own, debug.Problem{Severity: "error", Source: "trace", Text: msg.err.Error(), Event: -1})
		m.complain("reading the trace: %v", msg.err)
	case msg.done:
		m.problems.store = storeProblems(m.s.Store())
		if m.traceWatch != nil {
			next = m.poll() // it may have grown meanwhile
		}
	default:
		next = m.indexOn()
	}
	before := m.known
	m.known = m.s.Total()
	cmd := m.grown(before)
	m.readOnce = m.readOnce || msg.done
	return tea.Batch(next, cmd)
}

// indexedShare is how much of the trace's file is indexed, in percent.
func (m *Model) indexedShare() int {
	done, total := m.s.Store().Progress()
	if total <= 0 {
		return 0
	}
	return int(100 * float64(done) / float64(total))
}
