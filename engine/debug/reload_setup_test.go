package debug

import (
	"fmt"
	"path/filepath"
	"testing"

	"flowdbg/engine"
	"flowdbg/trace"
)

// setupMachine is a flow whose agents do the same whatever edge or kind is given.
func setupMachine(t *testing.T, kind, edge, more string) *engine.Machine {
	t.Helper()
	m, diags := engine.Parse("flow.json", fmt.Appendf(nil, `{"version":1,"id":"f","agents":[{"id":"a","kind":"echo"},{"id":"b","kind":"collect"},{"id":"c","kind":"%s"}%s],
"edges":[{"from":"a","port":"out","to":"b"}%s],"input":{"to":"a","tag":"go","payload":1}}`, kind, more, edge), propertyKinds(), false)
	if m == nil {
		t.Fatal(diags)
	}
	return m
}

// TestHashAfterReloadOfSetup: kinds and ports are a part of the hash. After a reload that changes nothing else, every
// position has the hash that folding the same events with the new flow gives, also where the file shows the state.
func TestHashAfterReloadOfSetup(t *testing.T) {
	old := setupMachine(t, "echo", "", "")
	s, err := New(Options{Machine: old})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.json")
	events := toEnd(t, s)
	if err := trace.WriteFile(path, events, trace.FormatArray); err != nil {
		t.Fatal(err)
	}
	for name, now := range map[string]*engine.Machine{"kind": setupMachine(t, "counter", "", ""), "port": setupMachine(t, "echo", `,{"from":"b","port":"never","to":"c"}`, ""), "nothing": setupMachine(t, "echo", "", ""), "agent": setupMachine(t, "echo", "", `,{"id":"d","kind":"echo"}`)} {
		for _, from := range []string{"memory", "file", "playback"} {
			t.Run(name+" "+from, func(t *testing.T) {
				opt := Options{Machine: old, Trace: &trace.Trace{Events: events}}
				if from != "memory" {
					setup := old.Setup()
					store, err := trace.OpenStore(path, trace.StoreOptions{Setup: &setup})
					if err != nil {
						t.Fatal(err)
					}
					defer store.Close()
					for done := false; !done; {
						if done, err = store.Advance(); err != nil {
							t.Fatal(err)
						}
					}
					opt.Trace, opt.Store, opt.PlaybackAll = nil, store, from == "playback"
				}
				s, err := New(opt)
				if err != nil {
					t.Fatal(err)
				}
				s.Goto(0).Run(ctx)
				toEnd(t, s)
				before := s.Hash()
				if res := s.Reload(ctx, now, nil, nil); res.Difference != nil && res.Difference.Verdict != engine.HashDiffers {
					t.Fatal(res.Difference)
				}
				for pos := range s.Len() + 1 {
					s.Goto(pos).Run(ctx)
					want := trace.NewState(now.Setup())
					for i := range pos {
						want.Apply(s.Event(i))
					}
					if got := s.Hash(); got != want.Hash() {
						t.Errorf("position %d: %.12s, want %.12s", pos, got, want.Hash())
					}
					for rank := range want.AgentCount() {
						w := want.AgentAt(rank)
						if g, _ := s.State().Agent(w.ID); g.Kind != w.Kind || g.Ports != w.Ports {
							t.Errorf("position %d: %s is %s %s, want %s %s", pos, w.ID, g.Kind, g.Ports.Text(), w.Kind, w.Ports.Text())
						}
					}
				}
				if s.Pos() == s.Len() && name != "nothing" && s.Hash() == before {
					t.Error("the hash does not depend on what was changed: this tests nothing")
				}
			})
		}
	}
}
