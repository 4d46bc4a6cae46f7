package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"flowdbg/contract/judge"
	"flowdbg/engine/typed"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

// candidatesView shows the candidates that are known at the position: a table, the front's history and hypervolume, a
// scatter of two metrics, and all that was said of the selected one.
type candidatesView struct {
	by   []judge.Objective // chosen here; empty: the rules' own
	axes [2]string         // metrics of the scatter, "" = the first objectives

	ex      *typed.Exploration
	key     gatheredKey
	gen     int // changes with what is shown
	late    bool
	order   []int // into ex.Candidates, as the table shows them
	goals   []string
	goalsIn *theme.Theme   // the theme that goals are written in
	widest  map[string]int // number of a metric, in cells
	rows    rows.List[string]
	front   []typed.Front // steps that changed the front
	spark   string

	detail  textPane
	drawn   candidateDrawn
	scatter scatterDrawn
	points  scatterPoints
	sums    candidateSums
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
	v.sayGoals(m)
	row := make(map[string]int, len(v.order))
	for i, k := range v.order {
		row[ex.Candidates[k].ID] = i
	}
	v.rows.Update(len(v.order), func(i int) string { return ex.Candidates[v.order[i]].ID }, func(id string) (int, bool) { i, ok := row[id]; return i, ok })
	v.history()
	v.measure()
	v.sumUp()
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
	return fmt.Sprintf("Candidates at step %d (%s)", m.s.State().Step(), v.sums.parts)
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
	if v.goalsIn != m.th {
		v.sayGoals(m)
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

// picked is all that was said of a candidate, or beside the table, where it is told in full, its certificate.
func (v *candidatesView) picked(_ *Model, p layout.Pane) (selected, bool) {
	x := v.selected()
	if x == nil {
		return selected{}, false
	}
	if p == layout.Detail {
		if c, ok := lastSaid(x, typed.Certificate, "certificate", "certificate"); ok {
			return c, true
		}
	}
	return saidOf(x), len(x.Items) > 0
}

// also is what else there is of the candidate, and the table.
func (v *candidatesView) also(_ *Model, p layout.Pane) []selected {
	x := v.selected()
	if x == nil {
		return nil
	}
	var all []selected
	_, signed := lastSaid(x, typed.Certificate, "", "")
	if signed && p == layout.Detail {
		all = append(all, saidOf(x))
	}
	for _, k := range []struct {
		kind       typed.Kind
		what, name string
	}{{typed.Certificate, "certificate", "certificate"}, {typed.DesignDelta, "measured delta", "delta"}, {typed.Proposal, "proposal", "proposal"}} {
		if s, ok := lastSaid(x, k.kind, k.what, k.name); ok && (k.kind != typed.Certificate || p != layout.Detail) {
			all = append(all, s)
		}
	}
	return append(all, document("the table of "+plural(len(v.ex.Candidates), "candidate"), "candidates", v.ex))
}

func (v *candidatesView) hints(*Model) []keymap.ID {
	return []keymap.ID{keymap.Objectives, keymap.View(int(viewDelta)), keymap.Toggle}
}

// known are the metrics that any candidate has, objectives first.
func (v *candidatesView) known() []string { return v.sums.metrics }

// candidateSums is what the view says of all candidates together. It is made once for what is known.
type candidateSums struct {
	metrics []string // that any candidate has, objectives first
	parts   string   // how many candidates have come how far
	id      int      // the width of the longest name, within bounds
}

func (v *candidatesView) sumUp() {
	x := candidateSums{id: 8}
	for _, o := range v.objectives() {
		x.metrics = append(x.metrics, o.Metric)
	}
	first := len(x.metrics)
	known, count := map[string]bool{}, map[typed.Status]int{}
	for _, name := range x.metrics {
		known[name] = true
	}
	for i := range v.ex.Candidates {
		c := &v.ex.Candidates[i]
		count[c.Status]++
		x.id = max(x.id, min(cell.Width(c.ID), 20))
		for name := range c.Metrics {
			if !known[name] && len(x.metrics) < 200 {
				known[name] = true
				x.metrics = append(x.metrics, name)
			}
		}
	}
	slices.Sort(x.metrics[first:])
	var parts []string
	for _, s := range []typed.Status{typed.Proposed, typed.Measured, typed.Judged, typed.Failed} {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	x.parts = strings.Join(parts, ", ")
	v.sums = x
}
