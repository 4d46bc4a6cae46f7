package app

import (
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// help lists all keys by group; typing filters, arrows scroll.
type help struct {
	input line
	lines []helpLine
	list  rows.List[int]
}

// helpLine is a heading, an action, or a blank line.
type helpLine struct {
	group  keymap.Group
	action *keymap.Action
}

func newHelp(m *Model) *help {
	h := &help{}
	h.find(m)
	return h
}

func (h *help) find(m *Model) {
	match := map[keymap.ID]bool{}
	for _, a := range m.keys.Find(h.input.String()) {
		match[a.ID] = true
	}
	h.lines = h.lines[:0]
	for _, s := range m.keys.Sections() {
		first := true
		for i := range s.Actions {
			if !match[s.Actions[i].ID] {
				continue
			}
			if first {
				if len(h.lines) > 0 {
					h.lines = append(h.lines, helpLine{})
				}
				h.lines = append(h.lines, helpLine{group: s.Group})
				first = false
			}
			h.lines = append(h.lines, helpLine{action: &s.Actions[i]})
		}
	}
	h.list.Update(len(h.lines), func(i int) int { return i }, nil)
	h.list.Home()
}

func (h *help) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id), k.Type == tea.KeyEnter, id == keymap.Help && h.input.String() == "":
		m.over = nil
	case k.Type == tea.KeyUp:
		h.list.Scroll(-1)
	case k.Type == tea.KeyDown:
		h.list.Scroll(1)
	case listKey(&h.list, k):
	case h.input.key(k):
		h.find(m)
	}
	return nil
}

func (h *help) title() string { return "Keys" }

func (h *help) size(*Model) (w, hh int) { return 100, 2 + len(h.lines) }

func (h *help) render(m *Model, w, hh int) []string {
	th := m.th
	lines := []string{m.inputLine("filter: ", &h.input, w)}
	if hh < 2 {
		return lines
	}
	if len(h.lines) == 0 {
		return append(lines, m.textLine(w, "no key does that", th.Past))
	}
	look := rows.Look{Charset: th.Charset}
	return append(lines, h.list.Render(w, hh-1, look, func(i int, _ bool, b *cell.Builder) {
		l := h.lines[i]
		switch {
		case l.action != nil:
			b.Skip(2)
			b.Field(l.action.KeysLabel(th.Charset == cell.ASCII), min(22, b.Room()/3), th.Key)
			b.Skip(1)
			b.Put(l.action.Long, th.Text)
		case l.group != "":
			b.Skip(1)
			b.Put(string(l.group), th.TitleFocus)
		}
	})...)
}
