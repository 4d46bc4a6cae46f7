package trace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

func diffText(r *DiffReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d equal (%d shifted), %d changed, %d clock, %d only recorded, %d only got\n", r.Verdict, r.Equal, r.Shifted, r.Changed, r.Clock, r.OnlyRecorded, r.OnlyGot)
	for name, p := range map[string]*DiffPoint{"first": r.First, "real": r.FirstReal} {
		if p != nil && (name == "first" || p != r.First) {
			fmt.Fprintf(&b, "%s: %d/%d step %d %s %s %s: %s | %s\n", name, p.Recorded, p.Got, p.Step, p.Type, p.Agent, p.Path, preview(p.RecordedValue), preview(p.GotValue))
		}
	}
	for _, h := range r.Hunks {
		for _, l := range h.Lines {
			fmt.Fprintf(&b, " %s %d/%d %s", l.Op, l.Recorded, l.Got, l.Path)
			if l.Path != "" {
				fmt.Fprintf(&b, ": %s | %s", l.RecordedValue, l.GotValue)
			}
			b.WriteByte('\n')
		}
		if h.More > 0 {
			fmt.Fprintf(&b, " +%d lines\n", h.More)
		}
		b.WriteString("--\n")
	}
	if r.MoreHunks > 0 {
		fmt.Fprintf(&b, "+%d hunks\n", r.MoreHunks)
	}
	if len(r.ClockFields) > 0 {
		fmt.Fprintln(&b, r.ClockFields)
	}
	for _, n := range r.Notes {
		b.WriteString(n + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// changed is a copy of the events with one replaced.
func changed(events []Event, i int, f func(*Event)) []Event {
	out := append([]Event(nil), events...)
	f(&out[i])
	return out
}

func timing(ms int, at string) canon.Value {
	return canon.Object(canon.Member{Key: "text", Value: canon.String("hi")}, canon.Member{Key: "run", Value: canon.Object(
		canon.Member{Key: "elapsed_ms", Value: num(ms)}, canon.Member{Key: "signed_at", Value: canon.String(at)})})
}

// diffCase is two traces and what comparing them says.
type diffCase struct {
	a, b []Event
	opt  DiffOptions
	want string
}

// valueCases differ in what single events hold, or not at all.
func valueCases() map[string]diffCase {
	base := diamond().run(100)
	clocked := changed(base, 6, func(e *Event) { e.Response = timing(12, "monday") })
	return map[string]diffCase{
		"same":    {base, base, DiffOptions{}, "same: 26 equal (0 shifted), 0 changed, 0 clock, 0 only recorded, 0 only got"},
		"nothing": {nil, nil, DiffOptions{}, "nothing_compared: 0 equal (0 shifted), 0 changed, 0 clock, 0 only recorded, 0 only got"},
		"side is not compared": {base, changed(base, 6, func(e *Event) { e.Side = canon.True; e.Extra = canon.Object(canon.Member{Key: "x", Value: canon.True}) }), DiffOptions{},
			"same: 26 equal (0 shifted), 0 changed, 0 clock, 0 only recorded, 0 only got"},
		"one value": {base, changed(base, 8, func(e *Event) { e.State = canon.Object(canon.Member{Key: "n", Value: num(9)}) }), DiffOptions{Context: 1},
			`different: 25 equal (0 shifted), 1 changed, 0 clock, 0 only recorded, 0 only got
first: 8/8 step 3 act b /state/last: "effect" | 
 equal 7/7 
 changed 8/8 /state/last: "effect" | 
 equal 9/9 
--`},
		"clock": {clocked, changed(changed(base, 6, func(e *Event) { e.Response = timing(99, "friday") }), 25, func(e *Event) {
			f := *e.Finish
			f.StateHash = "00"
			e.Finish = &f
		}), DiffOptions{Context: -1}, `clock_only: 24 equal (0 shifted), 0 changed, 2 clock, 0 only recorded, 0 only got
first: 6/6 step 2 effect b /response/run/elapsed_ms: 12 | 99
 clock 6/6 /response/run/elapsed_ms: 12 | 99
--
 clock 25/25 /state_hash: "b00a67084fd4e6cf0d1258b9fbdc790b0eb753144d89d25db2d823bdfec49d3c" | "00"
--
[elapsed_ms signed_at]`},
		"clock and more": {clocked, changed(base, 6, func(e *Event) {
			e.Response = canon.Object(canon.Member{Key: "text", Value: canon.String("ho")}, canon.Member{Key: "run", Value: timing(1, "x").Get("run")})
		}), DiffOptions{FirstOnly: true}, `different: 6 equal (0 shifted), 1 changed, 0 clock, 0 only recorded, 0 only got
first: 6/6 step 2 effect b /response/text: "hi" | "ho"
 equal 3/3 
 equal 4/4 
 equal 5/5 
 changed 6/6 /response/text: "hi" | "ho"
--
[elapsed_ms signed_at]`},
		"edited and cancelled": {append(base[:9:9], Event{Type: XIntervene, Step: 3, Agent: "a"}), base[:9], DiffOptions{}, `same: 9 equal (0 shifted), 0 changed, 0 clock, 0 only recorded, 0 only got
the recorded trace was edited by a person (1 interventions): it is not the run that the flow alone makes`},
		"a foreign error without code": {[]Event{{Type: ErrorEvent, Error: &ErrorInfo{Text: "X: y"}}}, []Event{{Type: ErrorEvent, Error: &ErrorInfo{Text: "X: y", Code: "X"}}}, DiffOptions{},
			"same: 1 equal (0 shifted), 0 changed, 0 clock, 0 only recorded, 0 only got"},
	}
}

// orderCases differ in which events there are, and where.
func orderCases() map[string]diffCase {
	base := diamond().run(100)
	later := func(steps int, events ...Event) []Event {
		out := append([]Event(nil), events...)
		for i := range out {
			out[i].Step += steps
		}
		return out
	}
	extra := later(2, base[7:13]...) // two whole steps
	extra[1].State, extra[4].State = num(1), num(2)
	inserted := append(append(append([]Event(nil), base[:13]...), extra...), later(2, base[13:]...)...)
	return map[string]diffCase{
		"steps inserted": {base, inserted, DiffOptions{Context: 1}, `different: 26 equal (13 shifted), 0 changed, 0 clock, 0 only recorded, 6 only got
first: -1/13 step 5 receive b :  | {"agent":"b","message":{"from":"effect","payload":"answer b0","tag":"effect"},"step":5,"type":"receive"}
 equal 12/12 
 only_got -1/13 
 only_got -1/14 
 only_got -1/15 
 only_got -1/16 
 only_got -1/17 
 only_got -1/18 
 equal 13/19 
--`},
		"recorded is a prefix": {base[:9], base, DiffOptions{FirstOnly: true, Context: -1}, `recorded_is_prefix: 9 equal (0 shifted), 0 changed, 0 clock, 0 only recorded, 1 only got
first: -1/9 step 3 send b :  | {"from":"b","message":{"from":"b","payload":"b1 0","tag":"note"},"port":"out","step":3,"to":"d","type":"send"}
 only_got -1/9 
--`},
		"got is a prefix": {base, base[:25], DiffOptions{Context: -1}, `got_is_prefix: 25 equal (0 shifted), 0 changed, 0 clock, 1 only recorded, 0 only got
first: 25/-1 step 0 finish  : {"ledger":{"input_tokens":30,"output_tokens":15,"usd":0.003},"outputs":{"d.out":[{"from":"d","payload":"d2 0","tag":"note"},{"from":"d","payload":"d3 0","tag":"… (291 bytes) | 
 only_recorded 25/-1 
--`},
		"renumbered": {base, append(append([]Event(nil), base[:13]...), later(1, base[13:]...)...), DiffOptions{Context: -1}, `different: 25 equal (12 shifted), 1 changed, 0 clock, 0 only recorded, 0 only got
first: 13/13 step 5 receive d /step: 5 | 6
 changed 13/13 /step: 5 | 6
--`},
	}
}

func TestDiffCases(t *testing.T) {
	cases := valueCases()
	maps.Copy(cases, orderCases())
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			logs := map[string][2]Log{"memory": {MemLog(c.a), MemLog(c.b)}, "files": {storeOf(t, c.a, nil), storeOf(t, c.b, nil)}, "both": {MemLog(c.a), storeOf(t, c.b, nil)}}
			for kind, pair := range logs {
				r, err := Diff(context.Background(), pair[0], pair[1], c.opt, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := diffText(r); got != c.want {
					t.Errorf("%s\n%s\nwant\n%s", kind, got, c.want)
				}
			}
		})
	}
}

// The hunks of a comparison with endless context go through both traces in order, each event once; equal lines are
// equal events; and the first difference is the first place where the traces part.
func TestDiffAlignsEverything(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := randomFlow(rt).run(rapid.IntRange(0, 25).Draw(rt, "steps"))
		b := mutated(rt, a)
		opt := DiffOptions{Context: 1 << 20, MaxHunks: 1 << 20, MaxLines: 1 << 20}
		r, err := Diff(context.Background(), MemLog(a), storeOf(t, b, nil), opt, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if r.Equal+r.Changed+r.Clock+r.OnlyRecorded != len(a) || r.Equal+r.Changed+r.Clock+r.OnlyGot != len(b) {
			rt.Fatalf("%d and %d events: %s", len(a), len(b), diffText(r))
		}
		first := 0
		for first < len(a) && first < len(b) && a[first].Compared() == b[first].Compared() {
			first++
		}
		if first == len(a) && first == len(b) {
			if r.Verdict != DiffSame {
				rt.Fatal(diffText(r))
			}
			return
		}
		if r.First == nil || max(r.First.Recorded, r.First.Got) != first {
			rt.Fatalf("they part at %d: %s", first, diffText(r))
		}
		i, j := 0, 0
		for _, l := range r.Hunks[0].Lines {
			if l.Recorded >= 0 && l.Recorded != i || l.Got >= 0 && l.Got != j {
				rt.Fatalf("at %d/%d: %+v", i, j, l)
			}
			if l.Op == OpEqual {
				x, y := a[i], b[j]
				x.Step, y.Step = 0, 0
				if x.Compared() != y.Compared() {
					rt.Fatalf("%d and %d are not equal", i, j)
				}
			}
			if l.Recorded >= 0 {
				i++
			}
			if l.Got >= 0 {
				j++
			}
		}
	})
}

