package debug

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// chain asks the world something about every message, and so goes on with the answer for ever: three events and one
// effect a step. Every request is made twice in a run of config.twice steps, and every tenth step leaves an output.
type chain struct{ twice int64 }

func (c chain) Act(call behavior.Call) (behavior.Result, error) {
	n, _ := call.State.Get("n").Int()
	ask := canon.Object(canon.Member{Key: "query", Value: canon.String(fmt.Sprintf("what is known about number %d of them", n%c.twice))})
	res := behavior.Result{
		State:  canon.Object(canon.Member{Key: "n", Value: canon.Int(n + 1)}, canon.Member{Key: "sum", Value: canon.Int(n * n % 1009)}),
		Effect: &behavior.Effect{Op: "search", Input: ask},
	}
	if n%10 == 9 {
		res.Sends = []trace.Send{{Port: "out", Tag: "tenth", Payload: canon.Int(n)}}
	}
	return res, nil
}

func chainFlow(steps int) []byte {
	return fmt.Appendf(nil, `{"version":1,"id":"chain","agents":[{"id":"a","kind":"chain","config":{"twice":%d}}],"edges":[],"budget":{"steps":%d},
		"input":{"to":"a","tag":"go","payload":{"n":0}}}`, max(1, steps/2), steps)
}

func chainMachine(tb testing.TB, steps int) *engine.Machine {
	tb.Helper()
	kinds := behavior.Builtin()
	if err := kinds.Register(behavior.Kind{Name: "chain", New: func(config canon.Value) (behavior.Behavior, []behavior.Problem) {
		twice, _ := config.Get("twice").Int()
		return chain{twice}, nil
	}}); err != nil {
		tb.Fatal(err)
	}
	m, diags := engine.Parse("flow.json", chainFlow(steps), kinds, false)
	if m == nil {
		tb.Fatal(diags)
	}
	return m
}

// longSession is a session over a run of the chain: live, a replay in memory or over a file, which stand at their ends;
// or a file that is played, in which nothing was run.
func longSession(tb testing.TB, kind string, steps int) *Session {
	tb.Helper()
	live, err := New(Options{Machine: chainMachine(tb, steps)})
	if err != nil {
		tb.Fatal(err)
	}
	events := toEnd(tb, live)
	if kind == "live" {
		return live
	}
	opt := Options{Machine: chainMachine(tb, steps), Trace: &trace.Trace{Events: events}}
	if kind == "file" || kind == "played" {
		path := filepath.Join(tb.TempDir(), "trace.json")
		if err := trace.WriteFile(path, events, trace.FormatArray); err != nil {
			tb.Fatal(err)
		}
		setup := opt.Machine.Setup()
		store, err := trace.OpenStore(path, trace.StoreOptions{Setup: &setup})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { store.Close() })
		index(tb, store)
		opt.Trace, opt.Store, opt.PlaybackAll = nil, store, kind == "played"
	}
	s, err := New(opt)
	if err != nil {
		tb.Fatal(err)
	}
	if kind == "played" {
		return s
	}
	if stop := s.Continue().Run(ctx); stop.Reason != StopEnd || s.Divergence() != nil {
		tb.Fatal(stop.Text())
	}
	return s
}

// dropRuns forgets the runs behind the first, so that a benchmark does not grow.
func dropRuns(tb testing.TB, s *Session, keep int) {
	if _, err := s.SwitchRun(0); err != nil {
		tb.Fatal(err)
	}
	s.runs = slices.Delete(s.runs, keep, len(s.runs))
}

// A fork of a long run, with and without an edit, at its start, in its middle and at its end; "deep" is a fork of the
// tenth fork of forks. With it goes the first step of the child, which asks for its first answer.
func BenchmarkFork(b *testing.B) {
	for _, kind := range []string{"live", "memory", "file", "played"} {
		for _, steps := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/steps=%d", kind, steps), func(b *testing.B) {
				s := longSession(b, kind, steps)
				for _, c := range []struct {
					name, edit string
					at         int
				}{
					{"start", "", 0}, {"middle", "", steps / 2 * 3}, {"end", "", s.Len()},
					{"message", `inject a note {"x":1}`, steps / 2 * 3}, {"state", `state a {"n":7}`, steps / 2 * 3},
					{"answer", `answer a 0 {"hits":[]}`, steps / 2 * 3}, {"budget", `budget {"steps":200000}`, s.Len()}, {"deep", "", steps / 2 * 3},
				} {
					b.Run(c.name, func(b *testing.B) { benchFork(b, s, c.at, c.edit, c.name == "deep") })
				}
			})
		}
	}
}

