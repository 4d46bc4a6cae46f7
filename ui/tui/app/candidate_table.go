package app

import (
	"fmt"
	"math"
	"strconv"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/engine/typed"
	"flowdbg/ui/tui/cell"
)

// sayGoals makes the texts about goals, in the signs of the theme.
func (v *candidatesView) sayGoals(m *Model) {
	v.goalsIn, v.goals = m.th, make([]string, len(v.ex.Candidates))
	for i := range v.ex.Candidates {
		v.goals[i] = v.goalText(m, &v.ex.Candidates[i])
	}
}

// goalText is a proposal's goals in short: how they came out and the first of them.
func (v *candidatesView) goalText(m *Model, c *typed.Candidate) string {
	if len(c.Goals) == 0 {
		return ""
	}
	g := m.th.Glyph
	shown, mark := &c.Goals[0], g.Pass
	for i := range c.Goals {
		switch x := &c.Goals[i]; {
		case x.Outcome == contract.GoalMissed:
			shown, mark = x, g.Fail
		case x.Outcome != contract.GoalMet && mark == g.Pass:
			shown, mark = x, g.Dot
		}
	}
	text := fmt.Sprintf("%s %s %s", mark, shown.Metric, shown.Claim)
	if n := len(c.Goals) - 1; n > 0 {
		text += fmt.Sprintf(" +%d", n)
	}
	return text
}

// candidateColumns are the widths of the columns, and which metrics have one.
type candidateColumns struct {
	id, goal int
	metrics  []judge.Objective
	widths   []int // of the metrics
	regret   bool
	crowd    bool
}

// A metric's column is as wide as its name with the arrow behind it, and as its widest number, within these bounds.
const (
	metricWidth    = 7
	maxMetricWidth = 14
)

// measure finds the widest number of each metric that candidates are ranked by.
func (v *candidatesView) measure() {
	v.widest = map[string]int{}
	for _, o := range v.objectives() {
		for i := range v.ex.Candidates {
			if f, ok := v.ex.Candidates[i].Metrics[o.Metric]; ok {
				v.widest[o.Metric] = max(v.widest[o.Metric], len(figure(f)))
			}
		}
	}
}

func (v *candidatesView) columns(w int) candidateColumns {
	c := candidateColumns{id: v.sums.id}
	room := w - 3 - c.id - 13 // gate and rank stay
	for _, o := range v.objectives() {
		n := min(max(cell.Width(o.Metric)+2, v.widest[o.Metric], metricWidth), maxMetricWidth)
		if room < metricWidth+1 || len(c.metrics) == 5 {
			break
		}
		n = min(n, room-1)
		c.metrics, c.widths = append(c.metrics, o), append(c.widths, n)
		room -= n + 1
	}
	if c.regret = room >= 8; c.regret {
		room -= 8
	}
	if c.crowd = room >= 7+14; c.crowd {
		room -= 7
	}
	if room >= 12 {
		c.goal = min(room-1, 22)
	}
	return c
}

func (v *candidatesView) headLine(m *Model, w int, c candidateColumns) string {
	var b cell.Builder
	b.Start(m.th.Charset, w, "")
	st := m.th.Past
	b.Skip(3)
	b.Field("id", c.id, st)
	b.Skip(1)
	if c.goal > 0 {
		b.Field("goal", c.goal, st)
		b.Skip(1)
	}
	for i, o := range c.metrics {
		b.FieldRight(m.th.Charset.Middle(o.Metric, c.widths[i]-2)+" "+v.arrow(m, o.Metric), c.widths[i], st)
		b.Skip(1)
	}
	b.Field(" gate", 7, st)
	b.Field("rank", 5, st)
	if c.crowd {
		b.FieldRight("crowd", 7, st)
	}
	if c.regret {
		b.FieldRight("regret", 8, st)
	}
	return b.Line()
}

// arrow says which way a metric gets better.
func (v *candidatesView) arrow(m *Model, metric string) string {
	d := judge.DirectionOf(metric)
	for _, o := range v.objectives() {
		if o.Metric == metric {
			d = o.Direction
		}
	}
	switch d {
	case contract.HigherIsBetter:
		return m.th.Glyph.Up
	case contract.LowerIsBetter:
		return m.th.Glyph.Down
	}
	return " "
}

