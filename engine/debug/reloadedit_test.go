package debug

import (
	"bytes"
	"strings"
	"testing"

	"flowdbg/trace"
)

// editedRun is a session that shows an edited run, made to its end from a position on.
func editedRun(t *testing.T, at int, edit string) *Session {
	t.Helper()
	s := open(t, seedFlow(t), nil)
	toEnd(t, s)
	s.Goto(at).Run(ctx)
	e, err := ParseEdit(edit)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fork(e); err != nil {
		t.Fatal(err)
	}
	s.Continue().Run(ctx)
	return s
}

// A reload of an edited run applies its edits again, where they were made: an unchanged flow makes the same run.
func TestReloadKeepsEdits(t *testing.T) {
	for _, c := range []struct {
		at   int
		edit string
	}{
		{15, `state critic {"n":1}`}, {0, `state researcher {"n":1}`}, {0, `inject researcher task {"question":"Q"}`}, {0, `drop researcher 0`}, {0, `answer researcher 0 {"question":"Q"}`},
		{0, `budget {"usd":0.00001}`}, {15, `budget {"steps":6}`}, {22, `inject researcher task {"question":"Q"}`},
	} {
		t.Run(c.edit, func(t *testing.T) {
			s := editedRun(t, c.at, c.edit)
			for range 2 { // and a reload of what a reload made
				old, hash := s.RunLog(s.CurrentRun()), s.Hash()
				res := s.Reload(ctx, machine(t, seedFlow(t)), nil, nil)
				if res.Difference != nil || strings.Contains(res.Stop.Message, "not in this run") || !s.Runs()[s.CurrentRun()].Edited {
					t.Fatalf("%+v, %+v", res, s.Runs()[s.CurrentRun()])
				}
				if s.Len() != old.Len() || s.Hash() != hash {
					t.Fatalf("%d events and hash %.12s, had %d and %.12s", s.Len(), s.Hash(), old.Len(), hash)
				}
				for i := range s.Len() {
					e, err := old.Event(i)
					if err != nil {
						t.Fatal(err)
					}
					if got, want := s.Event(i).Compared().Text(), e.Compared().Text(); got != want {
						t.Errorf("event %d: %s, was %s", i, got, want)
					}
				}
				if len(s.Problems()) > 2 {
					t.Error(s.Problems())
				}
			}
			for pos := range s.Len() + 1 { // what is shown is the fold over the events, also on the way back
				s.Goto(s.Len() - pos).Run(ctx)
				want := trace.NewState(s.Machine().Setup())
				for i := range s.Pos() {
					want.Apply(s.Event(i))
				}
				if s.Hash() != want.Hash() {
					t.Fatalf("another state at position %d", s.Pos())
				}
			}
		})
	}
}

// Behind a difference an edit would mean something else: it is left out, and the reload says so. A difference behind the
// edit leaves it in.
func TestReloadLeavesEditsOut(t *testing.T) {
	changed := bytes.Replace(seedFlow(t), []byte("mock-strong"), []byte("mock-other"), 1)
	s := editedRun(t, 22, `inject researcher task {"question":"Q"}`)
	res := s.Reload(ctx, machine(t, changed), nil, nil)
	if last := s.Problems()[len(s.Problems())-1]; res.Difference == nil || s.Runs()[2].Edited || !strings.HasSuffix(res.Stop.Message, "the edit of run 1 is not in this run") || !strings.HasSuffix(last.Text, "the edit of run 1 is not in this run") {
		t.Fatalf("%+v, problem %q", res.Stop, last.Text)
	}
	s = editedRun(t, 0, `state critic {"n":1}`)
	if res := s.Reload(ctx, machine(t, changed), nil, nil); res.Difference == nil || !s.Runs()[2].Edited || strings.Contains(res.Stop.Message, "not in this run") {
		t.Fatalf("%+v", res.Stop)
	}
}

// An edit that the new flow has no place for is told, not skipped.
func TestReloadRefusesAnEdit(t *testing.T) {
	without := bytes.Replace(seedFlow(t), []byte(`"agents": [`), []byte(`"agents": [{"id":"spare","kind":"echo"},`), 1)
	s := open(t, without, nil)
	e, err := ParseEdit(`state spare 1`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fork(e); err != nil {
		t.Fatal(err)
	}
	s.Continue().Run(ctx)
	res := s.Reload(ctx, machine(t, seedFlow(t)), nil, nil)
	if s.Runs()[2].Edited || !strings.Contains(res.Stop.Message, "an edit of run 1 is not in this run: ") {
		t.Fatalf("%+v", res.Stop)
	}
}
