package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// argument is what an action takes behind its name in the palette, as the commands of a session do.
type argument struct {
	id    keymap.ID
	words []string // by which it is called too: those of a session
	takes string
	give  func(m *Model, text string) tea.Cmd
}

// arguments are all actions that take one.
var arguments []argument

func init() { // not a literal: what is given may open the palette again
	arguments = []argument{
		{keymap.Step, nil, "[N] steps", repeated(keymap.Step, "step", func(m *Model, ctx context.Context) debug.Stop { return m.s.Step(ctx) })},
		{keymap.StepBack, nil, "[N] steps", repeated(keymap.StepBack, "back", func(m *Model, _ context.Context) debug.Stop { return m.s.StepBack() })},
		{keymap.NextEvent, []string{"next"}, "[N] events", repeated(keymap.NextEvent, "next event", func(m *Model, ctx context.Context) debug.Stop { return m.s.NextEvent(ctx) })},
		{keymap.PrevEvent, []string{"prev"}, "[N] events", repeated(keymap.PrevEvent, "previous event", func(m *Model, _ context.Context) debug.Stop { return m.s.PrevEvent() })},
		{keymap.NextOf, nil, "AGENT", stepsOf(false)},
		{keymap.PrevOf, []string{"prev of"}, "AGENT", stepsOf(true)},
		{keymap.Goto, nil, "12, e12, s4, $ or the name of a mark", dialog(keymap.Goto)},
		{keymap.Mark, nil, "NAME [NOTE]", dialog(keymap.Mark)},
		{keymap.Breakpoints, nil, "error, agent NAME, op NAME, usd N, … [from N, once, log, when EXPR]", giveBreak},
		{keymap.Watch, nil, "AGENT [/POINTER]", giveWatch},
		{keymap.Why, nil, "EVENT, input, writer.out[0] or inbox:critic[0]", asksWhy(false)},
		{keymap.CameOf, nil, "EVENT", asksWhy(true)},
		{keymap.WhoChanged, nil, "AGENT [/POINTER]", giveWhoChanged},
		{keymap.Print, nil, "EXPR", dialog(keymap.Print)},
		{keymap.Search, []string{"find"}, "TEXT, or =EXPR", dialog(keymap.Search)},
		{keymap.Filter, nil, "EXPR", dialog(keymap.Filter)},
		{keymap.Edit, nil, "state AGENT JSON, inject AGENT TAG JSON, answer AGENT I JSON, drop AGENT I, budget JSON", dialog(keymap.Edit)},
		{keymap.Answer, nil, "JSON", dialog(keymap.Answer)},
		{keymap.View(int(viewRuns)), []string{"run"}, "the number of a run to show", giveRun},
		{keymap.CompareRuns, nil, "the number of a run", giveCompare},
		{keymap.PickDelta, nil, "NAME, or two candidates", dialog(keymap.PickDelta)},
		{keymap.Inspect, []string{"state"}, "AGENT [/POINTER]", giveInspect},
		{keymap.Write, nil, "FILE", dialog(keymap.Write)},
		{keymap.Layouts, []string{"layout"}, "NAME", giveLayout},
		{keymap.Theme, nil, "NAME", giveTheme},
		{keymap.Help, nil, "WORD", func(m *Model, text string) tea.Cmd { return tea.Batch(m.act(keymap.Help), m.typed(text)) }},
	}
}

// argumentOf is what an action takes, nil when it takes nothing.
func argumentOf(id keymap.ID) *argument {
	for i := range arguments {
		if arguments[i].id == id {
			return &arguments[i]
		}
	}
	return nil
}

// called are the names of an action: the one that is shown, that of the configuration, and those of a session.
func called(a keymap.Action) []string {
	names := []string{a.Short, string(a.ID)}
	if x := argumentOf(a.ID); x != nil {
		names = append(names, x.words...)
	}
	return names
}

// withArgument reads a line as the name of an action and what it takes. A line that begins the name of another action is
// none: "next event" is no 'next' with an argument.
func (m *Model) withArgument(text string) (x *argument, rest string) {
	text = strings.TrimLeft(text, " ")
	low, longest := strings.ToLower(text), 0
	for _, a := range m.keys.Actions() {
		for _, name := range called(a) {
			if strings.HasPrefix(name, strings.TrimRight(low, " ")) {
				return nil, ""
			}
			if arg := argumentOf(a.ID); arg != nil && len(name) > longest && strings.HasPrefix(low, name+" ") {
				if after := strings.TrimSpace(text[len(name):]); after != "" {
					x, rest, longest = arg, after, len(name)
				}
			}
		}
	}
	return x, rest
}

