package app

import (
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// palette finds an action by its name, shows its keys, and says why it cannot be done now.
type palette struct {
	input line
	found []keymap.Action
	list  rows.List[keymap.ID]
}

func newPalette(m *Model) *palette {
	p := &palette{}
	p.find(m)
	return p
}

func (p *palette) find(m *Model) {
	p.found = m.keys.Find(p.input.String())
	p.list.Update(len(p.found), func(i int) keymap.ID { return p.found[i].ID }, nil)
	p.list.Home()
}

func (p *palette) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter:
		if id, ok := p.list.Key(); ok {
			m.over = nil
			return m.act(id)
		}
	case listKey(&p.list, k):
	case p.input.key(k):
		p.find(m)
	}
	return nil
}

// listKey moves in a list by the keys that are no text.
func listKey(l mover, k tea.KeyMsg) bool {
	switch k.Type {
	case tea.KeyUp, tea.KeyCtrlP:
		l.Move(-1)
	case tea.KeyDown, tea.KeyCtrlN:
		l.Move(1)
	case tea.KeyPgUp:
		l.Page(-1)
	case tea.KeyPgDown:
		l.Page(1)
	default:
		return false
	}
	return true
}

func (p *palette) title() string { return "Actions" }

func (p *palette) size(m *Model) (w, h int) { return 100, min(2+len(m.keys.Actions()), 22) }

func (p *palette) render(m *Model, w, h int) []string {
	lines := []string{m.inputLine(": ", &p.input, w)}
	if h < 2 {
		return lines
	}
	if len(p.found) == 0 {
		return append(lines, m.textLine(w, "no action is called that", m.th.Past))
	}
	th := m.th
	return append(lines, p.list.Render(w, h-1, m.look(true), func(i int, selected bool, b *cell.Builder) {
		a := p.found[i]
		why := m.keys.Why(a.ID)
		if a.ID == keymap.Cancel { // the palette itself is closed before the action is done
			why = m.nothingToCancel()
		}
		m.putCursor(b, selected)
		style := th.Text
		if why != "" {
			style = th.Past
		}
		b.Field(a.Short, 15, style)
		b.Field(a.KeysLabel(th.Charset == cell.ASCII), min(14, b.Room()/3), th.Key)
		b.Skip(1)
		if why != "" {
			b.Put("not now: "+why, th.Warn)
			return
		}
		b.Put(a.Long, th.Past)
	})...)
}
