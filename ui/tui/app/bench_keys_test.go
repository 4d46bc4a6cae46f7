package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// timed is a driver that measures from a message to its frame.
type timed struct {
	*driver
	keys, slices []cost
	views        []cost // View alone, of all these frames
}

// cost is how long a frame took: by the clock, and on the processor.
type cost struct{ wall, cpu time.Duration }

// frameOf is Update and View, as Bubble Tea calls them.
func (d *timed) frameOf(msg tea.Msg) (cost, tea.Cmd) {
	begin, cpu := time.Now(), threadTime()
	_, cmd := d.m.Update(msg)
	view, viewCPU := time.Now(), threadTime()
	d.m.View()
	end, endCPU := time.Now(), threadTime()
	d.views = append(d.views, cost{end.Sub(view), endCPU - viewCPU})
	return cost{end.Sub(begin), endCPU - cpu}, cmd
}

// key presses a key and then does what came of it: each message that a command returns is a frame of its own, for which a key that
// comes in between has to wait.
func (d *timed) key(msg tea.KeyMsg) {
	took, cmd := d.frameOf(msg)
	d.keys = append(d.keys, took)
	d.after(cmd)
}

func (d *timed) after(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.after(c)
		}
	default:
		took, cmd := d.frameOf(msg)
		d.slices = append(d.slices, took)
		d.after(cmd)
	}
}

func (d *timed) report(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	tell := func(name string, list []cost) {
		for unit, of := range map[string]func(cost) time.Duration{"": func(c cost) time.Duration { return c.wall }, "-cpu": func(c cost) time.Duration { return c.cpu }} {
			x := make([]float64, len(list))
			for i := range list {
				x[i] = float64(of(list[i]).Nanoseconds()) / 1e6
			}
			slices.Sort(x)
			if name != "view" {
				b.ReportMetric(x[len(x)-1], "ms/"+name+"-max"+unit)
			}
			if name != "slice" {
				b.ReportMetric(x[len(x)/2], "ms/"+name+"-median"+unit)
			}
		}
	}
	tell("key", d.keys)
	tell("view", d.views)
	if len(d.slices) > 0 {
		tell("slice", d.slices)
	}
}

// keyKinds are what is pressed; each list is pressed over and over.
func keyKinds(b *testing.B, d *driver, pos int) map[string][]tea.KeyMsg {
	act := func(ids ...keymap.ID) (list []tea.KeyMsg) {
		for _, id := range ids {
			a, _ := d.m.keys.Get(id)
			list = append(list, keyMsg(b, a.Key()))
		}
		return list
	}
	typed := func(keys []tea.KeyMsg, text string, end ...string) []tea.KeyMsg {
		for _, r := range text {
			keys = append(keys, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
		}
		for _, k := range end {
			keys = append(keys, keyMsg(b, k))
		}
		return keys
	}
	return map[string][]tea.KeyMsg{
		"step":   act(keymap.Step, keymap.StepBack),
		"event":  act(keymap.NextEvent, keymap.PrevEvent),
		"goto":   append(typed(act(keymap.Goto), fmt.Sprint(pos+997), "enter"), typed(act(keymap.Goto), fmt.Sprint(pos), "enter")...),
		"cursor": act(keymap.Down, keymap.Down, keymap.Up),
		"page":   act(keymap.PageDown, keymap.PageDown, keymap.PageUp),
		"ends":   act(keymap.End, keymap.Home),
		"search": typed(act(keymap.Search), "=payload.x", "ctrl+u", "esc"),
	}
}

var benchSizes = []struct {
	name               string
	events, candidates int
}{{"100k", 100_000, 2_000}, {"1M", 1_000_000, 5_000}}

// compared is a replay of a ring of two agents to the middle of so many events, beside the record of it.
func compared(b *testing.B, events int) *driver {
	flow := fmt.Appendf(nil, `{"version":1,"id":"ring","agents":[{"id":"a","kind":"echo"},{"id":"b","kind":"echo"}],
		"edges":[{"from":"a","port":"out","to":"b"},{"from":"b","port":"out","to":"a"}],"budget":{"steps":%d},"input":{"to":"a","tag":"t","payload":{"n":1}}}`, events/3)
	record := recordOf(b, flow)
	return start(b, Config{Session: session(b, flow, record), Theme: look(b, "dark", false)}, 200, 60)
}

// settled shows a view and waits until it knows all that it shows.
func (d *timed) settled(v viewNo) {
	a, _ := d.m.keys.Get(keymap.View(int(v)))
	d.key(keyMsg(d.t, a.Key()))
	d.keys, d.slices, d.views = nil, nil, nil
}

// BenchmarkKeys is the time from a key to its frame at 200×60, in each view, in the middle of a trace with thousands of calls and
// candidates; the view compare has a record beside it. key-median and key-max are Update and View of the key itself, slice-max
// the longest of the messages in between (a slice of a move or of a summary, an arriving result), for which a key may have to
// wait first. The endings -cpu are the same on the processor, without the wait for a turn.
func BenchmarkKeys(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			d := &timed{driver: start(b, Config{Session: session(b, nil, mixedRecord(b, size.events, size.candidates)), Theme: look(b, "dark", false)}, 200, 60)}
			beside := &timed{driver: compared(b, size.events)}
			for _, x := range []*timed{d, beside} {
				x.m.s.Goto(size.events / 2).Run(context.Background())
				x.after(x.m.arrive(true))
			}
			for no, name := range viewNames {
				x := d
				if viewNo(no+1) == viewCompare {
					x = beside
				}
				benchView(b, x, viewNo(no+1), name, size.events/2)
			}
			b.Run("views", func(b *testing.B) {
				defer lockThread()()
				d.settled(viewDebug)
				for b.Loop() {
					for i := range 45 {
						a, _ := d.m.keys.Get(keymap.View(1 + i*2%9))
						d.key(keyMsg(b, a.Key()))
					}
				}
				d.report(b)
			})
		})
	}
}

func benchView(b *testing.B, d *timed, v viewNo, name string, pos int) {
	kinds := keyKinds(b, d.driver, pos)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		b.Run(name+"/"+kind, func(b *testing.B) {
			defer lockThread()()
			d.settled(v)
			keys := kinds[kind]
			for b.Loop() {
				for i := range 48 {
					d.key(keys[i%len(keys)])
				}
				d.press("esc", "esc")
			}
			d.report(b)
		})
	}
}
