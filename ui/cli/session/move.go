package session

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/engine/query"
	"flowdbg/trace"
	"flowdbg/ui/cli/show"
)

// Stop is the stop card for programs.
type Stop struct {
	Reason     debug.StopReason `json:"reason"`
	Position   int              `json:"position"`
	Of         int              `json:"of"` // events that exist so far
	Step       int              `json:"step"`
	Run        int              `json:"run"`
	Mode       debug.Mode       `json:"mode"`
	Live       []string         `json:"live_ops,omitempty"` // of a live run: what reaches the world and may cost something
	Agent      string           `json:"agent,omitempty"`
	Consumed   string           `json:"consumed,omitempty"`
	Sent       []string         `json:"sent,omitempty"`
	Asked      string           `json:"asked,omitempty"`
	Spent      show.Ledger      `json:"spent"` // by the step
	Error      string           `json:"error,omitempty"`
	Hash       debug.HashKind   `json:"hash"`
	Breakpoint string           `json:"breakpoint,omitempty"`
	Message    string           `json:"message,omitempty"`
	Watches    []Watch          `json:"watches,omitempty"`
	Pending    *Pending         `json:"pending,omitempty"`
}

// StopOf is the card of a stop of a session.
func StopOf(s *debug.Session, st debug.Stop) Stop {
	return Stop{Reason: st.Reason, Position: s.Pos(), Of: s.Total(), Step: st.Step, Run: s.CurrentRun(), Mode: s.Mode(), Live: liveOps(s), Agent: st.Agent,
		Consumed: st.Consumed, Sent: st.Sent, Asked: st.Asked, Spent: show.LedgerOf(st.Spent), Error: st.Error, Hash: st.Hash.Kind,
		Breakpoint: st.Breakpoint, Message: st.Message, Watches: watchesOf(s), Pending: pendingOf(s)}
}

func liveOps(s *debug.Session) []string {
	if s.Mode() != debug.Live {
		return nil
	}
	return debug.LiveOps(s.Machine())
}

// StopText is the card as lines of text.
func StopText(s *debug.Session, st debug.Stop) string {
	lines := []string{fmt.Sprintf("position %d of %d · step %d · %s", s.Pos(), s.Total(), st.Step, show.Clean(st.Text()))}
	for _, w := range watchesOf(s) {
		lines = append(lines, w.text())
	}
	if p := pendingOf(s); p != nil {
		lines = append(lines, p.text())
	}
	return strings.Join(lines, "\n")
}

func (in *Interp) stopped(st debug.Stop) (answer, error) {
	if st.Reason == debug.StopError {
		return answer{}, st.Err
	}
	return answer{StopText(in.s, st), StopOf(in.s, st)}, nil
}

// times reads an optional count.
func times(args string) (int, error) {
	if args == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no count from 1 on", args)
	}
	return n, nil
}

// repeat makes a move n times, as long as it goes on.
func (in *Interp) repeat(ctx context.Context, args string, on debug.StopReason, move func() debug.Stop) (answer, error) {
	n, err := times(args)
	if err != nil {
		return answer{}, err
	}
	for from := in.s.Pos(); ; n-- {
		st := move()
		if n == 1 || st.Reason != on {
			return in.stopped(st)
		}
		if err := ctx.Err(); err != nil {
			return answer{}, err
		}
		if abs(in.s.Pos()-from) > in.opt.Limit {
			return answer{}, in.overLimit()
		}
	}
}

func abs(n int) int { return max(n, -n) }

func (in *Interp) overLimit() error {
	return fmt.Errorf("stopped after %d events, which is the limit of one command; the session stands at position %d", in.opt.Limit, in.s.Pos())
}

func (in *Interp) step(ctx context.Context, args string) (answer, error) {
	return in.repeat(ctx, args, debug.StopStep, func() debug.Stop { return in.s.Step(ctx) })
}

func (in *Interp) back(ctx context.Context, args string) (answer, error) {
	return in.repeat(ctx, args, debug.StopStep, func() debug.Stop { return in.s.StepBack() })
}

func (in *Interp) next(ctx context.Context, args string) (answer, error) {
	return in.repeat(ctx, args, debug.StopEvent, func() debug.Stop { return in.s.NextEvent(ctx) })
}

