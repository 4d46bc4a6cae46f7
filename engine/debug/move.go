package debug

import (
	"context"
	"errors"

	"flowdbg/engine/effect"
	"flowdbg/trace"
)

// apply moves one event forward over ground that exists.
func (s *Session) apply() {
	s.pos++
	if s.store == nil {
		s.foldTo(s.pos)
	}
}

// unapply moves one event back.
func (s *Session) unapply() {
	s.pos--
	if s.store == nil {
		s.foldTo(s.pos)
	}
}

// foldTo brings the fold to a position. Over a store it moves only within the events that the store does not have.
func (s *Session) foldTo(pos int) {
	for s.foldPos < pos {
		e := s.Event(s.foldPos)
		u, f := s.fold.Apply(e)
		if s.rep == nil {
			if s.foldPos == s.undos.End() { // it is the same each time
				s.undos.Push(u)
			}
			s.note(s.foldPos, f)
		}
		s.foldPos++
	}
	for s.foldPos > pos {
		s.foldPos--
		u, ok := s.undos.At(s.foldPos)
		if s.rep != nil {
			u, ok = s.rep.Undo(s.foldPos)
		}
		if !ok {
			s.foldPos++
			return
		}
		s.fold.Undo(s.Event(s.foldPos), u)
	}
}

// note keeps what does not fit the state, once per event.
func (s *Session) note(i int, f *trace.Finding) {
	if f == nil || s.noted[i] {
		return
	}
	f.Event = i
	s.noted[i] = true
	s.problems = append(s.problems, Problem{Severity: FindingSeverity(*f), Source: "trace", Text: f.Text, Event: i})
}

// rewind moves over existing ground to a position.
func (s *Session) rewind(pos int) {
	s.pos = min(pos, s.Len())
	if s.store == nil {
		s.foldTo(s.pos)
	}
}

// ErrIndexing is why a run cannot go on yet: its record is still being read.
var ErrIndexing = errors.New("the trace is still being indexed; the run can be compared with it when that is done")

// extend makes the run one step longer; the position must be at its end. It is false when nothing can follow.
func (s *Session) extend(ctx context.Context) (bool, error) {
	if s.rep == nil || s.rep.Ended() {
		return false, nil
	}
	if store := s.Store(); store != nil && !store.Indexed() {
		return false, ErrIndexing
	}
	s.foldTo(s.Len())
	before, calls := s.Len(), s.calls
	s.pending = nil // whoever goes on finds out anew
	_, err := s.rep.Step(ctx)
	s.pos = s.Len()
	s.foldPos = s.pos
	if s.calls > calls {
		s.keepAnswers(before)
	}
	s.pool.LookTo(s.rep.Log().Shared())
	return s.pos > before, err
}

// forward applies the next event, making one if needed. moved is false at the end.
func (s *Session) forward(ctx context.Context) (moved bool, err error) {
	if s.pos == s.Len() {
		at := s.pos
		ok, err := s.extend(ctx)
		if err != nil || !ok {
			return false, err
		}
		s.rewind(at + 1)
		return true, nil
	}
	s.apply()
	return true, nil
}

// passive is true for an event that belongs to no step: a line of ours, or an event of a cancelled step. Such events
// lie before the step that follows them.
func passive(h trace.Header) bool { return h.Type.IsExtension() || h.Cancelled }

// begins is true for an event that a step, or the end of the run, begins with.
func begins(h trace.Header) bool {
	return h.Type == trace.Receive || h.Type == trace.FinishEvent || h.Type == trace.ErrorEvent && h.Agent == ""
}

// boundary is true at the start, and behind the last event of each step. Whether the events behind it exist already
// makes no difference, so that a step is the same forward, backward and forward again.
func (s *Session) boundary(pos int) bool {
	if pos == 0 {
		return true
	}
	if passive(s.Header(pos - 1)) {
		return false
	}
	for i := pos; i < s.Len(); i++ {
		if h := s.Header(i); !passive(h) {
			return begins(h)
		}
	}
	return true
}

