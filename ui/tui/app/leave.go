package app

import (
	"fmt"
	"io"
	"strings"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// leave ends the program. Runs that a person made and that are written nowhere are told of first; asked again, it leaves.
func (m *Model) leave() tea.Cmd {
	n := m.unkept()
	if n == 0 || m.asked {
		return m.quit()
	}
	m.over, m.asked = nil, true
	is := "are"
	if n == 1 {
		is = "is"
	}
	quit := m.shownKey(keymap.Quit)
	if m.w < 82 {
		m.complain("%s %s kept nowhere: %s leaves, %s writes the shown one", plural(n, "run"), is, quit, m.shownKey(keymap.Write))
		return nil
	}
	m.complain("%s of this session %s kept nowhere: %s again leaves, %s writes the shown run", plural(n, "run"), is, quit, m.shownKey(keymap.Write))
	return nil
}

// unkept is how many runs a person made by forks and edits that were not written as long as they are now.
func (m *Model) unkept() int {
	n := 0
	for _, r := range m.s.Runs() {
		if own(&r) && m.saved[r.ID] < r.Length {
			n++
		}
	}
	return n
}

// own says that a person made a run, and not a reload.
func own(r *debug.RunInfo) bool { return r.Parent >= 0 && (r.Cause == "fork" || r.Edited) }

// writeRun writes a run as a trace. Like everything that writes a run, it refuses the value of a secret.
func (m *Model) writeRun(id int, path string) tea.Cmd {
	return m.runEvents(id, func(m *Model, events []trace.Event) tea.Cmd {
		machine := m.s.Machine()
		return func() tea.Msg {
			if err := writeTrace(machine, path, events); err != nil {
				return doneMsg{err: fmt.Errorf("writing: %w", err)}
			}
			return lateMsg(func(m *Model) tea.Cmd {
				m.wrote(id, len(events))
				m.say("wrote run %d (%s) to %s", id, plural(len(events), "event"), path)
				return nil
			})
		}
	})
}

// wrote remembers how much of a run lies in a file.
func (m *Model) wrote(run, events int) {
	if m.saved == nil {
		m.saved = map[int]int{}
	}
	m.saved[run] = max(m.saved[run], events)
}

// copyRun copies a run as a trace.
func (m *Model) copyRun(sel selected) tea.Cmd {
	return m.runEvents(sel.run, func(m *Model, events []trace.Event) tea.Cmd {
		if err := noLeak(m.s.Machine(), events); err != nil {
			m.complain("copying: %v", err)
			return nil
		}
		var b strings.Builder
		if err := trace.Write(&b, events, trace.FormatArray); err != nil {
			m.complain("copying: %v", err)
			return nil
		}
		sel.text = b.String()
		return m.copyText(sel)
	})
}

func noLeak(machine *engine.Machine, events []trace.Event) error {
	if machine == nil {
		return nil
	}
	return engine.FindLeak(machine.SecretScanner(), events)
}

// writeTrace writes a trace to a file that must not exist yet.
func writeTrace(machine *engine.Machine, path string, events []trace.Event) error {
	if err := noLeak(machine, events); err != nil {
		return err
	}
	return createNew(path, func(w io.Writer) error { return trace.Write(w, events, trace.FormatArray) })
}