func benchFork(b *testing.B, s *Session, at int, edit string, deep bool) {
	dropRuns(b, s, 1)
	s.Goto(at).Run(ctx)
	for i := 0; deep && i < 9; i++ {
		if _, err := s.Fork(nil); err != nil {
			b.Fatal(err)
		}
		s.Step(ctx)
	}
	if edit != "" && !s.boundary(s.pos) {
		s.StepBack() // a message that waits inside a step need not wait at its start
	}
	from, keep := s.CurrentRun(), len(s.runs)
	var e *Edit
	if edit != "" {
		e = parseEdit(b, edit)
	}
	var took, first []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := s.Fork(e); err != nil {
			b.Fatal(err)
		}
		forked := time.Now()
		s.Step(ctx)
		took, first = append(took, forked.Sub(start)), append(first, time.Since(forked))
		if _, err := s.SwitchRun(from); err != nil {
			b.Fatal(err)
		}
		s.runs = slices.Delete(s.runs, keep, len(s.runs))
	}
	b.ReportMetric(float64(slices.Max(took).Microseconds())/1000, "fork-max-ms")
	b.ReportMetric(float64(slices.Max(first).Microseconds())/1000, "step-max-ms")
}

// What a fork allocates grows by a pointer for every 64 events of its parent, not by the events.
func TestForkDoesNotCopyItsParent(t *testing.T) {
	for _, kind := range []string{"live", "memory", "file"} {
		var cost [2]uint64
		for i, steps := range []int{500, 5_000} {
			s := longSession(t, kind, steps)
			s.Goto(s.Len() / 2).Run(ctx)
			e := parseEdit(t, `inject a note {"x":1}`)
			cost[i] = bytesOf(func() {
				if _, err := s.Fork(e); err != nil {
					t.Fatal(err)
				}
			})
			dropRuns(t, s, 1)
		}
		t.Logf("%s: a fork of 500 steps allocates %d bytes, one of 5 000 %d", kind, cost[0], cost[1])
		if cost[1] > 150_000 || cost[1] > 2*cost[0] {
			t.Errorf("%s: a fork of 500 steps allocates %d bytes, one of 5 000 %d", kind, cost[0], cost[1])
		}
	}
}

// bytesOf is what one call of run allocates, the smallest of three: the collector's own work only adds to it.
func bytesOf(run func()) uint64 {
	best := uint64(0)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run()
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; best == 0 || n < best {
			best = n
		}
	}
	return best
}

// What ten forks of one long run keep, against what the run itself keeps.
func BenchmarkForkMemory(b *testing.B) {
	for _, kind := range []string{"live", "memory", "file"} {
		b.Run(kind, func(b *testing.B) {
			before := heap()
			s := longSession(b, kind, 100_000)
			run := heap() - before
			s.Goto(150_000).Run(ctx)
			before = heap()
			const forks = 10
			for b.Loop() {
				dropRuns(b, s, 1)
				for range forks {
					if _, err := s.Fork(parseEdit(b, `inject a note {"x":1}`)); err != nil {
						b.Fatal(err)
					}
					s.Step(ctx)
					if _, err := s.SwitchRun(0); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(run, "run-MB")
			b.ReportMetric(heap()-before, "forks-MB")
			runtime.KeepAlive(s)
		})
	}
}

// heap is what is in use behind a collection, in megabytes.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// A reload of a whole run in which nothing differs, and until it is begun.
func BenchmarkReloadLong(b *testing.B) {
	for _, kind := range []string{"live", "memory", "file"} {
		for _, steps := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s/steps=%d", kind, steps), func(b *testing.B) {
				s := longSession(b, kind, steps)
				m := chainMachine(b, steps)
				begun, cpu := 0.0, 0.0
				for b.Loop() {
					start, before := time.Now(), cpuSeconds()
					r := s.BeginReload(m, nil, nil)
					begun += time.Since(start).Seconds()
					for {
						if res, done := r.Slice(ctx); done {
							if res.Difference != nil {
								b.Fatal(res.Difference)
							}
							break
						}
					}
					cpu += cpuSeconds() - before
					dropRuns(b, s, 1)
				}
				b.ReportMetric(1000*begun/float64(b.N), "begun-ms")
				b.ReportMetric(1000*cpu/float64(b.N), "cpu-ms")
			})
		}
	}
}
