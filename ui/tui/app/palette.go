package app

import (
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// palette finds an action by its name, shows its keys, says why it cannot be done now, and takes what it is given.
type palette struct {
	input line
	found []keymap.Action
	list  rows.List[keymap.ID]
	arg   *argument // that the line gives something to
	rest  string    // what it gives
	near  string    // when nothing is called so
}

func newPalette(m *Model) *palette {
	p := &palette{}
	p.find(m)
	return p
}

func (p *palette) find(m *Model) {
	text := p.input.String()
	p.found, p.near = m.keys.Find(text), ""
	if p.arg, p.rest = m.withArgument(text); p.arg != nil {
		a, _ := m.keys.Get(p.arg.id)
		p.found = []keymap.Action{a}
	} else if len(p.found) == 0 {
		p.found = m.alsoCalled(text)
	}
	if len(p.found) == 0 {
		p.near = m.nearest(text)
	}
	p.list.Update(len(p.found), func(i int) keymap.ID { return p.found[i].ID }, nil)
	p.list.Home()
}

func (p *palette) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter && p.arg != nil:
		m.over, m.stepping = nil, ""
		return p.arg.give(m, p.rest)
	case k.Type == tea.KeyEnter:
		if id, ok := p.list.Key(); ok {
			m.over = nil
			return m.act(id)
		}
	case k.Type == tea.KeyTab:
		p.complete(m)
	case listKey(&p.list, k):
	case p.input.key(k):
		p.find(m)
	}
	return nil
}

// complete writes the name of the selected action, or the one that is near to what was typed.
func (p *palette) complete(m *Model) {
	name := p.near
	if a, ok := p.selected(); ok && p.arg == nil {
		if name = a.Short; argumentOf(a.ID) != nil {
			name += " "
		}
	}
	if name != "" {
		p.input = newLine(name)
		p.find(m)
	}
}

func (p *palette) selected() (keymap.Action, bool) {
	if i := p.list.Cursor(); i < len(p.found) {
		return p.found[i], true
	}
	return keymap.Action{}, false
}

// hint says what the selected action takes behind its name.
func (p *palette) hint() string {
	a, ok := p.selected()
	if !ok {
		return ""
	}
	x := argumentOf(a.ID)
	switch {
	case x == nil:
		return "Enter does it"
	case p.arg != nil:
		return "Enter gives it " + p.rest + "   it takes " + x.takes
	}
	return a.Short + " takes " + x.takes
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

func (p *palette) size(m *Model) (w, h int) { return 100, min(3+len(m.keys.Actions()), 23) }

func (p *palette) render(m *Model, w, h int) []string {
	lines := []string{m.inputLine(": ", &p.input, w)}
	if h < 2 {
		return lines
	}
	if len(p.found) == 0 {
		text := "no action is called that"
		if p.near != "" {
			text += "; Tab takes the nearest: " + p.near
		}
		return append(lines, m.textLine(w, text, m.th.Past))
	}
	th := m.th
	if h > 3 {
		lines = append(lines, m.textLine(w, m.ascii(p.hint()), th.Past))
	}
	return append(lines, p.list.Render(w, h-len(lines), m.look(true), func(i int, selected bool, b *cell.Builder) {
		a := p.found[i]
		why := m.keys.Why(a.ID)
		if a.ID == keymap.Cancel { // the palette itself is closed before the action is done
			why = m.nothingToCancel()
		}
		if p.arg != nil { // what it is given stands for what the cursor is on
			why = ""
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
