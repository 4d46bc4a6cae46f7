package debug

import (
	"fmt"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/trace"
)

// Edit is a person's change to the state; see trace.XIntervene for what each Do takes.
type Edit struct {
	Do      string
	Agent   string
	Index   int           // drop, answer: which waiting message
	Message trace.Message // inject
	Value   trace.Budget  // budget
	JSON    editJSON      // state: the new state; answer: the new payload
}

// Fork makes a new run that shares everything before the position and goes on live from there, with every answer that
// was given before for the same request. edit may be nil. A position inside a step is taken back to the step's start; one
// behind an error that a larger budget cures is taken back, by an edit, to before the error, so that the run can go on (an edit
// that leaves the budget exceeded leaves the error); and
// an edit behind a step that failed, which could change nothing any more, to before that step. The stop's message says so. The
// parent stays as it is.
func (s *Session) Fork(edit *Edit) (Stop, error) {
	if s.machine == nil {
		return s.stop, fmt.Errorf("this trace is played back without its flow: there is nothing that could run on")
	}
	from, at := s.pos, s.forkPoint(edit != nil)
	failed := edit != nil && s.failedBefore(at)
	if failed {
		at = s.stepStart(at)
	}
	said := s.movedTo(at, from, failed)
	edit = s.shifted(edit, at, from)
	s.rewind(at)
	rep, begun, err := s.newFork(edit)
	s.rewind(from)
	if err != nil {
		if said != "" {
			err = fmt.Errorf("%w (%s)", err, said)
		}
		return s.stop, err
	}
	info := RunInfo{ID: len(s.runs), Parent: s.run.info.ID, Cause: "fork", Event: begun, Edited: s.run.info.Edited}
	if edit != nil {
		info.Cause, info.Edited = "edit: "+edit.Do, true
	}
	store, as, before, waits := s.store, s.run.as, s.spans(at), s.pending
	s.start(rep, info)
	s.run.store, s.run.as, s.run.before, s.run.began = store, as, before, at
	if waits != nil && waits.pos == s.pos && edit == nil {
		s.pending = waits // the new run stands before the same step
	}
	if edit == nil && begun > at { // at the start, or among the first states: they come ahead
		s.rewind(max(at, min(from, begun)))
	}
	stop := s.done(StopFork, from)
	stop.also(said)
	s.stop = stop
	return stop, nil
}

// newFork is a run that begins at the position, with its first states and the edit; begun is how many events it shares
// with its parent, or makes as its parent did.
func (s *Session) newFork(edit *Edit) (rep *engine.Replayer, begun int, err error) {
	fold, undos, err := s.forkState()
	if err != nil {
		return nil, 0, fmt.Errorf("the state at position %d cannot be read any more: %w", s.pos, err)
	}
	rep = engine.NewFork(s.machine, s.log(), s.pos, fold, undos, s.source(s.machine, s.pool.SourceBehind(s.bus(s.machine), s.spans(s.pos))))
	if err := rep.Begin(); err != nil {
		return nil, 0, err
	}
	begun = rep.Log().Len()
	if edit == nil {
		return rep, begun, nil
	}
	ev, err := edit.event(s.State().Step())
	if err != nil {
		return nil, 0, err
	}
	if f := rep.Intervene(ev); f != nil {
		return nil, 0, fmt.Errorf("%s %s", f.Pointer, f.Text)
	}
	return rep, begun, nil
}

// spans are what lies before a position of the run, in the logs that the pool's answers lie in: its own, those of the runs
// that it began in, and the record as far as it is shared.
func (s *Session) spans(at int) []effect.Span {
	var list []effect.Span
	for _, b := range s.run.before {
		b.To = min(b.To, at)
		list = append(list, b)
	}
	if s.rep == nil {
		return append(list, effect.Span{Log: s.pool.Record(), To: at})
	}
	if s.record != nil {
		list = append(list, effect.Span{Log: s.pool.Record(), To: min(at, s.rep.Log().Shared())})
	}
	return append(list, effect.Span{Log: s.rep.Log(), From: s.run.began, To: at, Reused: s.run.info.Parent >= 0})
}

