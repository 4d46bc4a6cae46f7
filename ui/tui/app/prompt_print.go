package app

import (
	"flowdbg/engine/debug"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// printPanel evaluates an expression at the position, or over the variables of the script that is walked through, and
// shows its value as a tree.
type printPanel struct {
	input line
	asked string // what the value is of, "" before the first
	value debug.Printed
	tree  tree.Tree
	wrong string
	back  overlay // what it lies on: a walk through a script, or nothing
}

func newPrint(m *Model) *printPanel {
	p := &printPanel{input: offered(m.printed)}
	if src, ok := m.over.(*sourcePanel); ok {
		p.back = src
	}
	return p
}

func (p *printPanel) title() string { return "Print" }

func (p *printPanel) size(m *Model) (w, h int) {
	return min(max(m.w-10, 40), 110), min(m.h-6, max(8, 4+p.tree.Len()))
}

func (p *printPanel) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = p.back
	case k.Type == tea.KeyEnter && p.input.String() == p.asked && p.asked != "":
		p.tree.Toggle()
	case k.Type == tea.KeyEnter:
		p.ask(m)
	case listKey(&p.tree, k):
	default:
		p.wrong = ""
		p.input.key(k)
	}
	return nil
}

// ask evaluates what was typed.
func (p *printPanel) ask(m *Model) {
	expr := p.input.String()
	v, err := m.s.Print(expr)
	if err != nil {
		p.wrong, p.asked = err.Error(), ""
		return
	}
	p.input.whole = false
	p.value, p.asked, p.wrong, p.tree, m.printed = v, expr, "", tree.Tree{}, expr
	if !v.Value.IsAbsent() {
		p.tree.Set(v.Value, v.Value, false)
	}
}

func (p *printPanel) render(m *Model, w, h int) []string {
	th := m.th
	lines := []string{m.inputLine("expression: ", &p.input, w)}
	add := func(text string, bad bool) {
		style := th.Past
		if bad {
			style = th.Bad
		}
		for _, l := range wrapWords(th.Charset, text, w-2) {
			if len(lines) < h-1 {
				lines = append(lines, m.textLine(w, l, style))
			}
		}
	}
	switch {
	case p.wrong != "":
		add(p.wrong, true)
	case p.asked == "":
		add("payload, state, agent, tag, input, response, state_of(\"…\"), inbox(\"…\") and the other names of expressions; in a script that is walked through, its variables too"+p.input.offer(), false)
	case p.value.Value.IsAbsent():
		add("at "+p.value.Place, false)
		add(p.value.Text, false)
	default:
		add("at "+p.value.Place, false)
		if room := h - len(lines) - 1; room > 0 {
			lines = append(lines, p.tree.Render(w, room, th, true)...)
		}
	}
	if h < 2 {
		return lines[:min(len(lines), max(h, 0))]
	}
	return append(lines, m.textLine(w, "Enter evaluates, then opens and closes   Up Down PgUp PgDn move   Esc closes", th.Past))
}
