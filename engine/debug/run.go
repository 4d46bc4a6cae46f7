package debug

import (
	"fmt"

	"flowdbg/engine"
	"flowdbg/trace"
)

// run is one run of the session's tree. A run is never changed by another: a fork or a reload makes a new one.
type run struct {
	info    RunInfo
	mode    Mode
	machine *engine.Machine  // nil in playback without a flow
	rep     *engine.Replayer // nil in playback
	record  trace.Log        // what the run is compared with; in playback the log itself; nil in a plain live run
	store   *trace.Store     // the file whose index shows the state at the positions that the run shares with it
	pos     int
	fold    *trace.State // nil in playback from a store
	foldPos int          // the position that fold stands at
	undos   engine.Undos // playback from memory: one per event that was applied
	hashed  hashAt
}

// RunInfo is one run of the session's tree: the first one, or the child that a reload or a fork made.
type RunInfo struct {
	ID     int    `json:"id"`
	Parent int    `json:"parent"` // -1 for the first
	Cause  string `json:"cause"`
	Event  int    `json:"event"`  // first event that differs from the parent, -1 when none does
	Edited bool   `json:"edited"` // a person changed something: never compared with a recorded trace silently
	Length int    `json:"length"` // events so far
	Ended  bool   `json:"ended"`
	// Total, Finished and Recorded describe the run whole, whatever of a record was made again so far. They are for faces.
	Total    int  `json:"-"` // events that can be shown: its own and what its record holds beyond them
	Finished bool `json:"-"` // the last of them ends the run
	Recorded bool `json:"-"` // the last of them comes from a record
}

// Runs is the run tree, in the order the runs were made.
func (s *Session) Runs() []RunInfo {
	list := make([]RunInfo, len(s.runs))
	for i, r := range s.runs {
		list[i] = r.info
		list[i].Length = r.log().Len()
		list[i].Ended = r.rep != nil && r.rep.State.Finished() != nil
		all := r.whole()
		list[i].Total, list[i].Recorded = all.Len(), r.mode != Live
		list[i].Finished = list[i].Ended || all.Len() > 0 && all.Header(all.Len()-1).Type == trace.FinishEvent
	}
	return list
}

// CurrentRun is the id of the run that the session shows.
func (s *Session) CurrentRun() int { return s.run.info.ID }

// SwitchRun shows another run, at the position it was left at.
func (s *Session) SwitchRun(id int) (Stop, error) {
	for _, r := range s.runs {
		if r.info.ID == id {
			from := s.pos
			s.run = r
			s.breaks.anew()
			s.bindBreaks()
			return s.done(StopGoto, from), nil
		}
	}
	return s.stop, fmt.Errorf("there is no run %d; the runs are 0 to %d", id, len(s.runs)-1)
}

// RunLog is the log of a run, for comparing two of them; nil for an id that is not there.
func (s *Session) RunLog(id int) trace.Log {
	for _, r := range s.runs {
		if r.info.ID == id {
			return r.log()
		}
	}
	return nil
}

// whole is the longer of the run's own log and its record, unless the run has left its record.
func (r *run) whole() trace.Log {
	if own := r.log(); r.record == nil || r.rep != nil && r.rep.Found != nil || own.Len() >= r.record.Len() {
		return own
	}
	return r.record
}

// log is every event that exists so far.
func (r *run) log() trace.Log {
	if r.rep == nil {
		return r.record
	}
	return r.rep.Log()
}

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
// behind an error that a larger budget cures is taken back to before the error, so that the run can go on. The parent
// stays as it is.
func (s *Session) Fork(edit *Edit) (Stop, error) {
	if s.machine == nil {
		return s.stop, fmt.Errorf("this trace is played back without its flow: there is nothing that could run on")
	}
	from, at := s.pos, s.forkPoint()
	s.rewind(at)
	fold, undos, err := s.forkState()
	if err != nil {
		s.rewind(from)
		return s.stop, fmt.Errorf("the state at position %d cannot be read any more: %w", at, err)
	}
	rep := engine.NewFork(s.machine, s.log(), at, fold, undos, s.source(s.machine, s.pool.Source(s.bus(s.machine))))
	info := RunInfo{ID: len(s.runs), Parent: s.run.info.ID, Cause: "fork", Event: at}
	if edit != nil {
		ev, err := edit.event(s.State().Step())
		if err != nil {
			s.rewind(from)
			return s.stop, err
		}
		if f := rep.Intervene(ev); f != nil {
			s.rewind(from)
			return s.stop, fmt.Errorf("%s %s", f.Pointer, f.Text)
		}
		info.Cause, info.Edited = "edit: "+edit.Do, true
	}
	info.Edited = info.Edited || s.run.info.Edited
	s.rewind(from)
	store := s.store
	s.start(rep, info)
	s.run.store = store
	return s.done(StopFork, from), nil
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
		st, err := s.store.ForkAt(s.pos)
		return st, undos, err
	}
	return s.fold.Clone(), undos, nil
}

// start makes a replayer the session's current run.
func (s *Session) start(rep *engine.Replayer, info RunInfo) {
	old := s.run
	s.run = &run{info: info, mode: old.mode, machine: rep.Machine, record: old.record, store: old.store}
	if old.mode == Playback || info.Edited || info.Cause == "fork" {
		s.run.mode, s.run.record, s.run.store = Live, nil, nil
	}
	s.runs = append(s.runs, s.run)
	s.breaks.anew()
	s.adopt(rep)
}

// forkPoint is the last position, not behind the current one, at which a step may begin.
func (s *Session) forkPoint() int {
	p := s.pos
	for p > 0 {
		h := s.Header(p - 1)
		if h.Type != trace.FinishEvent && !passive(h) && !(h.Type == trace.ErrorEvent && curable(s.Event(p-1))) {
			break
		}
		if h.Type == trace.XIntervene || h.Type == trace.XInit {
			break
		}
		p--
	}
	for ; p > 0 && !s.mayBegin(p); p-- {
	}
	return p
}

// mayBegin is true where every event of the step before lies behind the position, or only an error that is curable.
func (s *Session) mayBegin(p int) bool {
	if p >= s.Len() {
		return s.rep == nil || s.Header(p-1).Type != trace.ErrorEvent
	}
	h := s.Header(p)
	return begins(h) || h.Type == trace.ErrorEvent && curable(s.Event(p)) || s.boundary(p)
}

// curable is true for the errors behind which the state is whole: the step was done, only the run may not go on.
func curable(e *trace.Event) bool {
	return e.Error != nil && (e.Error.Code == trace.CodeBudgetExceeded || e.Error.Code == trace.CodeUnmeteredEffect)
}
