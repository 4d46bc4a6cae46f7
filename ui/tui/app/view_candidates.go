package app

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/engine/typed"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/plot"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// candidatesView shows the candidates that are known at the position: a table, the front's history and hypervolume, a
// scatter of two metrics, and all that was said of the selected one.
type candidatesView struct {
	by   []judge.Objective // chosen here; empty: the rules' own
	axes [2]string         // metrics of the scatter, "" = the first objectives

	ex    *typed.Exploration
	key   gatheredKey
	gen   int // changes with what is shown
	late  bool
	order []int // into ex.Candidates, as the table shows them
	goals []string
	rows  rows.List[string]
	front []typed.Front // steps that changed the front
	spark string

	detail  textPane
	drawn   candidateDrawn
	scatter scatterDrawn
}

// gatheredKey is everything that an exploration depends on.
type gatheredKey struct {
	run, items int
	by         string
}

func (v *candidatesView) mode() layout.Mode { return layout.Split }

func (v *candidatesView) sync(m *Model) tea.Cmd {
	cmd := m.pay.follow(m)
	return tea.Batch(cmd, v.gather(m))
}

// gather takes over what is known at the position. It costs nothing while no payload was passed. Where it would cost more
// than a frame, it is done in a command, and what was shown stays until it is there.
func (v *candidatesView) gather(m *Model) tea.Cmd {
	if !m.pay.ready(m) || v.late {
		return nil
	}
	pos := m.s.Pos()
	key := gatheredKey{m.s.CurrentRun(), len(m.pay.index.Items(pos)), byText(v.by)}
	if key == v.key && v.ex != nil || m.pay.slow && m.run != nil {
		return nil
	}
	index, opt := m.pay.index, typed.Options{By: v.by}
	if !m.pay.slow {
		begin := time.Now()
		ex := index.At(pos, opt)
		m.pay.slow = time.Since(begin) > sliceTime
		v.take(m, ex, key)
		return nil
	}
	v.late, m.pay.lent = true, true
	return func() tea.Msg {
		ex := index.At(pos, opt)
		return lateMsg(func(m *Model) tea.Cmd {
			v.late = false
			if index == m.pay.index {
				m.pay.lent = false
				v.take(m, ex, key)
			}
			if f := m.face(); f != nil {
				return f.sync(m)
			}
			return nil
		})
	}
}

func byText(by []judge.Objective) string {
	var b strings.Builder
	for _, o := range by {
		b.WriteString(o.Metric + " " + string(o.Direction) + "\n")
	}
	return b.String()
}

// take makes the table of an exploration.
func (v *candidatesView) take(m *Model, ex *typed.Exploration, key gatheredKey) {
	v.ex, v.key = ex, key
	v.gen++
	at := make(map[string]int, len(ex.Candidates))
	for i := range ex.Candidates {
		at[ex.Candidates[i].ID] = i
	}
	v.order = v.order[:0]
	done := make([]bool, len(ex.Candidates))
	if ex.Ranking != nil {
		for _, k := range ex.Ranking.Order() {
			if i, ok := at[ex.Ranking.Entries[k].ID]; ok && !done[i] {
				v.order, done[i] = append(v.order, i), true
			}
		}
	}
	for i := range ex.Candidates {
		if !done[i] {
			v.order = append(v.order, i)
		}
	}
	v.goals = make([]string, len(ex.Candidates))
	for i := range ex.Candidates {
		v.goals[i] = v.goalText(m, &ex.Candidates[i])
	}
	row := make(map[string]int, len(v.order))
	for i, k := range v.order {
		row[ex.Candidates[k].ID] = i
	}
	v.rows.Update(len(v.order), func(i int) string { return ex.Candidates[v.order[i]].ID }, func(id string) (int, bool) { i, ok := row[id]; return i, ok })
	v.history()
}

// history keeps of the front's history what changed it, and the curve of its hypervolume.
func (v *candidatesView) history() {
	v.front = v.front[:0]
	var curve []float64
	for _, f := range v.ex.History {
		if f.Entered {
			v.front = append(v.front, f)
		}
		if f.Hypervolume != nil {
			curve = append(curve, *f.Hypervolume)
		}
	}
	v.spark = ""
	if len(curve) > 0 {
		v.spark = plot.Spark(thin(curve, 40), false)
	}
}