// Step goes to the end of the next scheduler step.
func (s *Session) Step(ctx context.Context) Stop {
	from := s.pos
	for {
		moved, err := s.forward(ctx)
		if err != nil {
			return s.paused(err, from)
		}
		if !moved {
			return s.ended(from)
		}
		if s.boundary(s.pos) {
			return s.done(StopStep, from)
		}
	}
}

// StepBack goes to the start of the step that the position is in or behind.
func (s *Session) StepBack() Stop {
	from := s.pos
	for real := false; s.pos > 0; {
		s.unapply()
		real = real || !passive(s.Header(s.pos))
		if real && s.boundary(s.pos) {
			break
		}
	}
	if from == 0 {
		return s.done(StopStart, from)
	}
	return s.done(StopStep, from)
}

// NextEvent applies one event.
func (s *Session) NextEvent(ctx context.Context) Stop {
	from := s.pos
	moved, err := s.forward(ctx)
	switch {
	case err != nil:
		return s.paused(err, from)
	case !moved:
		return s.ended(from)
	}
	return s.done(StopEvent, from)
}

// PrevEvent takes one event back.
func (s *Session) PrevEvent() Stop {
	from := s.pos
	if s.pos == 0 {
		return s.done(StopStart, from)
	}
	s.unapply()
	return s.done(StopEvent, from)
}

// Restart goes to position 0. Nothing is run again.
func (s *Session) Restart() Stop {
	from := s.pos
	s.rewind(0)
	return s.done(StopStart, from)
}

// Search is a long move under way: call Slice until it is done. Dropping it leaves the session where it is.
type Search struct {
	s      *Session
	target int  // Goto: position to reach; -1: none
	back   bool // towards the start
	breaks bool // stop at breakpoints
	known  bool // stay on events that exist already
	match  func(ctx context.Context, event int) (bool, error)
	agent  string // NextOf, PrevOf
	from   int
	count  recount
	done   bool
}

// Continue runs forward to the next breakpoint, the end, or a pause.
func (s *Session) Continue() *Search { return &Search{s: s, target: -1, breaks: true, from: s.pos} }

// ReverseContinue runs back to the previous breakpoint or the start. It never runs an effect.
func (s *Session) ReverseContinue() *Search {
	return &Search{s: s, target: -1, back: true, breaks: true, from: s.pos}
}

// Goto runs to a position without looking at breakpoints; one beyond the end stops at the end.
func (s *Session) Goto(pos int) *Search {
	return &Search{s: s, target: max(pos, 0), back: pos < s.pos, from: s.pos}
}

// Progress is how far a search has come: the position it is at, and the one it can at most reach (0 when not known).
func (q *Search) Progress() (at, of int) { return q.s.pos, max(q.target, q.s.Total()) }

// Back is true for a search towards the start.
func (q *Search) Back() bool { return q.back }

// Slice moves on for a bounded amount of work; done is true when the search has stopped, and stop says why. When the
// context has ended it is interrupted.
func (q *Search) Slice(ctx context.Context) (stop Stop, done bool) {
	return q.SliceOf(ctx, sliceEvents)
}

// SliceOf is Slice for at most so many events, for whoever bounds a move. What a file's index makes a jump is one all the
// same: Goto in one, and NextOf and PrevOf.
func (q *Search) SliceOf(ctx context.Context, events int) (stop Stop, done bool) {
	if q.done {
		return q.s.stop, true
	}
	if q.target >= 0 && q.s.store != nil {
		q.s.rewind(q.target) // nothing is folded over a store: every position costs the same
	}
	if stop, q.done = q.skip(); q.done {
		return stop, true
	}
	if stop, q.done = q.slice(ctx, events); q.done && q.agent != "" {
		stop = q.missed(stop)
	}
	return stop, q.done
}

