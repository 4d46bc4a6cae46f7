package app

import (
	"fmt"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// toggleWatch watches the selected place, or stops watching it.
func (m *Model) toggleWatch() tea.Cmd {
	defer func() { m.agents.watched = m.s.Watches() }()
	agent, ptr, _ := m.place()
	w := debug.Watch{Agent: agent, Pointer: ptr}
	for i, x := range m.s.Watches() {
		if x.Watch == w {
			m.s.Unwatch(i)
			m.say("no longer watched: %s", watchName(w))
			return nil
		}
	}
	if err := m.s.Watch(w); err != nil {
		m.complain("watch: %v", err)
		return nil
	}
	m.say("watched: %s; %s lists what is watched", watchName(w), m.shownKey(keymap.Watches))
	return nil
}

func watchName(w debug.Watch) string {
	return strings.TrimSpace(debug.Quote(w.Agent) + " " + w.Pointer)
}

// watchList lists what is watched, and takes new places.
type watchList struct {
	input line
	wrong string
	list  rows.List[int]
}

func newWatches(m *Model) *watchList {
	p := &watchList{}
	p.sync(m)
	return p
}

func (p *watchList) sync(m *Model) {
	m.agents.watched = m.s.Watches()
	p.list.Update(len(m.s.Watches()), func(i int) int { return i }, nil)
}

func (p *watchList) title() string { return "Watches" }

func (p *watchList) size(m *Model) (w, h int) {
	return min(max(m.w-10, 40), 100), 3 + max(len(m.s.Watches()), 1)
}

func (p *watchList) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	empty := p.input.String() == ""
	all := m.s.Watches()
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter && !empty:
		w, ptr, err := debug.CutWord(p.input.String())
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		agent := w.Text
		if _, ok := m.s.State().Agent(agent); !ok {
			p.wrong = fmt.Sprintf("there is no agent %q; write AGENT /pointer", agent)
			return nil
		}
		if err := m.s.Watch(debug.Watch{Agent: agent, Pointer: strings.TrimSpace(ptr)}); err != nil {
			p.wrong = err.Error()
			return nil
		}
		p.input = line{}
		p.sync(m)
		p.list.End()
	case k.Type == tea.KeyEnter && p.list.Cursor() < len(all):
		w := all[p.list.Cursor()]
		m.over = nil
		return m.showPlace(w.Agent, w.Pointer)
	case empty && (k.Type == tea.KeyDelete || k.Type == tea.KeyCtrlX) && p.list.Cursor() < len(all):
		m.s.Unwatch(p.list.Cursor())
		p.sync(m)
	case listKey(&p.list, k):
	default:
		p.wrong = ""
		p.input.key(k)
	}
	return nil
}

// showPlace opens a place of an agent's state in the inspector.
func (m *Model) showPlace(agent, ptr string) tea.Cmd {
	cmd := m.show(viewDebug)
	if r := m.s.State().Rank(agent); r >= 0 {
		m.agents.list.SetCursor(r)
		m.agents.inOuts = false
		m.agents.moved(m)
		m.inspect.raw = false
		m.inspect.tree().Goto(ptr)
		m.focus[viewDebug] = layout.Inspector
	}
	return cmd
}

func (p *watchList) render(m *Model, w, h int) []string {
	th := m.th
	lines := []string{m.inputLine("new: ", &p.input, w)}
	if p.wrong != "" {
		lines = append(lines, m.textLine(w, p.wrong, th.Bad))
	}
	all := m.s.Watches()
	if len(all) == 0 {
		return append(lines, m.textLine(w, fmt.Sprintf("none yet; write AGENT /pointer, or %s on a place of a state", m.shownKey(keymap.Watch)), th.Past))
	}
	if room := h - len(lines) - 1; room > 0 {
		lines = append(lines, p.list.Render(w, room, m.look(true), func(i int, selected bool, b *cell.Builder) { m.drawWatch(&all[i], selected, b) })...)
	}
	return append(lines, m.hintLine(w, "Enter shows it", "Del removes", "Esc closes"))
}

// drawWatch is one watch: a mark when the last step changed it, its name, its value, and what it was.
func (m *Model) drawWatch(x *debug.WatchValue, selected bool, b *cell.Builder) {
	th := m.th
	m.putCursor(b, selected)
	if x.Changed {
		b.Put(th.Glyph.Changed, th.Changed)
	} else {
		b.Skip(1)
	}
	b.Skip(1)
	b.Field(watchName(x.Watch), min(32, b.Room()/3), th.Text)
	b.Skip(1)
	style := th.Text
	if x.Changed {
		style = th.Changed
	}
	b.Put(m.brief(x.Value), style)
	if x.Changed {
		b.Put("  was "+m.brief(x.Before), th.Past)
	}
}
