package app

import (
	"fmt"
	"slices"

	"flowdbg/engine/effect"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// pendingPrompt decides on the effect that the run waits for: type the answer, let the mock answer, or send it.
type pendingPrompt struct {
	valueField
	wrong  string
	choice int
	tree   tree.Tree
}

// pendingChoice is a way to go on, and what it means.
type pendingChoice struct{ name, long string }

// choices are the ways to go on with the effect that waits: not every op has a mock.
func (p *pendingPrompt) choices(m *Model) []pendingChoice {
	all := slices.Clone(pendingChoices)
	if q := m.s.Pending(); q != nil && !effect.HasMock(q.Request.Op) {
		all = slices.DeleteFunc(all, func(c pendingChoice) bool { return c.name == "mock" })
	}
	return all
}

// pendingChoices are all ways to go on.
var pendingChoices = []pendingChoice{
	{"answer", "type the answer below; it costs nothing and is marked as typed"},
	{"mock", "the mock provider answers, this once"},
	{"send", "it goes to its provider, this once; that may cost money"},
}

func newPending(m *Model) *pendingPrompt {
	p := &pendingPrompt{valueField: valueField{input: newLine("{}"), begins: func(string) (int, bool) { return 0, true }}}
	if q := m.s.Pending(); q != nil {
		p.tree.Set(q.Request.Input, canon.Value{}, false)
	}
	return p
}

func (p *pendingPrompt) title() string { return "An effect waits" }

func (p *pendingPrompt) size(m *Model) (w, h int) {
	return min(max(m.w-10, 40), 100), 9 + min(max(p.tree.Len(), 1), 12)
}

func (p *pendingPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	choices := p.choices(m)
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyTab, k.Type == tea.KeyDown:
		p.choice, p.wrong = (p.choice+1)%len(choices), ""
	case k.Type == tea.KeyShiftTab, k.Type == tea.KeyUp:
		p.choice, p.wrong = (p.choice+len(choices)-1)%len(choices), ""
	case k.Type == tea.KeyEnter && p.choice == 0 && p.draft != "" && p.told != "" && p.bad: // the line still has the value from before
	case k.Type == tea.KeyEnter:
		if err := p.decide(m); err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.over = nil
		m.say("%s: decided; %s or %s goes on", choices[p.choice].name, m.shownKey(keymap.Step), m.shownKey(keymap.Continue))
	case p.choice == 0 && k.Type == outsideKey:
		p.wrong = ""
		return p.edit(m, p, "answer")
	case p.choice == 0:
		p.wrong = ""
		p.valueField.key(k)
	}
	return nil
}

func (p *pendingPrompt) decide(m *Model) error {
	switch p.choices(m)[p.choice].name {
	case "mock":
		return m.s.MockPending()
	case "send":
		return m.s.SendPending()
	}
	v, _, err := canon.ParseString(p.String(), canon.Options{})
	if err != nil {
		return fmt.Errorf("the answer is no JSON: %w", err)
	}
	return m.s.AnswerPending(v)
}

func (p *pendingPrompt) render(m *Model, w, h int) []string {
	th, q := m.th, m.s.Pending()
	if q == nil {
		return []string{m.textLine(w, "it waits no more", th.Past)}
	}
	lines := []string{
		m.textLine(w, fmt.Sprintf("%s asks %s in step %d", q.Agent, q.Request.Asks(), q.Step), th.Text),
		m.textLine(w, m.ascii(q.Why), th.Past),
	}
	if n := min(h-8, 12); n > 0 {
		lines = append(lines, p.tree.Render(w, min(n, max(p.tree.Len(), 1)), th, false)...)
	}
	for i, c := range p.choices(m) {
		var b cell.Builder
		b.Start(th.Charset, w, "")
		m.putCursor(&b, i == p.choice)
		style := th.Past
		if i == p.choice {
			style = th.Text
		}
		b.Field(c.name, 8, style)
		b.Put(c.long, th.Past)
		lines = append(lines, b.Line())
	}
	if p.choice == 0 {
		lines = append(lines, m.inputLine("JSON: ", &p.input, w))
	}
	switch {
	case p.wrong != "":
		lines = append(lines, m.textLine(w, p.wrong, th.Bad))
	case p.choice == 0 && p.told != "":
		style := th.Accent
		if p.bad {
			style = th.Warn
		}
		lines = append(lines, m.textLine(w, m.ascii(p.told), style))
	}
	keys := m.textLine(w, "Tab chooses   Enter decides   "+outsideName+" editor   Esc lets it wait", th.Past)
	return append(lines[:max(min(len(lines), h-1), 0)], keys)
}
