// Package debug is one debug session: a position in an event log plus, when the behaviours are at hand, the power to
// append to it. Every face (terminal, command line, editors) drives this one API. It holds no terminal code and starts
// no goroutine: long searches are cut into slices that the caller drives.
//
// Positions are event indices: position p means that the first p events are applied. A session belongs to one
// goroutine at a time.
package debug

import (
	"context"
	"fmt"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/trace"
)

// Mode says what drives the events.
type Mode string

// The modes of a session.
const (
	Live     Mode = "live"     // behaviours run, effects come from the bus
	Replay   Mode = "replay"   // behaviours run, effects come from the trace, every event is compared
	Playback Mode = "playback" // the trace alone
)

// Session is a run tree under the debugger, standing at a position in one of its runs.
type Session struct {
	*run
	runs     []*run
	breaks   breakpoints
	watches  []Watch
	marks    []Mark // in the order of their events
	problems []Problem
	stop     Stop
	pool     *effect.Pool // the record's and every bought answer of this run tree, for forks and reloads
	calls    int          // effects answered by the bus, not by a record
	noted    map[int]bool // events of which it was told that they do not fit

	open   *engine.OpenEffects // what the record notes as sent and does not answer
	unheld bool                // nothing is held: a reload runs again what ran before
	lent   []trace.Event       // answers of another trace
	lender *effect.ByHash

	walk *Source // the walk through a script's call that was looked at last
	work int     // done in the slice under way, see sliceWork

	parts
}

