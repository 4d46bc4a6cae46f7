package engine

import (
	"context"
	"errors"
	"fmt"

	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Sink keeps the events of a run while it runs; trace.Recorder is one. Append takes the next event, Flush makes what
// was taken survive the process, Sync the machine. After an error the run stops.
type Sink interface {
	Append(e *trace.Event) error
	Flush() error
	Sync() error
}

// Recording is a live run that is kept in a sink as it goes: every step when it is done, and before a paid effect is
// sent everything up to a line that says so. With a record that has no finish it resumes: the record is made again and
// compared first, with its own answers, and the run goes on where it ends.
//
// Steps that did not happen leave nothing in the sink, but for one that had sent a paid effect: its events stay, taken
// back by an x-cancel line, because the effect may have been billed (design 02).
type Recording struct {
	Replayer *Replayer
	sink     Sink
	source   effect.Source
	opt      ResumeOptions
	open     map[intentKey]Intent
	written  int           // events of the log that the sink has
	start    int           // log length at the start of the step
	sent     []trace.Event // what the sink got of the step under way
	paid     bool          // the step under way has sent a paid effect
	must     bool          // its events must reach the disk
}

// ResumeOptions decide about effects that may have been sent before, see Unsettled.
type ResumeOptions struct {
	Redo   bool           // send them again: they may be billed twice
	Answer *effect.Answer // take this as the answer of the first one
}

// ErrComplete is the error of resuming a record that ends in finish.
var ErrComplete = errors.New("the trace is complete: its run has finished")

// Damaged is the error of resuming a record with damage in its middle.
type Damaged struct{ Event int }

// Error says where.
func (e *Damaged) Error() string {
	return fmt.Sprintf("the trace is damaged at event %d: what happened there is not known", e.Event)
}

// NewRecording starts a run; record nil starts at the beginning. A nil sink keeps nothing.
func NewRecording(m *Machine, record trace.Log, source effect.Source, sink Sink, opt ResumeOptions) (*Recording, error) {
	r := &Recording{sink: sink, source: source, opt: opt, open: map[intentKey]Intent{}}
	if record != nil {
		if err := r.look(record); err != nil {
			return nil, err
		}
	}
	ro := ReplayOptions{PastEnd: true, Next: payer{r}}
	if record == nil {
		ro = ReplayOptions{Source: payer{r}}
	}
	var err error
	if r.Replayer, err = NewReplayer(m, record, ro); err != nil {
		return nil, err
	}
	return r, r.keep()
}

// look refuses records that cannot be resumed and finds what is open in the others.
func (r *Recording) look(record trace.Log) error {
	for i := range record.Len() {
		switch record.Header(i).Type {
		case trace.XDamage:
			return &Damaged{i}
		case trace.FinishEvent:
			return ErrComplete
		}
	}
	open, err := OpenIntents(record)
	for _, in := range open {
		r.open[in.key()] = in
	}
	return err
}

// Step runs one step. ended is true at finish, or where the record's events could not be made again
// (Replayer.Found). On an error the step did not happen; *Unsettled asks for a decision.
func (r *Recording) Step(ctx context.Context) (ended bool, err error) {
	r.start, r.sent, r.paid, r.must = r.Replayer.log.Len(), r.sent[:0], false, false
	ended, err = r.Replayer.Step(ctx)
	if err != nil {
		if r.paid {
			err = errors.Join(err, r.takeBack())
		}
		return false, err
	}
	if r.Replayer.Found != nil {
		return true, nil // the run is not the recorded one: nothing more is kept
	}
	return ended, r.keep()
}

// ToEnd runs until finish or a difference, calling progress (if not nil) after every step; its error stops the run.
func (r *Recording) ToEnd(ctx context.Context, progress func(*Recording) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		ended, err := r.Step(ctx)
		if err != nil || ended {
			return err
		}
		if progress != nil {
			if err := progress(r); err != nil {
				return err
			}
		}
	}
}

// keep gives the sink the events that it does not have, and syncs where the run must not be lost.
func (r *Recording) keep() error {
	if r.sink == nil {
		return nil
	}
	must := r.must
	for ; r.written < r.Replayer.log.Len(); r.written++ {
		e, err := r.Replayer.log.Event(r.written)
		if err != nil {
			return err
		}
		if err := r.sink.Append(e); err != nil {
			return err
		}
		must = must || e.Type == trace.FinishEvent || e.Type == trace.ErrorEvent
	}
	if must {
		return r.sink.Sync()
	}
	return r.sink.Flush()
}

// intend notes that a paid effect is about to be sent, with everything before it.
func (r *Recording) intend(in Intent, redo bool) error {
	if r.sink == nil {
		return nil
	}
	r.Replayer.push(in.event(redo), nil)
	r.paid, r.must = true, true
	for i := r.start; i < r.Replayer.log.Len(); i++ {
		e, err := r.Replayer.log.Event(i)
		if err != nil {
			return err
		}
		r.sent = append(r.sent, *e)
	}
	return r.keep()
}

// takeBack cancels a step that did not happen although the sink has its events: they stay in the run, passed over.
func (r *Recording) takeBack() error {
	last := &r.sent[len(r.sent)-1]
	cancel := trace.Event{Type: trace.XCancel, Step: last.Step, Side: canon.Object(canon.Member{Key: "possibly_billed", Value: canon.True})}
	list := append(append([]trace.Event(nil), r.sent...), cancel)
	trace.Normalise(list)
	for _, e := range list {
		r.Replayer.push(e, nil)
	}
	in := intentOf(0, last)
	in.Cancelled = true
	r.open[in.key()] = in
	if err := r.sink.Append(&list[len(list)-1]); err != nil {
		return err
	}
	r.written = r.Replayer.log.Len()
	return r.sink.Sync()
}

// payer stands before the live source: nothing reaches it before the record is at its end, and nothing paid before it
// was noted.
type payer struct{ r *Recording }

func (p payer) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	r := p.r
	in := Intent{Step: c.Step + r.Replayer.Comparer.base, Agent: c.Agent, Op: c.Request.Op, Hash: c.Request.Hash()}
	before, unsettled := r.open[in.key()]
	switch {
	case unsettled && r.opt.Answer != nil:
		a := *r.opt.Answer
		r.opt.Answer = nil
		delete(r.open, in.key())
		a.Side = withMember(a.Side, "typed", canon.True)
		r.must = true // it is kept as surely as a bought one
		return a, nil
	case unsettled && !r.opt.Redo:
		return effect.Answer{}, &Unsettled{before}
	}
	terms, _ := r.source.(effect.Terms)
	if terms != nil {
		if err := terms.Ready(c); err != nil {
			return effect.Answer{}, err
		}
	}
	if terms == nil || terms.Paid(c) {
		if err := r.intend(in, unsettled); err != nil {
			return effect.Answer{}, err
		}
		delete(r.open, in.key())
	}
	return r.source.Answer(ctx, c)
}
