package app

import (
	"fmt"
	"strconv"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// editPrompt changes something at the position, in a new run. What is there now stands in the line; Tab goes on to what
// else can be changed.
type editPrompt struct {
	valueField
	forms []editForm
	at    int
	wrong string
}

// editForm is one thing that can be changed, as a session command.
type editForm struct {
	name, text, note string
	value            canon.Value // one that is too long for the line
}

func newEdit(m *Model) *editPrompt {
	p := &editPrompt{forms: m.editForms()}
	p.take(0)
	return p
}

func (p *editPrompt) take(i int) {
	p.at, p.wrong = i, ""
	p.valueField = valueField{input: newLine(p.forms[i].text), begins: debug.EditValue, offer: p.forms[i].value}
}

// editForms lists what can be changed here, what the cursor is on first.
func (m *Model) editForms() []editForm {
	st, id := m.s.State(), m.agents.selected(m)
	var state, message, drop, inject, budget editForm
	word := debug.Quote(id)
	if a, ok := st.Agent(id); ok {
		state = fits("the state of "+id, "state "+word+" ", a.State)
		inject = editForm{name: "one message more for " + id, text: "inject " + word + " TAG {}", note: "write the tag and the payload"}
	}
	if msg, _, ok := m.inbox.message(m); ok {
		i := strconv.Itoa(m.inbox.list.Cursor())
		message = fits("message "+i+" that waits for "+id, "answer "+word+" "+i+" ", msg.Payload)
		drop = editForm{name: "drop message " + i + " that waits for " + id, text: "drop " + word + " " + i, note: "the message is taken away"}
	}
	budget = fits("the budget", "budget ", budgetValue(m.s.State().Budget()))
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
		return editForm{name, head, fmt.Sprintf("%s are too long for one line: %s opens them in the editor, or write the new value whole", tree.Size(len(text)), outsideName), v}
	}
	return editForm{name: name, text: head + text}
}

// budgetValue is a budget as an edit takes it.
func budgetValue(b *trace.Budget) canon.Value {
	var members []canon.Member
	number := func(key string, f float64) {
		if v, err := canon.Float(f); err == nil {
			members = append(members, canon.Member{Key: key, Value: v})
		}
	}
	if b != nil {
		if b.USD != nil {
			number("usd", *b.USD)
		}
		if b.Tokens != nil {
			number("tokens", *b.Tokens)
		}
		if b.Steps > 0 {
			number("steps", float64(b.Steps))
		}
		if b.AllowUnmetered {
			members = append(members, canon.Member{Key: "allow_unmetered", Value: canon.True})
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
		if p.draft != "" && p.told != "" && p.bad { // the line still has the value from before
			return nil
		}
		e, err := debug.ParseEdit(p.String())
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		if m.sameAsNow(e) {
			p.wrong = "that is what is there now: nothing would be different in a new run"
			return nil
		}
		cmd, err := m.forkWith(e)
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.over = nil
		return cmd
	case k.Type == outsideKey:
		p.wrong = ""
		return p.edit(m, p, p.forms[p.at].name)
	default:
		p.wrong = ""
		p.valueField.key(k)
	}
	return nil
}

// sameAsNow says that an edit would change nothing: values are compared, however they are written.
func (m *Model) sameAsNow(e *debug.Edit) bool {
	st := m.s.State()
	switch e.Do {
	case trace.DoState:
		a, ok := st.Agent(e.Agent)
		return ok && a.State == e.JSON
	case trace.DoAnswer:
		if _, ok := st.Agent(e.Agent); !ok || e.Index < 0 || e.Index >= st.InboxLen(e.Agent) {
			return false
		}
		msg, ok := st.InboxAt(e.Agent, e.Index)
		return ok && msg.Payload == e.JSON
	case trace.DoBudget:
		return budgetValue(st.Budget()) == budgetValue(&e.Value)
	}
	return false
}

func (p *editPrompt) render(m *Model, w, h int) []string {
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
	note, style := f.note, th.Warn
	if p.told != "" {
		note, style = p.told, th.Accent
		if p.bad {
			style = th.Warn
		}
	}
	told := wrapWords(th.Charset, m.ascii(note), w-2)
	if len(told) == 0 {
		told = []string{""}
	}
	for _, l := range told {
		lines = append(lines, m.textLine(w, l, style))
	}
	keys := "Enter begins the run   " + outsideName + " edits the value in the editor   Tab goes on   Esc closes"
	if w < 84 {
		keys = "Enter runs  " + outsideName + " editor  Tab next  Esc closes"
	}
	if len(lines) < h-1 {
		lines = append(lines, m.textLine(w, "This run stays as it is. The new one shares all that is before, and takes the same answers.", th.Past))
	}
	if h < 3 {
		return lines
	}
	return append(lines[:min(len(lines), h-1)], m.textLine(w, keys, th.Past))
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
	stop, err := m.s.Fork(e)
	if err != nil {
		return nil, err
	}
	m.changedRun()
	cmd := m.arrive(true)
	info := m.s.Runs()[m.s.CurrentRun()]
	if stop.Message != "" {
		m.say("run %d: %s", info.ID, stop.Message)
		return cmd, nil
	}
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
