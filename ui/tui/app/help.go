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
	found []helpLine
	lines []helpLine // found, with what is longer than a line in several
	width int        // that lines is made for
	list  rows.List[int]
}

// helpLine is a heading, an action, the rest of its text, or a blank line.
type helpLine struct {
	group  keymap.Group
	action *keymap.Action
	text   string
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
	h.found = h.found[:0]
	for _, s := range m.keys.Sections() {
		first := true
		for i := range s.Actions {
			if !match[s.Actions[i].ID] {
				continue
			}
			if first {
				if len(h.found) > 0 {
					h.found = append(h.found, helpLine{})
				}
				h.found = append(h.found, helpLine{group: s.Group})
				first = false
			}
			h.found = append(h.found, helpLine{action: &s.Actions[i]})
		}
	}
	h.wrap(m, h.width, true)
	h.list.Home()
}

// helpKeys is how many cells of w the keys of an action have; its text stands two cells behind them.
func helpKeys(w int) int { return min(22, (w-2)/3) }

// wrap breaks the texts for lines of w cells, unless they are broken for them already.
func (h *help) wrap(m *Model, w int, again bool) {
	if w == h.width && !again {
		return
	}
	h.width, h.lines = w, h.lines[:0]
	for _, l := range h.found {
		if l.action == nil {
			h.lines = append(h.lines, l)
			continue
		}
		for i, text := range wrapWords(m.th.Charset, l.action.Long, max(w-3-helpKeys(w), 1)) {
			part := helpLine{text: text}
			if i == 0 {
				part.action = l.action
			}
			h.lines = append(h.lines, part)
		}
	}
	h.list.Update(len(h.lines), func(i int) int { return i }, nil)
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

// helpWidth is how many cells the list would like to have.
const helpWidth = 100

func (h *help) size(m *Model) (w, hh int) {
	h.wrap(m, max(min(helpWidth, m.w-4), 1), false)
	return helpWidth, 2 + len(h.lines)
}

func (h *help) render(m *Model, w, hh int) []string {
	th := m.th
	lines := []string{m.inputLine("filter: ", &h.input, w)}
	if hh < 2 {
		return lines
	}
	if len(h.lines) == 0 {
		return append(lines, m.textLine(w, "no key does that", th.Past))
	}
	h.wrap(m, w, false)
	look := rows.Look{Charset: th.Charset}
	return append(lines, h.list.Render(w, hh-1, look, func(i int, _ bool, b *cell.Builder) {
		l := h.lines[i]
		switch {
		case l.text != "":
			b.Skip(2)
			keys := ""
			if l.action != nil {
				keys = l.action.KeysLabel(th.Charset == cell.ASCII)
			}
			b.Field(keys, helpKeys(w), th.Key)
			b.Skip(1)
			b.Put(l.text, th.Text)
		case l.group != "":
			b.Skip(1)
			b.Put(string(l.group), th.TitleFocus)
		}
	})...)
}
