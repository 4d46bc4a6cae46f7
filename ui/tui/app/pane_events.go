package app

import (
	"fmt"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"
)

// eventsPane is the list of events, one row each: a step begins with what was consumed, and what the agent did is
// indented below it. Only the visible rows are ever looked at.
type eventsPane struct {
	list   rows.List[int] // key: event index
	follow bool           // the cursor goes along with the run
	tail   bool           // it goes along with the last row, which new ones push on
	acts   map[int]string // what an act changed, by event index
	filter *eventFilter   // nil: all events have a row
}

// around is how many rows before and behind the position are kept in view while the cursor goes along: what comes next,
// and, after a move back, the head of the step it stands in.
const around = 3

func (p *eventsPane) sync(m *Model) {
	if p.filter != nil {
		p.filter.follow(m)
	}
	total := p.count(m)
	find := func(i int) (int, bool) { row := p.row(i); return row, row < total }
	last := p.tail && !p.follow && p.list.Len() > 0 && total > p.list.Len()
	p.list.Update(total, p.index, find)
	if last {
		p.list.End()
	}
	if p.follow {
		p.list.Show(p.row(p.home(m)), around)
	}
}

// home is the row that the cursor stands on while it goes along: the last event that was applied, or what the run made
// of the event that differs.
func (p *eventsPane) home(m *Model) int {
	if n := len(m.apart()); n > 0 && m.s.Stop().Reason == debug.StopDiverged {
		return m.s.Total() + n - 1
	}
	return max(m.s.Pos()-1, 0)
}

// apart are the two sides of a difference that ended the run: the event that was recorded, and the one the run made.
// Neither is in the log; they stand behind its end.
func (m *Model) apart() []side {
	d := m.s.Divergence()
	if d == nil || d.Index < m.s.Total() {
		return nil
	}
	var sides []side
	if d.RecordedEvent != nil {
		sides = append(sides, side{"recorded", d.RecordedEvent})
	}
	if d.GotEvent != nil {
		sides = append(sides, side{"got", d.GotEvent})
	}
	return sides
}

// side is an event that is not in the log.
type side struct {
	name  string
	event *trace.Event
}

// eventAt is the event of a row; name is set for a side of a difference.
func (m *Model) eventAt(i int) (e *trace.Event, name string) {
	if total := m.s.Total(); i >= total {
		s := m.apart()[i-total]
		return s.event, s.name
	}
	return m.s.Event(i), ""
}

// moved is called when the user moved the cursor: the inspector shows that event now, and the cursor goes along with
// the run only from where the run stands.
func (p *eventsPane) moved(m *Model) {
	i, ok := p.list.Key()
	p.follow = ok && p.list.Cursor() == p.row(p.home(m)) && i <= p.home(m)
	p.tail = p.list.Cursor() == p.list.Len()-1
	m.inspect.kind = ofEvent
	m.inspect.sync(m)
}

// forget drops what was found out about events; another run may have others.
func (p *eventsPane) forget() { p.acts, p.tail = nil, false }

// box says how the pane is framed.
func (p *eventsPane) box(m *Model) (title, note string) {
	pos := p.row(m.s.Pos())
	from, to := p.list.Window()
	g := m.th.Glyph
	switch key := m.shownKey("follow"); {
	case p.list.Len() == 0:
	case pos < from:
		note = fmt.Sprintf("%s %s %d %s", g.Next, g.Up, m.s.Pos(), key)
	case pos >= to && pos < p.list.Len():
		note = fmt.Sprintf("%s %s %d %s", g.Next, g.Down, m.s.Pos(), key)
	}
	return p.filterNote(m, layout.Events.String()), note
}

func (p *eventsPane) render(m *Model, w, h int, focus bool) []string {
	if p.list.Len() == 0 {
		return []string{cell.Compose(m.th.Charset, w, "", cell.Span{Text: p.emptyText(), Style: m.th.Past})}
	}
	if p.follow {
		// The size may have changed since the cursor was placed.
		p.list.SetHeight(h)
		p.list.Show(p.list.Cursor(), around)
	}
	return p.list.Render(w, h, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		m.drawEvent(p.index(i), selected, b)
	})
}
