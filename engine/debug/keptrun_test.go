package debug

import (
	"testing"

	"flowdbg/trace"
)

// TestAddKept: a kept run stands beside the first, is played back to the same state, and is compared like any other.
func TestAddKept(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	toEnd(t, s)
	s.Goto(4).Run(t.Context())
	if _, err := s.Fork(parseEdit(t, `state writer {"last":null,"pending":[{"score":1}]}`)); err != nil {
		t.Fatal(err)
	}
	toEnd(t, s)
	hash := s.Hash()
	text := logText(t, s.RunLog(1))
	events := make([]trace.Event, s.Len())
	for i := range events {
		events[i] = *s.Event(i)
	}
	if a, b := KeptName(events), KeptName(events[:len(events)-1]); a == b || a != KeptName(events) {
		t.Errorf("names %s and %s", a, b)
	}
	again := open(t, seedFlow(t), nil)
	id, err := again.AddKept("x.json", events)
	if err != nil || id != 1 || again.CurrentRun() != 0 {
		t.Fatal(id, err, again.CurrentRun())
	}
	if r := again.Runs()[1]; !r.Edited || r.Kept != "x.json" || r.Parent != -1 || r.Total != len(events) || !r.Finished {
		t.Errorf("it is listed as %+v", r)
	}
	if logText(t, again.RunTrace(id)) != text {
		t.Error("its trace is another one")
	}
	if _, err := again.SwitchRun(id); err != nil {
		t.Fatal(err)
	}
	again.Goto(len(events)).Run(t.Context())
	if again.Hash() != hash {
		t.Errorf("it ends with %s, not %s", again.Hash(), hash)
	}
	again.StepBack()
	if _, err := again.AddKept("empty.json", nil); err == nil {
		t.Error("a run without events is added")
	}
}
