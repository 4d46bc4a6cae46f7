package app

import (
	"fmt"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// gotoPrompt asks for a position, an event or a step.
type gotoPrompt struct {
	input line
	wrong string
}

func newGoto() *gotoPrompt { return &gotoPrompt{} }

func (p *gotoPrompt) title() string { return "Go to" }

// gotoHint is what can be typed (debug.ParsePlace).
const (
	gotoHint  = "9: position 9, event 9 is next; e9: behind event 9; s4: step 4; $: end; 'a: mark"
	gotoWidth = 82
)

func (p *gotoPrompt) size(m *Model) (w, h int) {
	w = max(min(gotoWidth, m.w-4), 3)
	return w, 2 + max(len(wrapWords(m.th.Charset, p.text(), w-2)), 1)
}

// text is what stands below the input.
func (p *gotoPrompt) text() string {
	if p.wrong != "" {
		return p.wrong
	}
	return gotoHint
}

func (p *gotoPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter:
		if name, ok := debug.MarkName(p.input.String()); ok {
			cmd, err := m.gotoMark(name)
			if err != nil {
				p.wrong = err.Error()
			}
			return cmd
		}
		pos, err := m.parsePosition(p.input.String())
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.over = nil
		return m.gotoPos(pos)
	default:
		p.wrong = ""
		p.input.key(k)
	}
	return nil
}

func (p *gotoPrompt) render(m *Model, w, _ int) []string {
	lines := []string{m.inputLine("position: ", &p.input, w)}
	style := m.th.Past
	if p.wrong != "" {
		style = m.th.Bad
	}
	for _, l := range wrapWords(m.th.Charset, m.ascii(p.text()), w-2) {
		lines = append(lines, m.textLine(w, l, style))
	}
	return lines
}

// parsePosition reads a place as debug.ParsePlace does; a step must be there already.
func (m *Model) parsePosition(text string) (int, error) {
	p, err := debug.ParsePlace(text)
	if err != nil {
		return 0, err
	}
	if p.Kind != debug.PlaceStep {
		pos := p.Pos(m.s.Total())
		if pos > m.s.Total() && m.s.Whole() {
			return 0, m.s.NoPosition(p)
		}
		return pos, nil
	}
	pos, ok := m.s.StepPos(p.N)
	if !ok {
		return 0, fmt.Errorf("step %d is not there yet: the last one is %d", p.N, m.lastStep())
	}
	return pos, nil
}
