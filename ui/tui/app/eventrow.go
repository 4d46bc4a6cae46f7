package app

import (
	"fmt"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/tree"
)

// eventInk is how the parts of one event's row are drawn.
type eventInk struct{ head, text, dim cell.Style }

// drawEvent draws one event: cursor, mark, and what happened.
func (m *Model) drawEvent(i int, selected bool, b *cell.Builder) {
	if m.lost.some && i >= m.lost.from {
		m.putCursor(b, selected)
		b.Put(m.th.Glyph.Fail+" "+m.lost.text(m.s.Total()), m.th.Bad)
		return
	}
	e, side := m.eventAt(i)
	pos := m.s.Pos()
	th := m.th
	ink := eventInk{th.Text, th.Text, th.Past}
	switch {
	case side != "":
	case i == pos:
		ink = eventInk{th.Next, th.Text, th.Past}
	case i > pos:
		ink = eventInk{th.Past, th.Past, th.Past}
	}
	if selected {
		b.Put(th.Glyph.Select, th.Accent)
	} else {
		b.Skip(1)
	}
	if side != "" {
		b.Put(th.Glyph.Differs+" ", th.Bad)
		b.Field(side, 9, th.Bad)
	} else {
		m.drawMark(i, e, b)
		m.putMarks(i, b)
	}
	m.drawBody(i, e, b, ink)
}

// drawBody is what happened. i is where the event stands in the run that is shown, -1 for one of another run.
func (m *Model) drawBody(i int, e *trace.Event, b *cell.Builder, ink eventInk) {
	switch e.Type {
	case trace.Receive:
		m.drawReceive(e, b, ink)
	case trace.Act:
		m.drawAct(i, e, b, ink)
	case trace.SendEvent:
		m.drawSend(e, b, ink)
	case trace.EffectEvent:
		m.drawEffect(e, b, ink)
	case trace.ErrorEvent:
		m.drawError(i, e, b, ink)
	case trace.FinishEvent:
		m.drawFinish(e, b, ink)
	default:
		b.Field(string(e.Type), 15, ink.dim)
		b.Skip(1)
		putName(b, e.Agent, ink.dim)
		b.Skip(1)
		b.Put(e.Extra.Text(), ink.dim)
	}
}

// drawMark is one cell: what is next, where a breakpoint stops, where the run differs from the record.
func (m *Model) drawMark(i int, e *trace.Event, b *cell.Builder) {
	g, th := m.th.Glyph, m.th
	d := m.s.Divergence()
	switch {
	case d != nil && d.Index == i && d.GotEvent != nil, m.differsByReload(i):
		b.Put(g.Differs, th.Bad)
	case i == m.s.Pos():
		b.Put(g.Next, th.Accent)
	case m.breaksAt(e):
		b.Put(g.Break, th.Break)
	default:
		b.Skip(1)
	}
}

// breaksAt says whether an enabled breakpoint may stop behind the event.
func (m *Model) breaksAt(e *trace.Event) bool {
	for _, p := range m.s.Breakpoints() {
		if !p.Enabled {
			continue
		}
		if stopsAt(p, e) {
			return true
		}
	}
	return false
}

// stopsAt says whether a breakpoint names the event. Kinds that need a state or a search to tell are not marked in the
// list, and neither is a condition looked at: the mark says where a breakpoint may stop.
func stopsAt(p *debug.Breakpoint, e *trace.Event) bool {
	switch p.Kind {
	case debug.BreakAgent:
		return e.Type == trace.Receive && e.Agent == p.Name
	case debug.BreakTag:
		return e.Type == trace.Receive && e.Message.Tag == p.Name
	case debug.BreakPort:
		return e.Type == trace.SendEvent && trace.OutputKey(e.Agent, e.Port) == p.Name
	case debug.BreakEdge:
		return e.Type == trace.SendEvent && trace.OutputKey(e.Agent, e.Port)+">"+e.To == p.Name
	case debug.BreakOp:
		return e.Type == trace.EffectEvent && e.Effect != nil && e.Effect.Op == p.Name
	case debug.BreakSteps:
		return e.Type == trace.Receive && float64(e.Step) == p.Limit
	case debug.BreakError:
		return e.Type == trace.ErrorEvent
	}
	return false
}

// drawReceive is the head of a step: "step 4  critic ← researcher  research  {"text":…  412 B".
func (m *Model) drawReceive(e *trace.Event, b *cell.Builder, ink eventInk) {
	from := "input"
	if e.Message.HasFrom {
		from = e.Message.From
	}
	b.Put(fmt.Sprintf("step %-3d ", e.Step), ink.head)
	putName(b, e.Agent, ink.head)
	b.Put(" "+m.th.Glyph.Left+" ", ink.dim)
	putName(b, from, ink.head)
	if e.Message.Tag != from {
		b.Skip(2)
		putName(b, e.Message.Tag, ink.text)
	}
	drawPayload(b, e.Message.Payload, ink.dim)
}

