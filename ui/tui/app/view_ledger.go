package app

import (
	"context"
	"fmt"

	"flowdbg/trace"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// ledgerView is what was spent up to the position: beside the budget, over the steps, and by agent, op and model. The
// dearest steps stand beside it.
type ledgerView struct {
	at    ledgerKey
	rep   *trace.CostReport
	err   error
	curve spendCurve
	lines []ledgerLine
	rows  rows.List[int]
	steps rows.List[int]
	above int // lines above the table
}

// ledgerKey is the events that a report was made of.
type ledgerKey struct {
	run, n int
	made   bool
}

// ledgerLine is a row of the table, or a heading.
type ledgerLine struct {
	head string
	row  *trace.CostRow
}

// topSteps is how many of the dearest steps are listed.
const topSteps = 200

func (v *ledgerView) mode() layout.Mode { return layout.Split }

// sync sums up anew when the position has changed. A short trace costs less than a frame; a long one is gone through in
// slices when no other move runs.
func (v *ledgerView) sync(m *Model) tea.Cmd {
	key := ledgerKey{m.s.CurrentRun(), m.s.Pos(), true}
	if key == v.at || m.run != nil {
		return nil
	}
	log := firstEvents{m.seen(), key.n}
	var rep *trace.CostReport
	var err error
	work := func(ctx context.Context, tell trace.Progress) {
		rep, err = trace.Costs(ctx, log, topSteps, tell)
		if err == nil {
			err = v.curve.extend(ctx, m.s.CurrentRun(), m.seen(), tell)
		}
	}
	take := func(*Model) tea.Cmd {
		v.at, v.rep, v.err = key, rep, err
		v.fill()
		if m.face() != v {
			return nil
		}
		return v.sync(m) // the run may have moved on meanwhile
	}
	if m.s.Total() <= atOnce {
		work(m.ctx, nil)
		return take(m)
	}
	return m.studyAside("ledger", work, take)
}

func (v *ledgerView) fill() {
	v.lines = v.lines[:0]
	if v.rep != nil {
		for _, part := range []struct {
			title string
			rows  []trace.CostRow
		}{{"agent", v.rep.Agents}, {"op", v.rep.Ops}, {"model", v.rep.Models}} {
			if len(part.rows) == 0 {
				continue
			}
			v.lines = append(v.lines, ledgerLine{head: part.title})
			for i := range part.rows {
				v.lines = append(v.lines, ledgerLine{row: &part.rows[i]})
			}
		}
		v.steps.Update(len(v.rep.Steps), func(i int) int { return i }, nil)
	}
	first := v.rows.Len() == 0
	v.rows.Update(len(v.lines), func(i int) int { return i }, nil)
	if first {
		v.rows.SetHeight(2) // so that the heading stays in view
		v.rows.SetCursor(1)
	}
}

func (v *ledgerView) draw(m *Model, p layout.Pane, w, h int, focus bool) (title, note string, lines []string) {
	if p == layout.Detail {
		return "Dearest steps", "", v.drawSteps(m, w, h, focus)
	}
	note = fmt.Sprintf("as of position %d", m.s.Pos())
	if v.rep != nil && v.at.n != m.s.Pos() {
		note = fmt.Sprintf("table as of position %d", v.at.n)
	}
	lines = v.bars(m, w)
	lines = append(lines, v.drawCurve(m, w)...)
	if v.rep != nil && v.rep.OpenIntents > 0 {
		lines = append(lines, m.textLine(w, plural(v.rep.OpenIntents, "effect")+" without an answer: perhaps billed, nobody knows how much", m.th.Warn))
	}
	if v.rep != nil && v.rep.PossiblyBilled.Calls > 0 {
		r := &v.rep.PossiblyBilled
		lines = append(lines, m.textLine(w, fmt.Sprintf("perhaps billed too: %s in steps that were taken back, %s", plural(r.Calls, "call"), money(r.Ledger.NanoUSD)), m.th.Warn))
	}
	lines = append(lines, v.tableHead(m, w))
	v.above = min(len(lines), h)
	if h > v.above {
		lines = append(lines, v.rows.Render(w, h-v.above, m.look(focus), func(i int, selected bool, b *cell.Builder) { v.drawRow(m, i, selected, b) })...)
	}
	return "Ledger", note, lines
}

// bars are one gauge for each limit of the budget, and the sums where there is none.
func (v *ledgerView) bars(m *Model, w int) []string {
	th := m.th
	st := m.s.State()
	l, b := st.Ledger(), st.Budget()
	unknown := l.Unknown
	if v.rep != nil && v.at.n == m.s.Pos() {
		unknown = max(unknown, v.rep.Total.Unknown) // a foreign answer may just lack its usage
	}
	least := ""
	if unknown > 0 {
		least = th.Glyph.Words.AtLeast
	}
	var lines []string
	bar := func(name, used, limit string, part float64) {
		var x cell.Builder
		x.Start(th.Charset, w, "")
		x.Skip(1)
		x.Field(name, 8, th.Past)
		x.FieldRight(used, 12, th.Text)
		style := th.Text
		if part >= 0.8 {
			style = th.Warn
		}
		if part > 1 {
			style = th.Bad
		}
		if limit != "" {
			x.Put(" of "+limit, th.Past)
			x.To(38)
			x.Put(m.gauge(part, max(min(x.Room()-12, 40), 0)), style)
			x.Put(fmt.Sprintf(" %3.0f %%", 100*part), style)
		} else {
			x.Put("  no limit", th.Past)
		}
		lines = append(lines, x.Line())
	}
	limit, part := "", 0.0
	if b != nil && b.USD != nil {
		limit, part = dollars(trace.NanoUSD(*b.USD)), share(l.USD, *b.USD)
	}
	bar("usd", least+money(l.NanoUSD), limit, part)
	limit, part = "", 0
	if b != nil && b.Tokens != nil {
		limit, part = count(*b.Tokens), share(l.Tokens(), *b.Tokens)
	}
	bar("tokens", least+count(l.Tokens()), limit, part)
	limit, part = "", 0
	if b != nil && b.Steps > 0 {
		limit, part = fmt.Sprint(b.Steps), share(float64(st.Begun()), float64(b.Steps))
	}
	bar("steps", fmt.Sprint(st.Begun()), limit, part)
	if unknown > 0 {
		lines = append(lines, m.textLine(w, fmt.Sprintf("%s usage of %s is not known: each sum is a lower bound", th.Glyph.Words.AtLeast, plural(unknown, "call")), th.Warn))
	}
	return append(lines, cell.Blank(w))
}

// ledgerColumns are the widths of a row: name, calls, money, tokens, note.
const (
	nameCol, callsCol, moneyCol, tokensCol = 26, 7, 12, 12
)

func (v *ledgerView) tableHead(m *Model, w int) string {
	var b cell.Builder
	th := m.th
	b.Start(th.Charset, w, "")
	b.Skip(1)
	b.Field("", v.nameWidth(w), th.Past)
	b.FieldRight("calls", callsCol, th.Past)
	b.FieldRight("usd", moneyCol, th.Past)
	b.FieldRight("tokens", tokensCol, th.Past)
	return b.Line()
}

// nameWidth is what is left for names.
func (v *ledgerView) nameWidth(w int) int {
	return max(min(nameCol, w-2-callsCol-moneyCol-tokensCol), 8)
}

func (v *ledgerView) drawRow(m *Model, i int, selected bool, b *cell.Builder) {
	th, l := m.th, v.lines[i]
	w := b.Room()
	m.putCursor(b, selected)
	if l.row == nil {
		b.Put("by "+l.head, th.Past)
		return
	}
	name := l.row.Name
	if name == "" {
		name = "(no model)"
	}
	b.Field("  "+name, v.nameWidth(w), th.Text)
	drawCosts(m, l.row, b)
}

func drawCosts(m *Model, r *trace.CostRow, b *cell.Builder) {
	th := m.th
	least := ""
	if r.AtLeast() {
		least = th.Glyph.Words.AtLeast
	}
	b.FieldRight(fmt.Sprint(r.Calls), callsCol, th.Past)
	b.FieldRight(least+money(r.Ledger.NanoUSD), moneyCol, th.Text)
	b.FieldRight(least+count(r.Ledger.Tokens()), tokensCol, th.Text)
	if r.Unknown > 0 {
		b.Put(fmt.Sprintf("  %d unknown", r.Unknown), th.Warn)
	}
	if r.Failed > 0 {
		b.Put(fmt.Sprintf("  %d failed", r.Failed), th.Bad)
	}
}

// drawSteps lists the dearest steps.
func (v *ledgerView) drawSteps(m *Model, w, h int, focus bool) []string {
	th := m.th
	if v.rep == nil || len(v.rep.Steps) == 0 {
		text := "nothing was spent up to here"
		switch {
		case v.err != nil:
			text = v.err.Error()
		case v.rep == nil:
			text = "being summed up"
		}
		return []string{m.textLine(w, text, th.Past)}
	}
	return v.steps.Render(w, h, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		r := &v.rep.Steps[i]
		m.putCursor(b, selected)
		b.Field(fmt.Sprintf("step %d", r.Step), 10, th.Text)
		b.Field(r.Name, max(b.Room()-callsCol-moneyCol-tokensCol-1, 6), th.Text)
		drawCosts(m, r, b)
	})
}

