package trace

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Whatever a file holds, no question about it panics, hangs, or answers differently from a second file with the same
// bytes.
func FuzzForensics(f *testing.F) {
	files, err := filepath.Glob("testdata/lint/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`[{"type":"x-intervention","step":1,"agent":"a","do":"inject","message":{"tag":"t"}},{"type":"receive","step":0,"agent":"a","message":{"tag":"t"}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "t.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := Open(path, OpenOptions{MemoryBytes: -1})
		if err != nil {
			return
		}
		defer o.Close()
		if o.Index(nil) != nil {
			return
		}
		askEverything(t, o.Log())
	})
}

func askEverything(t *testing.T, log Log) {
	ctx := context.Background()
	setup := diamond().setup()
	for _, s := range []*Setup{nil, &setup} {
		if _, err := Lint(ctx, log, s, nil); err != nil {
			t.Fatal(err)
		}
	}
	c, err := NewCauses(ctx, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range log.Len() {
		if _, err := c.Why(ctx, EventRef(i), 4); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CameOf(ctx, i, TreeLimits{Depth: 3, Breadth: 3}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := WhoChanged(ctx, log, log.Header(i).Agent, "/n", i, nil); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Diff(ctx, log, log, DiffOptions{}, nil)
	if err != nil || r.Verdict != DiffSame && r.Verdict != DiffNothing {
		t.Fatal(err, r)
	}
	if _, err := Costs(ctx, log, 2, nil); err != nil {
		t.Fatal(err)
	}
	for _, format := range ExportFormats {
		if _, err := Export(ctx, io.Discard, log, ExportOptions{Format: format}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, backward := range []bool{false, true} {
		if err := Find(ctx, log, FindQuery{Text: "a", IgnoreCase: true, Backward: backward, Start: log.Len() - 1}, nil, func(Hit) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
}

// Questions may be asked while the file is still being indexed: they answer about the events so far.
func TestForensicsWhileIndexing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	writeBigTrace(t, path, 30_000)
	s, err := OpenStore(path, StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Advance(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		for {
			end, err := s.Advance()
			if end || err != nil {
				done <- err
				return
			}
		}
	}()
	ctx := context.Background()
	c := causesOf(t, s)
	for range 2 {
		n := s.Len()
		if ch, err := c.Why(ctx, EventRef(n-1), 10); err != nil || !ch.Exact {
			t.Fatal(err, ch)
		}
		if err := Find(ctx, s, FindQuery{Text: "zebra"}, nil, func(Hit) bool { return true }); err != nil {
			t.Fatal(err)
		}
		if rep, err := Lint(ctx, s, nil, nil); err != nil || rep.Counts[FindSchedule]+rep.Counts[FindFIFO]+rep.Counts[FindLedger] > 0 {
			t.Fatal(err, rep.Findings)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if rep, err := Lint(ctx, s, nil, nil); err != nil || !rep.Clean() {
		t.Fatal(err, rep.Findings)
	}
}
