package trace

import (
	"context"
	"errors"
	"testing"

	"flowdbg/trace/canon"
)

// gauge counts the headers and events that are asked for between two looks at a context.
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
	MemLog
	g *gauge
}

func (l *gaugedLog) Header(i int) Header {
	l.g.work++
	return l.MemLog.Header(i)
}

func (l *gaugedLog) Event(i int) (*Event, error) {
	l.g.work++
	return l.MemLog.Event(i)
}

// talk is a run in which two agents send one message to and fro, so that every message has all earlier ones before it.
func talk(steps int) []Event {
	var events []Event
	names := [2]string{"a", "b"}
	m := NewInput("t", num(0))
	for step := 1; step <= steps; step++ {
		me, you := names[step%2], names[1-step%2]
		next := NewMessage(me, "t", num(step))
		events = append(events, Event{Type: Receive, Step: step, Agent: me, Message: m},
			Event{Type: Act, Step: step, Agent: me, State: num(step / 1000), Send: SendsValue([]Send{{Port: "out", Tag: "t", Payload: num(step)}})},
			Event{Type: SendEvent, Step: step, Agent: me, Port: "out", To: you, Message: next})
		m = next
	}
	return events
}

// Every question that goes through a trace looks at its context after a bounded number of events, and ends with it.
func TestQuestionsLookAtTheirContext(t *testing.T) {
	const steps = 5_000
	events := talk(steps)
	other := append([]Event(nil), events...)
	for i := range other {
		if other[i].Type == Act {
			other[i].State = canon.String("another")
		}
	}
	last := 3*steps - 1
	causes, err := NewCauses(context.Background(), MemLog(events), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func(*gauge) error{
		"diff": func(g *gauge) error {
			_, err := Diff(g, &gaugedLog{events, g}, &gaugedLog{other, g}, DiffOptions{}, nil)
			return err
		},
		"causes": func(g *gauge) error {
			_, err := NewCauses(g, &gaugedLog{events, g}, nil)
			return err
		},
		"why": func(g *gauge) error {
			c := *causes
			c.log = &gaugedLog{events, g}
			_, err := c.Why(g, Ref{Event: last}, 0)
			return err
		},
		"came of": func(g *gauge) error {
			c := *causes
			c.log = &gaugedLog{events, g}
			_, err := c.CameOf(g, 0, TreeLimits{Depth: 3 * steps, Nodes: 3 * steps}, nil)
			return err
		},
		"who changed": func(g *gauge) error {
			_, err := Changes(g, &gaugedLog{events, g}, "a", "", -1, steps, nil)
			return err
		},
	} {
		g := &gauge{Context: context.Background(), left: -1}
		if err := ask(g); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		const most = 8 * checkEvery
		if g.most > most || g.work > most || g.looks < 10 {
			t.Errorf("%s: %d headers and events between two looks, %d behind the last of %d", name, g.most, g.work, g.looks)
		}
		for _, left := range []int{0, 1, g.looks / 2} {
			g := &gauge{Context: context.Background(), left: left}
			if err := ask(g); !errors.Is(err, context.Canceled) || g.work > most {
				t.Errorf("%s, ended at look %d: %v, %d headers and events behind it", name, left, err, g.work)
			}
		}
	}
}