// Problem is one line of the Problems view.
type Problem struct {
	Severity string `json:"severity"` // error, warning, lint, info
	Source   string `json:"source"`   // flow, trace, run, reload, keys, kept
	Text     string `json:"text"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	Event    int    `json:"event"` // -1 when it is not about one
	Excerpt  string `json:"excerpt,omitempty"`
}

// Options open a session. Machine nil plays the trace back; without Trace and Store it runs live.
type Options struct {
	Machine     *engine.Machine
	Diagnostics []flow.Diagnostic
	Trace       *trace.Trace // a trace in memory
	Store       *trace.Store // or one in a file, which may still be being indexed
	PlaybackAll bool         // play the trace back although a machine is at hand
}

// New opens a session at position 0.
func New(opt Options) (*Session, error) {
	first := &run{info: RunInfo{Parent: -1, Cause: "opened", Event: -1}, machine: opt.Machine, store: opt.Store, deciding: newDeciding()}
	s := &Session{run: first, runs: []*run{first}, noted: map[int]bool{}}
	s.addDiagnostics(opt.Diagnostics)
	switch {
	case opt.Store != nil:
		s.record = opt.Store
	case opt.Trace != nil:
		s.record = trace.MemLog(opt.Trace.Events)
		s.addFindings(opt.Trace)
	}
	s.pool = effect.NewPool(s.record)
	var err error
	switch {
	case opt.Machine == nil && s.record == nil:
		return nil, fmt.Errorf("a session needs a flow or a trace")
	case opt.Machine == nil || opt.PlaybackAll && s.record != nil:
		s.openPlayback(opt.Trace)
	default:
		err = s.openRun()
	}
	s.stop = s.describe(StopStart, 0)
	return s, err
}

func (s *Session) openPlayback(tr *trace.Trace) {
	s.mode = Playback
	if s.store != nil {
		return
	}
	setup := trace.PlaybackSetup(tr.Events)
	if s.machine != nil {
		setup = s.machine.Setup()
	}
	s.fold = trace.NewState(setup)
}

func (s *Session) openRun() error {
	s.mode = Live
	if s.record != nil {
		s.mode = Replay
	}
	rep, err := engine.NewReplayer(s.machine, s.record, engine.ReplayOptions{Keep: s.keep(), PastEnd: true, Next: s.source(s.machine, s.bus(s.machine))})
	if err != nil {
		return err
	}
	s.adopt(rep)
	s.rewind(0)
	if s.record != nil && s.store == nil {
		if note := engine.FlowNote(s.machine.Flow().SHA256(), s.record); note != "" {
			s.problems = append(s.problems, Problem{Severity: "info", Source: "trace", Text: note, Event: -1})
		}
	}
	return nil
}

// keep is which undo records the run keeps: over a store only those of events that the store does not have.
func (s *Session) keep() engine.KeepUndos {
	if s.store != nil {
		return engine.KeepTail
	}
	return engine.KeepAll
}

func (s *Session) adopt(rep *engine.Replayer) {
	s.rep, s.fold = rep, rep.State
	s.pos = rep.Log().Len()
	s.foldPos = s.pos
	s.machine = rep.Machine
	warned := map[string]bool{}
	rep.Machine.OnWarn = func(f trace.Finding) {
		if !warned[f.Text] {
			warned[f.Text] = true
			s.problems = append(s.problems, Problem{Severity: "warning", Source: "run", Text: f.Text, Event: -1})
		}
	}
}

// bus is the machine's bus with a counter, so that a session can say how many effects it really asked for.
// What the record notes as sent and does not answer waits for a decision before it is sent again.
func (s *Session) bus(m *engine.Machine) effect.Source {
	if s.open == nil {
		s.open = engine.NewOpenEffects(s.record)
	}
	return s.open.Before(countedBus{m.Bus(), &s.calls})
}

type countedBus struct {
	*effect.Bus
	calls *int
}

func (b countedBus) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	a, err := b.Bus.Answer(ctx, c)
	if err == nil {
		*b.calls++
	}
	return a, err
}

// Mode is what drives the events.
func (s *Session) Mode() Mode { return s.mode }

// Machine is the machine, nil in playback without a flow.
func (s *Session) Machine() *engine.Machine { return s.machine }

// Store is the file that the run's record lies in, nil when it is in memory or the run has none.
func (s *Session) Store() *trace.Store {
	if s.record == nil {
		return nil
	}
	return s.store
}

// Pos is how many events are applied.
func (s *Session) Pos() int { return s.pos }

// Len is how many events exist in this run so far; Total adds the recorded ones that were not reached yet.
func (s *Session) Len() int { return s.log().Len() }

// Total is the number of events that can be shown: the run's own, and what the record holds beyond them.
func (s *Session) Total() int {
	if s.record == nil || s.rep != nil && s.rep.Found != nil {
		return s.Len()
	}
	return max(s.Len(), s.record.Len())
}

// at is the log that holds the i-th event: the run's own where it exists, else the record.
func (s *Session) at(i int) trace.Log {
	if log := s.log(); i < log.Len() {
		return log
	}
	return s.record
}

// Header is the i-th event's header, 0 ≤ i < Total. It decodes nothing.
func (s *Session) Header(i int) trace.Header { return s.at(i).Header(i) }

// Event is the i-th event, 0 ≤ i < Total: the run's own where it exists, else the recorded one. It must not be changed.
// An event that can no longer be read comes back as trace.XDamage with the reason.
func (s *Session) Event(i int) *trace.Event {
	log := s.at(i)
	e, err := log.Event(i)
	s.work += size(log, i, e)
	if err != nil {
		return trace.Unreadable(err)
	}
	return e
}

// State is the state at the position. It changes with the next move; do not keep it.
func (s *Session) State() trace.View {
	if s.indexed() {
		return s.store.ViewAs(s.pos, s.run.as)
	}
	s.foldTo(s.pos)
	return s.fold
}

// indexed is true when the position lies in the part of the log that the store can show.
func (s *Session) indexed() bool { return s.store != nil && s.pos <= s.indexedTo() }

// indexedTo is how many of the run's events are the store's own.
func (s *Session) indexedTo() int {
	if s.rep == nil {
		return s.store.Len()
	}
	return s.rep.Log().Shared()
}

// Fold is the state at the position as a fold over events, for what an index cannot tell; nil when it cannot be made
// any more because the file has changed. Callers change nothing in it.
func (s *Session) Fold() *trace.State {
	if !s.indexed() {
		s.foldTo(s.pos)
		return s.fold
	}
	if s.fold != nil && s.foldPos == s.pos {
		return s.fold
	}
	st, err := s.store.FoldAs(s.pos, s.run.as)
	if err != nil {
		return nil
	}
	return st
}

// Stop is why the session last stopped.
func (s *Session) Stop() Stop { return s.stop }

// Problems are diagnostics, findings, warnings and the reload history, oldest first.
func (s *Session) Problems() []Problem { return s.problems }

// AddProblem adds what a face has to tell about the files of the session.
func (s *Session) AddProblem(p Problem) { s.problems = append(s.problems, p) }

// EffectCalls is how many effects the bus answered in this session; recorded answers do not count.
func (s *Session) EffectCalls() int { return s.calls }

// Divergence is the first difference from the record, nil as long as there is none.
func (s *Session) Divergence() *engine.Divergence {
	if s.rep == nil {
		return nil
	}
	return s.rep.Found
}

// AtEnd is true when nothing lies ahead: the run has ended at this position.
func (s *Session) AtEnd() bool {
	if s.pos < s.Len() {
		return false
	}
	return s.rep == nil || s.rep.Ended() || s.rep.State.Finished() != nil
}