func (v *ledgerView) list(p layout.Pane) lister {
	if p == layout.Detail {
		return &v.steps
	}
	return &v.rows
}

func (v *ledgerView) head(p layout.Pane) int {
	if p == layout.Main {
		return v.above
	}
	return 0
}

func (v *ledgerView) moved(*Model, layout.Pane) {}

// row is what the cursor of a pane is on, nil when it is on a heading.
func (v *ledgerView) row(p layout.Pane) *trace.CostRow {
	if p == layout.Detail {
		if i := v.steps.Cursor(); v.rep != nil && i < len(v.rep.Steps) {
			return &v.rep.Steps[i]
		}
		return nil
	}
	if i := v.rows.Cursor(); i < len(v.lines) {
		return v.lines[i].row
	}
	return nil
}

// enter goes to the first effect that a row counts.
func (v *ledgerView) enter(m *Model, p layout.Pane) tea.Cmd {
	if r := v.row(p); r != nil {
		return m.jump(r.Event)
	}
	return nil
}

func (v *ledgerView) event(m *Model) int {
	if r := v.row(m.pane()); r != nil {
		return r.Event
	}
	return -1
}

func (v *ledgerView) picked(_ *Model, p layout.Pane) (selected, bool) {
	r := v.row(p)
	if r == nil {
		return selected{}, false
	}
	return selected{what: "the row of " + r.Name, name: fileName("ledger-"+r.Name) + ".json", text: r.Ledger.Value().Text()}, true
}

func (v *ledgerView) hints(*Model) []keymap.ID { return []keymap.ID{keymap.Toggle, keymap.Why} }
