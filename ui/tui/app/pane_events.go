package app

import (
	"fmt"

	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"

	"flowdbg/ui/tui/cell"
)

// eventsPane is the list of events, one row each: a step begins with what was consumed, and what the agent did is
// indented below it. Only the visible rows are ever looked at.
type eventsPane struct {
	list   rows.List[int] // key: event index
	follow bool           // the cursor goes along with the run
	acts   map[int]string // what an act changed, by event index
}

// ahead is how many rows beyond the position are kept in view while the cursor goes along.
const ahead = 3

func (p *eventsPane) sync(m *Model) {
	total := m.s.Total()
	same := func(i int) int { return i }
	find := func(i int) (int, bool) { return i, i < total }
	p.list.Update(total, same, find)
	if p.follow {
		at := max(m.s.Pos()-1, 0)
		p.list.SetCursor(at + ahead)
		p.list.SetCursor(at)
	}
}

// moved is called when the user moved the cursor: the inspector shows that event now, and the cursor goes along with
// the run only from where the run stands.
func (p *eventsPane) moved(m *Model) {
	i, ok := p.list.Key()
	p.follow = ok && i == max(m.s.Pos()-1, 0)
	m.inspect.kind = ofEvent
	m.inspect.sync(m)
}

// forget drops what was found out about events; another run may have others.
func (p *eventsPane) forget() { p.acts = nil }

// box says how the pane is framed.
func (p *eventsPane) box(m *Model) (title, note string) {
	pos := m.s.Pos()
	from, to := p.list.Window()
	g := m.th.Glyph
	switch key := m.shownKey("follow"); {
	case p.list.Len() == 0:
	case pos < from:
		note = fmt.Sprintf("%s %s %d %s", g.Next, g.Up, pos, key)
	case pos >= to && pos < p.list.Len():
		note = fmt.Sprintf("%s %s %d %s", g.Next, g.Down, pos, key)
	}
	return layout.Events.String(), note
}

func (p *eventsPane) render(m *Model, w, h int, focus bool) []string {
	if p.list.Len() == 0 {
		return []string{cell.Compose(m.th.Charset, w, "", cell.Span{Text: "  no events yet", Style: m.th.Past})}
	}
	if p.follow {
		// The size may have changed since the cursor was placed.
		p.list.SetHeight(h)
		at := p.list.Cursor()
		p.list.SetCursor(at + ahead)
		p.list.SetCursor(at)
	}
	return p.list.Render(w, h, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		m.drawEvent(i, selected, b)
	})
}
