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
		drawPayload(b, msg.Payload, th.Past)
	})
}
