package debug

import (
	"path/filepath"
	"testing"

	"flowdbg/engine"
	"flowdbg/trace"
)

func storeOf(t testing.TB, events []trace.Event, setup *trace.Setup) *trace.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.json")
	if err := trace.WriteFile(path, events, trace.FormatArray); err != nil {
		t.Fatal(err)
	}
	s, err := trace.OpenStore(path, trace.StoreOptions{Setup: setup})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func index(t testing.TB, s *trace.Store) {
	t.Helper()
	for {
		done, err := s.Advance()
		if err != nil {
			t.Fatal(err)
		}
		if done {
			return
		}
	}
}

// A session over a file shows the same as one in memory, at every position, both ways, played back and replayed.
func TestStoreSessionEqualsMemorySession(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	for _, playback := range []bool{true, false} {
		m := machine(t, seedFlow(t))
		setup := m.Setup()
		store := storeOf(t, record, &setup)
		index(t, store)
		over, err := New(Options{Machine: m, Store: store, PlaybackAll: playback})
		if err != nil {
			t.Fatal(err)
		}
		mem, err := New(Options{Machine: machine(t, seedFlow(t)), Trace: &trace.Trace{Events: record}, PlaybackAll: playback})
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b Stop) {
			t.Helper()
			if a.Text() != b.Text() || over.Hash() != mem.Hash() || over.Total() != mem.Total() || over.AtEnd() != mem.AtEnd() {
				t.Fatalf("playback %v at %d and %d:\n%s\n%s", playback, over.Pos(), mem.Pos(), a.Text(), b.Text())
			}
			for i := range over.State().AgentCount() {
				if x, y := over.State().AgentAt(i), mem.State().AgentAt(i); x != y {
					t.Fatalf("playback %v at %d: %+v and %+v", playback, over.Pos(), x, y)
				}
			}
		}
		for !mem.AtEnd() {
			same(over.NextEvent(ctx), mem.NextEvent(ctx))
		}
		for mem.Pos() > 0 {
			same(over.StepBack(), mem.StepBack())
		}
		for _, p := range []int{5, len(record), 2} {
			same(over.Goto(p).Run(ctx), mem.Goto(p).Run(ctx))
		}
		for _, s := range []*Session{over, mem} {
			mustBreak(t, s, Breakpoint{Kind: BreakTag, Name: "critique"})
		}
		same(over.Continue().Run(ctx), mem.Continue().Run(ctx))
		same(over.Continue().Run(ctx), mem.Continue().Run(ctx))
		same(over.ReverseContinue().Run(ctx), mem.ReverseContinue().Run(ctx))
	}
}

// Behind the first difference, and behind the end of a prefix, a session over a file goes on in memory.
func TestStoreSessionBeyondItsRecord(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	m := machine(t, seedFlow(t))
	setup := m.Setup()
	store := storeOf(t, record[:9], &setup)
	s, err := New(Options{Machine: m, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	if stop := s.Step(ctx); stop.Err == nil {
		t.Fatalf("ran beside a record that is not indexed: %s", stop.Text())
	}
	index(t, store)
	toEnd(t, s)
	if s.Len() != len(record) || s.HashStatus().Kind != HashBeyond {
		t.Fatalf("%d events, hash %v", s.Len(), s.HashStatus())
	}
	want := s.Hash()
	s.Goto(4).Run(ctx)
	s.Goto(len(record) - 1).Run(ctx)
	s.Goto(len(record)).Run(ctx)
	if s.Hash() != want || want != record[len(record)-1].Finish.StateHash {
		t.Fatal("another hash after going back and forward")
	}
	events, err := engine.Events(s.log())
	if err != nil || len(events) != len(record) {
		t.Fatal(err)
	}
}