// Arrived is true when the search has nowhere to go on to: the next slice ends it and moves nothing.
func (q *Search) Arrived() bool {
	s := q.s
	return q.done || q.target >= 0 && s.pos == q.target || q.back && s.pos == 0 && !q.count.busy || !q.back && s.AtEnd()
}

// Run drives the search to its stop; a cancelled context interrupts it where it is.
func (q *Search) Run(ctx context.Context) Stop {
	for {
		if ctx.Err() != nil {
			return q.Interrupt()
		}
		if stop, done := q.Slice(ctx); done {
			return stop
		}
	}
}

// Interrupt ends the search at the position it has reached.
func (q *Search) Interrupt() Stop {
	q.done = true
	return q.s.done(StopInterrupted, q.from)
}

func (q *Search) one(ctx context.Context) (Stop, bool) {
	s := q.s
	if q.target >= 0 && s.pos == q.target {
		return s.done(StopGoto, q.from), true
	}
	if busy, err := q.recount(ctx); err != nil {
		return q.Interrupt(), true
	} else if busy {
		return Stop{}, false
	}
	if q.back {
		if s.pos == 0 {
			return q.unmatched(s.done(StopStart, q.from)), true
		}
		s.unapply()
	} else {
		if q.known && s.pos == s.Len() && s.rep != nil && s.pos >= s.Total() {
			return s.ended(q.from), true
		}
		moved, err := s.forward(ctx)
		if err != nil {
			return s.paused(err, q.from), true
		}
		if !moved {
			return q.unmatched(s.ended(q.from)), true
		}
	}
	if q.breaks && s.pos > 0 && s.pos != q.from {
		b, err := s.breaks.hit(ctx, s, s.pos-1)
		if err != nil {
			return q.unjudged(), true
		}
		if b != nil {
			s.done(StopBreak, q.from)
			s.stop.Breakpoint = b.String()
			if b.Kind == BreakLine {
				s.stop.Message = s.showLine(b, q.back)
			}
			s.stop.also(b.Doubt())
			s.stop.also(s.printed(b, s.pos-1))
			return s.stop, true
		}
	}
	if q.match != nil && s.pos > 0 && s.pos != q.from {
		ok, err := q.match(ctx, s.pos-1)
		if err != nil && ctx.Err() != nil {
			return q.unjudged(), true
		}
		if err != nil {
			stop := s.done(StopError, q.from)
			stop.Message, stop.Err = err.Error(), err
			s.stop = stop
			return stop, true
		}
		if ok {
			return q.found(), true
		}
	}
	return Stop{}, false
}

// unmatched adds what kept breakpoints from stopping to the stop of a search that found none.
func (q *Search) unmatched(stop Stop) Stop {
	if q.breaks {
		stop.also(q.s.doubts())
		q.s.stop = stop
	}
	return stop
}

// paused is the stop of a step that did not happen because its effect has no answer here.
func (s *Session) paused(err error, from int) Stop {
	stop := s.done(StopError, from)
	var held *Held
	switch {
	case effect.IsPause(err), errors.As(err, &held):
		stop.Reason = StopPaused
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		stop.Reason = StopInterrupted
	}
	stop.Err = err
	stop.Message = err.Error()
	s.stop = stop
	return stop
}

func (s *Session) ended(from int) Stop {
	if s.rep != nil && s.rep.Stopped() {
		return s.done(StopDiverged, from)
	}
	return s.done(StopEnd, from)
}

// StepPos is the position at the end of step k, as far as events exist; 0 is the start. ok is false when the step is not
// there yet.
func (s *Session) StepPos(k int) (pos int, ok bool) {
	if k <= 0 {
		return 0, true
	}
	n, end := 0, 0
	for i := range s.Total() {
		h := s.Header(i)
		if passive(h) {
			continue
		}
		if n == k && begins(h) {
			return end, true
		}
		if h.Type == trace.Receive {
			n++
		}
		end = i + 1
	}
	if n == k {
		return end, true
	}
	return s.Total(), false
}