// movedTo says why a fork begins before the position, "" when it does not, or only before the end of the run.
func (s *Session) movedTo(at, from int, failed bool) string {
	for i := at; i < from; i++ {
		h := s.Header(i)
		switch {
		case h.Type != trace.Receive || h.Cancelled:
		case failed:
			return fmt.Sprintf("step %d failed: the edit goes before it, at position %d", h.Step, at)
		default:
			return fmt.Sprintf("the run begins at the start of step %d, position %d: position %d lies inside the step", h.Step, at, from)
		}
	}
	return ""
}

// shifted is the edit as it reads at an earlier position: the messages that its agent consumed since wait again, before
// the one that it names.
func (s *Session) shifted(edit *Edit, at, from int) *Edit {
	if edit == nil || edit.Do != trace.DoDrop && edit.Do != trace.DoAnswer {
		return edit
	}
	e := *edit
	for i := at; i < from; i++ {
		if h := s.Header(i); h.Type == trace.Receive && !h.Cancelled && h.Agent == e.Agent {
			e.Index++
		}
	}
	return &e
}

// forkState is the state at the position for a child run to take over, with the undo records before it.
func (s *Session) forkState() (*trace.State, engine.Undos, error) {
	undos := s.undos.Before(s.pos)
	if s.rep != nil {
		undos = s.rep.UndosBefore(s.pos)
	}
	switch {
	case !s.indexed():
		s.foldTo(s.pos)
	case s.fold == nil || s.foldPos != s.pos:
		st, err := s.store.ForkAs(s.pos, s.run.as)
		return st, undos, err
	}
	return s.fold.Clone(), undos, nil
}

// forkPoint is the last position, not behind the current one, at which a step may begin. cures says that the run is meant to
// go on where an error that is curable ended it; without that a fork is what its parent is.
func (s *Session) forkPoint(cures bool) int {
	p := s.pos
	for p > 0 {
		h := s.Header(p - 1)
		if h.Type != trace.FinishEvent && !passive(h) && !(cures && h.Type == trace.ErrorEvent && curable(s.Event(p-1))) {
			break
		}
		if h.Type == trace.XIntervene || h.Type == trace.XInit {
			break
		}
		p--
	}
	for ; p > 0 && !s.mayBegin(p, cures); p-- {
	}
	return p
}

// mayBegin is true where every event of the step before lies behind the position, or only an error that is curable. The
// end of a record without finish may lie inside a step; nobody knows, and its last step runs again as it did.
func (s *Session) mayBegin(p int, cures bool) bool {
	switch {
	case p < s.Len():
		h := s.Header(p)
		return begins(h) || cures && h.Type == trace.ErrorEvent && curable(s.Event(p)) || s.boundary(p)
	case s.rep == nil || s.Header(p-1).Type == trace.ErrorEvent:
		return false
	}
	return !s.rep.Torn()
}

// failedBefore is true where the step before the position ended in an error that nothing cures.
func (s *Session) failedBefore(p int) bool {
	return p > 0 && s.Header(p-1).Type == trace.ErrorEvent && !s.Header(p-1).Cancelled && !curable(s.Event(p-1))
}

// stepStart is the start of the step before a position.
func (s *Session) stepStart(p int) int {
	for p--; p > 0; p-- {
		if h := s.Header(p); h.Type == trace.Receive && !h.Cancelled {
			break
		}
	}
	return p
}

// curable is true for the errors behind which the state is whole: the step was done, only the run may not go on.
func curable(e *trace.Event) bool {
	return e.Error != nil && (e.Error.Code == trace.CodeBudgetExceeded || e.Error.Code == trace.CodeUnmeteredEffect)
}
