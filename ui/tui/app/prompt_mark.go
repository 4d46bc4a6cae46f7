package app

import (
	"fmt"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// markPrompt asks for the name of a mark.
type markPrompt struct {
	event int // -1 is the start
	input line
	wrong string
}

// newMark asks for a mark at the event under the cursor, else at the position. A mark that stands there is offered, so
// that its note can be changed.
func newMark(m *Model) *markPrompt {
	p := &markPrompt{event: m.s.Pos() - 1}
	if i, ok := m.cursorEvent(); ok {
		p.event = i
	}
	p.input = offered(m.s.FreeMark())
	if names := m.s.MarksAt(p.event); len(names) > 0 {
		if mk, err := m.s.MarkOf(names[0]); err == nil {
			p.input = offered(mk.Name)
			if mk.Note != "" {
				p.input = newLine(mk.Name + " " + mk.Note)
			}
		}
	}
	return p
}

func (p *markPrompt) title() string {
	if p.event < 0 {
		return "Mark the start"
	}
	return fmt.Sprintf("Mark event %d", p.event)
}

func (p *markPrompt) size(*Model) (w, h int) { return 74, 4 }

func (p *markPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter:
		name, note, err := debug.ParseMark(p.input.String())
		if err == nil {
			_, _, err = m.s.Mark(name, p.event, note)
		}
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.over = nil
		m.say("mark %s is set; %s lists the marks", name, m.shownKey(keymap.Marks))
	default:
		p.wrong = ""
		p.input.key(k)
	}
	return nil
}

func (p *markPrompt) render(m *Model, w, _ int) []string {
	lines := []string{m.inputLine("name: ", &p.input, w)}
	text, style := p.wrong, m.th.Bad
	if text == "" {
		text, style = p.hint(m)+p.input.offer(), m.th.Past
	}
	for _, l := range wrapWords(m.th.Charset, text, w-2) {
		lines = append(lines, m.textLine(w, l, style))
	}
	return lines
}

// hint is what Enter will do.
func (p *markPrompt) hint(m *Model) string {
	if name, _, err := debug.ParseMark(p.input.String()); err == nil {
		if mk, err := m.s.MarkOf(name); err == nil && mk.Event != p.event {
			return fmt.Sprintf("%s is at %s now; Enter moves it here", name, mk.Where())
		}
	}
	return "a word, and a note behind it if you like"
}
