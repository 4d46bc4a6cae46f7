package debug

import (
	"context"

	"flowdbg/engine/query"
	"flowdbg/trace"
)

// One slice of a long move handles at most sliceEvents events, and ends behind the event with which its work is sliceWork:
// the bytes of event texts that were looked at, stepWork for each Starlark step, headerWork for each header beside those
// of the events. At some 5 µs an event, and 3 ns a unit, a slice ends well within 50 ms. The context is looked at behind
// every event, and between the steps of an evaluation.
const (
	sliceEvents = 2_000
	sliceWork   = 4 << 20
	stepWork    = 32
	headerWork  = 4
)

// subject is the i-th event for an expression; the session stands behind it if the expression needs the state.
func (s *Session) subject(q *query.Query, i int) query.Subject {
	sub := query.Subject{Index: i, Header: s.Header(i), From: s}
	if q.NeedsState() {
		sub.View = s.State()
	}
	return sub
}

// judge evaluates an expression, which the header does not exclude, over the i-th event.
func (s *Session) judge(ctx context.Context, q *query.Query, i int) (ok bool, stumble *query.Error, err error) {
	ok, stumble, err = q.Judge(ctx, s.subject(q, i))
	s.work += stepWork * q.Steps()
	return ok, stumble, err
}

// match is judge for any event.
func (s *Session) match(ctx context.Context, q *query.Query, i int, h trace.Header) (bool, error) {
	if !q.May(h) {
		return false, nil
	}
	ok, _, err := s.judge(ctx, q, i)
	return ok, err
}

// slice moves on for at most so many events, until the slice's work is done.
func (q *Search) slice(ctx context.Context, events int) (stop Stop, done bool) {
	q.s.work = 0
	for n := 0; n < min(events, sliceEvents) && q.s.work < sliceWork; n++ {
		if ctx.Err() != nil {
			return q.Interrupt(), true
		}
		if stop, done := q.one(ctx); done {
			return stop, true
		}
	}
	return q.s.stop, false
}

// unjudged interrupts the search before the event that it could not judge any more, so that going on begins with it.
func (q *Search) unjudged() Stop {
	if q.back {
		q.s.apply()
	} else {
		q.s.unapply()
	}
	return q.Interrupt()
}

// size is about how many bytes of text an event has.
func size(log trace.Log, i int, e *trace.Event) int {
	if n := log.Header(i).Bytes; n > 0 || e == nil {
		return n
	}
	return e.Message.Text().Len() + e.State.Len() + e.Send.Len() + e.Response.Len() + e.Effect.Text().Len() + e.Extra.Len()
}
