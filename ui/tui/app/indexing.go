package app

import (
	"fmt"

	"flowdbg/engine/debug"
	"flowdbg/trace"

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
	if store == nil || store.Indexed() {
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
	switch {
	case msg.err != nil:
		m.indexing = false
		m.problems.own = append(m.problems.own, debug.Problem{Severity: "error", Source: "trace", Text: msg.err.Error(), Event: -1})
		m.complain("reading the trace: %v", msg.err)
	case msg.done:
		m.indexing = false
		m.noteStore(m.s.Store())
	default:
		next = m.indexOn()
	}
	m.sync()
	return next
}

// noteStore puts what indexing noticed into the problems.
func (m *Model) noteStore(store *trace.Store) {
	for _, f := range store.Findings() {
		m.problems.own = append(m.problems.own, debug.Problem{Severity: "warning", Source: "trace", Text: f.Text, Event: f.Event})
	}
	if t := store.Tear(); t != nil {
		m.problems.own = append(m.problems.own, debug.Problem{Severity: "warning", Source: "trace", Line: t.Line, Event: store.Len() - 1,
			Text: fmt.Sprintf("the trace is torn: %s; %s are left out", t.What, plural(t.Dropped, "byte"))})
	}
}

// indexedShare is how much of the trace's file is indexed, in percent.
func (m *Model) indexedShare() int {
	done, total := m.s.Store().Progress()
	if total <= 0 {
		return 0
	}
	return int(100 * float64(done) / float64(total))
}
