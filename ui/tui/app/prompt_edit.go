package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	budget = fits("the budget", "budget ", m.s.State().Budget().Value())
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

func (p *editPrompt) title() string { return "Change, in a new run" }

func (p *editPrompt) size(m *Model) (w, h int) { return min(max(m.w-10, 40), 110), 6 }

func (p *editPrompt) command() string { return editCommand(p.String()) }

// editCommand is what was typed as an edit: the word that a session begins with is left out, and a message is what an answer
// is to the program, whoever sent it.
func editCommand(text string) string {
	text = strings.TrimLeft(text, " ")
	for _, word := range []string{"edit ", "e "} {
		text = strings.TrimLeft(strings.TrimPrefix(text, word), " ")
	}
	if rest, ok := strings.CutPrefix(text, "message "); ok {
		text = trace.DoAnswer + " " + rest
	}
	return text
}

// caption names what the line changes: the form that was offered, or what was typed instead.
func (p *editPrompt) caption() string {
	f := p.forms[p.at]
	typed, offered := strings.Fields(editCommand(cutBytes(p.input.String(), maxLine))), strings.Fields(cutBytes(f.text, maxLine))
	verb := ""
	if len(typed) > 0 {
		verb = typed[0]
	}
	n := min(editNames[verb], len(offered))
	if same := len(typed) >= n && slices.Equal(typed[:n], offered[:n]); verb == "" || n > 0 && same {
		return fmt.Sprintf("%s  (%d of %d)", f.name, p.at+1, len(p.forms))
	}
	if name := edits[verb]; name != "" {
		return name
	}
	return "state, answer, drop, inject or budget"
}

// edits are the words that an edit begins with, and what follows them.
var edits = map[string]string{
	trace.DoState: "a state: state AGENT JSON", trace.DoAnswer: "a waiting message: answer AGENT I JSON", trace.DoDrop: "a waiting message goes: drop AGENT I",
	trace.DoInject: "one message more: inject AGENT TAG JSON", trace.DoBudget: "the budget: budget JSON",
}

// editNames is how many words of an edit say what it changes.
var editNames = map[string]int{trace.DoState: 2, trace.DoAnswer: 3, trace.DoDrop: 3, trace.DoInject: 2, trace.DoBudget: 1}

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
		e, err := debug.ParseEdit(p.command())
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
		return st.Budget().Value() == e.Value.Value()
	}
	return false
}

func (p *editPrompt) render(m *Model, w, h int) []string {
	th := m.th
	f := p.forms[p.at]
	lines := []string{
		m.textLine(w, p.caption(), th.Accent),
		m.inputLine("edit: ", &p.input, w),
	}
	note, style := f.note, th.Warn
	if p.told != "" {
		note, style = p.told, th.Accent
		if p.bad {
			style = th.Warn
		}
	}
	if p.wrong != "" {
		note, style = p.wrong, th.Bad
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
