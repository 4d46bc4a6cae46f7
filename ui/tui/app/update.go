package app

import (
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// Update takes one message. Everything slow is in a command; a long move is one slice per message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := m.update(msg)
	if keep := m.keepLists(); keep != nil {
		cmd = tea.Batch(cmd, keep)
	}
	return m, cmd
}

func (m *Model) update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if cmd, ok := m.follows(msg); ok {
		return m, cmd
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.KeyMsg:
		var cmds []tea.Cmd
		for _, k := range m.split.Split(msg) {
			cmds = append(cmds, m.key(k))
		}
		return m, tea.Batch(cmds...)
	case tea.MouseMsg:
		return m, m.pointer(tea.MouseEvent(msg))
	case lateMsg:
		return m, msg(m)
	case sliceMsg:
		if m.run != nil && m.run.id == msg.id {
			return m, m.slice()
		}
	case awaitedMsg:
		if m.run != nil && m.run.id == msg.id {
			return m, m.finish()
		}
	case keptMsg:
		return m, m.wasKept(msg)
	case tea.ResumeMsg:
		return m, m.resumed()
	case hashMsg:
		if msg.id == m.hashID && m.run == nil && m.hash == "" {
			m.hash = m.s.Hash()
		}
	case indexedMsg:
		return m, m.indexed(msg)
	case watchMsg:
		return m, m.watching(msg)
	case changedMsg:
		m.settleID++
		return m, tea.Batch(m.watch.next(), settleLater(m.settleID))
	case settledMsg:
		if msg.id == m.settleID {
			return m, m.load(byFile)
		}
	case loadedMsg:
		if msg.id == m.loadID {
			return m, m.loaded(msg)
		}
	case listMsg:
		m.complain("the %s are not kept: %v", msg.what, msg.err)
	case doneMsg:
		if msg.err != nil {
			m.complain("%v", msg.err)
		} else {
			m.say("%s", msg.text)
		}
	}
	return m, nil
}

// key handles one key: what lies on top takes it first, else it leads over the table to an action.
func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	m.notice = notice{}
	a, known := m.keys.LookupMsg(k)
	if m.asked && !(known && a.ID == keymap.Quit) {
		m.asked = false
		if known && a.ID == keymap.Write && m.over == nil {
			m.over = newRunWrite(m, m.s.CurrentRun())
			return nil
		}
	}
	if m.over != nil {
		// Leaving and suspending work everywhere, but only by keys that cannot be meant as text.
		if known && (a.ID == keymap.Quit || a.ID == keymap.Suspend) && k.Type != tea.KeyRunes {
			return m.act(a.ID)
		}
		return m.over.key(m, k, a.ID)
	}
	if !known {
		return nil
	}
	return m.act(a.ID)
}

// act does an action, or says why it cannot be done now.
func (m *Model) act(id keymap.ID) tea.Cmd {
	if id != keymap.NextOf && id != keymap.PrevOf {
		m.stepping = ""
	}
	if why := m.why(id); why != "" {
		if a, ok := m.keys.Get(id); ok && id != keymap.Cancel {
			m.say("%s: %s", a.Short, why)
		}
		return nil
	}
	if do, ok := actions[id]; ok {
		return do(m)
	}
	return nil
}
