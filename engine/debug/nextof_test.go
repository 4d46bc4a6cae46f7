package debug

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"flowdbg/trace"

	"pgregory.net/rapid"
)

// agentStops walks over all stops of an agent from the start to the end and back.
func agentStops(t testing.TB, s *Session, agent string) (there, back []int, hashes []string) {
	t.Helper()
	s.Restart()
	for {
		stop := s.NextOf(agent).Run(ctx)
		if stop.Reason != StopStep {
			if stop.Reason != StopEnd || !strings.Contains(stop.Message, agent+" has no step behind") {
				t.Fatalf("%s: %s", stop.Reason, stop.Message)
			}
			break
		}
		if stop.Agent != agent {
			t.Fatalf("at %d stands a step of %s", stop.Pos, stop.Agent)
		}
		there, hashes = append(there, stop.Pos), append(hashes, s.Hash())
	}
	for {
		stop := s.PrevOf(agent).Run(ctx)
		if stop.Reason != StopStep {
			if stop.Reason != StopStart || s.Pos() != 0 || !strings.Contains(stop.Message, agent+" has no step before") {
				t.Fatalf("%s: %s", stop.Reason, stop.Message)
			}
			return there, back, hashes
		}
		back = append(back, stop.Pos)
		if h := hashes[len(hashes)-len(back)]; s.Hash() != h {
			t.Fatalf("back at %d: another hash", stop.Pos)
		}
	}
}

// TestNextOf: the stops are the ends of the agent's steps, forward and in opposite order back, with equal hashes; live,
// in replay and in playback, in memory and over a file.
func TestNextOf(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	want := map[string][]int{"researcher": {3, 6, 9}, "critic": {12, 15}, "writer": {18, 21}}
	for agent, stops := range want {
		for name, s := range sessionsOf(t, record) {
			there, back, _ := agentStops(t, s, agent)
			slices.Reverse(back)
			if !slices.Equal(there, stops) || !slices.Equal(back, stops) {
				t.Errorf("%s, %s: there %v, back %v, want %v", name, agent, there, back, stops)
			}
			s.Goto(stops[0] - 1).Run(ctx)
			if stop := s.NextOf(agent).Run(ctx); stop.Pos != stops[0] {
				t.Errorf("%s, %s: from inside its step it goes to %d", name, agent, stop.Pos)
			}
			s.Goto(stops[1] - 1).Run(ctx)
			if stop := s.PrevOf(agent).Run(ctx); stop.Pos != stops[0] {
				t.Errorf("%s, %s: back from inside its step it goes to %d", name, agent, stop.Pos)
			}
		}
	}
}

func sessionsOf(t testing.TB, record []trace.Event) map[string]*Session {
	t.Helper()
	list := map[string]*Session{"live": open(t, seedFlow(t), nil), "replay": open(t, seedFlow(t), record)}
	for name, playback := range map[string]bool{"file, playback": true, "file, replay": false} {
		m := machine(t, seedFlow(t))
		setup := m.Setup()
		store := storeOf(t, record, &setup)
		index(t, store)
		s, err := New(Options{Machine: m, Store: store, PlaybackAll: playback})
		if err != nil {
			t.Fatal(err)
		}
		list[name] = s
	}
	return list
}

// Wherever a session stands, NextOf and PrevOf go to the next step of the agent that stepping one by one would show.
func TestNextOfIsManySteps(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	all := sessionsOf(t, record)
	rapid.Check(t, func(t *rapid.T) {
		agent := rapid.SampledFrom([]string{"researcher", "critic", "writer"}).Draw(t, "agent")
		s := all[rapid.SampledFrom([]string{"live", "replay", "file, playback", "file, replay"}).Draw(t, "session")]
		from := rapid.IntRange(0, len(record)).Draw(t, "from")
		back := rapid.Bool().Draw(t, "back")
		s.Goto(from).Run(ctx)
		for {
			var st Stop
			if back {
				st = s.StepBack()
			} else {
				st = s.Step(ctx)
			}
			if st.Reason != StopStep || st.Agent == agent && s.State().Finished() == nil && !(back && st.Pos == 0) {
				break
			}
		}
		want := s.Pos()
		s.Goto(from).Run(ctx)
		search := s.NextOf(agent)
		if back {
			search = s.PrevOf(agent)
		}
		if search.Run(ctx); s.Pos() != want {
			t.Fatalf("from %d, back %v: at %d, stepping goes to %d", from, back, s.Pos(), want)
		}
	})
}

// Over a file a step far away is found in the index, in one slice, and a search without an index can be interrupted.
func TestNextOfOverFile(t *testing.T) {
	store, _ := genStore(t, 60_000, 10, 50)
	s, err := New(Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	s.Goto(s.Total()).Run(ctx)
	if _, done := s.PrevOf("nobody").Slice(ctx); !done || s.Pos() != 0 {
		t.Errorf("a search for nobody is done %v at %d", done, s.Pos())
	}
	if stop, done := s.NextOf("nobody").Slice(ctx); !done || stop.Reason != StopEnd {
		t.Errorf("a search for nobody is done %v, %s", done, stop.Reason)
	}

	mem := trace.Trace{}
	for i := range store.Len() {
		e, err := store.Event(i)
		if err != nil {
			t.Fatal(err)
		}
		mem.Events = append(mem.Events, *e)
	}
	if s, err = New(Options{Trace: &mem}); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if stop := s.NextOf("nobody").Run(gone); stop.Reason != StopInterrupted {
		t.Errorf("interrupted, it says %s", stop.Reason)
	}
	q := s.NextOf("nobody")
	if _, done := q.Slice(ctx); done || s.Pos() != sliceEvents {
		t.Errorf("one slice ends at %d, done %v", s.Pos(), done)
	}
}

// The next and the previous step of an agent in an indexed file of a million events, from anywhere, with the stop card; and
// one slice of a search without an index, behind which Esc is looked at.
func BenchmarkNextOf(b *testing.B) {
	store, _ := genStore(b, 1_000_000, 100, 50)
	file, err := New(Options{Store: store})
	if err != nil {
		b.Fatal(err)
	}
	agent := file.Header(0).Agent
	b.Run("file", func(b *testing.B) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for b.Loop() {
			file.Goto(rnd.IntN(file.Total())).Run(ctx)
			file.NextOf(agent).Run(ctx)
			file.PrevOf(agent).Run(ctx)
		}
		b.ReportMetric(float64(file.Total()), "events")
	})
	b.Run("file, nobody", func(b *testing.B) {
		for b.Loop() {
			file.Restart()
			file.NextOf("nobody").Run(ctx)
		}
	})
	b.Run("memory, slice", func(b *testing.B) {
		mem := trace.Trace{}
		for i := range 100_000 {
			mem.Events = append(mem.Events, *file.Event(i))
		}
		s, err := New(Options{Trace: &mem})
		if err != nil {
			b.Fatal(err)
		}
		q := s.NextOf("nobody")
		for b.Loop() {
			if _, done := q.Slice(ctx); done {
				s.Restart()
				q = s.NextOf("nobody")
			}
		}
	})
}
