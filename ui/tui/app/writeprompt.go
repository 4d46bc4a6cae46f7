package app

import (
	"fmt"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// writePrompt asks for the file that the selection is written to. It never overwrites one.
type writePrompt struct {
	input line
	sel   selected
	// about and write stand in for the selection when something else is written.
	about string
	write func(m *Model, path string) tea.Cmd
}

func newWrite(m *Model) *writePrompt {
	sel, _ := m.selection()
	return &writePrompt{input: newLine(sel.name), sel: sel}
}

func (p *writePrompt) title() string { return "Write to a file" }

func (p *writePrompt) size(*Model) (w, h int) { return 72, 3 }

func (p *writePrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter && p.input.String() != "":
		m.over = nil
		path, sel := p.input.String(), p.sel
		if p.write != nil {
			return p.write(m, path)
		}
		if err := m.leak(sel.text); err != nil {
			return func() tea.Msg { return doneMsg{err: fmt.Errorf("writing: %w", err)} }
		}
		return func() tea.Msg {
			if err := writeNew(path, sel.text); err != nil {
				return doneMsg{err: fmt.Errorf("writing: %w", err)}
			}
			return doneMsg{text: fmt.Sprintf("wrote %s (%s) to %s", sel.what, tree.Size(len(sel.text)), path)}
		}
	default:
		p.input.key(k)
	}
	return nil
}

func (p *writePrompt) render(m *Model, w, _ int) []string {
	about := p.about
	if about == "" {
		about = fmt.Sprintf("%s, %s; an existing file is not touched", p.sel.what, tree.Size(len(p.sel.text)))
	}
	return []string{
		m.inputLine("file: ", &p.input, w),
		m.textLine(w, about, m.th.Past),
	}
}
