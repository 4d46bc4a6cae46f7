package app

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// markList lists the marks, goes to one, and removes some.
type markList struct {
	input  line
	wrong  string
	marks  []debug.Mark
	places []debug.MarkPlace
	gone   []debug.Mark // removed here, the last one comes back first
	list   rows.List[string]
	width  struct{ name, event, step, agent int } // of the columns
}

func newMarks(m *Model) *markList {
	p := &markList{}
	p.sync(m)
	return p
}

// sync looks at the marks and at what stands where they were set.
func (p *markList) sync(m *Model) {
	p.marks, p.places = m.s.Marks(), p.places[:0]
	cs, w := m.th.Charset, &p.width
	for _, mk := range p.marks {
		p.places = append(p.places, m.s.MarkPlace(mk))
		w.name, w.agent = max(w.name, cs.Width(mk.Name)), max(w.agent, cs.Width(cutBytes(mk.Agent, 4*nameCells)))
		w.event, w.step = max(w.event, len(strconv.Itoa(mk.Event))), max(w.step, len(strconv.Itoa(mk.Step)))
	}
	p.list.Update(len(p.marks), func(i int) string { return p.marks[i].Name }, p.find)
}

func (p *markList) find(name string) (int, bool) {
	for i := range p.marks {
		if p.marks[i].Name == name {
			return i, true
		}
	}
	return 0, false
}

func (p *markList) title() string { return "Marks" }

func (p *markList) size(m *Model) (w, h int) {
	return min(max(m.w-10, 40), 100), 3 + max(len(p.marks), 1)
}

func (p *markList) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	empty, at := p.input.String() == "", p.list.Cursor()
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter && !empty:
		name, _ := debug.MarkName(p.input.String()) // without a quote it is the text itself
		return p.jump(m, name)
	case k.Type == tea.KeyEnter && at < len(p.marks):
		return p.jump(m, p.marks[at].Name)
	case empty && (k.Type == tea.KeyDelete || k.Type == tea.KeyCtrlX) && at < len(p.marks):
		p.gone = append(p.gone, *m.s.Unmark(p.marks[at].Name))
		p.sync(m)
	case k.Type == tea.KeyCtrlR && len(p.gone) > 0:
		last := p.gone[len(p.gone)-1]
		p.gone = p.gone[:len(p.gone)-1]
		m.s.Remark(last)
		p.sync(m)
		if i, ok := p.find(last.Name); ok {
			p.list.SetCursor(i)
		}
	case listKey(&p.list, k):
	default:
		p.wrong = ""
		p.input.key(k)
		p.follow()
	}
	return nil
}

// follow puts the cursor on the first mark whose name begins with what was typed.
func (p *markList) follow() {
	typed := strings.TrimPrefix(p.input.String(), "'")
	for i := range p.marks {
		if typed != "" && strings.HasPrefix(p.marks[i].Name, typed) {
			p.list.SetCursor(i)
			return
		}
	}
}

func (p *markList) jump(m *Model, name string) tea.Cmd {
	cmd, err := m.gotoMark(name)
	if err != nil {
		p.wrong = err.Error()
	}
	return cmd
}

// gotoMark runs to a mark in the debug view. A mark that the run has something else at is an error, or told on arrival
// when the run had to be made longer for it.
func (m *Model) gotoMark(name string) (tea.Cmd, error) {
	mk, err := m.s.MarkOf(name)
	if err != nil {
		return nil, err
	}
	if why := m.busy(); why != "" {
		return nil, errors.New(why)
	}
	search, err := m.s.GotoMark(mk)
	if err != nil {
		return nil, err
	}
	m.over = nil
	m.show(viewDebug)
	m.focus[viewDebug] = layout.Events
	return m.beginThen("goto", search, mk.Pos(), func(m *Model) {
		switch place := m.s.MarkPlace(mk); {
		case m.s.Pos() != mk.Pos():
			if m.s.Stop().Reason != debug.StopInterrupted {
				m.complain("mark %s (%s) is %s", mk.Name, mk.Where(), place.Text())
			}
		case place == debug.MarkDiffers:
			m.say("mark %s: the event has other values than the one that was marked", mk.Name)
		case place != debug.MarkHere:
			m.complain("mark %s (%s) is %s", mk.Name, mk.Where(), place.Text())
		}
	}), nil
}

func (p *markList) render(m *Model, w, h int) []string {
	th := m.th
	lines := []string{m.inputLine("go to: ", &p.input, w)}
	if p.wrong != "" {
		for _, l := range wrapWords(th.Charset, p.wrong, w-2) {
			if len(lines) < max(h-2, 2) {
				lines = append(lines, m.textLine(w, l, th.Bad))
			}
		}
	}
	if len(p.marks) == 0 && len(p.gone) == 0 {
		return append(lines, m.textLine(w, "none yet; "+m.shownKey(keymap.Mark)+" marks the event under the cursor", th.Past))
	}
	if room := h - len(lines) - 1; room > 0 {
		lines = append(lines, p.list.Render(w, room, m.look(true), func(i int, selected bool, b *cell.Builder) {
			p.draw(m, i, selected, b)
		})...)
	}
	keys := "Enter goes there   Del removes"
	if len(p.gone) > 0 {
		keys += "   Ctrl+R brings back " + p.gone[len(p.gone)-1].Name
	}
	return append(lines, m.textLine(w, keys+"   Esc closes", th.Past))
}

// draw is one mark: its name, its event or why it is not there, step, agent, what the event is, and the note.
func (p *markList) draw(m *Model, i int, selected bool, b *cell.Builder) {
	th, mk, place := m.th, &p.marks[i], p.places[i]
	m.putCursor(b, selected)
	glyph, style := th.Glyph.Mark, th.Accent
	switch place {
	case debug.MarkDiffers:
		glyph, style = th.Glyph.Differs, th.Warn
	case debug.MarkGone:
		glyph, style = th.Glyph.Unbound, th.Warn
	case debug.MarkAhead:
		glyph, style = th.Glyph.Down, th.Past
	}
	b.Put(glyph+" ", style)
	b.Field(mk.Name, min(p.width.name, 20, b.Room()/4), th.Text)
	b.Skip(2)
	if mk.Event < 0 {
		b.Put("the start", th.Text)
	} else {
		b.Put(fmt.Sprintf("event %*d", p.width.event, mk.Event), th.Text)
	}
	if text := place.Text(); text != "" {
		b.Skip(2)
		b.Put(text, style)
	}
	if mk.Step > 0 {
		b.Put(fmt.Sprintf("  step %*d", p.width.step, mk.Step), th.Text)
	}
	if mk.Agent != "" {
		b.Skip(2)
		b.Field(mk.Agent, min(p.width.agent, nameCells), th.Text)
	}
	if mk.Event >= 0 {
		b.Skip(2)
		b.Put(string(mk.Type), th.Text)
	}
	b.Skip(2)
	b.Put(mk.Note, th.Past)
}

// putMarks draws the marks on an event: the sign and the names, in front of what happened.
func (m *Model) putMarks(i int, b *cell.Builder) {
	names := m.s.MarksAt(i)
	if len(names) == 0 {
		b.Skip(1)
		return
	}
	b.Put(m.th.Glyph.Mark, m.th.Accent)
	text := strings.Join(names[:min(len(names), 8)], ",")
	b.Put(m.th.Charset.Middle(text, nameCells/2), m.th.Accent)
	b.Skip(1)
}
