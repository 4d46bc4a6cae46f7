package debug

import (
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

// Goto anywhere in a trace of about 100 000 steps that lies in a file, with what a screen reads afterwards: every agent,
// the head of its inbox, the ledger and the stop card. Reported are the 99th percentile and what the session keeps.
func BenchmarkGotoFile(b *testing.B) {
	store, path := genStore(b, 300_000, 10, 200)
	s, err := New(Options{Store: store})
	if err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var took []time.Duration
	for b.Loop() {
		to := rnd.IntN(s.Total())
		start := time.Now()
		s.Goto(to).Run(ctx)
		view := s.State()
		for r := range view.AgentCount() {
			view.InboxAt(view.AgentAt(r).ID, 0)
		}
		_ = s.Stop().Text()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "kept-MB")
	st, _ := os.Stat(path)
	b.ReportMetric(float64(st.Size())/(1<<20), "trace-MB")
	b.ReportMetric(float64(s.Total()), "events")
}
