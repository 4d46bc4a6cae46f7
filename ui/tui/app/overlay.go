package app

import (
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// overlay is what lies on top of the panes and takes the keys. id is the action that the key would lead to, for
// overlays that know some of them; characters are text.
type overlay interface {
	key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd
	// size is how many cells the overlay would like to have inside its frame; it gets less on a small screen.
	size(m *Model) (w, h int)
	title() string
	render(m *Model, w, h int) []string
}

// drawOverlay puts the overlay in the middle of the screen, a little above the centre. On a tiny screen it has all of it.
func (m *Model) drawOverlay(f *cell.Frame) {
	th := m.th
	w, h := m.over.size(m)
	w, h = min(w+2, m.w-2), min(h+2, m.h-2)
	if w < 12 || h < 4 {
		lines := m.over.render(m, m.w, m.h)
		for len(lines) < m.h {
			lines = append(lines, cell.Blank(m.w))
		}
		f.Put(0, 0, m.w, lines...)
		return
	}
	box := cell.Box{Edges: th.Glyph.Edges, Style: th.BorderFocus, Title: []cell.Span{{Text: m.ascii(m.over.title()), Style: th.TitleFocus}}}
	lines := box.Draw(th.Charset, w, h, m.over.render(m, w-2, h-2))
	f.Put((m.w-w)/2, (m.h-h)/3, w, lines...)
}

// inputLine draws a prompt and what was typed.
func (m *Model) inputLine(prompt string, l *line, w int) string {
	var b cell.Builder
	b.Start(m.th.Charset, w, "")
	b.Skip(1)
	b.Put(prompt, m.th.Key)
	l.draw(&b, m.th)
	return b.Line()
}

// textLine is one line of an overlay.
func (m *Model) textLine(w int, text string, st cell.Style) string {
	return cell.Compose(m.th.Charset, w, "", cell.Span{Text: " " + text, Style: st})
}

// hintLine is a line of what keys do; what does not fit whole is left out, from the end.
func (m *Model) hintLine(w int, hints ...string) string {
	const gap = "   "
	text := ""
	for i, h := range hints {
		if i > 0 {
			h = gap + h
		}
		if m.th.Charset.Width(text+h)+2 > w && i > 0 {
			break
		}
		text += h
	}
	return m.textLine(w, text, m.th.Past)
}

// isCancel says whether a key closes an overlay.
func isCancel(k tea.KeyMsg, id keymap.ID) bool {
	return k.Type == tea.KeyEsc || id == keymap.Cancel && k.Type != tea.KeyRunes
}
