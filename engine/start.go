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
	rec, d, err := r.Comparer.CheckInit(&ev, r.pushRecorded)
	switch {
	case err != nil:
		return err
	case d != nil:
		if err := r.diverge(d); err != nil {
			return err
		}
	case rec != nil:
		r.pushRecorded(rec)
		return nil
	case !r.opt.PastEnd:
		return errPrefixEnd
	}
	r.push(ev, nil)
	return nil
}

// noMoreInits holds that the record has no first state that the run does not make.
func (r *Replayer) noMoreInits() error {
	if !r.comparing() {
		return nil
	}
	d, err := r.Comparer.MoreInits(r.pushRecorded)
	if err != nil || d == nil {
		return err
	}
	return r.diverge(d)
}

// diverge notes the first difference; the error stops the run, unless it is loose.
func (r *Replayer) diverge(d *Divergence) error {
	r.Found = d
	if r.opt.Loose {
		return nil
	}
	return errDiverged
}

// CheckInit compares the next recorded first state (x-init) with one that the run made; other lines of ours before it
// go to pass. Equal: the recorded event is returned. At the record's end nothing is.
func (c *Comparer) CheckInit(got *trace.Event, pass func(*trace.Event)) (*trace.Event, *Divergence, error) {
	rec, err := c.nextInit(pass)
	switch {
	case err != nil || rec == nil:
		return nil, nil, err
	case rec.Type == trace.XInit && rec.Agent == got.Agent && rec.Extra.Get("state") == got.Extra.Get("state"):
		c.pos++
		return rec, nil, nil
	}
	return nil, c.diverged(rec, got), nil
}

// MoreInits is the difference of a record that has a first state which the run did not make, nil when it has none.
func (c *Comparer) MoreInits(pass func(*trace.Event)) (*Divergence, error) {
	rec, err := c.nextInit(pass)
	if err != nil || rec == nil || rec.Type != trace.XInit {
		return nil, err
	}
	return c.diverged(rec, nil), nil
}

// nextInit passes over other lines of ours to the next recorded x-init; it is nil at the record's end, and an event
// that is no x-init when there are no more.
func (c *Comparer) nextInit(pass func(*trace.Event)) (*trace.Event, error) {
	for !c.Done() {
		e, err := c.recorded.Event(c.pos)
		if err != nil || e.Type == trace.XInit || !e.Type.IsExtension() {
			return e, err
		}
		c.pos++
		pass(e)
	}
	return nil, nil
}