func (in *Interp) prev(ctx context.Context, args string) (answer, error) {
	return in.repeat(ctx, args, debug.StopEvent, func() debug.Stop { return in.s.PrevEvent() })
}

// search drives a long move within the limit.
func (in *Interp) search(ctx context.Context, q *debug.Search) (debug.Stop, error) {
	from := in.s.Pos()
	for {
		if err := ctx.Err(); err != nil {
			return q.Interrupt(), err
		}
		st, done := q.Slice(ctx)
		switch {
		case done:
			return st, st.Err
		case abs(in.s.Pos()-from) > in.opt.Limit:
			q.Interrupt()
			return st, in.overLimit()
		}
	}
}

func (in *Interp) run1(ctx context.Context, q *debug.Search) (answer, error) {
	st, err := in.search(ctx, q)
	if err != nil && st.Reason != debug.StopPaused {
		return answer{}, err
	}
	return in.stopped(st)
}

func (in *Interp) cont(ctx context.Context, _ string) (answer, error) {
	return in.run1(ctx, in.s.Continue())
}

func (in *Interp) reverse(ctx context.Context, _ string) (answer, error) {
	return in.run1(ctx, in.s.ReverseContinue())
}

func (in *Interp) nextOf(ctx context.Context, args string) (answer, error) {
	if _, ok := in.s.State().Agent(args); !ok {
		return answer{}, in.noAgent(args)
	}
	return in.run1(ctx, in.s.NextOf(args))
}

func (in *Interp) prevOf(ctx context.Context, args string) (answer, error) {
	if _, ok := in.s.State().Agent(args); !ok {
		return answer{}, in.noAgent(args)
	}
	return in.run1(ctx, in.s.PrevOf(args))
}

func (in *Interp) restart(context.Context, string) (answer, error) { return in.stopped(in.s.Restart()) }

// gotoPos goes to a position; a step that is not there yet is run.
func (in *Interp) gotoPos(ctx context.Context, args string) (answer, error) {
	p, err := debug.ParsePlace(args)
	switch {
	case err != nil:
		return answer{}, err
	case p.Kind == debug.PlaceMark:
		return in.gotoMark(ctx, p.Name)
	case p.Kind != debug.PlaceStep:
		return in.run1(ctx, in.s.Goto(p.Pos(math.MaxInt)))
	}
	step := p.N
	for {
		if pos, ok := in.s.StepPos(step); ok {
			return in.run1(ctx, in.s.Goto(pos))
		}
		if a, err := in.run1(ctx, in.s.Goto(in.s.Total())); err != nil || in.s.Stop().Reason == debug.StopPaused {
			return a, err
		}
		for in.s.State().Begun() < step {
			if st := in.s.Step(ctx); st.Reason != debug.StopStep {
				return in.stopped(st)
			}
		}
	}
}

func (in *Interp) find(ctx context.Context, args string) (answer, error) {
	return in.findTo(ctx, args, false)
}

func (in *Interp) rfind(ctx context.Context, args string) (answer, error) {
	return in.findTo(ctx, args, true)
}

func (in *Interp) findTo(ctx context.Context, args string, back bool) (answer, error) {
	q, err := query.Compile(args)
	if err != nil {
		return answer{}, err
	}
	from := in.s.Pos()
	st, err := in.search(ctx, in.s.Find(q, back))
	if err != nil {
		return answer{}, err
	}
	if st.Reason != debug.StopFound {
		at := in.s.Pos()
		if _, err := in.search(ctx, in.s.Goto(from)); err != nil {
			return answer{}, err
		}
		return answer{}, fmt.Errorf("no event between %d and %d: the session stays where it was", min(from, at), max(from, at))
	}
	a, err := in.stopped(st)
	if err != nil {
		return a, err
	}
	i := in.s.Pos() - 1
	a.text = fmt.Sprintf("event %d  %s\n%s", i, eventWords(in.s.Event(i)), a.text)
	return a, nil
}

// eventWords is an event in one line, without its number.
func eventWords(e *trace.Event) string {
	words := []string{}
	if e.HasStep() {
		words = append(words, fmt.Sprintf("step %d", e.Step))
	}
	words = append(words, show.Clean(string(e.Type)))
	if e.Agent != "" {
		words = append(words, show.Clean(e.Agent))
	}
	return strings.Join(append(words, show.EventText(e)), "  ")
}
