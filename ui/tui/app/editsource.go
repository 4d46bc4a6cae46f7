package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/editor"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// whyNoFile says why no source can be opened in the editor, "" when one can.
func (m *Model) whyNoFile() string {
	if m.cfg.WatchPath == "" {
		return errNoFile.Error()
	}
	if _, err := editor.Named(m.cfg.Getenv); err != nil {
		return err.Error()
	}
	return ""
}

// sourceFile is the path of a file that the flow names: a script lies relative to the flow.
func (m *Model) sourceFile(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(m.cfg.WatchPath), name)
}

// editSource opens the flow's or a script's file at what the cursor is on.
func (m *Model) editSource() tea.Cmd {
	if why := m.whyNoFile(); why != "" {
		m.complain("edit source: %s", why)
		return nil
	}
	if file, line, col, ok := m.problemPlace(); ok {
		return m.openFile(file, line, col)
	}
	if p, ok := m.over.(*breaks); ok {
		if b := p.selected(m); b != nil {
			return m.openBreak(b)
		}
	}
	return m.openPointer(m.agentUnderCursor(), "")
}

// problemPlace is the place in a file that the selected problem is about.
func (m *Model) problemPlace() (file string, line, col int, ok bool) {
	p, ok := m.problems.selected()
	if m.view != viewProblems || m.over != nil || !ok || p.Line < 1 || p.Source == "trace" {
		return "", 0, 0, false
	}
	file = m.cfg.WatchPath
	if p.File != "" && filepath.Base(p.File) != filepath.Base(file) {
		file = m.sourceFile(p.File)
	}
	return file, p.Line, p.Col, true
}

// openBreak goes to what a breakpoint is on: a line of a script, an agent, an op; else to the top of the flow.
func (m *Model) openBreak(b *debug.Breakpoint) tea.Cmd {
	switch b.Kind {
	case debug.BreakLine:
		return m.openFile(m.sourceFile(b.Name), b.Line, 1)
	case debug.BreakOp:
		return m.openFile(m.cfg.WatchPath, m.lineOf(canon.AppendPointer("/effects", b.Name)), 1)
	case debug.BreakPort, debug.BreakEdge:
		agent, _, _ := strings.Cut(b.Name, ".")
		return m.openPointer(agent, "")
	}
	return m.openPointer(b.Name, "")
}

// agentUnderCursor is the agent that the cursor of the view is about, "" when it is about none.
func (m *Model) agentUnderCursor() string {
	if ref, ok := m.subject(); ok && (m.view != viewDebug || m.pane() == layout.Events) && ref.Event >= 0 && ref.Event < m.s.Total() {
		return m.agentOf(m.s.Event(ref.Event))
	}
	if g, ok := m.face().(*graphView); ok {
		return g.selectedAgent()
	}
	return m.agents.selected(m)
}

// agentOf is the agent that an event is about; a message that the flow begins with is about the one it goes to.
func (m *Model) agentOf(e *trace.Event) string {
	if e.Agent != "" {
		return e.Agent
	}
	return e.To
}

// openPointer opens the flow at an agent; at its top for one that the flow does not have.
func (m *Model) openPointer(agent, inside string) tea.Cmd {
	line := 1
	if f := m.flowNow(); f != nil {
		if ptr := f.AgentPointer(agent, inside); ptr != "" {
			line, _ = f.Pos(ptr)
		}
	}
	return m.openFile(m.cfg.WatchPath, line, 1)
}

func (m *Model) lineOf(pointer string) int {
	if f := m.flowNow(); f != nil {
		line, _ := f.Pos(pointer)
		return line
	}
	return 1
}

func (m *Model) flowNow() *flow.Flow {
	if mc := m.s.Machine(); mc != nil {
		return mc.Flow()
	}
	return nil
}

// openFile gives the terminal to the editor. The watcher sees what it saves; without one the flow is read again when the
// editor has ended.
func (m *Model) openFile(file string, line, col int) tea.Cmd {
	named, err := editor.Named(m.cfg.Getenv)
	if err != nil || m.cfg.WatchPath == "" {
		m.complain("edit source: %s", m.whyNoFile())
		return nil
	}
	return m.runEditor(editor.Command(named, file, line, col, false), func(err error) tea.Msg {
		return lateMsg(func(m *Model) tea.Cmd {
			if err != nil {
				m.complain("%s: %v", named, err)
			} else {
				m.say("edited %s; what is saved is read again, %s reads it now", fmt.Sprintf("%s:%d", filepath.Base(file), max(line, 1)), m.shownKey(keymap.Reload))
			}
			if m.watch == nil && m.cfg.Reload != nil {
				return m.load(byFile)
			}
			return nil
		})
	})
}
