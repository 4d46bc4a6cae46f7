package app

import (
	"fmt"
	"strings"

	"flowdbg/engine"
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
	lent  bool // kind was set to show a difference, not by the user
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
	p.lent = false
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
	} else if i, ok := p.text.list.RowAt(y); ok {
		p.text.list.SetCursor(i)
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
		at.n, at.pos = m.events.event(), m.s.Total()
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
	compare, path := false, ""
	switch p.kind {
	case ofAgent:
		prev, compare = p.takeState(m)
	case ofEvent:
		prev, path, compare = p.takeEvent(m)
	case ofOutput:
		p.takeOutput(m)
	case ofInbox:
		msg, number, _ := m.inbox.message(m)
		p.value = msg.Text()
		p.title = fmt.Sprintf("message %d of %s", number, m.inbox.agent)
	}
	p.tree().Set(p.value, prev, compare)
	if path != "" {
		p.tree().Goto(path)
	}
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

// takeEvent is the selected event's content. Where the run differs from the record, or from the run before a reload,
// the other event is beside it, and path is where they differ first.
func (p *inspector) takeEvent(m *Model) (prev canon.Value, path string, compare bool) {
	if m.events.list.Len() == 0 || p.at.n >= m.s.Total()+len(m.apart()) {
		p.value, p.title = canon.Value{}, "Inspector"
		return canon.Value{}, "", false
	}
	e, name := m.eventAt(p.at.n)
	p.value = content(e)
	p.title = fmt.Sprintf("event %d · %s", p.at.n, e.Type)
	d := m.s.Divergence()
	switch r := m.reload.diff; {
	case name == "" && m.differsByReload(p.at.n) && r.RecordedEvent != nil:
		p.title += " · was = before the reload"
		return content(r.RecordedEvent), pathIn(r), true
	case name == "got" && d.RecordedEvent != nil:
		p.title = fmt.Sprintf("got %s · was = recorded", e.Type)
		return content(d.RecordedEvent), pathIn(d), true
	case name != "":
		p.title = fmt.Sprintf("%s %s", name, e.Type)
	case d != nil && d.Index == p.at.n && d.GotEvent != nil && d.RecordedEvent != nil:
		p.title += " · was = recorded"
		return content(d.RecordedEvent), pathIn(d), true
	}
	return canon.Value{}, "", false
}

// pathIn is where in the content of an event a difference is; of a receive the content is the message.
func pathIn(d *engine.Divergence) string {
	if d.GotEvent.Type == trace.Receive {
		return strings.TrimPrefix(d.Path, "/message")
	}
	return d.Path
}

// differsByReload says whether a row is the first event that the last reload changed.
func (m *Model) differsByReload(i int) bool {
	d := m.reload.diff
	return d != nil && d.Index == i && d.GotEvent != nil && i < m.s.Len()
}

// content is what an event carries, without what its row says already.
func content(e *trace.Event) canon.Value {
	member := func(k string, v canon.Value) canon.Member { return canon.Member{Key: k, Value: v} }
	switch e.Type {
	case trace.Receive:
		return e.Message.Text()
	case trace.SendEvent:
		return sent(e)
	case trace.Act:
		return canon.Object(member("effect", e.Effect.Text()), member("send", e.Send), member("state", e.State))
	case trace.EffectEvent:
		return canon.Object(member("request", e.Effect.Text()), member("response", e.Response), member("usage", e.Usage.Value()))
	}
	return e.Value()
}

func sent(e *trace.Event) canon.Value {
	members := []canon.Member{{Key: "from", Value: canon.String(e.Agent)}, {Key: "port", Value: canon.String(e.Port)}, {Key: "message", Value: e.Message.Text()}}
	if e.HasTo() {
		members = append(members, canon.Member{Key: "to", Value: canon.String(e.To)})
	}
	return canon.Object(members...)
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
