package debug

import (
	"fmt"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/trace"
)

// run is one run of the session's tree. A run is never changed by another: a fork or a reload makes a new one.
type run struct {
	info    RunInfo
	mode    Mode
	machine *engine.Machine   // nil in playback without a flow
	rep     *engine.Replayer  // nil in playback
	record  trace.Log         // what the run is compared with; in playback the log itself; nil in a plain live run
	store   *trace.Store      // the file whose index shows the state at the positions that the run shares with it
	as      *trace.StoreSetup // the run's version of the flow for it, nil for the one that it was indexed with
	pos     int
	fold    *trace.State // nil in playback from a store
	foldPos int          // the position that fold stands at
	undos   engine.Undos // playback from memory: one per event that was applied
	hashed  hashAt
	before  []effect.Span // what a fork shares with the runs that it began in
	began   int           // its first event that it shares with none

	pending *Pending // what it waits for
	deciding
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
	Kept   string `json:"kept,omitempty"` // the file that the run was opened from, of one that was kept before
	// Total, Finished and Recorded describe the run whole, whatever of a record was made again so far.
	Total    int  `json:"total"`    // events that can be shown: its own and what its record holds beyond them
	Finished bool `json:"finished"` // the last of them ends the run
	Recorded bool `json:"recorded"` // it has a record beside it, or is one
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

// RunLog is the log of a run as far as it was run; nil for an id that is not there.
func (s *Session) RunLog(id int) trace.Log {
	for _, r := range s.runs {
		if r.info.ID == id {
			return r.log()
		}
	}
	return nil
}

// RunTrace is all that a run is listed with (RunInfo.Total): its own events and, where it has not left its record, what the
// record has behind them; nil for an id that is not there.
func (s *Session) RunTrace(id int) trace.Log {
	for _, r := range s.runs {
		if r.info.ID == id {
			return r.whole()
		}
	}
	return nil
}

// Beside is what the run that is shown is compared with when nobody says: the record that it is held against, else the
// run that it began in. ok is false for a first run without a record.
func (s *Session) Beside() (run int, record, ok bool) {
	switch {
	case s.mode != Playback && s.record != nil:
		return -1, true, true
	case s.run.info.Parent >= 0:
		return s.run.info.Parent, false, true
	}
	return -1, false, false
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

// start makes a replayer the session's current run.
func (s *Session) start(rep *engine.Replayer, info RunInfo) {
	old := s.run
	s.run = &run{info: info, mode: old.mode, machine: rep.Machine, record: old.record, store: old.store, deciding: newDeciding()}
	if old.mode == Playback || info.Edited || info.Cause == "fork" {
		s.run.mode, s.run.record, s.run.store = Live, nil, nil
	}
	s.runs = append(s.runs, s.run)
	s.breaks.anew()
	s.adopt(rep)
}
