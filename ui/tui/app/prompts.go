package app

import (
	"fmt"
	"strconv"
	"strings"

	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// gotoPrompt asks for an event or a step.
type gotoPrompt struct {
	input line
	wrong string
}

func newGoto() *gotoPrompt { return &gotoPrompt{} }

func (p *gotoPrompt) title() string { return "Go to" }

func (p *gotoPrompt) size(*Model) (w, h int) { return 62, 3 }

func (p *gotoPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter:
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
	if p.wrong != "" {
		return append(lines, m.textLine(w, p.wrong, m.th.Bad))
	}
	return append(lines, m.textLine(w, "9: nine events applied   s4: the end of step 4   $: the end", m.th.Past))
}

// parsePosition reads "9" or "event 9", "s4" or "step 4", "$".
func (m *Model) parsePosition(text string) (int, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	total := m.s.Total()
	if text == "$" {
		return total, nil
	}
	number, isStep := text, false
	for _, prefix := range []string{"step", "s"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			number, isStep = rest, true
			break
		}
	}
	if !isStep {
		number = strings.TrimPrefix(strings.TrimPrefix(text, "event"), "#")
	}
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("not a position: %q", text)
	}
	if !isStep {
		return n, nil
	}
	pos, ok := m.s.StepPos(n)
	if !ok {
		return 0, fmt.Errorf("step %d is not there yet: the last one is %d", n, m.lastStep())
	}
	return pos, nil
}
