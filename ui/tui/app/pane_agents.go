package app

import (
	"fmt"
	"strconv"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"
)

// agentsPane lists the agents in the order of the schedule, and below them the outputs. The cursor goes through both.
type agentsPane struct {
	watched []debug.WatchValue // at the position
	list    rows.List[string]  // key: agent id
	outs    rows.List[string]  // key: output
	keys    []string           // of the outputs
	inOuts  bool               // the cursor is among the outputs
	follow  bool               // the cursor goes to the agent that ran

	headH, listH, outH int // lines of the last render
}

func (p *agentsPane) sync(m *Model) {
	st := m.s.State()
	p.list.Update(st.AgentCount(), func(i int) string { return st.AgentAt(i).ID }, func(id string) (int, bool) {
		r := st.Rank(id)
		return r, r >= 0
	})
	if p.follow {
		if r := st.Rank(m.ran()); r >= 0 {
			p.list.SetCursor(r)
			p.inOuts = false
		}
	}
	p.watched = m.s.Watches()
	p.keys = st.OutputKeys()
	p.outs.Update(len(p.keys), func(i int) string { return p.keys[i] }, func(key string) (int, bool) {
		for i, k := range p.keys {
			if k == key {
				return i, true
			}
		}
		return 0, false
	})
	if len(p.keys) == 0 {
		p.inOuts = false
	}
}

// ran is the agent of the step at the position; before the first step it is the one that comes next.
func (m *Model) ran() string {
	if id := m.s.Stop().Agent; id != "" {
		return id
	}
	id, _ := m.s.State().Next()
	return id
}

// selected is the id of the agent under the cursor, "" when there is none.
func (p *agentsPane) selected(*Model) string {
	id, _ := p.list.Key()
	return id
}

// output is the output under the cursor.
func (p *agentsPane) output() (key string, ok bool) {
	if !p.inOuts {
		return "", false
	}
	return p.outs.Key()
}

// moved is called when the user moved the cursor: the inspector shows what it is on.
func (p *agentsPane) moved(m *Model) {
	p.follow = !p.inOuts && p.selected(m) == m.ran()
	m.inspect.kind = ofAgent
	if p.inOuts {
		m.inspect.kind = ofOutput
	}
	m.inbox.sync(m)
	m.inspect.sync(m)
}

// travel moves the cursor; it goes over from the last agent to the first output and back.
func (p *agentsPane) travel(m *Model, t travel) {
	outs := p.outs.Len() > 0
	switch {
	case p.inOuts && (t.end < 0 || t.rows+t.pages < 0 && p.outs.Cursor() == 0):
		p.inOuts = false
		if t.end < 0 {
			p.list.Home()
		}
	case p.inOuts:
		t.apply(&p.outs)
	case outs && (t.end > 0 || t.rows+t.pages > 0 && p.list.AtEnd()):
		p.inOuts = true
		p.outs.Home()
		if t.end > 0 {
			p.outs.End()
		}
	default:
		t.apply(&p.list)
	}
	p.moved(m)
}

func (p *agentsPane) scroll(m *Model, d int) {
	if p.inOuts {
		p.outs.Scroll(d)
	} else {
		p.list.Scroll(d)
	}
	p.moved(m)
}

func (p *agentsPane) click(m *Model, y int) {
	if p.inOuts && p.outH == 0 { // the outputs have the place of the agents
		if i, ok := p.outs.RowAt(y); ok {
			p.outs.SetCursor(i)
			p.moved(m)
		}
		return
	}
	if i, ok := p.list.RowAt(y - p.headH); ok && y < p.headH+p.listH {
		p.inOuts = false
		p.list.SetCursor(i)
		p.moved(m)
		return
	}
	if i, ok := p.outs.RowAt(y - p.headH - p.listH - 2); ok {
		p.inOuts = true
		p.outs.SetCursor(i)
		p.moved(m)
	}
}

// share divides the lines of the pane: heading, agents, and at the bottom the outputs, which get a third at most.
func (p *agentsPane) share(h int) {
	p.headH, p.outH = 0, 0
	if h >= 3 {
		p.headH = 1
	}
	if h >= 8 {
		p.outH = 2 + min(max(p.outs.Len(), 1), h/3-1)
	}
	p.listH = h - p.headH - p.outH
}

func (p *agentsPane) render(m *Model, w, h int, focus bool) []string {
	p.share(h)
	if n := p.watchRows(h); n > 0 {
		p.share(h - n - 1)
		lines := p.renderLists(m, w, h-n-1, focus)
		for len(lines) < h-n-1 {
			lines = append(lines, cell.Blank(w))
		}
		return append(lines, p.renderWatched(m, w, n)...)
	}
	return p.renderLists(m, w, h, focus)
}