// alsoCalled are the actions that a session has another word for.
func (m *Model) alsoCalled(text string) (list []keymap.Action) {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, x := range arguments {
		if a, ok := m.keys.Get(x.id); ok && text != "" && slices.ContainsFunc(x.words, func(w string) bool { return strings.HasPrefix(w, text) }) {
			list = append(list, a)
		}
	}
	return list
}

// nearest is the name that was probably meant, "" when none is near.
func (m *Model) nearest(text string) string {
	var names []string
	for _, a := range m.keys.Actions() {
		names = append(names, called(a)...)
	}
	text = strings.TrimSpace(text)
	if name := flow.Closest(text, names); name != "" {
		return name
	}
	head, _, _ := strings.Cut(text, " ")
	return flow.Closest(head, names)
}

// typed puts a text into the line of what lies on top, as if it had been typed there.
func (m *Model) typed(text string) tea.Cmd {
	if m.over == nil {
		return nil
	}
	first := m.over.key(m, tea.KeyMsg{Type: tea.KeyCtrlU}, "")
	return tea.Batch(first, m.over.key(m, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true}, ""))
}

// dialog gives an action's dialog what it asks for. What it cannot take stays in its line, with the reason below.
func dialog(id keymap.ID) func(m *Model, text string) tea.Cmd {
	return func(m *Model, text string) tea.Cmd {
		cmd := m.act(id)
		if m.over == nil {
			return cmd
		}
		cmd = tea.Batch(cmd, m.typed(text))
		if m.over == nil {
			return cmd
		}
		return tea.Batch(cmd, m.over.key(m, tea.KeyMsg{Type: tea.KeyEnter}, keymap.Toggle))
	}
}

func giveBreak(m *Model, text string) tea.Cmd {
	cmd := dialog(keymap.Breakpoints)(m, text)
	if p, ok := m.over.(*breaks); ok && p.wrong == "" {
		m.over = nil
		m.say("breakpoint %s", p.selected(m))
	}
	return cmd
}

func giveWatch(m *Model, text string) tea.Cmd {
	cmd := dialog(keymap.Watches)(m, text)
	if p, ok := m.over.(*watchList); ok && p.wrong == "" {
		m.over = nil
		m.say("watched: %s; %s lists what is watched", text, m.shownKey(keymap.Watches))
	}
	return cmd
}

// number reads how often something is done.
func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no number from 1 on", text)
	}
	return n, nil
}

// refuse says why an action cannot be done with what it was given.
func (m *Model) refuse(id keymap.ID, err error) tea.Cmd {
	a, _ := m.keys.Get(id)
	m.complain("%s: %v", a.Short, err)
	return nil
}

// repeated does a step of the session several times, until something else stops it.
func repeated(id keymap.ID, verb string, step func(m *Model, ctx context.Context) debug.Stop) func(m *Model, text string) tea.Cmd {
	return func(m *Model, text string) tea.Cmd {
		n, err := number(text)
		if why := m.why(id); err == nil && why != "" {
			err = errors.New(why)
		}
		if err != nil {
			return m.refuse(id, err)
		}
		m.release()
		done := 0
		return m.drive(&move{
			verb: verb, back: id == keymap.StepBack || id == keymap.PrevEvent,
			progress: func() (int, int) { return done, n },
			stop:     func() {},
			finish:   func(m *Model) tea.Cmd { return m.arrive(true) },
			slice: func(ctx context.Context) bool {
				for end := time.Now().Add(sliceTime); time.Now().Before(end) || done == 0; {
					done++
					if st := step(m, ctx); st.Reason != debug.StopStep && st.Reason != debug.StopEvent || done >= n {
						return true
					}
				}
				return false
			},
		})
	}
}

// agentIn reads the name of an agent that is there.
func (m *Model) agentIn(text string) error {
	if _, ok := m.s.State().Agent(text); ok {
		return nil
	}
	var ids []string
	for i := range min(m.s.State().AgentCount(), 10_000) {
		ids = append(ids, m.s.State().AgentAt(i).ID)
	}
	if near := flow.Closest(text, ids); near != "" {
		return fmt.Errorf("there is no agent %q; did you mean %s?", text, near)
	}
	return fmt.Errorf("there is no agent %q", text)
}

