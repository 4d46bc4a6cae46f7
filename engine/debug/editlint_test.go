package debug

import (
	"path/filepath"
	"testing"

	"flowdbg/trace"
)

// lintFindings are the findings about a run, notes left out, with the flow or without, from memory and from a file.
func lintFindings(t *testing.T, name string, events []trace.Event, setup *trace.Setup) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.json")
	if err := trace.WriteFile(path, events, trace.FormatArray); err != nil {
		t.Fatal(err)
	}
	store, err := trace.OpenStore(path, trace.StoreOptions{Setup: setup})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for done := false; !done; {
		if done, err = store.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	for from, log := range map[string]trace.Log{"memory": trace.MemLog(events), "file": store} {
		rep, err := trace.Lint(t.Context(), log, setup, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range rep.Findings {
			if !f.Note() {
				t.Errorf("%s, %s, flow %v: event %d: %s: %s", name, from, setup != nil, f.Event, f.Kind, f.Text)
			}
		}
		if setup != nil && rep.Hash != trace.HashVerified {
			t.Errorf("%s, %s: hash %s", name, from, rep.Hash)
		}
	}
}

// A run that a person edited breaks no rule, wherever the edit is, and the trace says what the edit did.
func TestLintKnowsEdits(t *testing.T) {
	for _, c := range []struct {
		at    int
		edits []string
	}{
		{0, []string{`inject critic task {"question":"Q"}`}}, {0, []string{`inject researcher task {"question":"Q"}`}}, {0, []string{`inject writer note 1`}},
		{0, []string{`drop researcher 0`}}, {0, []string{`answer researcher 0 {"question":"Z"}`}}, {0, []string{`drop researcher 0`, `inject critic task 1`}},
		{0, []string{`drop researcher 0`, `inject researcher task {"question":"Q"}`}}, {9, []string{`inject critic task 1`, `drop critic 0`}},
		{3, []string{`budget {"steps":3}`}}, {15, []string{`state writer {"n":1}`}},
	} {
		s := open(t, seedFlow(t), nil)
		toEnd(t, s)
		s.Goto(c.at).Run(ctx)
		for _, text := range c.edits {
			e, err := ParseEdit(text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Fork(e); err != nil {
				t.Fatal(text, err)
			}
		}
		events := toEnd(t, s)
		setup := s.Machine().Setup()
		for _, setup := range []*trace.Setup{nil, &setup} {
			lintFindings(t, c.edits[len(c.edits)-1], events, setup)
		}
	}
}