// drawAct says which parts of the state changed, and what was asked.
func (m *Model) drawAct(i int, e *trace.Event, b *cell.Builder, ink eventInk) {
	b.Put("  act    ", ink.text)
	if e.Effect != nil {
		b.Put("asks ", ink.text)
		putAsks(b, e.Effect, ink.text)
		b.Skip(2)
	}
	if i < 0 {
		b.Put("state "+tree.Size(e.State.Len()), ink.dim)
		return
	}
	switch changed := m.events.changed(m, i, e); {
	case changed != "":
		b.Put("state "+changed, ink.dim)
	case e.Effect == nil:
		b.Put("state unchanged", ink.dim)
	}
}

// putAsks names what is asked for. A tool's name is told in full where half the row has room for it.
func putAsks(b *cell.Builder, r *trace.Request, st cell.Style) {
	name := r.Asks()
	if n := b.Charset().Width(cutBytes(name, 8*nameCells)); n <= b.Room()/2 {
		b.Put(name, st)
		return
	}
	putName(b, name, st)
}

func (m *Model) drawSend(e *trace.Event, b *cell.Builder, ink eventInk) {
	b.Put("  send   ", ink.text)
	putName(b, e.Port, ink.text)
	b.Put(" "+m.th.Glyph.Right+" ", ink.dim)
	to := "outputs"
	if e.HasTo() {
		to = e.To
	}
	putName(b, to, ink.text)
	b.Skip(2)
	putName(b, e.Message.Tag, ink.text)
	drawPayload(b, e.Message.Payload, ink.dim)
}

func (m *Model) drawEffect(e *trace.Event, b *cell.Builder, ink eventInk) {
	b.Put("  effect ", ink.text)
	if e.Effect != nil {
		putAsks(b, e.Effect, ink.text)
	}
	cost := ""
	switch u := e.Usage; {
	case e.UsageUnknown():
		cost = "usage unknown"
	case u.USD != 0 && u.Tokens() != 0:
		cost = fmt.Sprintf("%s tok  %s", count(u.Tokens()), money(trace.NanoUSD(u.USD)))
	case u.USD != 0:
		cost = money(trace.NanoUSD(u.USD))
	case u.Tokens() != 0:
		cost = count(u.Tokens()) + " tok"
	default:
		cost = "free"
	}
	if n := b.Charset().Width(cost); b.Room() > n+20 {
		drawIn(b, b.Room()-n-3, e.Response, ink.dim)
	}
	putRight(b, cost, ink.dim)
}

func (m *Model) drawError(i int, e *trace.Event, b *cell.Builder, ink eventInk) {
	style := m.th.Bad
	if i > m.s.Pos() {
		style = ink.dim
	}
	b.Put("  error  ", style)
	if e.Error != nil {
		b.Put(e.Error.Text, style)
	}
}

func (m *Model) drawFinish(e *trace.Event, b *cell.Builder, ink eventInk) {
	b.Put("finish   ", ink.head)
	if f := e.Finish; f != nil {
		if f.Reason != "" {
			b.Put(f.Reason+"  ", ink.text)
		}
		b.Put(plural(f.Steps, "step")+"  ", ink.text)
		b.Put("hash "+b.Charset().Middle(f.StateHash, 9), ink.dim)
	}
}

// nameCells is how long a name may be in a row before it is cut, so that one long name does not hide all else.
const nameCells = 24

func putName(b *cell.Builder, name string, st cell.Style) {
	if len(name) <= nameCells/2 || b.Charset().Width(name[:min(len(name), 8*nameCells)]) <= nameCells {
		b.Put(name, st)
		return
	}
	b.Field(name, nameCells, st)
}

// drawPayload draws the start of a value, and its true size at the right end.
func drawPayload(b *cell.Builder, v canon.Value, st cell.Style) {
	size := tree.Size(v.Len())
	if b.Room() >= len(size)+13 {
		drawIn(b, b.Room()-8-3, v, st)
	}
	putRight(b, size, st)
}

// putRight writes text at the right end of a row, one cell away from the border.
func putRight(b *cell.Builder, text string, st cell.Style) {
	if n := b.Charset().Width(text); n > 0 && b.Room() >= n+2 {
		b.Skip(b.Room() - n - 1)
		b.Put(text, st)
	}
}

// drawIn draws the start of a value in n cells, with two blank ones before it.
func drawIn(b *cell.Builder, n int, v canon.Value, st cell.Style) {
	if n < 8 || v.IsAbsent() {
		return
	}
	b.Skip(2)
	head, cut := b.Charset().Clip(v.Text(), n-3)
	b.Put(head, st)
	if cut {
		b.Put(b.Charset().Ellipsis(), st)
	}
}
