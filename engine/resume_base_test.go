package engine

import (
	"bytes"
	"context"
	"testing"

	"flowdbg/trace"
)

// A foreign trace may count its steps from 0: it replays, and goes on in its own numbers.
func TestStepsFromZero(t *testing.T) {
	m := mustMachine(t, cyclicFlow(t, 8))
	events := append([]trace.Event(nil), record(t, m)...)
	for i := range events {
		if events[i].HasStep() {
			events[i].Step--
		}
	}
	rep, err := Replay(context.Background(), m, events)
	if err != nil || !rep.Same() || rep.Compared != len(events) || !bytes.Equal(logBytes(t, rep.Log), written(t, events)) {
		t.Fatalf("%v %+v %v", err, rep, rep.Divergence)
	}
	sink := &keptSink{}
	r, err := NewRecording(m, trace.MemLog(events[:9]), newPaid(m), sink, ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	var kept []trace.Event
	for _, e := range sink.events {
		if e.Type != trace.XIntent {
			kept = append(kept, e)
		} else if e.Step != kept[len(kept)-1].Step {
			t.Fatalf("an intent of step %d behind step %d", e.Step, kept[len(kept)-1].Step)
		}
	}
	if !bytes.Equal(written(t, kept), written(t, events)) {
		t.Fatalf("resumed:\n%s\nwant\n%s", written(t, kept), written(t, events))
	}
}
