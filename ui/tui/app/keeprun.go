package app

import (
	"fmt"
	"path/filepath"
	"slices"

	"flowdbg/engine/debug"
	"flowdbg/trace"

	tea "github.com/charmbracelet/bubbletea"
)

// keptRuns are the runs in files beside the flow.
type keptRuns struct {
	list []debug.KeptRun
	here map[string]int // file → the run of this session that lies in it
}

// others are the kept runs that are not in this session.
func (k *keptRuns) others() (list []debug.KeptRun) {
	for _, r := range k.list {
		if _, here := k.here[r.Path]; !here {
			list = append(list, r)
		}
	}
	return list
}

// keptIn is the file that a run of this session lies in, "" when it is kept nowhere.
func (k *keptRuns) keptIn(run int) string {
	for path, id := range k.here {
		if id == run {
			return path
		}
	}
	return ""
}

// listKept looks for kept runs.
func (m *Model) listKept() tea.Cmd {
	files := m.cfg.Runs
	if files == nil {
		return nil
	}
	return func() tea.Msg {
		list, err := files.List()
		return lateMsg(func(m *Model) tea.Cmd {
			if err != nil {
				m.complain("%v", err)
				return nil
			}
			m.keptRuns.list = list
			return m.sync()
		})
	}
}

// keptRun is the run that keeping is about: the selected one in the view of runs, else the shown one.
func (m *Model) keptRun() (id, events int, ok bool) {
	if v, isRuns := m.face().(*runsView); isRuns {
		r, some := v.selected()
		return r.info.ID, r.info.Total, some && r.file == nil
	}
	return m.s.CurrentRun(), m.s.Total(), true
}

// whyNoKeep says why the run cannot be kept.
func (m *Model) whyNoKeep() string {
	id, events, ok := m.keptRun()
	switch {
	case m.cfg.Runs == nil:
		return "there is no flow file beside which runs could be kept"
	case !ok, m.keptRuns.keptIn(id) != "" && m.saved[id] >= events:
		return "this run is kept already"
	case events == 0:
		return "nothing has run yet"
	}
	return m.busy()
}

// keepRun writes a run into the folder beside the flow and says where.
func (m *Model) keepRun() tea.Cmd {
	id, _, _ := m.keptRun()
	files := m.cfg.Runs
	return m.runEvents(id, func(m *Model, events []trace.Event) tea.Cmd {
		machine := m.s.Machine()
		return func() tea.Msg {
			err := noLeak(machine, events)
			var path string
			if err == nil {
				path, err = files.Keep(events)
			}
			if err != nil {
				return doneMsg{err: fmt.Errorf("keeping run %d: %w", id, err)}
			}
			return lateMsg(func(m *Model) tea.Cmd {
				m.wrote(id, len(events))
				m.foundKept(path, id)
				m.say("kept run %d (%s) in %s", id, plural(len(events), "event"), besideFlow(path))
				return m.listKept()
			})
		}
	})
}

func (m *Model) foundKept(path string, run int) {
	if m.keptRuns.here == nil {
		m.keptRuns.here = map[string]int{}
	}
	m.keptRuns.here[path] = run
}

// openKept takes a kept run into the session, and then does something with it.
func (m *Model) openKept(path string, then func(m *Model, id int) tea.Cmd) tea.Cmd {
	files := m.cfg.Runs
	return func() tea.Msg {
		events, err := files.Open(path)
		return lateMsg(func(m *Model) tea.Cmd {
			if id, here := m.keptRuns.here[path]; here {
				return then(m, id)
			}
			if why := m.busy(); err == nil && why != "" {
				err = fmt.Errorf("%s", why)
			}
			id := 0
			if err == nil {
				id, err = m.s.AddKept(path, events)
			}
			if err != nil {
				m.complain("the kept run: %v", err)
				return nil
			}
			m.foundKept(path, id)
			m.wrote(id, len(events))
			cmd := then(m, id)
			if v, ok := m.face().(*runsView); ok {
				v.rows.SetCursor(max(slices.IndexFunc(v.tree, func(r runRow) bool { return r.file == nil && r.info.ID == id }), 0))
			}
			return cmd
		})
	}
}

// besideFlow is a kept file without the folders that the flow lies in; the view of runs has them.
func besideFlow(path string) string {
	dir := filepath.Dir(path)
	return filepath.Join(filepath.Base(filepath.Dir(dir)), filepath.Base(dir), filepath.Base(path))
}

// keptTitle is what a kept run is called: its file.
func keptTitle(path string) string { return "kept " + filepath.Base(path) }