func stepsOf(back bool) func(m *Model, text string) tea.Cmd {
	id := map[bool]keymap.ID{false: keymap.NextOf, true: keymap.PrevOf}[back]
	return func(m *Model, text string) tea.Cmd {
		if err := m.agentIn(text); err != nil {
			return m.refuse(id, err)
		}
		m.stepping = text
		if why := m.why(id); why != "" {
			return m.refuse(id, errors.New(why))
		}
		return m.stepOf(back)
	}
}

func asksWhy(forward bool) func(m *Model, text string) tea.Cmd {
	id := map[bool]keymap.ID{false: keymap.Why, true: keymap.CameOf}[forward]
	return func(m *Model, text string) tea.Cmd {
		ref, err := trace.ParseRef(strings.TrimPrefix(text, "e"))
		if err == nil {
			err = m.isBusy()
		}
		if err == nil && ref.Agent == "" && ref.Output == "" && ref.Event >= m.s.Total() {
			err = fmt.Errorf("there is no event %d; the last one is %d", ref.Event, m.s.Total()-1)
		}
		if err != nil {
			return m.refuse(id, err)
		}
		return m.askAbout(ref, forward)
	}
}

// agentAndPointer reads a place of an agent's state.
func (m *Model) agentAndPointer(text string) (agent, ptr string, err error) {
	agent, ptr, _ = strings.Cut(text, " ")
	if ptr = strings.TrimSpace(ptr); ptr != "" && !strings.HasPrefix(ptr, "/") {
		return "", "", fmt.Errorf("%q is no pointer; it begins with /", ptr)
	}
	return agent, ptr, m.agentIn(agent)
}

func giveWhoChanged(m *Model, text string) tea.Cmd {
	agent, ptr, err := m.agentAndPointer(text)
	if err == nil {
		err = m.isBusy()
	}
	if err != nil {
		return m.refuse(keymap.WhoChanged, err)
	}
	m.show(viewDebug)
	return m.whoChanged(agent, ptr)
}

func giveInspect(m *Model, text string) tea.Cmd {
	agent, ptr, err := m.agentAndPointer(text)
	if err != nil {
		return m.refuse(keymap.Inspect, err)
	}
	return m.showPlace(agent, ptr)
}

// runIn reads the number of a run.
func (m *Model) runIn(text string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "run "))
	if err != nil || !slices.ContainsFunc(m.s.Runs(), func(r debug.RunInfo) bool { return r.ID == n }) {
		return 0, fmt.Errorf("there is no run %q; %s lists them", text, m.shownKey(keymap.View(int(viewRuns))))
	}
	return n, m.isBusy()
}

// isBusy is an error while a move is under way.
func (m *Model) isBusy() error {
	if why := m.busy(); why != "" {
		return errors.New(why)
	}
	return nil
}

func giveRun(m *Model, text string) tea.Cmd {
	id, err := m.runIn(text)
	if err != nil {
		return m.refuse(keymap.View(int(viewRuns)), err)
	}
	return m.showRun(id)
}

func giveCompare(m *Model, text string) tea.Cmd {
	id, err := m.runIn(text)
	if err == nil && id == m.s.CurrentRun() {
		err = errors.New("this run is the one that is shown; choose another")
	}
	if err != nil {
		return m.refuse(keymap.CompareRuns, err)
	}
	return m.compareWith(id)
}

func giveLayout(m *Model, text string) tea.Cmd {
	var names []string
	for _, p := range m.arr.presets() {
		if p.Name == text {
			return m.choose(p)
		}
		names = append(names, p.Name)
	}
	return m.refuse(keymap.Layouts, fmt.Errorf("there is no layout %q; there are %s", text, strings.Join(names, ", ")))
}

func giveTheme(m *Model, text string) tea.Cmd {
	p := newThemes(m)
	i := slices.Index(p.names, text)
	if i < 0 {
		return m.refuse(keymap.Theme, fmt.Errorf("there is no theme %q; there are %s", text, strings.Join(p.names, ", ")))
	}
	p.list.SetCursor(i)
	m.dress(text, m.th.Charset == cell.ASCII)
	return p.take(m)
}
