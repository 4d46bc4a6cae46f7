package debug

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"flowdbg/trace"
)

// note is a line of ours.
func note(t testing.TB, n int) trace.Event {
	t.Helper()
	return readEvents(t, fmt.Sprintf(`[{"type":"x-note","n":%d}]`, n))[0]
}

func readEvents(t testing.TB, text string) []trace.Event {
	t.Helper()
	tr, err := trace.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr.Events
}

// littered is a record with lines of ours at every place and a cancelled copy of step 4 before it.
func littered(t testing.TB, record []trace.Event) []trace.Event {
	t.Helper()
	var list []trace.Event
	for i, e := range record {
		list = append(list, note(t, i))
		if e.Type == trace.Receive && e.Step == 4 {
			for _, again := range record[i:] {
				if again.Step != 4 {
					break
				}
				list = append(list, again)
			}
			list = append(list, readEvents(t, `[{"type":"x-cancel","step":4}]`)...)
		}
		list = append(list, e)
	}
	list = append(list, note(t, len(record)))
	trace.Normalise(list)
	return list
}

// stops are the positions of steps on the way to the end; walk goes there and back and forward again.
func walk(t *testing.T, s *Session) []int {
	t.Helper()
	var stops []int
	var hashes []string
	for s.Step(ctx).Reason == StopStep {
		stops, hashes = append(stops, s.Pos()), append(hashes, s.Hash())
	}
	end := s.Pos()
	if stop := s.Step(ctx); stop.Reason != StopEnd || s.Pos() != end {
		t.Fatalf("behind the end: %s at %d", stop.Reason, s.Pos())
	}
	for i := len(stops) - 2; i >= 0; i-- {
		if s.StepBack(); s.Pos() != stops[i] || s.Hash() != hashes[i] {
			t.Fatalf("back to step %d: at %d, want %d", i+1, s.Pos(), stops[i])
		}
	}
	if s.StepBack(); s.Pos() != 0 {
		t.Fatalf("before the first step: at %d", s.Pos())
	}
	for i := range stops {
		if s.Step(ctx); s.Pos() != stops[i] || s.Hash() != hashes[i] {
			t.Fatalf("forward again to step %d: at %d, want %d", i+1, s.Pos(), stops[i])
		}
	}
	return stops
}

// Lines of ours and cancelled steps belong to no step: steps are the same forward, back and forward again, in a replay
// and played back, in memory and over a file.
func TestStepsAmongOtherLines(t *testing.T) {
	plain := toEnd(t, open(t, seedFlow(t), nil))
	record := littered(t, plain)
	m := machine(t, seedFlow(t))
	setup := m.Setup()
	store := storeOf(t, record, &setup)
	index(t, store)
	var want []int
	for name, opt := range map[string]Options{
		"replay":           {Machine: m, Trace: &trace.Trace{Events: record}},
		"playback":         {Machine: m, Trace: &trace.Trace{Events: record}, PlaybackAll: true},
		"replay of a file": {Machine: m, Store: store},
		"playback of one":  {Machine: m, Store: store, PlaybackAll: true},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := New(opt)
			if err != nil {
				t.Fatal(err)
			}
			stops := walk(t, s)
			if len(stops) != 8 {
				t.Fatalf("steps end at %v", stops)
			}
			if want == nil {
				want = stops
			}
			if !slices.Equal(stops, want) {
				t.Fatalf("steps end at %v, elsewhere at %v", stops, want)
			}
			for k, at := range stops[:7] {
				if pos, ok := s.StepPos(k + 1); !ok || pos != at {
					t.Fatalf("step %d ends at %d, want %d", k+1, pos, at)
				}
				if e := s.Event(at - 1); passive(s.Header(at-1)) || e.Step != k+1 {
					t.Fatalf("step %d ends behind %s of step %d", k+1, e.Type, e.Step)
				}
			}
			if pos, ok := s.StepPos(8); ok || pos != s.Total() {
				t.Fatalf("step 8: %d, %v", pos, ok)
			}
		})
	}
}

// A cancelled step's receive triggers no breakpoint and is on no stop card.
func TestCancelledStepIsNoStop(t *testing.T) {
	record := littered(t, toEnd(t, open(t, seedFlow(t), nil)))
	s := open(t, seedFlow(t), record)
	mustBreak(t, s, Breakpoint{Kind: BreakAgent, Name: "critic"})
	n := 0
	for s.Continue().Run(ctx).Reason == StopBreak {
		n++
		if s.Event(s.Pos() - 1).Cancelled() {
			t.Fatal("stopped in a cancelled step")
		}
	}
	if n != 2 {
		t.Fatalf("%d stops, want the critic's two", n)
	}
	cancel := slices.IndexFunc(record, func(e trace.Event) bool { return e.Type == trace.XCancel })
	if stop := s.Goto(cancel).Run(ctx); stop.Agent != "researcher" || stop.Step != 3 {
		t.Fatalf("the card tells of a cancelled step: %+v", stop)
	}
}

// A trace that goes on behind finish is not the run's: the session says so.
func TestDivergedBehindFinish(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	record = append(record, record[0])
	s := open(t, seedFlow(t), record)
	stop := s.Continue().Run(ctx)
	if stop.Reason != StopDiverged || s.HashStatus().Kind != HashDiffers || s.Divergence().Index != len(record)-1 {
		t.Fatalf("%s: %s", stop.Reason, stop.Message)
	}
}

// The steps error is a stop of its own, at the boundary behind the last step.
func TestStepsErrorIsAStop(t *testing.T) {
	flow := bytes.Replace(seedFlow(t), []byte(`"steps": 100`), []byte(`"steps": 2`), 1)
	s := open(t, flow, nil)
	stops := walk(t, s)
	if e := s.Event(stops[2] - 1); len(stops) != 4 || e.Type != trace.ErrorEvent || e.Agent != "" || s.State().Begun() != 2 {
		t.Fatalf("stops at %v", stops)
	}
	if pos, ok := s.StepPos(2); !ok || pos != stops[1] {
		t.Fatalf("step 2 ends at %d, want %d", pos, stops[1])
	}
}

// First states are before the first step: a position inside them is no boundary.
func TestStepsBehindFirstStates(t *testing.T) {
	record := readEvents(t, `[{"type":"x-init","step":0,"agent":"a","state":1},{"type":"x-init","step":0,"agent":"b","state":1},
{"type":"receive","step":1,"agent":"a","message":{"payload":1,"tag":"t"}},{"type":"act","step":1,"agent":"a","state":2,"send":[]}]`)
	s, err := New(Options{Trace: &trace.Trace{Events: record}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Step(ctx); s.Pos() != 4 {
		t.Fatalf("step 1 ends at %d", s.Pos())
	}
	if s.StepBack(); s.Pos() != 0 {
		t.Fatalf("back at %d", s.Pos())
	}
	if st := s.HashStatus(); st.Kind != HashNoFlow || s.Hash() != "" {
		t.Fatalf("%v", st)
	}
}
