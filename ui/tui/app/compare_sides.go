package app

import (
	"fmt"
	"slices"

	"flowdbg/trace"

	tea "github.com/charmbracelet/bubbletea"
)

// pick chooses the run that stands on the left.
func (v *compareView) pick(run int) { v.other, v.fixed, v.key = run, true, compareKey{a: -2} }

// settle finds what stands on the left: what was chosen, as long as it is not the run that is shown, else what that run is
// compared with by itself.
func (v *compareView) settle(m *Model) {
	if v.fixed && v.other != m.s.CurrentRun() {
		return
	}
	v.other, v.fixed = recordSide, false
	if run, record, ok := m.s.Beside(); ok && !record {
		v.other = run
	}
}

// lefts are all that can stand on the left.
func (v *compareView) lefts(m *Model) (list []int) {
	if m.s.Record() != nil && m.s.Machine() != nil {
		list = append(list, recordSide)
	}
	for _, r := range m.s.Runs() {
		if r.ID != m.s.CurrentRun() {
			list = append(list, r.ID)
		}
	}
	return list
}

// next chooses the next one that can stand on the left.
func (v *compareView) next(m *Model) tea.Cmd {
	v.settle(m)
	all := v.lefts(m)
	i := slices.Index(all, v.other)
	v.pick(all[(i+1)%len(all)])
	a, b := v.names(m)
	m.say("%s beside %s", a, b)
	return v.sync(m)
}

// sides are the two logs as they are now. A run that has not come to its end is compared as far as it goes.
func (v *compareView) sides(m *Model) (a, b trace.Log, key compareKey, ok bool) {
	cur := m.s.CurrentRun()
	v.settle(m)
	a, b = m.s.Sides(v.other, cur)
	if a == nil || b == nil || v.other == cur {
		return nil, nil, key, false
	}
	return a, b, compareKey{v.other, cur, a.Len(), b.Len()}, true
}

// names are what the two sides are called.
func (v *compareView) names(m *Model) (a, b string) {
	a, b = "recorded", fmt.Sprintf("run %d", m.s.CurrentRun())
	if v.other != recordSide {
		a = fmt.Sprintf("run %d", v.other)
	}
	return a, b
}

// soFar is the verdict over two runs that are equal and of which one was not run to its end, "" for any other.
func (v *compareView) soFar(m *Model) string {
	if v.other == recordSide || v.other >= len(m.s.Runs()) {
		return ""
	}
	runs := m.s.Runs()
	x, y := runs[v.other], runs[m.s.CurrentRun()]
	a, b := v.names(m)
	r := v.rep
	switch {
	case x.Finished && y.Finished:
		return ""
	case r.Verdict == trace.DiffSame:
		return fmt.Sprintf("%s and %s are equal as far as both were run: %s", a, b, plural(r.Equal, "event"))
	case r.Verdict == trace.DiffRecordedPrefix, x.Total == 0:
		return fmt.Sprintf("equal as far as %s was run: %s; %s goes on", a, plural(r.Equal, "event"), b)
	case r.Verdict == trace.DiffGotPrefix, y.Total == 0:
		return fmt.Sprintf("equal as far as %s was run: %s; %s goes on", b, plural(r.Equal, "event"), a)
	}
	return ""
}
