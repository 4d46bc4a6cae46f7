package app

import (
	"fmt"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// breaks lists the breakpoints and sets new ones.
type breaks struct {
	input line
	wrong string
	list  rows.List[int] // key: id
}

func newBreaks(m *Model) *breaks {
	p := &breaks{}
	p.sync(m)
	return p
}

func (p *breaks) sync(m *Model) {
	all := m.s.Breakpoints()
	p.list.Update(len(all), func(i int) int { return all[i].ID }, func(id int) (int, bool) {
		for i, b := range all {
			if b.ID == id {
				return i, true
			}
		}
		return 0, false
	})
}

func (p *breaks) title() string { return "Breakpoints" }

// breakHint is what can be typed (debug.ParseBreakpoint).
const breakHint = "agent NAME, tag NAME, port AGENT.PORT, edge AGENT.PORT>AGENT, op NAME, error, usd N, tokens N, steps N, changed AGENT /pointer, " +
	"hash, contract VERDICT, certificate VERDICT, line FILE:N, when EXPRESSION. Behind it, if you like: from N, per agent, once, log, " +
	"print EXPRESSION, when EXPRESSION. Tab takes the selected agent."

// breakWidth is how wide the list would like to be.
const breakWidth = 96

func (p *breaks) size(m *Model) (w, h int) {
	w = max(min(breakWidth, m.w-4), 3)
	return w, 2 + len(wrapWords(m.th.Charset, breakHint, w-2)) + max(len(m.s.Breakpoints()), 1)
}

func (p *breaks) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	empty := p.input.String() == ""
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter && !empty:
		p.add(m)
	case empty && (k.Type == tea.KeyEnter || k.Type == tea.KeySpace):
		if b := p.selected(m); b != nil {
			b.Enabled = !b.Enabled
		}
	case empty && (k.Type == tea.KeyDelete || k.Type == tea.KeyCtrlX):
		if b := p.selected(m); b != nil {
			m.s.Unbreak(b.ID)
			p.sync(m)
		}
	case empty && id == keymap.EditSource: // what breakpoints are called begins with a small letter
		return m.editSource()
	case k.Type == tea.KeyTab:
		p.complete(m)
	case listKey(&p.list, k):
	default:
		p.wrong = ""
		p.input.key(k)
	}
	return nil
}

func (p *breaks) selected(m *Model) *debug.Breakpoint {
	if all := m.s.Breakpoints(); p.list.Cursor() < len(all) {
		return all[p.list.Cursor()]
	}
	return nil
}

// add sets what was typed. What is not there is told, not refused: a reload may bring it.
func (p *breaks) add(m *Model) {
	b, err := debug.ParseBreakpoint(p.input.String())
	if err != nil {
		p.wrong = err.Error()
		return
	}
	set, err := m.s.Break(b)
	if err != nil {
		p.wrong = err.Error()
		return
	}
	p.input = line{}
	p.sync(m)
	for i, x := range m.s.Breakpoints() {
		if x.ID == set.ID {
			p.list.SetCursor(i)
		}
	}
	if place := set.Place(); place != "" {
		p.wrong = place
	}
	if set.Unbound {
		p.wrong = set.Why
	}
}

// complete offers the selected agent in an empty line.
func (p *breaks) complete(m *Model) {
	if id := m.agents.selected(m); id != "" && p.input.String() == "" {
		p.input = newLine("agent " + debug.Quote(id))
	}
}

func (p *breaks) render(m *Model, w, h int) []string {
	th := m.th
	lines := []string{m.inputLine("new: ", &p.input, w)}
	text, style := breakHint, th.Past
	if p.wrong != "" {
		text, style = p.wrong, th.Bad
	}
	// One line of the list and the keys stay in any case; what is wrong takes the lines of what can be typed.
	most := min(1+len(wrapWords(th.Charset, breakHint, w-2)), max(h-2, 2))
	for _, l := range wrapWords(th.Charset, text, w-2) {
		if len(lines) < most {
			lines = append(lines, m.textLine(w, l, style))
		}
	}
	for len(lines) < most {
		lines = append(lines, cell.Blank(w))
	}
	room := h - len(lines) - 1
	if room < 1 {
		return lines
	}
	keys := m.textLine(w, fmt.Sprintf("Enter sets  Space on/off  Del remove  Esc close  %s source", m.shownKey(keymap.EditSource)), th.Past)
	all := m.s.Breakpoints()
	if len(all) == 0 {
		return append(lines, m.textLine(w, "none yet", th.Past), keys)
	}
	lines = append(lines, p.list.Render(w, room, m.look(true), func(i int, selected bool, b *cell.Builder) {
		x := all[i]
		m.putCursor(b, selected)
		mark, style, state := th.Glyph.Break, th.Break, ""
		switch {
		case !x.Enabled:
			mark, style, state = th.Glyph.BreakOff, th.Past, "off"
		case x.Unbound:
			mark, style, state = th.Glyph.Unbound, th.Warn, "unbound: "+x.Why
		}
		if state == "" {
			state = x.Doubt()
		}
		if state == "" {
			state = x.Place()
		}
		b.Put(mark, style)
		b.Put(" "+x.String(), th.Text)
		if state != "" {
			b.Put("  "+state, style)
		}
		putRight(b, plural(x.Hits, "hit"), th.Past)
	})...)
	return append(lines, keys)
}
