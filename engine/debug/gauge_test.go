package debug

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"flowdbg/engine/query"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// gauge counts the work that is done between two looks at a context: an event that is asked for counts 32 headers.
type gauge struct {
	context.Context
	work, most, looks int
	left              int // looks until it ends; negative: never
}

func (g *gauge) Err() error {
	g.most, g.work = max(g.most, g.work), 0
	if g.looks++; g.left >= 0 && g.looks > g.left {
		return context.Canceled
	}
	return nil
}

type gaugedLog struct {
	trace.MemLog
	g *gauge
}

func (l *gaugedLog) Header(i int) trace.Header {
	l.g.work++
	return l.MemLog.Header(i)
}

func (l *gaugedLog) Event(i int) (*trace.Event, error) {
	l.g.work += 32
	return l.MemLog.Event(i)
}

// gaugedSession plays a run in which agent "rare" acts in the first and the last step only.
func gaugedSession(t *testing.T, g *gauge) *Session {
	t.Helper()
	var events []trace.Event
	const steps = 5_000
	for step := 1; step <= steps; step++ {
		agent := fmt.Sprint("often", step%3)
		if step == 1 || step == steps {
			agent = "rare"
		}
		n := canon.Object(canon.Member{Key: "n", Value: canon.Int(int64(step))})
		events = append(events, trace.Event{Type: trace.Receive, Step: step, Agent: agent, Message: trace.NewMessage("x", "t", n)},
			trace.Event{Type: trace.Act, Step: step, Agent: agent, State: n, Send: canon.EmptyArray})
	}
	s, err := New(Options{Trace: &trace.Trace{Events: events}})
	if err != nil {
		t.Fatal(err)
	}
	s.run.record = &gaugedLog{events, g}
	return s
}

// A long move of any kind looks at its context after at most so much work: a few events, or a thousand headers.
const mostWork = 2_000

func TestLongMovesLookAtTheirContext(t *testing.T) {
	specs := []string{"agent nobody", "tag nothing", "error", "changed rare /n from 9", "changed often1 /none", "hash", "usd 5", "steps 999999",
		"when payload.n == -1", `when type == "act" and state.n == -1`, `when inbox("rare") > 7`, "when spent < 0", `when "nothing" in text`,
		"agent rare from 99 per agent", "tag t log when payload.n == -1"}
	for _, spec := range specs {
		for _, back := range []bool{false, true} {
			g := &gauge{Context: context.Background(), left: -1}
			s := gaugedSession(t, g)
			b, err := ParseBreakpoint(spec)
			if err != nil {
				t.Fatal(err)
			}
			mustBreak(t, s, b)
			move := s.Continue()
			if back {
				s.Goto(s.Total()).Run(ctx)
				move = s.ReverseContinue()
			}
			g.work, g.most = 0, 0
			if stop := move.Run(g); stop.Reason != StopEnd && stop.Reason != StopStart {
				t.Fatalf("%s, back %v: %s", spec, back, stop.Text())
			}
			if g.most > mostWork || g.looks < s.Total() {
				t.Errorf("%s, back %v: work %d between two looks at the context, %d looks", spec, back, g.most, g.looks)
			}
		}
	}
}

func TestSearchAndFilterLookAtTheirContext(t *testing.T) {
	for _, src := range []string{"payload.n == -1", `"nothing" in text`, "state.n == -1", `type == "act" and agent == "rare" and input`} {
		q, err := query.Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		g := &gauge{Context: context.Background(), left: -1}
		s := gaugedSession(t, g)
		if stop := s.Find(q, false).Run(g); stop.Reason != StopEnd || g.most > mostWork {
			t.Errorf("%s: %s, work %d between two looks", src, stop.Reason, g.most)
		}
		if q.NeedsState() {
			continue
		}
		f, err := s.NewFilter(q)
		if err != nil {
			t.Fatal(err)
		}
		for g.most = 0; !f.Slice(g); {
		}
		if f.next != s.Total() || g.most > mostWork {
			t.Errorf("a filter of %s: %d of %d, work %d between two looks", src, f.next, s.Total(), g.most)
		}
	}
}

// Whenever its context ends, a search stops before an event that it has not judged; going on finds what it would have
// found.
func TestInterruptedSearchesMissNothing(t *testing.T) {
	for _, back := range []bool{false, true} {
		for left := range 60 {
			g := &gauge{Context: context.Background(), left: -1}
			s := gaugedSession(t, g)
			at, move := 40, s.Continue
			if back {
				at, move = s.Total()-39, s.ReverseContinue
				s.Goto(s.Total()).Run(ctx)
			}
			q := fmt.Sprintf("event == %d and len([x for x in range(30)]) == 30", at-1)
			mustBreak(t, s, Breakpoint{Kind: BreakWhen, When: q})
			g.left, g.looks = 37*left, 0
			stop := move().Run(g)
			if stop.Reason == StopInterrupted {
				stop = move().Run(ctx)
			}
			if stop.Reason != StopBreak || s.Pos() != at {
				t.Fatalf("back %v, interrupted at look %d: %s at %d, want a stop at %d", back, 37*left, stop.Reason, s.Pos(), at)
			}
			for _, p := range s.Problems() {
				if p.Source == "breakpoint" {
					t.Fatalf("an interrupted condition is a problem: %v", p)
				}
			}
		}
	}
}

// A slice ends early when its events are large, or their evaluation takes long.
func TestSlicesEndWithTheirWork(t *testing.T) {
	const size = 1 << 19
	payload := canon.String(strings.Repeat("a", size))
	var events []trace.Event
	for i := range 100 {
		events = append(events, trace.Event{Type: trace.Receive, Step: i + 1, Agent: "a", Message: trace.NewMessage("b", "t", payload)})
	}
	for kind, when := range map[string]string{"large": `payload == "b"`, "long": "len([x for x in range(10000)]) == 1"} {
		for _, where := range []string{"memory", "file"} {
			opt := Options{Trace: &trace.Trace{Events: events}}
			if where == "file" {
				opt = Options{Store: storeOf(t, events, nil)}
				index(t, opt.Store)
			}
			s, err := New(opt)
			if err != nil {
				t.Fatal(err)
			}
			mustBreak(t, s, Breakpoint{Kind: BreakWhen, When: when})
			if _, done := s.Continue().Slice(ctx); done || s.Pos() > sliceWork/size+1 {
				t.Errorf("%s in %s: one slice goes to %d, done %v", kind, where, s.Pos(), done)
			}
			f, err := s.NewFilter(s.Breakpoints()[0].query)
			if err != nil {
				t.Fatal(err)
			}
			if done := f.Slice(ctx); done || f.next > sliceWork/size+1 {
				t.Errorf("%s in %s: one slice of a filter goes to %d, done %v", kind, where, f.next, done)
			}
		}
	}
}
