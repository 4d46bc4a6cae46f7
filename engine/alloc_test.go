package engine

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"flowdbg/trace"
)

// Allocations are counted, not timed: the counts are the same on a loaded machine. The gates stand some 15 % above what
// was measured, so that a lost optimisation shows and a new compiler does not.
const (
	gateReplay = 14.5  // allocations per step of a verified replay, measured 12.3
	gateHash   = 17.5  // the same with the state hash after every step
	gateLive   = 28.0  // a live run with the mock
	gateBytes  = 2_700 // bytes per step of a verified replay, measured 2.3 kB
)

type cost struct{ allocs, bytes float64 }

// costOf is what one call of run allocates, the smallest of three: the collector's own work only adds to it.
func costOf(tb testing.TB, run func()) cost {
	tb.Helper()
	best := cost{-1, -1}
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run()
		runtime.ReadMemStats(&after)
		c := cost{float64(after.Mallocs - before.Mallocs), float64(after.TotalAlloc - before.TotalAlloc)}
		if best.allocs < 0 || c.allocs < best.allocs {
			best = c
		}
	}
	return best
}

func replayCost(tb testing.TB, steps int, hash bool) cost {
	m := mustMachine(tb, cyclicFlow(tb, steps))
	log := trace.MemLog(record(tb, m))
	return costOf(tb, func() {
		r, err := NewReplayer(m, log, ReplayOptions{})
		for ended := false; err == nil && !ended; {
			if ended, err = r.Step(context.Background()); hash {
				r.State.Hash()
			}
		}
		if err != nil || r.Found != nil || r.State.Begun() != steps {
			tb.Fatal(err, r.Found)
		}
	})
}

func TestAllocationsPerStep(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	const steps = 2_000
	live := func() {
		m := mustMachine(t, cyclicFlow(t, steps))
		record(t, m)
	}
	for _, c := range []struct {
		name string
		got  cost
		gate float64
	}{
		{"verified replay", replayCost(t, steps, false), gateReplay},
		{"hash after every step", replayCost(t, steps, true), gateHash},
		{"live run", costOf(t, live), gateLive},
	} {
		per := c.got.allocs / steps
		t.Logf("%s: %.1f allocations and %.0f bytes a step", c.name, per, c.got.bytes/steps)
		if per > c.gate {
			t.Errorf("%s: %.1f allocations a step, the gate is %.1f", c.name, per, c.gate)
		}
	}
	if per := replayCost(t, steps, false).bytes / steps; per > gateBytes {
		t.Errorf("verified replay: %.0f bytes a step, the gate is %d", per, gateBytes)
	}
}

// Ten times the steps cost about ten times the allocations and bytes: nothing is done again for what lies behind.
func TestReplayCostGrowsLinearly(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	const n = 1_000
	for _, hash := range []bool{false, true} {
		small, large := replayCost(t, n, hash), replayCost(t, 10*n, hash)
		if a, b := large.allocs/small.allocs, large.bytes/small.bytes; a > 10.5 || b > 10.5 {
			t.Errorf("hash %v: ten times the steps cost %.2f times the allocations and %.2f times the bytes", hash, a, b)
		}
	}
}

// What one event keeps in memory: its struct, and the texts that it alone holds.
func TestEventSize(t *testing.T) {
	const gate = 320
	if size := unsafe.Sizeof(trace.Event{}); size > gate {
		t.Errorf("an event takes %d bytes, the gate is %d", size, gate)
	}
}

// Retained memory of a run that a session steps through: events, undo records and texts, per step.
func BenchmarkRetainedPerStep(b *testing.B) {
	for _, keep := range []KeepUndos{KeepNone, KeepAll} {
		b.Run(fmt.Sprint("keep=", keep), func(b *testing.B) {
			const n = 10_000
			m := mustMachine(b, cyclicFlow(b, n))
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				r, err := NewReplayer(m, nil, ReplayOptions{Keep: keep, Source: m.Bus()})
				for ended := false; err == nil && !ended; {
					ended, err = r.Step(context.Background())
				}
				if err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/step")
				b.ReportMetric(float64(r.Log().Len())/n, "events/step")
				runtime.KeepAlive(r)
			}
			b.ReportMetric(float64(unsafe.Sizeof(trace.Event{})), "B/event-struct")
			b.ReportMetric(float64(unsafe.Sizeof(trace.Undo{})), "B/undo-struct")
		})
	}
}
