package engine

import "flowdbg/trace"

// An effect that exceeds the budget ends the run, unless a person changes the budget there. An edit directly behind such
// an effect therefore counts before the error does: in the run that the edit begins, and wherever that run is made again.

// takeEdits takes over the edits behind an effect that exceeds the budget.
func (r *Replayer) takeEdits() error {
	switch {
	case r.comparing():
		return r.Comparer.CopyThrough(r.pushRecorded)
	case r.opt.Edits != nil:
		return r.opt.Edits()
	}
	return nil
}

// judgeAgain emits the error of an effect that exceeded the budget before the edits behind it and still does.
func (r *Replayer) judgeAgain() (over bool, err error) {
	at := r.log.Len() - 1
	for at >= 0 && r.log.Header(at).Type == trace.XIntervene {
		at--
	}
	if at < 0 || at == r.log.Len()-1 || r.comparing() || r.log.Header(at).Type != trace.EffectEvent || r.log.Header(at).Cancelled {
		return false, nil
	}
	e, err := r.log.Event(at)
	if err != nil {
		return false, err
	}
	text := overBudget(r.State, e.Effect.Op, e.UsageUnknown())
	if text == "" {
		return false, nil
	}
	if was, err := r.wasOver(at, e); !was || err != nil {
		return false, err
	}
	return true, r.emit(errorEvent(r.State.Begun(), e.Agent, text))
}

// wasOver is whether an effect exceeded the budget that was in force before the edits behind it. Where the edits cannot be
// taken back the budget now is the answer.
func (r *Replayer) wasOver(at int, e *trace.Event) (was bool, err error) {
	var edits []*trace.Event
	for i := r.log.Len() - 1; i > at; i-- {
		u, ok := r.undos.At(i)
		edit, eerr := r.log.Event(i)
		if !ok || eerr != nil {
			was, err = true, eerr
			break
		}
		r.State.Undo(edit, u)
		edits = append(edits, edit)
	}
	if len(edits) == r.log.Len()-1-at {
		was = overBudget(r.State, e.Effect.Op, e.UsageUnknown()) != ""
	}
	for i := len(edits) - 1; i >= 0; i-- {
		r.State.Apply(edits[i])
	}
	return was, err
}
