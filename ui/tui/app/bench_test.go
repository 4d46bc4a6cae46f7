package app

import (
	"context"
	"fmt"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/ui/tui/keymap"
)

// benchDriver stands in the middle of a trace of n events at 200×60.
func benchDriver(b *testing.B, events, agents int) *driver {
	b.Helper()
	d := start(b, Config{Session: session(b, nil, longRecord(events/3, agents)), Theme: look(b, "dark", false)}, 200, 60)
	d.m.s.Goto(events / 2).Run(context.Background())
	d.m.arrive(true)
	d.hold = true
	d.frame()
	return d
}

// BenchmarkView draws one frame of 200×60.
func BenchmarkView(b *testing.B) {
	for _, c := range []struct {
		name           string
		events, agents int
	}{{"100k_events_5_agents", 100_000, 5}, {"1M_events_5_agents", 1_000_000, 5}, {"100k_events_10k_agents", 100_000, 10_000}} {
		b.Run(c.name, func(b *testing.B) {
			d := benchDriver(b, c.events, c.agents)
			b.ReportAllocs()
			for b.Loop() {
				d.m.View()
			}
		})
	}
}

// BenchmarkGoto goes through 90 000 events and back, slice by slice with a frame after each, as the program does.
func BenchmarkGoto(b *testing.B) {
	d := benchDriver(b, 100_000, 5)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.m.gotoPos([]int{95_000, 5_000}[i%2])
		for d.m.run != nil {
			d.m.Update(sliceMsg{d.m.run.id})
			d.m.View()
		}
	}
}

// BenchmarkReload is what follows the debounce of a save: the flow is read and checked, 1 000 steps are made again, and
// the frame with the first difference is drawn. The edit is in the step that comes last.
func BenchmarkReload(b *testing.B) {
	flow := func(limit int) []byte {
		return fmt.Appendf(nil, `{"version":1,"id":"ring","agents":[{"id":"a","kind":"echo"},{"id":"b","kind":"echo"}],
			"edges":[{"from":"a","port":"out","to":"b"},{"from":"b","port":"out","to":"a"}],"budget":{"steps":%d},"input":{"to":"a","tag":"t","payload":{"n":1}}}`, limit)
	}
	s := session(b, flow(1000), nil)
	s.Continue().Run(context.Background())
	d := start(b, Config{Session: s, Theme: look(b, "dark", false)}, 200, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		data := flow(1000 - i%2)
		m, diags := engine.Parse("flow.json", data, behavior.Builtin(), false)
		d.send(loadedMsg{id: d.m.loadID, machine: m, diags: diags, data: data})
		d.m.View()
	}
	if n := d.m.s.State().Begun(); n < 900 {
		b.Fatalf("only %d steps were made again", n)
	}
}

// BenchmarkSlice is the longest time that a key waits while a long move runs: one slice and one frame.
func BenchmarkSlice(b *testing.B) {
	d := benchDriver(b, 1_000_000, 5)
	d.m.gotoPos(0)
	b.ReportAllocs()
	for b.Loop() {
		if d.m.run == nil {
			d.m.gotoPos([]int{999_000, 0}[min(d.m.s.Pos(), 1)])
			continue
		}
		d.m.Update(sliceMsg{d.m.run.id})
		d.m.View()
	}
}

// TestFrameDoesNotGrow: a frame costs the same whatever the length of the trace.
func TestFrameDoesNotGrow(t *testing.T) {
	cost := func(events int) float64 {
		d := start(t, Config{Session: session(t, nil, longRecord(events/3, 5)), Theme: look(t, "dark", false)}, 200, 60)
		d.m.s.Goto(events / 2).Run(context.Background())
		d.m.arrive(true)
		return testing.AllocsPerRun(5, func() {
			d.do(keymap.Step, keymap.StepBack)
			d.m.View()
		})
	}
	short, long := cost(3_000), cost(60_000)
	if long > short*1.1+20 {
		t.Errorf("%.0f allocations at 60 000 events, %.0f at 3 000", long, short)
	}
}
