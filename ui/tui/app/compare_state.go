package app

import (
	"context"
	"fmt"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// maxStateEvents bounds how many events are folded for a comparison of states.
const maxStateEvents = 200_000

// behind is the position of each side behind a line: what a side does not have leaves it where it was.
func behind(lines []compareLine, i int) (a, b int) {
	for j := i; j >= 0 && (a == 0 || b == 0); j-- {
		l := &lines[j]
		if l.gap != "" {
			continue
		}
		if a == 0 && l.Recorded >= 0 {
			a = l.Recorded + 1
		}
		if b == 0 && l.Got >= 0 {
			b = l.Got + 1
		}
	}
	return a, b
}

// statePair compares the states of both sides, which are equal up to the first line that differs.
func statePair(lines []compareLine, a, b trace.Log, setupA, setupB trace.Setup) *trace.StatePair {
	partA, partB := a.Len(), b.Len()
	for i := range lines {
		if l := &lines[i]; l.gap == "" && l.Op != trace.OpEqual {
			partA, partB = l.Recorded, l.Got
			if i > 0 && lines[i-1].gap == "" {
				partA, partB = behind(lines, i-1)
			}
			// A side without the first event stands where the other one does: everything before is equal.
			partA, partB = max(partA, 0), max(partB, 0)
			break
		}
	}
	return trace.NewStatePair(a, b, setupA, setupB, partA, partB)
}

// stateSides are the values that stand below the event of a line, one for each side, and what the title says of them.
func (v *compareView) stateSides(m *Model, i int) (a, b canon.Value, note string) {
	posA, posB := behind(v.lines, i)
	if v.states.Same(posA, posB) {
		return a, b, "states " + m.th.Glyph.Equal // every event up to here is
	}
	switch n := v.states.Cost(posA, posB); {
	case n > maxStateEvents:
		return a, b, fmt.Sprintf("states not compared: %d events to fold", n)
	case n > atOnce:
		return a, b, m.shownKey(keymap.Inspect) + " compares the states"
	}
	if err := v.states.Fold(m.ctx, posA, posB, nil); err != nil {
		return a, b, err.Error()
	}
	d := v.states.Difference()
	switch {
	case d.Equal():
		return canon.Value{}, canon.Value{}, "states " + m.th.Glyph.Equal
	case d.More > 0:
		return d.Recorded, d.Got, fmt.Sprintf("states %s, %d more agents differ", m.th.Glyph.Differs, d.More)
	}
	other, _ := v.names(m)
	return d.Recorded, d.Got, "states " + m.th.Glyph.Differs + " " + other
}

// compareStates gives the keys to the states of the selected line; many events are folded in slices first.
func (v *compareView) compareStates(m *Model) tea.Cmd {
	i := v.rows.Cursor()
	if i >= len(v.lines) || v.lines[i].gap != "" {
		m.say("the cursor is on no event")
		return nil
	}
	show := func(m *Model) tea.Cmd {
		v.moved(m, layout.Main)
		if v.diff.Goto("/state") {
			m.focus[viewCompare] = layout.Detail
		} else {
			m.say("%s", v.title)
		}
		return nil
	}
	posA, posB := behind(v.lines, i)
	if n := v.states.Cost(posA, posB); n <= atOnce || n > maxStateEvents {
		return show(m)
	}
	var err error
	key, states := v.key, v.states
	return m.study("states", func(ctx context.Context, tell trace.Progress) {
		err = states.Fold(ctx, posA, posB, tell)
	}, func(m *Model) tea.Cmd {
		switch {
		case err != nil:
			m.complain("states: %v", err)
			return nil
		case v.key != key:
			return nil
		}
		return show(m)
	})
}
