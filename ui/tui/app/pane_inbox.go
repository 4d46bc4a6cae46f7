package app

import (
	"fmt"

	"flowdbg/trace"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/rows"
)

// inboxPane lists the messages that wait for the selected agent, head first. A message is known by its number in the
// agent's life, so that the cursor stays on it while those before it are consumed.
type inboxPane struct {
	list  rows.List[int]
	agent string
	gone  int // messages consumed so far: the number of the head

	// asked names what waiting answers answer, by the message's number; it belongs to askedAt.
	asked   map[int]string
	askedAt struct {
		agent    string
		run, pos int
	}
}

// backFor is how many messages and events are looked through for what waiting answers answer.
const backFor = 4096

// nameAnswers looks for the effects whose answers wait: an agent's answers are delivered in the order of its effects. Behind a
// person's edit that is not certain, so nothing before one is named.
func (p *inboxPane) nameAnswers(m *Model) {
	now := p.askedAt
	now.agent, now.run, now.pos = p.agent, m.s.CurrentRun(), m.s.Pos()
	if now == p.askedAt {
		return
	}
	p.askedAt, p.asked = now, map[int]string{}
	var wait []int // the last first
	for i := p.list.Len() - 1; i >= max(p.list.Len()-backFor, 0); i-- {
		if msg, ok := m.s.State().InboxAt(p.agent, i); ok && msg.HasFrom && msg.From == trace.FromEffect {
			wait = append(wait, p.gone+i)
		}
	}
	for i := now.pos - 1; i >= max(now.pos-backFor, 0) && len(wait) > 0; i-- {
		switch h := m.s.Header(i); {
		case h.Type == trace.XIntervene || h.Type == trace.XCancel:
			return
		case h.Type == trace.EffectEvent && h.Agent == p.agent:
			p.asked[wait[0]], wait = m.s.Event(i).Effect.Asks(), wait[1:]
		}
	}
}

func (p *inboxPane) sync(m *Model) {
	id := m.agents.selected(m)
	st := m.s.State()
	v, _ := st.Agent(id)
	if id != p.agent {
		p.list = rows.List[int]{}
	}
	p.agent, p.gone = id, v.Receives
	p.list.Update(v.Inbox, func(i int) int { return p.gone + i }, func(k int) (int, bool) {
		i := k - p.gone
		return i, i >= 0 && i < v.Inbox
	})
	p.nameAnswers(m)
}

// moved is called when the user moved the cursor: the inspector shows the message.
func (p *inboxPane) moved(m *Model) {
	if p.list.Len() > 0 {
		m.inspect.kind = ofInbox
	}
	m.inspect.sync(m)
}

// message is the one under the cursor.
func (p *inboxPane) message(m *Model) (msg trace.Message, number int, ok bool) {
	if p.list.Len() == 0 {
		return trace.Message{}, 0, false
	}
	msg, ok = m.s.State().InboxAt(p.agent, p.list.Cursor())
	return msg, p.gone + p.list.Cursor() + 1, ok
}

func (p *inboxPane) box(m *Model) (title, note string) {
	if p.agent == "" {
		return "Inbox", ""
	}
	return "Inbox of " + p.agent, fmt.Sprint(p.list.Len())
}

func (p *inboxPane) render(m *Model, w, h int, focus bool) []string {
	th, st := m.th, m.s.State()
	if p.list.Len() == 0 {
		p.list.SetHeight(h)
		return []string{cell.Compose(th.Charset, w, "", cell.Span{Text: "  empty", Style: th.Past})}
	}
	next, _ := st.Next()
	return p.list.Render(w, h, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		msg, ok := st.InboxAt(p.agent, i)
		if !ok {
			return
		}
		m.putCursor(b, selected)
		style := th.Text
		if i == 0 && p.agent == next {
			b.Put(th.Glyph.Next, th.Accent)
			style = th.Next
		} else {
			b.Skip(1)
		}
		b.Skip(1)
		from := "input"
		if msg.HasFrom {
			from = msg.From
		}
		b.Put(msg.Tag, style)
		if from != msg.Tag {
			b.Put(" "+th.Glyph.Left+" ", th.Past)
			b.Put(from, th.Text)
		}
		if asks := p.asked[p.gone+i]; asks != "" && from == trace.FromEffect {
			b.Put(" of ", th.Past)
			putName(b, asks, th.Text)
		}
		drawPayload(b, msg.Payload, th.Past)
	})
}
