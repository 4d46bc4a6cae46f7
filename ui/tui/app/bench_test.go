package app

import (
	"context"
	"testing"

	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
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

// BenchmarkKeyToFrame presses a key and draws the frame: steps forward and back, and the cursor through the events.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, events := range []int{100_000, 1_000_000} {
		for name, ids := range map[string][]keymap.ID{"step": {keymap.Step, keymap.StepBack}, "cursor": {keymap.Down, keymap.Up}, "page": {keymap.PageDown, keymap.PageUp}} {
			b.Run(name+map[int]string{100_000: "_100k", 1_000_000: "_1M"}[events], func(b *testing.B) {
				d := benchDriver(b, events, 5)
				var keys []tea.KeyMsg
				for _, id := range ids {
					a, _ := d.m.keys.Get(id)
					keys = append(keys, keyMsg(b, a.Key()))
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					d.m.Update(keys[i%len(keys)])
					d.m.View()
				}
			})
		}
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
