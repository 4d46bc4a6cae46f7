package app

import (
	"context"
	"fmt"
	"slices"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// compareView compares two runs, or the recorded trace with the run that was made of it: the verdict, the first
// difference, and the events around every difference, aligned.
type compareView struct {
	other int  // a run, or recordSide, when it was chosen
	fixed bool // it was chosen; else it is what the run is compared with by itself

	key   compareKey
	rep   *trace.DiffReport
	err   error
	left  trace.Log
	right trace.Log
	lines []compareLine
	rows  rows.List[int]
	diff  tree.Tree
	title string

	states *trace.StatePair
}

// recordSide stands for the trace that the session was opened on.
const recordSide = debug.RecordSide

// compareKey is what a comparison was made of; another one needs another comparison.
type compareKey struct{ a, b, lenA, lenB int }

// compareLine is a line of the list: an event, or how many equal ones are left out.
type compareLine struct {
	trace.DiffLine
	gap string
}

func (v *compareView) mode() layout.Mode { return layout.Split }

// atOnce is up to how many events two runs are compared without asking.
const atOnce = 4000

func (v *compareView) sync(m *Model) tea.Cmd {
	a, b, key, ok := v.sides(m)
	if !ok {
		v.rep, v.err, v.lines, v.key = nil, nil, nil, compareKey{a: -2}
		v.title, v.diff = "Both sides", tree.Tree{}
		v.rows.Update(0, nil, nil)
		return nil
	}
	if key == v.key || m.run != nil {
		return nil
	}
	var rep *trace.DiffReport
	var lines []compareLine
	var states *trace.StatePair
	var err error
	setupA, setupB := m.s.RunSetup(v.other), m.s.RunSetup(key.b)
	work := func(ctx context.Context, tell trace.Progress) {
		if rep, err = trace.Diff(ctx, a, b, trace.DiffOptions{MaxHunks: 200}, tell); err == nil {
			lines = linesOf(rep)
			states = statePair(lines, a, b, setupA, setupB)
		}
	}
	take := func(m *Model) tea.Cmd {
		v.key, v.rep, v.err, v.left, v.right, v.states = key, rep, err, a, b, states
		v.fill(lines)
		v.moved(m, layout.Main)
		if m.face() != v {
			return nil
		}
		return v.sync(m) // the run may have moved on meanwhile
	}
	if key.lenA+key.lenB <= atOnce {
		work(m.ctx, nil)
		return take(m)
	}
	return m.studyAside("compare", work, take)
}

// linesOf makes the lines of the list.
func linesOf(rep *trace.DiffReport) (lines []compareLine) {
	last := 0
	for _, h := range rep.Hunks {
		for i, l := range h.Lines {
			if at := max(l.Recorded, l.Got); i == 0 && at > last {
				lines = append(lines, compareLine{gap: plural(at-last, "equal event")})
			}
			last = max(l.Recorded, l.Got) + 1
			lines = append(lines, compareLine{DiffLine: l})
		}
		if h.More > 0 {
			lines = append(lines, compareLine{gap: plural(h.More, "line") + " more"})
		}
	}
	if rep.MoreHunks > 0 {
		lines = append(lines, compareLine{gap: fmt.Sprintf("%d more places", rep.MoreHunks)})
	}
	return lines
}

// fill takes the lines, and puts the cursor on the first difference.
func (v *compareView) fill(lines []compareLine) {
	v.lines = lines
	v.rows = rows.List[int]{}
	v.rows.Update(len(v.lines), func(i int) int { return i }, nil)
	v.rows.SetCursor(max(0, slices.IndexFunc(lines, func(l compareLine) bool { return l.gap == "" && l.Op != trace.OpEqual })))
}

// verdict is the comparison in one line.
func (v *compareView) verdict(m *Model) (string, cell.Style) {
	th, g := m.th, m.th.Glyph
	a, b := v.names(m)
	switch {
	case v.err != nil:
		return v.err.Error(), th.Bad
	case v.rep == nil && v.other == recordSide:
		return "nothing to compare: open a flow beside its trace, or choose a run in view 8", th.Past
	case v.rep == nil:
		return "nothing to compare: choose another run in view 8", th.Past
	}
	r := v.rep
	if text := v.soFar(m); text != "" {
		return text, th.Text
	}
	switch r.Verdict {
	case trace.DiffSame:
		return fmt.Sprintf("%s %s and %s are the same so far: %s", g.Equal, a, b, plural(r.Equal, "event")), th.Good
	case trace.DiffClockOnly:
		return fmt.Sprintf("%s %s and %s differ in clock fields only, in %s", g.Unsure, a, b, plural(r.Clock, "event")), th.Warn
	case trace.DiffRecordedPrefix:
		return fmt.Sprintf("%s %s is equal as far as it goes: %s; %s goes on", g.Equal, a, plural(r.Equal, "event"), b), th.Good
	case trace.DiffGotPrefix:
		return fmt.Sprintf("%s %s is equal as far as it goes: %s; %s goes on", g.Equal, b, plural(r.Equal, "event"), a), th.Good
	case trace.DiffNothing:
		return "neither side holds an event that can be compared yet", th.Past
	}
	text := fmt.Sprintf("%s %d equal", g.Differs, r.Equal)
	for _, x := range []struct {
		n    int
		what string
	}{{r.Changed, "changed"}, {r.Clock, "in clock fields only"}, {r.OnlyRecorded, "only in " + a}, {r.OnlyGot, "only in " + b}} {
		if x.n > 0 {
			text += fmt.Sprintf(", %d %s", x.n, x.what)
		}
	}
	return text, th.Bad
}

func (v *compareView) draw(m *Model, p layout.Pane, w, h int, focus bool) (title, note string, lines []string) {
	a, b := v.names(m)
	if p == layout.Detail {
		return m.ascii(v.title), "", v.diff.Render(w, h, m.th, focus)
	}
	text, style := v.verdict(m)
	lines = append(lines, m.textLine(w, text, style))
	if v.rep != nil && v.rep.First != nil && v.soFar(m) == "" {
		f := v.rep.First
		lines = append(lines, m.textLine(w, fmt.Sprintf("first difference: step %d, %s %s %s", f.Step, f.Agent, f.Type, f.Path), m.th.Text))
	} else {
		lines = append(lines, cell.Blank(w))
	}
	if h > 2 {
		lines = append(lines, v.rows.Render(w, h-2, m.look(focus), func(i int, selected bool, b *cell.Builder) { v.drawLine(m, i, selected, b) })...)
	}
	return "Compare", a + " " + m.th.Glyph.Words.Becomes + " " + b, lines
}

// drawLine is one event of both sides: what became of it, its places in both, and what it is.
func (v *compareView) drawLine(m *Model, i int, selected bool, b *cell.Builder) {
	th, l := m.th, &v.lines[i]
	m.putCursor(b, selected)
	if l.gap != "" {
		b.Put("  "+th.Glyph.Ellipsis+" "+l.gap, th.Past)
		return
	}
	mark, style := " ", th.Past
	switch l.Op {
	case trace.OpChanged:
		mark, style = th.Glyph.Differs, th.Bad
	case trace.OpClock:
		mark, style = th.Glyph.Unsure, th.Warn
	case trace.OpOnlyRecorded:
		mark, style = "-", th.Bad
	case trace.OpOnlyGot:
		mark, style = "+", th.Good
	}
	b.Put(mark+" ", style)
	number := func(n int) {
		if n < 0 {
			b.FieldRight(th.Glyph.Dot, 7, th.Past)
			return
		}
		b.FieldRight(fmt.Sprint(n), 7, th.Past)
	}
	number(l.Recorded)
	number(l.Got)
	b.Skip(2)
	e := v.eventOf(l)
	ink := eventInk{th.Past, th.Past, th.Past}
	if l.Op != trace.OpEqual {
		ink = eventInk{th.Next, th.Text, th.Past}
	}
	if l.Op == trace.OpChanged || l.Op == trace.OpClock {
		b.Field(string(e.Type), 8, ink.head)
		putName(b, e.Agent, ink.head)
		b.Put("  "+l.Path+"  ", th.Text)
		b.Put(l.RecordedValue, th.Bad)
		b.Put(" "+th.Glyph.Right+" ", th.Past)
		b.Put(l.GotValue, th.Good)
		return
	}
	m.drawBody(-1, e, b, ink)
}

// eventOf is the event of a line: as it is on the right, else on the left.
func (v *compareView) eventOf(l *compareLine) *trace.Event {
	log, at := v.right, l.Got
	if at < 0 {
		log, at = v.left, l.Recorded
	}
	e, err := log.Event(at)
	if err != nil {
		return trace.Unreadable(err)
	}
	return e
}

func (v *compareView) list(p layout.Pane) lister {
	if p == layout.Detail {
		return treeList{&v.diff}
	}
	return &v.rows
}

func (v *compareView) head(p layout.Pane) int {
	if p == layout.Main {
		return 2
	}
	return 0
}

// moved shows both sides of the selected line, marked where they differ: the event, and behind it what differs in the
// state documents.
func (v *compareView) moved(m *Model, p layout.Pane) {
	if p != layout.Main {
		return
	}
	i := v.rows.Cursor()
	if i >= len(v.lines) || v.lines[i].gap != "" {
		v.title = "Both sides"
		v.diff = tree.Tree{}
		return
	}
	l := &v.lines[i]
	a, b := v.names(m)
	e := v.eventOf(l)
	v.title = fmt.Sprintf("%s in %s", e.Type, b)
	if l.Got < 0 {
		v.title = fmt.Sprintf("%s, only in %s", e.Type, a)
	}
	old := e
	if l.Recorded >= 0 && l.Got >= 0 {
		var err error
		if old, err = v.left.Event(l.Recorded); err != nil {
			old = trace.Unreadable(err)
		}
		v.title += " · was = " + a
	}
	was, now, note := v.stateSides(m, i)
	v.title += " · " + note
	v.diff = tree.Tree{}
	v.diff.Set(bothParts(e, now), bothParts(old, was), true)
	v.diff.Goto("/event" + l.Path)
}

// bothParts is what the detail shows of a side: the event, and what differs in the state behind it.
func bothParts(e *trace.Event, state canon.Value) canon.Value {
	members := []canon.Member{{Key: "event", Value: e.Compared()}}
	if !state.IsAbsent() {
		members = append(members, canon.Member{Key: "state", Value: state})
	}
	return canon.Object(members...)
}

// enter goes to the selected event in the run that is shown.
func (v *compareView) enter(m *Model, p layout.Pane) tea.Cmd {
	if p == layout.Detail {
		v.diff.Toggle()
		return nil
	}
	return m.jump(v.event(m))
}

// event is the event of the shown run under the cursor, -1 when it has none there.
func (v *compareView) event(m *Model) int {
	if i := v.rows.Cursor(); i < len(v.lines) && v.lines[i].gap == "" && v.lines[i].Got < m.s.Total() {
		return v.lines[i].Got
	}
	return -1
}

func (v *compareView) picked(m *Model, p layout.Pane) (selected, bool) {
	if p == layout.Detail {
		ptr, val, _, ok := v.diff.Selected()
		return selected{what: "the value at " + ptr, name: "value.json", text: val.Text()}, ok
	}
	i := v.rows.Cursor()
	if i >= len(v.lines) || v.lines[i].gap != "" {
		return selected{}, false
	}
	return anEvent(v.eventOf(&v.lines[i]), "the event", "event.json"), true
}

func (v *compareView) hints(*Model) []keymap.ID {
	return []keymap.ID{keymap.Toggle, keymap.Inspect, keymap.CompareRuns, keymap.Why, keymap.View(int(viewRuns))}
}

// treeList lets a tree be moved in as a list.
type treeList struct{ *tree.Tree }

// RowAt and SetCursor go together: a tree's cursor is set by the line of its window.
func (t treeList) RowAt(y int) (int, bool) { return y, y >= 0 && y < t.Len() }