func (v *candidatesView) drawRow(m *Model, k int, c candidateColumns, b *cell.Builder) {
	th, x := m.th, &v.ex.Candidates[k]
	mark, style := " ", th.Text
	switch {
	case x.Status == typed.Failed:
		mark, style = th.Glyph.Fail, th.Past
	case x.Status == typed.Proposed:
		mark, style = th.Glyph.Dot, th.Past
	case len(x.Alike) > 0:
		mark = th.Glyph.Unsure
	}
	if x.Rank != nil && *x.Rank == 0 {
		style = th.Next
	}
	b.Put(mark+" ", m.rankStyle(x))
	b.Field(x.ID, c.id, style)
	b.Skip(1)
	if style != th.Past {
		style = th.Text
	}
	if c.goal > 0 {
		b.Field(v.goals[k], c.goal, th.Past)
		b.Skip(1)
	}
	for i, o := range c.metrics {
		if f, ok := x.Metrics[o.Metric]; ok {
			b.FieldRight(figure(f), c.widths[i], style)
		} else {
			b.FieldRight(th.Glyph.Dot, c.widths[i], th.Past)
		}
		b.Skip(1)
	}
	b.Skip(1)
	gate := x.Gate
	if len(gate) > 6 {
		gate = "UNSURE"
	}
	b.Field(orDash(m, gate), 6, m.gateStyle(x.Gate))
	b.Field(" "+m.rankGlyph(x), 5, m.rankStyle(x))
	v.drawTail(m, x, c, b)
}

// drawTail is what comes behind the rank: crowding and regret, or why there are none.
func (v *candidatesView) drawTail(m *Model, x *typed.Candidate, c candidateColumns, b *cell.Builder) {
	th := m.th
	if x.Rank == nil && x.Why != "" {
		b.Put("  "+x.Why, th.Past)
		return
	}
	switch {
	case !c.crowd:
	case x.Crowding != nil:
		b.FieldRight(strconv.FormatFloat(*x.Crowding, 'f', 2, 64), 7, th.Past)
	case x.Rank != nil:
		b.FieldRight(th.Glyph.Words.Infinity, 7, th.Past)
	default:
		b.FieldRight(th.Glyph.Dot, 7, th.Past)
	}
	switch {
	case !c.regret:
	case x.Regret != nil:
		b.FieldRight(strconv.FormatFloat(*x.Regret, 'f', 3, 64), 8, th.Text)
	default:
		b.FieldRight(th.Glyph.Dot, 8, th.Past)
	}
	if len(x.Alike) > 0 && b.Room() > len("  not resolved from ") {
		b.Put("  not resolved from "+x.Alike[0], th.Warn)
	}
}

// rankGlyph is a rank as it stands in the table and in the scatter: its number in a circle, a dot beyond nine, a cross for
// what was measured and has none.
func (m *Model) rankGlyph(x *typed.Candidate) string {
	g := m.th.Glyph
	switch {
	case x.Rank != nil && *x.Rank < len(g.Digits):
		return g.Digits[*x.Rank]
	case x.Rank != nil:
		return map[bool]string{true: "+", false: "•"}[m.th.Charset == cell.ASCII]
	case x.Status == typed.Proposed:
		return g.Dot
	}
	return g.Fail
}

func (m *Model) rankStyle(x *typed.Candidate) cell.Style {
	switch {
	case x.Rank == nil:
		return m.th.Past
	case *x.Rank == 0:
		return m.th.Accent
	case *x.Rank == 1:
		return m.th.Text
	}
	return m.th.Past
}

func (m *Model) gateStyle(verdict string) cell.Style {
	switch verdict {
	case contract.GatePass:
		return m.th.Good
	case contract.GateFail, contract.GateError:
		return m.th.Bad
	case "":
		return m.th.Past
	}
	return m.th.Warn
}

// figure writes a measured value with at most six digits.
func figure(f float64) string {
	if math.Abs(f) >= 1e6 && math.Abs(f) < 1e12 || f == math.Trunc(f) && math.Abs(f) < 1e9 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}