// thin keeps at most n values of a series, the last of each stretch.
func thin(list []float64, n int) []float64 {
	if len(list) <= n {
		return list
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = list[(i+1)*len(list)/n-1]
	}
	return out
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

// selected is the candidate under the cursor.
func (v *candidatesView) selected() *typed.Candidate {
	if i := v.rows.Cursor(); v.ex != nil && i < len(v.order) {
		return &v.ex.Candidates[v.order[i]]
	}
	return nil
}

// objectives are what the candidates are ranked by now.
func (v *candidatesView) objectives() []judge.Objective {
	if v.ex != nil && v.ex.Ranking != nil {
		return v.ex.Ranking.Objectives
	}
	return nil
}

func (v *candidatesView) draw(m *Model, p layout.Pane, w, h int, focus bool) (title, note string, lines []string) {
	if p == layout.Detail {
		x, y := v.axisNames()
		title = "Candidate"
		if x != "" && y != "" && v.scatterHeight(h) > 0 {
			title = m.ascii(fmt.Sprintf("%s %s against %s %s", y, v.arrow(m, y), x, v.arrow(m, x)))
		}
		return title, "", v.drawDetail(m, w, h)
	}
	switch {
	case !m.pay.ready(m):
		note = fmt.Sprintf("reading %d %%", m.pay.share(m))
	case v.late:
		note = "ranking"
	}
	return v.title(m), note, v.drawMain(m, w, h, focus)
}

// title says how many candidates there are, and how far they have come.
func (v *candidatesView) title(m *Model) string {
	if v.ex == nil || len(v.ex.Candidates) == 0 {
		return "Candidates"
	}
	count := map[typed.Status]int{}
	for i := range v.ex.Candidates {
		count[v.ex.Candidates[i].Status]++
	}
	var parts []string
	for _, s := range []typed.Status{typed.Proposed, typed.Measured, typed.Judged, typed.Failed} {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	return fmt.Sprintf("Candidates at step %d (%s)", m.s.State().Step(), strings.Join(parts, ", "))
}

func (v *candidatesView) drawMain(m *Model, w, h int, focus bool) []string {
	if len(v.order) == 0 {
		p := &prose{m: m, w: w}
		p.blank()
		if m.pay.ready(m) && !v.late {
			p.say(m.th.Past, "no proposal, no candidate and no certificate was said up to here")
			p.say(m.th.Past, "They are recognised by their place (requests and answers of the ops tool and judge), else by their required fields.")
		} else {
			p.say(m.th.Past, "reading")
		}
		return p.lines
	}
	foot := v.foot(m, w, h)
	cols := v.columns(w)
	lines := append(make([]string, 0, h), v.headLine(m, w, cols))
	lines = append(lines, v.rows.Render(w, max(h-1-len(foot), 0), m.look(focus), func(i int, selected bool, b *cell.Builder) {
		m.putCursor(b, selected)
		v.drawRow(m, v.order[i], cols, b)
	})...)
	return append(lines, foot...)
}

// candidateColumns are the widths of the columns, and which metrics have one.
type candidateColumns struct {
	id, goal int
	metrics  []judge.Objective
	regret   bool
	crowd    bool
}

const metricWidth = 9

func (v *candidatesView) columns(w int) candidateColumns {
	c := candidateColumns{id: 8}
	for i := range v.ex.Candidates {
		c.id = max(c.id, min(cell.Width(v.ex.Candidates[i].ID), 20))
	}
	room := w - 3 - c.id - 13 // gate and rank stay
	for _, o := range v.objectives() {
		if room < metricWidth+1 || len(c.metrics) == 5 {
			break
		}
		c.metrics = append(c.metrics, o)
		room -= metricWidth + 1
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
	for _, o := range c.metrics {
		b.FieldRight(m.th.Charset.Middle(o.Metric, metricWidth-2)+" "+v.arrow(m, o.Metric), metricWidth, st)
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
	for _, o := range c.metrics {
		if f, ok := x.Metrics[o.Metric]; ok {
			b.FieldRight(figure(f), metricWidth, style)
		} else {
			b.FieldRight(th.Glyph.Dot, metricWidth, th.Past)
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
		b.FieldRight(th.Glyph.Infinity, 7, th.Past)
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
	if len(x.Alike) > 0 {
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

// foot is the front's history, newest first, over the curve of its hypervolume.
func (v *candidatesView) foot(m *Model, w, h int) []string {
	th := m.th
	if h < 10 || v.spark == "" && len(v.front) == 0 {
		return nil
	}
	var b cell.Builder
	b.Start(th.Charset, w, "")
	b.Put(th.Glyph.Edges.Horizontal+" ", th.Border)
	b.Put("front history ", th.Title)
	b.Repeat(th.Glyph.Edges.Horizontal, b.Room(), th.Border)
	lines := []string{b.Line()}
	room := min(max(h/4, 2), 8, len(v.front)+1) - 1
	for i := len(v.front) - 1; i >= 0 && len(lines) <= room; i-- {
		lines = append(lines, v.frontLine(m, w, &v.front[i]))
	}
	b.Start(th.Charset, w, "")
	b.Put(" hypervolume ", th.Past)
	if last := v.ex.History[len(v.ex.History)-1]; last.Hypervolume != nil {
		if spark := v.spark; th.Charset == cell.ASCII {
			b.Put(asciiSpark(th.Glyph.Spark, spark), th.Accent)
		} else {
			b.Put(spark, th.Accent)
		}
		b.Put(" "+figure(*last.Hypervolume), th.Text)
		b.Put("  over "+plural(len(v.ex.History), "arrival"), th.Past)
	} else {
		b.Put(v.ex.Ranking.HypervolumeNote, th.Past)
	}
	return append(lines, b.Line())
}

// asciiSpark writes a line of blocks in the charset's own signs.
func asciiSpark(signs [8]string, spark string) string {
	var b strings.Builder
	for _, r := range spark {
		b.WriteString(signs[min(max(int(r-'▁'), 0), 7)])
	}
	return b.String()
}

// frontLine is one change of the front: who entered, who had to leave, and by how much.
func (v *candidatesView) frontLine(m *Model, w int, f *typed.Front) string {
	th := m.th
	var b cell.Builder
	b.Start(th.Charset, w, "")
	b.FieldRight("step "+strconv.Itoa(m.s.Header(f.Event).Step), 10, th.Past)
	b.Put("  + ", th.Good)
	b.Put(f.ID, th.Text)
	for _, l := range f.Left {
		b.Put("  - ", th.Warn)
		b.Put(l.ID, th.Text)
		var parts []string
		for _, d := range l.Deltas {
			if d.Delta != 0 {
				parts = append(parts, fmt.Sprintf("%s %+.4g", d.Metric, d.Delta))
			}
		}
		b.Put(" ("+strings.Join(parts, ", ")+")", th.Past)
	}
	return b.Line()
}

func (v *candidatesView) list(p layout.Pane) lister {
	if p == layout.Detail {
		return &pointList{v}
	}
	return &v.rows
}

func (v *candidatesView) head(p layout.Pane) int {
	if p == layout.Main {
		return 1
	}
	return 0
}

func (v *candidatesView) moved(*Model, layout.Pane) {}

// enter goes to the last event that said something of the candidate.
func (v *candidatesView) enter(m *Model, _ layout.Pane) tea.Cmd { return m.jump(v.event(m)) }

func (v *candidatesView) event(*Model) int {
	if x := v.selected(); x != nil && len(x.Items) > 0 {
		return x.Items[len(x.Items)-1].Event
	}
	return -1
}

func (v *candidatesView) picked(*Model, layout.Pane) (selected, bool) {
	x := v.selected()
	if x == nil {
		return selected{}, false
	}
	var b strings.Builder
	for _, it := range x.Items {
		b.WriteString(it.Value.Text() + "\n")
	}
	return selected{"what was said of " + x.ID, fileName(x.ID) + ".jsonl", b.String()}, b.Len() > 0
}

func (v *candidatesView) hints(*Model) []keymap.ID {
	return []keymap.ID{keymap.Objectives, keymap.View(int(viewDelta)), keymap.Toggle}
}

// known are the metrics that any candidate has, objectives first.
func (v *candidatesView) known() []string {
	var names []string
	for _, o := range v.objectives() {
		names = append(names, o.Metric)
	}
	first := len(names)
	if v.ex != nil {
		for i := range v.ex.Candidates {
			for name := range v.ex.Candidates[i].Metrics {
				if !slices.Contains(names, name) && len(names) < 200 {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names[first:])
	return names
}
