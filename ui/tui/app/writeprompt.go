package app

import (
	"fmt"

	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// writePrompt asks for the file that something is written to, and which of the things that the cursor is on. It never
// overwrites a file.
type writePrompt struct {
	input  line
	things []selected
	at     int // of things
}

func newWrite(m *Model) *writePrompt {
	p := &writePrompt{things: m.things()}
	p.input = newLine(p.things[0].name)
	return p
}

// newRunWrite asks where a run shall be written to.
func newRunWrite(m *Model, id int) *writePrompt {
	sel := aRun(id, m.s.RunTrace(id).Len())
	return &writePrompt{things: []selected{sel}, input: newLine(sel.name)}
}

// turn takes the next thing. A name that was typed stays.
func (p *writePrompt) turn(d int) {
	old := p.things[p.at].name
	p.at = (p.at + d + len(p.things)) % len(p.things)
	if p.input.String() == old {
		p.input = newLine(p.things[p.at].name)
	}
}

func (p *writePrompt) title() string { return "Write to a file" }

func (p *writePrompt) size(*Model) (w, h int) { return 72, 2 + min(len(p.things), 2) }

func (p *writePrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyTab:
		p.turn(1)
	case k.Type == tea.KeyShiftTab:
		p.turn(-1)
	case k.Type == tea.KeyEnter && p.input.String() != "":
		m.over = nil
		path, sel := p.input.String(), p.things[p.at]
		if sel.isRun {
			return m.writeRun(sel.run, path)
		}
		return m.writeText(path, sel)
	default:
		p.input.key(k)
	}
	return nil
}

func (m *Model) writeText(path string, sel selected) tea.Cmd {
	text := sel.exact()
	if err := m.leak(text); err != nil {
		return func() tea.Msg { return doneMsg{err: fmt.Errorf("writing: %w", err)} }
	}
	return func() tea.Msg {
		if err := writeNew(path, text); err != nil {
			return doneMsg{err: fmt.Errorf("writing: %w", err)}
		}
		return doneMsg{text: fmt.Sprintf("wrote %s (%s) to %s", sel.what, sel.size(), path)}
	}
}

func (p *writePrompt) render(m *Model, w, _ int) []string {
	sel := &p.things[p.at]
	what := sel.what
	if sel.isRun {
		what += " as a trace"
	}
	lines := []string{
		m.inputLine("file: ", &p.input, w),
		m.textLine(w, fmt.Sprintf("%s, %s; an existing file is not touched", what, sel.size()), m.th.Past),
	}
	if n := len(p.things); n > 1 {
		lines = append(lines, m.textLine(w, fmt.Sprintf("Tab writes something else of it (%d of %d)", p.at+1, n), m.th.Past))
	}
	return lines
}
