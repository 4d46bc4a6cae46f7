package app

import (
	"strings"
	"testing"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
)

// TestCutPayloadIsMarked: a payload that does not fit has the sign of the cut behind it, whatever its last character.
func TestCutPayloadIsMarked(t *testing.T) {
	d := start(t, Config{Session: session(t, nil, recordOf(t, seedFlow(t)))}, 80, 24)
	text := `{"n":2,"name":"ünï 漢字 😀"}`
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := &trace.Event{Type: trace.SendEvent, Agent: "a", Port: "out", Message: trace.NewMessage("a", "t", v)}
	for w := 45; w < 90; w++ {
		var b cell.Builder
		b.Start(d.m.th.Charset, w, "")
		d.m.drawBody(-1, e, &b, eventInk{})
		if row := b.Line(); strings.Contains(row, "{") && !strings.Contains(row, text) && !strings.Contains(row, "…") {
			t.Errorf("%d cells: %q is cut without a sign", w, row)
		}
	}
}

// TestContextWhileGoing: going back leaves rows above the cursor, so that the head of the step is in sight.
func TestContextWhileGoing(t *testing.T) {
	d := start(t, Config{Session: session(t, seedFlow(t), recordOf(t, seedFlow(t)))}, 120, 20)
	d.do(keymap.End, keymap.Continue)
	for range 20 {
		d.do(keymap.PrevEvent)
		d.frame()
		if from, _ := d.m.events.list.Window(); d.m.events.list.Cursor()-from < min(around, d.m.events.list.Cursor()) {
			t.Errorf("at position %d the cursor is %d rows below the top", d.m.s.Pos(), d.m.events.list.Cursor()-from)
		}
	}
}
