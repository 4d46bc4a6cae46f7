package examples

import (
	"context"
	"path/filepath"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/trace"
)

// Each whole example, played back without its behaviours, shows the same state at every index as the replay that runs
// them: the canonical document with the flow, and inboxes, states and ledger without any flow.
func TestPlaybackShowsWhatReplayShows(t *testing.T) {
	flows, err := filepath.Glob("*/flow.json")
	if err != nil || len(flows) < 10 {
		t.Fatal(flows, err)
	}
	compared := 0
	for _, path := range append(flows, "research-pipeline.json") {
		tracePath := filepath.Join(filepath.Dir(path), "trace.json")
		if path == "research-pipeline.json" {
			tracePath = "research-trace.json"
		}
		t.Run(tracePath, func(t *testing.T) {
			tr, err := trace.Read(read(t, tracePath))
			if err != nil {
				t.Fatal(err)
			}
			compared += comparePlayback(t, path, tr)
		})
	}
	if compared < 2_000 {
		t.Fatalf("only %d positions were compared", compared)
	}
}

// comparePlayback walks a replay and both playbacks side by side as far as the replay equals the record.
func comparePlayback(t *testing.T, flowPath string, tr *trace.Trace) (positions int) {
	t.Helper()
	open := func(o debug.Options) *debug.Session {
		o.Trace = tr
		s, err := debug.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ctx := context.Background()
	run := open(debug.Options{Machine: scriptMachine(t, flowPath)})
	with := open(debug.Options{Machine: scriptMachine(t, flowPath), PlaybackAll: true})
	alone := open(debug.Options{})
	for {
		positions++
		if a, b := run.Hash(), with.Hash(); a != b {
			t.Fatalf("event %d: replay %s, playback %s", run.Pos(), a, b)
		}
		sameViews(t, run.Pos(), run.State(), alone.State())
		if run.Pos() == len(tr.Events) { // behind a record without finish the run would go on live
			return positions
		}
		if stop := run.NextEvent(ctx); stop.Reason != debug.StopEvent {
			return positions
		}
		with.NextEvent(ctx)
		alone.NextEvent(ctx)
	}
}

func sameViews(t *testing.T, at int, run, alone trace.View) {
	t.Helper()
	if run.Ledger() != alone.Ledger() || run.Begun() != alone.Begun() || run.ReadyCount() != alone.ReadyCount() {
		t.Fatalf("event %d: ledger %v and %v, steps %d and %d, ready %d and %d", at, run.Ledger(), alone.Ledger(), run.Begun(), alone.Begun(), run.ReadyCount(), alone.ReadyCount())
	}
	for i := range alone.AgentCount() {
		b := alone.AgentAt(i)
		a, ok := run.Agent(b.ID)
		if !ok || a.State != b.State || a.Inbox != b.Inbox || a.LastStep != b.LastStep {
			t.Fatalf("event %d, agent %s: %+v and %+v", at, b.ID, a, b)
		}
		for k := range a.Inbox {
			x, _ := run.InboxAt(b.ID, k)
			if y, _ := alone.InboxAt(b.ID, k); !x.Equal(y) {
				t.Fatalf("event %d: message %d of %s differs", at, k, b.ID)
			}
		}
	}
}
