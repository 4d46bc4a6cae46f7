package app

import (
	"fmt"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/tree"
)

// subject is what the inspector shows.
type subject uint8

// The subjects. Each keeps its own cursor and what is open.
const (
	ofAgent  subject = iota // the selected agent's state
	ofEvent                 // the selected event's content
	ofOutput                // the selected output's messages
	ofInbox                 // the selected message of the inbox
	subjects
)

// inspector shows one value as a tree or as its exact text.
type inspector struct {
	kind  subject
	raw   bool
	trees [subjects]tree.Tree
	text  rawText

	at    inspected
	value canon.Value
	title string
}

// inspected is what a value was taken from, so that it is not made again for every message.
type inspected struct {
	kind  subject
	name  string // agent, output
	n     int    // event, number of the message
	pos   int
	run   int
	exist bool // the event is the run's own
}

// forget makes the next sync look again; another run may have other values at the same place.
func (p *inspector) forget() { p.at = inspected{n: -1} }

func (p *inspector) tree() *tree.Tree { return &p.trees[p.kind] }

// swap goes between the state and the event's content.
func (p *inspector) swap() {
	if p.kind == ofAgent {
		p.kind = ofEvent
	} else {
		p.kind = ofAgent
	}
}

// home is the pane whose selection the inspector shows.
func (p *inspector) home() layout.Pane {
	switch p.kind {
	case ofEvent:
		return layout.Events
	case ofInbox:
		return layout.Inbox
	}
	return layout.Agents
}

func (p *inspector) travel(t travel) {
	if p.raw {
		t.apply(&p.text.list)
		return
	}
	t.apply(p.tree())
}

func (p *inspector) scroll(d int) {
	if p.raw {
		p.text.list.Scroll(d)
		return
	}
	p.tree().Scroll(d)
}

func (p *inspector) click(y int) {
	if !p.raw {
		p.tree().SetCursor(y)
	}
}

// sync takes the value of what is selected.
func (p *inspector) sync(m *Model) {
	if _, ok := m.agents.output(); p.kind == ofOutput && !ok {
		p.kind = ofAgent
	}
	if p.kind == ofInbox && m.inbox.list.Len() == 0 {
		p.kind = ofAgent
	}
	at := inspected{kind: p.kind, pos: m.s.Pos(), run: len(m.s.Runs())}
	switch p.kind {
	case ofAgent:
		at.name = m.agents.selected(m)
	case ofEvent:
		at.n, at.pos = m.events.list.Cursor(), 0
		at.exist = at.n < m.s.Len()
	case ofOutput:
		at.name, _ = m.agents.output()
	case ofInbox:
		at.name, at.n = m.inbox.agent, m.inbox.gone+m.inbox.list.Cursor()
	}
	if at == p.at {
		return
	}
	p.at = at
	p.take(m)
}

func (p *inspector) take(m *Model) {
	var prev canon.Value
	compare := false
	switch p.kind {
	case ofAgent:
		prev, compare = p.takeState(m)
	case ofEvent:
		prev, compare = p.takeEvent(m)
	case ofOutput:
		p.takeOutput(m)
	case ofInbox:
		msg, number, _ := m.inbox.message(m)
		p.value = msg.Text()
		p.title = fmt.Sprintf("message %d of %s", number, m.inbox.agent)
	}
	p.tree().Set(p.value, prev, compare)
	p.text.set(p.value)
}

// takeState is the selected agent's state, beside the one before its last act.
func (p *inspector) takeState(m *Model) (prev canon.Value, compare bool) {
	id := p.at.name
	v, ok := m.s.State().Agent(id)
	p.value, p.title = v.State, id+" · state"
	if !ok {
		p.title = "Inspector"
		return canon.Value{}, false
	}
	if v.LastStep > 0 {
		p.title = fmt.Sprintf("%s · state after step %d", id, v.LastStep)
	}
	act, found, _ := m.actBefore(m.s.Pos(), id)
	if !found || m.s.Event(act).Type != trace.Act {
		return canon.Value{}, false
	}
	return m.before(act, id)
}

// takeEvent is the selected event's content; where the run differs from the record, the recorded one is beside it.
func (p *inspector) takeEvent(m *Model) (prev canon.Value, compare bool) {
	if p.at.n >= m.s.Total() {
		p.value, p.title = canon.Value{}, "Inspector"
		return canon.Value{}, false
	}
	e := m.s.Event(p.at.n)
	p.value = content(e)
	p.title = fmt.Sprintf("event %d · %s", p.at.n+1, e.Type)
	if d := m.s.Divergence(); d != nil && d.Index == p.at.n && d.GotEvent != nil && d.RecordedEvent != nil {
		p.title += " · was = recorded"
		return content(d.RecordedEvent), true
	}
	return canon.Value{}, false
}

// content is what an event carries, without what its row says already.
func content(e *trace.Event) canon.Value {
	member := func(k string, v canon.Value) canon.Member { return canon.Member{Key: k, Value: v} }
	switch e.Type {
	case trace.Receive:
		return e.Message.Text()
	case trace.SendEvent:
		return canon.Object(member("from", canon.String(e.Agent)), member("port", canon.String(e.Port)), member("message", e.Message.Text()))
	case trace.Act:
		return canon.Object(member("effect", e.Effect.Text()), member("send", e.Send), member("state", e.State))
	case trace.EffectEvent:
		return canon.Object(member("request", e.Effect.Text()), member("response", e.Response), member("usage", e.Usage.Value()))
	}
	return e.Value()
}

// maxListed bounds how many messages of an output are shown, the last ones.
const maxListed = 1000

func (p *inspector) takeOutput(m *Model) {
	st, key := m.s.State(), p.at.name
	n := st.OutputLen(key)
	p.title = fmt.Sprintf("output %s · %s", key, plural(n, "message"))
	from := max(n-maxListed, 0)
	if from > 0 {
		p.title = fmt.Sprintf("output %s · the last %d of %d", key, n-from, n)
	}
	list := make([]canon.Value, 0, n-from)
	for i := from; i < n; i++ {
		msg, _ := st.OutputAt(key, i)
		list = append(list, msg.Text())
	}
	p.value = canon.Array(list...)
}

func (p *inspector) box(m *Model) (title, note string) {
	if p.raw {
		note = "raw"
	}
	return m.ascii(p.title), note
}

func (p *inspector) render(m *Model, w, h int, focus bool) []string {
	if p.value.IsAbsent() {
		return nil
	}
	if p.raw {
		return p.text.render(m, w, h, focus)
	}
	return p.tree().Render(w, h, m.th, focus)
}