// mutated drops, repeats and changes runs of events.
func mutated(t *rapid.T, events []Event) []Event {
	out := append([]Event(nil), events...)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		if len(out) == 0 {
			return out
		}
		i := rapid.IntRange(0, len(out)-1).Draw(t, "at")
		n := rapid.IntRange(1, min(5, len(out)-i)).Draw(t, "n")
		switch rapid.IntRange(0, 2).Draw(t, "change") {
		case 0:
			out = append(out[:i:i], out[i+n:]...)
		case 1:
			out = append(append(out[:i+n:i+n], out[i:i+n]...), out[i+n:]...)
		default:
			out = changed(out, i, func(e *Event) {
				if e.Type == Act {
					e.State = num(rapid.IntRange(0, 3).Draw(t, "state"))
				}
			})
		}
	}
	return out
}

// A run of thousands of events that only one side has does not lose the other; a trace that differs everywhere is
// aligned by kind.
func TestDiffFarApart(t *testing.T) {
	var a []Event
	for i := range 9_000 {
		a = append(a, Event{Type: Act, Step: i + 1, Agent: "a", State: num(i), Send: canon.EmptyArray})
	}
	r, err := Diff(context.Background(), MemLog(a), MemLog(append(a[:1000:1000], a[4000:]...)), DiffOptions{MaxLines: 1}, nil)
	if err != nil || r.OnlyRecorded != 3000 || r.Changed != 0 || r.OnlyGot != 0 || len(r.Hunks) != 1 {
		t.Fatalf("%v %s", err, diffText(r))
	}
	b := append([]Event(nil), a...)
	for i := range b {
		b[i].State = num(-1 - i)
	}
	r, err = Diff(context.Background(), MemLog(a), MemLog(b), DiffOptions{MaxHunks: 1, MaxLines: 2}, nil)
	if err != nil || r.Changed != len(a) || len(r.Hunks) != 1 || r.Hunks[0].More != len(a)-2 {
		t.Fatalf("%v %s", err, diffText(r))
	}
}

func TestDiffStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	events := diamond().run(100)
	for range 4 {
		events = append(events, events...)
	}
	cancel()
	if _, err := Diff(ctx, MemLog(events), MemLog(events), DiffOptions{}, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// diffFiles are two traces that part near the end, or everywhere behind the middle.
func diffFiles(b *testing.B, events int) (*Store, *Store) {
	dir := b.TempDir()
	one, two := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	writeBigTrace(b, one, events)
	s := openStore(b, one, nil)
	all := make([]Event, s.Len())
	for i := range all {
		e, err := s.Event(i)
		if err != nil {
			b.Fatal(err)
		}
		all[i] = *e
		if i > events*9/10 && e.Type == Act {
			all[i].State = canon.Object(canon.Member{Key: "other", Value: num(i)})
		}
	}
	if err := WriteFile(two, all, FormatArray); err != nil {
		b.Fatal(err)
	}
	return s, openStore(b, two, nil)
}

// Two traces that part in their last tenth: until the first difference, and whole.
func BenchmarkDiff(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		one, two := diffFiles(b, n)
		for name, opt := range map[string]DiffOptions{"first": {FirstOnly: true}, "whole": {}} {
			b.Run(fmt.Sprintf("%s/events=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if r, err := Diff(context.Background(), one, two, opt, nil); err != nil || r.FirstReal == nil || r.FirstReal.Recorded < n*9/10 {
						b.Fatal(err, r)
					}
				}
			})
		}
	}
}
