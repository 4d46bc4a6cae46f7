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

// repeat makes a move n times, as long as it goes on. A move that came further than the limit is taken back to it: going
// back is free, and the events of a step come at once.
func (in *Interp) repeat(ctx context.Context, args string, on debug.StopReason, move func() debug.Stop) (answer, error) {
	n, err := times(args)
	if err != nil {
		return answer{}, err
	}
	for from := in.s.Pos(); ; n-- {
		st := move()
		moved := in.s.Pos() - from
		switch {
		case abs(moved) > in.opt.Limit:
			in.s.Goto(from + in.opt.Limit*moved/abs(moved)).Run(ctx)
			return answer{}, in.overLimit()
		case n == 1 || st.Reason != on:
			return in.stopped(st)
		case abs(moved) == in.opt.Limit:
			return answer{}, in.overLimit()
		}
		if err := ctx.Err(); err != nil {
			return answer{}, err
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

// search drives a long move within the limit, which counts from where the move began.
func (in *Interp) search(ctx context.Context, q *debug.Search) (debug.Stop, error) {
	return in.within(ctx, q, in.s.Pos())
}

// within is search for a part of a move that began at from.
func (in *Interp) within(ctx context.Context, q *debug.Search, from int) (debug.Stop, error) {
	for {
		if err := ctx.Err(); err != nil {
			return q.Interrupt(), err
		}
		left := in.opt.Limit - abs(in.s.Pos()-from)
		if left <= 0 && !q.Arrived() {
			return q.Interrupt(), in.overLimit()
		}
		if st, done := q.SliceOf(ctx, max(left, 1)); done {
			return st, st.Err
		}
	}
}

func (in *Interp) run1(ctx context.Context, q *debug.Search) (answer, error) {
	from := in.s.Pos()
	st, err := in.search(ctx, q)
	if moved := in.s.Pos() - from; abs(moved) > in.opt.Limit { // the index of a file made it a jump
		in.s.Goto(from + in.opt.Limit*moved/abs(moved)).Run(ctx)
		return answer{}, in.overLimit()
	}
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
	args, err := in.agentName(args)
	if err != nil {
		return answer{}, err
	}
	return in.run1(ctx, in.s.NextOf(args))
}

func (in *Interp) prevOf(ctx context.Context, args string) (answer, error) {
	args, err := in.agentName(args)
	if err != nil {
		return answer{}, err
	}
	return in.run1(ctx, in.s.PrevOf(args))
}

func (in *Interp) restart(ctx context.Context, _ string) (answer, error) {
	if pos := in.s.Pos(); pos > in.opt.Limit {
		in.s.Goto(pos - in.opt.Limit).Run(ctx)
		return answer{}, in.overLimit()
	}
	return in.stopped(in.s.Restart())
}

// gotoPos goes to a position; what is not there yet is run. One that does not come is an error, and the session stays
// where it was, so that a dialogue with a wrong number fails.
func (in *Interp) gotoPos(ctx context.Context, args string) (answer, error) {
	p, err := debug.ParsePlace(args)
	if err != nil {
		return answer{}, err
	}
	from := in.s.Pos()
	switch p.Kind {
	case debug.PlaceMark:
		return in.gotoMark(ctx, p.Name)
	case debug.PlaceStep:
		return in.gotoStep(ctx, p.N, from)
	}
	pos := p.Pos(math.MaxInt)
	if p.Kind != debug.PlaceEnd && pos > in.s.Total() && in.s.Whole() {
		return answer{}, in.s.NoPosition(p)
	}
	st, err := in.jump(ctx, pos, from)
	if err != nil {
		return answer{}, err
	}
	if st.Reason == debug.StopEnd && p.Kind != debug.PlaceEnd && in.s.Pos() < pos {
		err = in.s.NoPosition(p)
		in.s.Goto(from).Run(ctx)
		return answer{}, err
	}
	return in.stopped(st)
}

// jump is a move to a position within the limit. A trace in a file is at any position at once, so that the limit has to
// be looked at before.
func (in *Interp) jump(ctx context.Context, pos, from int) (debug.Stop, error) {
	far := min(pos, max(in.s.Total(), from))
	if in.s.Store() != nil && abs(far-from) > in.opt.Limit {
		in.s.Goto(from + in.opt.Limit*(far-from)/abs(far-from)).Run(ctx)
		return debug.Stop{}, in.overLimit()
	}
	st, err := in.within(ctx, in.s.Goto(pos), from)
	if err != nil && st.Reason == debug.StopPaused {
		err = nil
	}
	return st, err
}

func (in *Interp) gotoStep(ctx context.Context, step, from int) (answer, error) {
	for {
		if pos, ok := in.s.StepPos(step); ok {
			st, err := in.jump(ctx, pos, from)
			if err != nil {
				return answer{}, err
			}
			return in.stopped(st)
		}
		if !in.s.Whole() {
			st, err := in.jump(ctx, in.s.Total(), from)
			if err != nil || st.Reason == debug.StopPaused {
				return answer{StopText(in.s, st), StopOf(in.s, st)}, err
			}
			for in.s.State().Begun() < step {
				st := in.s.Step(ctx)
				switch {
				case st.Reason == debug.StopEnd:
				case st.Reason != debug.StopStep:
					return in.stopped(st)
				case abs(in.s.Pos()-from) > in.opt.Limit:
					in.s.Goto(from + in.opt.Limit).Run(ctx)
					return answer{}, in.overLimit()
				default:
					continue
				}
				break
			}
		}
		if _, ok := in.s.StepPos(step); !ok {
			last := in.lastStep()
			in.s.Goto(from).Run(ctx)
			return answer{}, fmt.Errorf("there is no step %d; there are steps 0 to %d, and $ is the end", step, last)
		}
	}
}

// lastStep is how many steps the run has.
func (in *Interp) lastStep() int {
	n := 0
	for i := range in.s.Total() {
		if h := in.s.Header(i); h.Type == trace.Receive && !h.Cancelled {
			n++
		}
	}
	return n
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
	return in.findQuery(ctx, q, back)
}

func (in *Interp) findQuery(ctx context.Context, q *query.Query, back bool) (answer, error) {
	from := in.s.Pos()
	st, err := in.search(ctx, in.s.Find(q, back))
	if err != nil {
		return answer{}, err
	}
	if st.Reason != debug.StopFound {
		at := in.s.Pos()
		in.s.Goto(from).Run(ctx)
		return answer{}, fmt.Errorf("no event between %d and %d: the session stays where it was", min(from, at), max(from, at))
	}
	return in.foundAt(st)
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
