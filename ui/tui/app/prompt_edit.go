package app

import (
	"fmt"
	"strconv"

	"flowdbg/engine/debug"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// editPrompt changes something at the position, in a new run. What is there now stands in the line; Tab goes on to what
// else can be changed.
type editPrompt struct {
	input line
	forms []editForm
	at    int
	wrong string
}

// editForm is one thing that can be changed, as a session command.
type editForm struct{ name, text, note string }

func newEdit(m *Model) *editPrompt {
	p := &editPrompt{forms: m.editForms()}
	p.take(0)
	return p
}

func (p *editPrompt) take(i int) {
	p.at, p.wrong = i, ""
	p.input = newLine(p.forms[i].text)
}

// editForms lists what can be changed here, what the cursor is on first.
func (m *Model) editForms() []editForm {
	st, id := m.s.State(), m.agents.selected(m)
	var state, message, drop, inject, budget editForm
	if a, ok := st.Agent(id); ok {
		state = fits("the state of "+id, "state "+id+" ", a.State)
		inject = editForm{"one message more for " + id, "inject " + id + " TAG {}", "write the tag and the payload"}
	}
	if msg, _, ok := m.inbox.message(m); ok {
		i := strconv.Itoa(m.inbox.list.Cursor())
		message = fits("message "+i+" that waits for "+id, "answer "+id+" "+i+" ", msg.Payload)
		drop = editForm{"drop message " + i + " that waits for " + id, "drop " + id + " " + i, "the message is taken away"}
	}
	budget = fits("the budget", "budget ", budgetValue(m))
	forms := []editForm{state, message, drop, inject, budget}
	if m.pane() == layout.Inbox && message.text != "" {
		forms = []editForm{message, drop, inject, state, budget}
	}
	var out []editForm
	for _, f := range forms {
		if f.text != "" {
			out = append(out, f)
		}
	}
	return out
}

// fits puts a value into the line if it is short enough to be edited in one.
func fits(name, head string, v canon.Value) editForm {
	text := v.Text()
	if v.IsAbsent() {
		text = "null"
	}
	if len(text) > maxLine/2 {
		return editForm{name, head, tree.Size(len(text)) + " are too long for one line: write the new value whole"}
	}
	return editForm{name, head + text, ""}
}

// budgetValue is the budget in force as an edit takes it.
func budgetValue(m *Model) canon.Value {
	var members []canon.Member
	number := func(key string, f float64) {
		if v, err := canon.Float(f); err == nil {
			members = append(members, canon.Member{Key: key, Value: v})
		}
	}
	if b := m.s.State().Budget(); b != nil {
		if b.USD != nil {
			number("usd", *b.USD)
		}
		if b.Tokens != nil {
			number("tokens", *b.Tokens)
		}
		if b.Steps > 0 {
			number("steps", float64(b.Steps))
		}
	}
	return canon.Object(members...)
}

func (p *editPrompt) title() string { return "Change, in a new run" }

func (p *editPrompt) size(m *Model) (w, h int) { return min(max(m.w-10, 40), 110), 6 }

func (p *editPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyTab:
		p.take((p.at + 1) % len(p.forms))
	case k.Type == tea.KeyShiftTab:
		p.take((p.at + len(p.forms) - 1) % len(p.forms))
	case k.Type == tea.KeyEnter:
		e, err := debug.ParseEdit(p.input.String())
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		cmd, err := m.forkWith(e)
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.over = nil
		return cmd
	default:
		p.wrong = ""
		p.input.key(k)
	}
	return nil
}

func (p *editPrompt) render(m *Model, w, _ int) []string {
	th := m.th
	f := p.forms[p.at]
	lines := []string{
		m.textLine(w, fmt.Sprintf("%s  (%d of %d)", f.name, p.at+1, len(p.forms)), th.Accent),
		m.inputLine("e ", &p.input, w),
	}
	if p.wrong != "" {
		for _, l := range wrapWords(th.Charset, p.wrong, w-2) {
			lines = append(lines, m.textLine(w, l, th.Bad))
		}
		return lines
	}
	if f.note != "" {
		lines = append(lines, m.textLine(w, f.note, th.Warn))
	} else {
		lines = append(lines, cell.Blank(w))
	}
	return append(lines,
		m.textLine(w, "This run stays as it is. The new one shares all that is before, and takes the same answers.", th.Past),
		m.textLine(w, "Tab goes on: state, message, drop, inject, budget   Enter begins the run   Esc closes", th.Past))
}

// fork begins a run at the position, or says why not.
func (m *Model) fork(e *debug.Edit) tea.Cmd {
	cmd, err := m.forkWith(e)
	if err != nil {
		m.complain("fork: %v", err)
	}
	return cmd
}

func (m *Model) forkWith(e *debug.Edit) (tea.Cmd, error) {
	parent := m.s.CurrentRun()
	if _, err := m.s.Fork(e); err != nil {
		return nil, err
	}
	m.changedRun()
	cmd := m.arrive(true)
	info := m.s.Runs()[m.s.CurrentRun()]
	m.say("run %d begins at event %d of run %d; %s goes back, %s there compares the two", info.ID, info.Event, parent,
		m.shownKey(keymap.View(int(viewRuns))), m.shownKey(keymap.CompareRuns))
	return cmd, nil
}

// changedRun forgets what was found out about events of another run.
func (m *Model) changedRun() {
	m.events.forget()
	m.inspect.forget()
	m.reload.diff = nil
}
