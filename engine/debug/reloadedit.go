package debug

import (
	"fmt"

	"flowdbg/engine"
	"flowdbg/trace"
)

// intervene applies, in the new run, the edits that the old run has at this place: everything before was equal, so that
// they mean the same there. It must be called between two steps, with every event compared. stop is true at an edit
// without an effect, and at a first state that only the old run has.
func (r *rerun) intervene() (stop bool, err error) {
	if !r.edits || r.refused != "" {
		return r.refused != "", nil
	}
	var list []*trace.Event
	collect := func(e *trace.Event) {
		if e.Type == trace.XIntervene {
			list = append(list, e)
		}
	}
	if !r.past { // without a record a run begins with its first states
		r.past = true
		var d *engine.Divergence
		if d, err = r.cmp.MoreInits(collect); d != nil || err != nil {
			r.diff = d
			return true, err
		}
	}
	if err = r.cmp.CopyThrough(collect); err != nil {
		return true, err
	}
	s := r.s
	s.foldTo(s.Len()) // the fold is the run's own state
	for _, e := range list {
		if f := s.rep.Intervene(*e); f != nil {
			r.refused = f.Text
			return true, nil
		}
		s.run.info.Edited = true
		s.pos = s.Len()
		s.foldPos = s.pos
	}
	return false, nil
}

// editsInStep does the same inside a step, behind an effect that exceeds the budget: the old run may go on there.
func (r *Reloading) editsInStep() error {
	s := r.s
	if r.done || r.run.over || r.run.old == nil {
		return nil
	}
	s.pos = s.Len() // the fold, which is the run's own state, is there already
	s.foldPos = s.pos
	if stop, err := r.run.compare(); stop || err != nil {
		return err
	}
	_, err := r.run.intervene()
	return err
}

// leftOut says which run's edits the new one does not have, and why; "" when it has them all.
func (r *rerun) leftOut() string {
	if r.diff == nil && r.refused == "" && r.cmp.Done() {
		return ""
	}
	had, has := edits(r.old), edits(r.s.log())
	switch parent := r.s.run.info.Parent; {
	case has >= had:
		return ""
	case r.refused != "":
		return fmt.Sprintf("an edit of run %d is not in this run: %s", parent, r.refused)
	case had == 1:
		return fmt.Sprintf("the edit of run %d is not in this run", parent)
	default:
		return fmt.Sprintf("%d of the %d edits of run %d are not in this run", had-has, had, parent)
	}
}

// edits is how many edits a run has, as far as a reload looks.
func edits(log trace.Log) (n int) {
	for i := range min(log.Len(), reloadLimit) {
		if log.Header(i).Type == trace.XIntervene {
			n++
		}
	}
	return n
}