func (p *agentsPane) renderLists(m *Model, w, h int, focus bool) []string {
	if p.inOuts && p.outH == 0 { // no room for a second list: the outputs take the place of the agents
		return p.outs.Render(w, h, m.look(focus), func(i int, selected bool, b *cell.Builder) { p.drawOutput(m, i, selected, b) })
	}
	th, st := m.th, m.s.State()
	cols := agentColumns(w, st.Step())
	lines := make([]string, 0, h)
	if p.headH > 0 {
		var b cell.Builder
		b.Start(th.Charset, w, "")
		b.Skip(3)
		b.Field("id", cols.id, th.Past)
		b.FieldRight("in", cols.in, th.Past)
		b.FieldRight("wait", cols.wait, th.Past)
		b.FieldRight("last", cols.last, th.Past)
		lines = append(lines, b.Line())
	}
	next, _ := st.Next()
	look := m.look(focus)
	if p.inOuts {
		look.Select = ""
	}
	lines = append(lines, p.list.Render(w, p.listH, look, func(i int, selected bool, b *cell.Builder) {
		v := st.AgentAt(i)
		m.putCursor(b, selected && !p.inOuts)
		style := th.Text
		switch {
		case v.ID == next:
			b.Put(th.Glyph.Next, th.Accent)
			style = th.Next
		default:
			b.Skip(1)
		}
		m.putBreak(b, v.ID)
		b.Field(v.ID, cols.id, style)
		b.FieldRight(strconv.Itoa(v.Inbox), cols.in, dimZero(m, v.Inbox))
		wait, last := "–", "–"
		if v.Ready {
			wait = strconv.Itoa(v.WaitSteps)
		}
		if v.LastStep > 0 {
			last = strconv.Itoa(v.LastStep)
		}
		b.FieldRight(m.ascii(wait), cols.wait, th.Past)
		b.FieldRight(m.ascii(last), cols.last, th.Past)
	})...)
	return append(lines, p.renderOutputs(m, w, focus)...)
}

func dimZero(m *Model, n int) cell.Style {
	if n == 0 {
		return m.th.Past
	}
	return m.th.Text
}

// putBreak is one cell: the breakpoint on an agent.
func (m *Model) putBreak(b *cell.Builder, agent string) {
	switch p := m.s.BreakAt(agent); {
	case p == nil:
		b.Skip(1)
	case p.Enabled:
		b.Put(m.th.Glyph.Break, m.th.Break)
	default:
		b.Put(m.th.Glyph.BreakOff, m.th.Past)
	}
}

func (p *agentsPane) renderOutputs(m *Model, w int, focus bool) []string {
	if p.outH == 0 {
		return nil
	}
	th := m.th
	lines := []string{cell.Blank(w), cell.Compose(th.Charset, w, "", cell.Span{Text: "   outputs", Style: th.Past})}
	if p.outs.Len() == 0 {
		lines = append(lines, cell.Compose(th.Charset, w, "", cell.Span{Text: "   (none yet)", Style: th.Past}))
		return lines
	}
	look := m.look(focus)
	if !p.inOuts {
		look.Select = ""
	}
	return append(lines, p.outs.Render(w, p.outH-2, look, func(i int, selected bool, b *cell.Builder) {
		p.drawOutput(m, i, selected && p.inOuts, b)
	})...)
}

func (p *agentsPane) drawOutput(m *Model, i int, selected bool, b *cell.Builder) {
	st, key := m.s.State(), p.keys[i]
	n := st.OutputLen(key)
	m.putCursor(b, selected)
	b.Skip(2)
	number := strconv.Itoa(n)
	b.Field(key, max(b.Room()-len(number)-2, 0), m.th.Text)
	putRight(b, number, m.th.Text)
}

// columns are the cells of each column of the agents, 0 for one that is not there.
type columns struct{ id, in, wait, last int }

// agentColumns divides the width; step is the largest number that stands in wait and last, which grow with it.
func agentColumns(w, step int) columns {
	digits := max(5, len(strconv.Itoa(step))+1)
	c := columns{in: 4, wait: digits, last: digits}
	w0 := w
	w -= 2 * (digits - 5) // the id gives way only when it has room
	if w < 26 {
		c.last = 0
	}
	if w < 20 {
		c.wait = 0
	}
	c.id = max(w0-4-c.in-c.wait-c.last, 1)
	return c
}

func (p *agentsPane) box(m *Model) (title, note string) {
	n, ready := p.list.Len(), m.s.State().ReadyCount()
	return layout.Agents.String(), fmt.Sprintf("%d of %d ready", ready, n)
}
