package engine

import (
	"errors"

	"flowdbg/trace"
)

// start makes the behaviours' first states beside a record. x-init is the only line of ours that a behaviour makes, so
// it is the only one that is compared: a changed init would else go unseen, because the state would be the record's.
// stop is true when the run ends here.
func (r *Replayer) start() (stop bool, err error) {
	if r.started {
		return false, nil
	}
	mark := r.mark()
	err = r.Machine.Init(r.emitInit)
	if err == nil {
		err = r.noMoreInits()
	}
	switch {
	case errors.Is(err, errDiverged), errors.Is(err, errPrefixEnd):
		r.started = true
		return true, nil
	case err != nil:
		r.rollback(mark)
		return false, err
	}
	r.started = true
	return false, nil
}

// emitInit takes one x-init of the run.
func (r *Replayer) emitInit(ev trace.Event) error {
	if !r.comparing() {
		r.push(ev, nil)
		return nil
	}
	rec, err := r.nextInit()
	switch {
	case err != nil:
		return err
	case rec == nil && r.Comparer.Done() && r.finishOf() == nil:
		if !r.opt.PastEnd {
			return errPrefixEnd
		}
		r.push(ev, nil)
		return nil
	case rec != nil && rec.Type == trace.XInit && rec.Agent == ev.Agent && rec.Extra.Get("state") == ev.Extra.Get("state"):
		r.Comparer.pos++
		r.pushRecorded(rec)
		return nil
	}
	if err := r.diverge(rec, &ev); err != nil {
		return err
	}
	r.push(ev, nil)
	return nil
}

// nextInit passes over other lines of ours to the next recorded x-init; it is nil at the record's end, and an event
// that is no x-init when there are no more.
func (r *Replayer) nextInit() (*trace.Event, error) {
	for !r.Comparer.Done() {
		e, err := r.Comparer.recorded.Event(r.Comparer.pos)
		if err != nil || e.Type == trace.XInit || e.Type == trace.XDamage || !e.Type.IsExtension() {
			return e, err
		}
		r.Comparer.pos++
		r.pushRecorded(e)
	}
	return nil, nil
}

// noMoreInits holds that the record has no first state that the run does not make.
func (r *Replayer) noMoreInits() error {
	if !r.comparing() || r.Comparer.Done() {
		return nil
	}
	rec, err := r.nextInit()
	if err != nil || rec == nil || rec.Type != trace.XInit {
		return err
	}
	return r.diverge(rec, nil)
}

// diverge notes the first difference; the error stops the run, unless it is loose.
func (r *Replayer) diverge(rec, got *trace.Event) error {
	r.Found = r.Comparer.diverged(rec, got)
	if r.opt.Loose {
		return nil
	}
	return errDiverged
}
