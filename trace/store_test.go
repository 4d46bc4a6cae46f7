package trace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

func openStore(t interface {
	Helper()
	Fatal(...any)
}, path string, setup *Setup) *Store {
	t.Helper()
	s, err := OpenStore(path, StoreOptions{Setup: setup})
	if err != nil {
		t.Fatal(err)
	}
	for {
		done, err := s.Advance()
		if err != nil {
			t.Fatal(err)
		}
		if done {
			return s
		}
	}
}

// seen is everything that a view shows.
func seen(v View) string {
	out := fmt.Sprintf("%d %d %v %v %v %v %v", v.Step(), v.Begun(), v.Ledger(), v.Failed() != nil, v.Finished() != nil, v.ReadyCount(), v.Partial())
	for r := range v.AgentCount() {
		a := v.AgentAt(r)
		out += fmt.Sprintf("\n%s %s %d %v %d %d %d", a.ID, a.State, a.Inbox, a.Ready, a.WaitSteps, a.LastStep, a.Receives)
		for i := range a.Inbox {
			m, ok := v.InboxAt(a.ID, i)
			out += fmt.Sprint(" ", m.Text(), ok)
		}
		if got := v.Rank(a.ID); got != r {
			out += fmt.Sprintf(" rank %d", got)
		}
	}
	for _, k := range v.OutputKeys() {
		for i := range v.OutputLen(k) {
			m, _ := v.OutputAt(k, i)
			out += fmt.Sprint("\n", k, m.Text())
		}
	}
	next, ok := v.Next()
	return out + fmt.Sprint("\n", next, ok, v.NextReady(1))
}

// The index shows at every position what the fold shows, in every layout.
func TestStoreShowsWhatTheFoldShows(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "events")
		events := make([]Event, n)
		edits := false
		for i := range events {
			events[i] = genEvent(t, i+1, 3)
			if do, _ := events[i].Extra.Get("do").Str(); do == DoDrop || do == DoAnswer {
				edits = true
			}
		}
		if n > 3 && rapid.Bool().Draw(t, "finish") {
			events[n-1] = Event{Type: FinishEvent, Finish: &Finish{Steps: 1, StateHash: "00", Outputs: testOutputs, Reason: ReasonIdle}}
		}
		format := rapid.SampledFrom([]Format{FormatArray, FormatLines}).Draw(t, "format")
		var b bytes.Buffer
		if err := Write(&b, events, format); err != nil {
			t.Fatal(err)
		}
		text := b.Bytes()
		if format == FormatArray && n > 0 && rapid.Bool().Draw(t, "pretty") {
			text = bytes.ReplaceAll(text, []byte(`,"step":`), []byte(",\n  \"step\":"))
		}
		path := filepath.Join(dir, "t.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		setup := testSetup(4)
		store := openStore(t, path, &setup)
		defer store.Close()
		if store.Len() != n || store.Tear() != nil {
			t.Fatalf("%d events, want %d; tear %v\n%s", store.Len(), n, store.Tear(), text)
		}
		fold := NewState(setup)
		for k := 0; k <= n; k++ {
			view := store.ViewAt(k)
			f, err := store.FoldAt(k)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(f.AppendDocument(nil), fold.AppendDocument(nil)) {
				t.Fatalf("at %d the fold from the index is another:\n%s\n%s", k, f.AppendDocument(nil), fold.AppendDocument(nil))
			}
			if a, b := seen(view), seen(fold); a != b && !edits {
				t.Fatalf("at %d the index shows\n%s\nthe fold\n%s", k, a, b)
			}
			if k < n {
				e, err := store.Event(k)
				if err != nil || string(e.AppendJSON(nil)) != string(events[k].AppendJSON(nil)) {
					t.Fatalf("event %d: %v", k, err)
				}
				if h := store.Header(k); h.Agent != events[k].Agent || kindOf(h.Type) != kindOf(events[k].Type) {
					t.Fatalf("header %d: %+v", k, h)
				}
				fold.Apply(&events[k])
			}
		}
	})
}

func writeBigTrace(tb testing.TB, path string, events int) int64 {
	tb.Helper()
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	if err := GenTrace(f, events, 10, 300); err != nil {
		tb.Fatal(err)
	}
	st, err := f.Stat()
	if err != nil {
		tb.Fatal(err)
	}
	return st.Size()
}

func BenchmarkIndex(b *testing.B) {
	path := filepath.Join(b.TempDir(), "big.json")
	size := writeBigTrace(b, path, 200_000)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		s := openStore(b, path, nil)
		if s.Len() != 200_000 {
			b.Fatal(s.Len())
		}
		s.Close()
	}
}

func BenchmarkJump(b *testing.B) {
	path := filepath.Join(b.TempDir(), "big.json")
	writeBigTrace(b, path, 200_000)
	s := openStore(b, path, nil)
	defer s.Close()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i = (i*7919 + 104729) % 200_000
		v := s.ViewAt(i)
		for r := range v.AgentCount() {
			a := v.AgentAt(r)
			v.InboxAt(a.ID, 0)
		}
		v.Ledger()
	}
}
