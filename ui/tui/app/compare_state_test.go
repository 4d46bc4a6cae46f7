package app

import (
	"bytes"
	"testing"

	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
)

// comparedRuns is a comparison of a run in which a person changed a message with the run that it came from.
func comparedRuns(t *testing.T) (*driver, *compareView) {
	t.Helper()
	d := open(t, 150, 40)
	d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Edit).press("ctrl+u").text(`answer critic 0 {"text":"by hand"}`).press("enter").do(keymap.Continue)
	d.do(keymap.View(int(viewRuns)), keymap.Home, keymap.CompareRuns).has("Compare", "run 0 → run 1")
	return d, d.m.faces[viewCompare].(*compareView)
}

// On every line, reached from above and from below, the states are told equal exactly when the whole documents are.
func TestCompareStates(t *testing.T) {
	d, v := comparedRuns(t)
	document := func(log trace.Log, pos int) []byte {
		st := trace.NewState(d.m.s.Machine().Setup())
		for i := range pos {
			e, err := log.Event(i)
			if err != nil {
				t.Fatal(err)
			}
			st.Apply(e)
		}
		return st.AppendDocument(nil)
	}
	equal, differ := 0, 0
	look := func(i int) {
		if v.lines[i].gap != "" {
			return
		}
		v.rows.SetCursor(i)
		v.moved(d.m, layout.Main)
		a, b := behind(v.lines, i)
		same := bytes.Equal(document(v.left, a), document(v.right, b))
		was, now, note := v.stateSides(d.m, i)
		if same != was.IsAbsent() || same != (note == "states ≡") || !same && was == now {
			t.Errorf("line %d, positions %d and %d: same %v, but the view says %q:\n%s\n%s", i, a, b, same, note, was.Text(), now.Text())
		}
		if same {
			equal++
		} else {
			differ++
		}
	}
	for i := range v.lines {
		look(i)
	}
	for i := len(v.lines) - 1; i >= 0; i-- {
		look(i)
	}
	for _, i := range []int{len(v.lines) - 1, 0, len(v.lines) - 1, len(v.lines) / 2} {
		look(i)
	}
	if equal == 0 || differ == 0 {
		t.Errorf("%d equal lines and %d that differ: this tests nothing", equal, differ)
	}
}

// An edit parts the states before the events that are compared differ.
func TestCompareStatesBehindAnEdit(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Edit).press("ctrl+u").text(`inject writer article {"note":"by hand"}`).press("enter").do(keymap.Continue)
	d.do(keymap.View(int(viewRuns)), keymap.Home, keymap.CompareRuns)
	v := d.m.faces[viewCompare].(*compareView)
	line := v.rows.Cursor()
	if line < 2 || v.lines[line].Op == trace.OpEqual || v.lines[line-1].Op != trace.OpEqual {
		t.Fatal("no equal event stands before the first difference")
	}
	v.rows.SetCursor(line - 1)
	v.moved(d.m, layout.Main)
	d.has("states ≠ run 0")
}

// The states stand below whatever event the cursor is on, and one key leads into them.
func TestCompareShowsStates(t *testing.T) {
	d, _ := comparedRuns(t)
	d.has("states ≡").do(keymap.Down).has("states ≠ run 0", "▾ state", "▸ agents")
	d.do(keymap.Down).has("states ≠", "▾ state")
	d.do(keymap.Inspect)
	if d.m.pane() != layout.Detail {
		t.Errorf("the keys are in %s", d.m.pane())
	}
	open(t, 150, 40).do(keymap.Continue, keymap.View(int(viewCompare)), keymap.Inspect).has("there is no inspector in this view")
}
