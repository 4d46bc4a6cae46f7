package app

import (
	"slices"

	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"
	"flowdbg/ui/tui/settings"

	tea "github.com/charmbracelet/bubbletea"
)

// layoutsPrompt lists the layouts to choose from, keeps the present sizes under a name, and deletes the user's own.
type layoutsPrompt struct {
	input line
	wrong string
	all   []layout.Preset
	list  rows.List[string]
}

func newLayouts(m *Model) *layoutsPrompt {
	p := &layoutsPrompt{}
	p.sync(m)
	p.list.SetCursor(slices.IndexFunc(p.all, func(x layout.Preset) bool { return x.Name == m.arr.now().Name }))
	return p
}

func (p *layoutsPrompt) sync(m *Model) {
	p.all = m.arr.presets()
	p.list.Update(len(p.all), func(i int) string { return p.all[i].Name }, func(name string) (int, bool) {
		i := slices.IndexFunc(p.all, func(x layout.Preset) bool { return x.Name == name })
		return i, i >= 0
	})
}

func (p *layoutsPrompt) title() string { return "Layouts" }

func (p *layoutsPrompt) size(*Model) (w, h int) { return 84, len(p.all) + 4 }

func (p *layoutsPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	name := p.input.String()
	own := p.own(m, name)
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter && own >= 0:
		m.over = nil
		return m.choose(m.arr.own[own])
	case k.Type == tea.KeyTab && own >= 0:
		m.over = nil
		return m.saveLayout(name)
	case k.Type == tea.KeyEnter && name != "":
		if err := settings.CheckName(name); err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.over = nil
		return m.saveLayout(name)
	case k.Type == tea.KeyEnter:
		m.over = nil
		return m.choose(p.all[p.list.Cursor()])
	case name == "" && (k.Type == tea.KeyDelete || k.Type == tea.KeyCtrlX):
		return p.remove(m)
	case listKey(&p.list, k):
	case p.input.key(k):
		p.wrong = ""
	}
	return nil
}

// own is where the user's own layout of that name is, -1 when there is none. Enter chooses it: what was kept under a name
// is replaced only by a key of its own.
func (p *layoutsPrompt) own(m *Model, name string) int {
	return slices.IndexFunc(m.arr.own, func(x layout.Preset) bool { return x.Name == name })
}

// remove deletes the selected layout, when it is the user's own.
func (p *layoutsPrompt) remove(m *Model) tea.Cmd {
	name := p.all[p.list.Cursor()].Name
	if settings.CheckName(name) != nil {
		p.wrong = name + " is built in and stays"
		return nil
	}
	p.wrong = ""
	cmd := m.deleteLayout(name)
	p.sync(m)
	return cmd
}

func (p *layoutsPrompt) render(m *Model, w, h int) []string {
	th := m.th
	lines := []string{m.inputLine("save as: ", &p.input, w)}
	help, style := "a name keeps the sizes of now; without one, Enter takes the selected layout", th.Past
	switch name := p.input.String(); {
	case p.wrong != "":
		help, style = p.wrong, th.Bad
	case p.own(m, name) >= 0:
		help, style = "Enter takes it; Tab keeps the sizes of now in place of "+name, th.Warn
	case name != "":
		help = "Enter keeps the sizes of now as " + name
	}
	if h > 3 {
		lines = append(lines, m.textLine(w, help, style))
	}
	room := h - len(lines)
	if room < 3 {
		return append(lines, p.rows(m, w, room)...)
	}
	lines = append(lines, p.rows(m, w, room-2)...)
	return append(lines, cell.Blank(w), m.textLine(w, "Enter takes it   Del deletes your own   Esc closes", th.Past))
}

func (p *layoutsPrompt) rows(m *Model, w, h int) []string {
	th, now := m.th, m.arr.now().Name
	return p.list.Render(w, max(h, 0), m.look(true), func(i int, selected bool, b *cell.Builder) {
		x := p.all[i]
		m.putCursor(b, selected)
		style := th.Text
		if x.Name == now {
			b.Put(th.Glyph.Next, th.Accent)
			style = th.Next
		} else {
			b.Skip(1)
		}
		b.Skip(1)
		b.Field(x.Name, min(18, b.Room()/2), style)
		b.Skip(1)
		what := x.For
		if what == "" {
			what = "your own"
		}
		if x.Name == now && m.arr.changed() {
			b.Put(th.Glyph.Changed+" changed  ", th.Changed)
		}
		b.Put(what, th.Past)
	})
}
