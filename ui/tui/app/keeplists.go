package app

import (
	"flowdbg/engine/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// keptLists is what of the session's lists was last sent to be written.
type keptLists struct {
	stamps []uint64
	n      uint64
}

// listMsg says that a list could not be written.
type listMsg struct {
	what string
	err  error
}

// note takes the lists as they are for what the files hold.
func (k *keptLists) note(s *debug.Session) {
	for _, list := range s.Kept() {
		k.stamps = append(k.stamps, list.Stamp())
	}
}

// keepLists writes the lists that have changed since, so that a program that is killed loses none of them. It is asked behind
// every message.
func (m *Model) keepLists() tea.Cmd {
	if m.cfg.Keep == nil {
		return nil
	}
	var cmds []tea.Cmd
	for i, list := range m.s.Kept() {
		now := list.Stamp()
		if now == m.lists.stamps[i] {
			continue
		}
		m.lists.stamps[i] = now
		m.lists.n++
		cmds = append(cmds, writeKept(m.cfg.Keep, list, m.lists.n))
	}
	return tea.Batch(cmds...)
}

// writeKept writes a list as it is now.
func writeKept(keep func(string, uint64, []byte) error, list debug.Kept, n uint64) tea.Cmd {
	data, err := list.Save()
	return func() tea.Msg {
		if err == nil {
			err = keep(list.File, n, data)
		}
		if err != nil {
			return listMsg{list.What, err}
		}
		return nil
	}
}
