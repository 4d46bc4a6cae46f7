package debug

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"flowdbg/trace"
)

// genFile is a trace of about 100 000 steps of ten agents in a file: 300 000 events.
func genFile(tb testing.TB, events int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "trace.json")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := trace.GenTrace(f, events, 10, 200); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// playedSession plays a generated trace back, from the file or from memory.
func playedSession(tb testing.TB, kind, path string) *Session {
	tb.Helper()
	opt := Options{}
	if kind == "file" {
		store, err := trace.OpenStore(path, trace.StoreOptions{})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { store.Close() })
		index(tb, store)
		opt.Store = store
	} else {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		if opt.Trace, err = trace.Read(data); err != nil {
			tb.Fatal(err)
		}
	}
	s, err := New(opt)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// neverBreaks are breakpoints that have to look at every event of their kind and stop nowhere.
var neverBreaks = map[string]string{
	"none":     "error",
	"payload":  `when payload != "go" and payload.n == -1`,
	"response": `when type == "effect" and response.n == -1`,
	"state":    "when state.step == -1",
	"state_of": `when state_of("agent-003") and state_of("agent-003").step == -1`,
	"inbox":    `when inbox("agent-003") > 5`,
	"ledger":   "when spent < 0",
	"text":     `when "no such text" in text`,
	"count":    "tag note from 1000000",
	"log":      `agent agent-003 log when payload != "go" and payload.n == -1`,
	"changed":  "changed agent-003 /nothing",
	"hash":     "hash",
	"usd":      "usd 1000000",
}

// reverse-continue from the end of 100 000 steps to their start.
func BenchmarkReverse(b *testing.B) {
	path := genFile(b, 300_000)
	for _, kind := range []string{"memory", "file"} {
		s := playedSession(b, kind, path)
		s.Goto(s.Total()).Run(ctx)
		for name, spec := range neverBreaks {
			b.Run(kind+"/"+name, func(b *testing.B) {
				bp, err := ParseBreakpoint(spec)
				if err != nil {
					b.Fatal(err)
				}
				p := mustBreak(b, s, bp)
				defer s.Unbreak(p.ID)
				cpu := 0.0
				for b.Loop() {
					b.StopTimer()
					s.Goto(s.Total()).Run(ctx)
					p.seen = map[string]*hitList{}
					b.StartTimer()
					before := cpuSeconds()
					if stop := s.ReverseContinue().Run(context.Background()); stop.Reason != StopStart {
						b.Fatal(stop.Text())
					}
					cpu += cpuSeconds() - before
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/run")
				b.ReportMetric(cpu/float64(b.N), "cpu-s/run")
			})
		}
	}
}
