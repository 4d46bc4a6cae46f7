package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

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

// newRunWrite asks where the shown run shall be written to, as a trace.
func newRunWrite(m *Model) *writePrompt {
	id := m.s.CurrentRun()
	what := fmt.Sprintf("run %d", id)
	return &writePrompt{
		input: newLine(fmt.Sprintf("run-%d.trace.json", id)),
		about: fmt.Sprintf("%s as a trace, %s; an existing file is not touched", what, plural(m.s.Len(), "event")),
		write: func(m *Model, path string) tea.Cmd { return m.writeRun(id, path) },
	}
}

// writeRun writes a run's events as they are now. Like everything that writes a run, it refuses the value of a secret.
func (m *Model) writeRun(id int, path string) tea.Cmd {
	log := m.s.RunLog(id)
	if log == nil {
		return nil
	}
	events := make([]trace.Event, log.Len())
	for i := range events {
		e, err := log.Event(i)
		if err != nil {
			m.complain("writing: event %d: %v", i, err)
			return nil
		}
		events[i] = *e
	}
	machine := m.s.Machine()
	return func() tea.Msg {
		if err := writeTrace(machine, path, events); err != nil {
			return doneMsg{err: fmt.Errorf("writing: %w", err)}
		}
		return lateMsg(func(m *Model) tea.Cmd {
			if m.saved == nil {
				m.saved = map[int]int{}
			}
			m.saved[id] = max(m.saved[id], len(events))
			m.say("wrote run %d (%s) to %s", id, plural(len(events), "event"), path)
			return nil
		})
	}
}

// writeTrace writes a trace to a file that must not exist yet.
func writeTrace(machine *engine.Machine, path string, events []trace.Event) error {
	if machine != nil {
		if err := engine.FindLeak(machine.SecretScanner(), events); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; give another name", path)
	}
	if err != nil {
		return err
	}
	return errors.Join(trace.Write(f, events, trace.FormatArray), f.Close())
}
