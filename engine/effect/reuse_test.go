package effect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"flowdbg/trace"
)

// looked counts the events that are asked for.
type looked struct {
	trace.MemLog
	n *int
}

func (l *looked) Event(i int) (*trace.Event, error) {
	*l.n++
	return l.MemLog.Event(i)
}

func effectLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"effect","step":%d,"agent":"a","request":{"input":%d,"op":"llm"},"response":%d,"usage":{"input_tokens":0,"output_tokens":0,"usd":0}}`+"\n", i+1, i, i)
	}
	return b.String()
}

// Sources of one pool each give every answer once, the record's before those that were added, and nothing that was added
// after they were made.
func TestPoolIsShared(t *testing.T) {
	p := NewPool(trace.MemLog(read(t, recorded)))
	more := &looked{trace.MemLog(read(t, strings.NewReplacer(`"one"`, `"three"`, `"two"`, `"four"`).Replace(recorded))), new(int)}
	p.Add(more, 0)
	p.Add(more, 1) // no effect
	one := p.Source(nil)
	p.Add(more, 2)
	two := p.Source(nil)
	for i, want := range []string{`"one"`, `"two"`, `"three"`, `"four"`} {
		for name, src := range map[string]*ByHash{"made early": one, "made late": two} {
			a, err := ask(t, src, "a", "llm", `{"q":1}`)
			if name == "made early" && i == 3 {
				if !IsPause(err) {
					t.Fatalf("an answer that was added later was given: %v %s", err, a.Output)
				}
			} else if err != nil || a.Output.Text() != want {
				t.Fatalf("%s, answer %d: %v %s, want %s", name, i, err, a.Output, want)
			}
		}
	}
}

// The record is looked through only as far as somebody asks, once for all sources, and not past a cancelled context.
func TestPoolLooksNoFurtherThanAsked(t *testing.T) {
	const n = 10 * lookEvents
	log := &looked{trace.MemLog(read(t, effectLines(n))), new(int)}
	p := NewPool(log)
	src := p.Source(nil)
	if *log.n != 0 {
		t.Fatalf("%d events were read before anybody asked", *log.n)
	}
	if _, err := ask(t, src, "a", "llm", `3`); err != nil || *log.n > lookEvents+1 {
		t.Fatalf("%v: %d events were read for an answer at the start", err, *log.n)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	before := *log.n
	_, err := src.Answer(cancelled, Call{Agent: "a", Step: 1, Request: trace.NewRequest("llm", parse(t, `"none"`))})
	if !errors.Is(err, context.Canceled) || *log.n > before+lookEvents {
		t.Fatalf("%v: %d events were read behind a cancelled context", err, *log.n-before)
	}
	if _, err := ask(t, src, "a", "llm", `"none"`); !IsPause(err) {
		t.Fatal(err)
	}
	before = *log.n
	if _, err := ask(t, p.Source(nil), "a", "llm", fmt.Sprint(n-1)); err != nil || *log.n > before+1 {
		t.Fatalf("%v: another source read %d events again", err, *log.n-before)
	}
}

// A run behind many answers to one request reads none of them to find the next.
func TestPoolReadsNothingThatWasGiven(t *testing.T) {
	const n = 1000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"effect","step":%d,"agent":"a","request":{"input":"same","op":"llm"},"response":%d,"usage":{"input_tokens":0,"output_tokens":0,"usd":0}}`+"\n", i+1, i)
	}
	for _, added := range []bool{false, true} {
		log := &looked{trace.MemLog(read(t, b.String())), new(int)}
		p := NewPool(log)
		if added {
			p = NewPool(nil)
			for i := range n {
				p.Add(log, i)
			}
		}
		if _, err := ask(t, p.Source(nil), "a", "llm", `"none"`); !IsPause(err) { // looks through the record once
			t.Fatal(err)
		}
		for _, from := range []int{n - 2, n - 1, n, 1} {
			*log.n = 0
			a, err := ask(t, p.SourceBehind(nil, []Span{{Log: log, To: from}}), "a", "llm", `"same"`)
			if from == n {
				if !IsPause(err) || *log.n > 0 {
					t.Errorf("added %v: behind all of them %v, and %d events were read", added, err, *log.n)
				}
				continue
			}
			if err != nil || a.Output.Text() != fmt.Sprint(from) || *log.n > 1 {
				t.Errorf("added %v: behind %d answers: %v %s; %d events were read", added, from, err, a.Output, *log.n)
			}
		}
	}
}
