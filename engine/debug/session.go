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

// Session is a run under the debugger.
type Session struct {
	mode     Mode
	machine  *engine.Machine  // nil in playback without a flow
	rep      *engine.Replayer // nil in playback
	record   []trace.Event    // what the run is compared with; in playback the log itself
	events   []trace.Event    // playback: the log
	undos    []trace.Undo     // playback: one per applied event
	state    *trace.State
	pos      int
	breaks   breakpoints
	problems []Problem
	stop     Stop
	answers  []trace.Event // the record and every effect bought in this run tree, for reuse after a reload
	runs     []RunInfo
	calls    int // effects answered by the bus, not by a record
	folded   map[int]trace.Finding
}

// RunInfo is one run of the session's tree: the first one, or the child that a reload made.
type RunInfo struct {
	ID     int    `json:"id"`
	Parent int    `json:"parent"` // -1 for the first
	Cause  string `json:"cause"`
	Event  int    `json:"event"` // first event that differs from the parent, -1 when none does
}

// Problem is one line of the Problems view.
type Problem struct {
	Severity string `json:"severity"` // error, warning, lint, info
	Source   string `json:"source"`   // flow, trace, run, reload
	Text     string `json:"text"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	Event    int    `json:"event"` // -1 when it is not about one
	Excerpt  string `json:"excerpt,omitempty"`
}

// Options open a session. Machine nil plays the trace back; Trace nil runs live.
type Options struct {
	Machine     *engine.Machine
	Diagnostics []flow.Diagnostic
	Trace       *trace.Trace
	PlaybackAll bool // play the trace back although a machine is at hand
}

// New opens a session at position 0.
func New(opt Options) (*Session, error) {
	s := &Session{machine: opt.Machine, runs: []RunInfo{{ID: 0, Parent: -1, Cause: "opened", Event: -1}}, folded: map[int]trace.Finding{}}
	s.addDiagnostics(opt.Diagnostics)
	if opt.Trace != nil {
		s.record = opt.Trace.Events
		if s.record == nil {
			s.record = []trace.Event{}
		}
		for _, e := range s.record {
			if e.Type == trace.EffectEvent || e.Type == trace.ErrorEvent {
				s.answers = append(s.answers, e)
			}
		}
		s.addFindings(opt.Trace)
	}
	switch {
	case opt.Machine == nil && opt.Trace == nil:
		return nil, fmt.Errorf("a session needs a flow or a trace")
	case opt.Machine == nil || opt.PlaybackAll && opt.Trace != nil:
		s.openPlayback()
	default:
		s.mode = Live
		if opt.Trace != nil {
			s.mode = Replay
		}
		rep, err := engine.NewReplayer(opt.Machine, s.record, engine.ReplayOptions{KeepUndos: true, PastEnd: true, Next: s.bus(opt.Machine)})
		if err != nil {
			return nil, err
		}
		s.adopt(rep)
		s.rewind(0)
		if note := engine.FlowNote(opt.Machine.Flow().SHA256(), s.record); note != "" {
			s.problems = append(s.problems, Problem{Severity: "info", Source: "trace", Text: note, Event: -1})
		}
	}
	s.stop = s.describe(StopStart, 0)
	return s, nil
}

func (s *Session) openPlayback() {
	s.mode = Playback
	s.events = s.record
	setup := trace.PlaybackSetup(s.record)
	if s.machine != nil {
		setup = s.machine.Setup()
	}
	s.state = trace.NewState(setup)
}

func (s *Session) adopt(rep *engine.Replayer) {
	s.rep, s.state = rep, rep.Run.State
	s.pos = len(rep.Run.Events)
	m := rep.Run.Machine
	s.machine = m
	warned := map[string]bool{}
	m.OnWarn = func(f trace.Finding) {
		if !warned[f.Text] {
			warned[f.Text] = true
			s.problems = append(s.problems, Problem{Severity: "warning", Source: "run", Text: f.Text, Event: -1})
		}
	}
}

// bus is the machine's bus with a counter, so that a session can say how many effects it really asked for.
func (s *Session) bus(m *engine.Machine) effect.Source { return countedBus{m.Bus(), &s.calls} }

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

// log is every event that exists so far.
func (s *Session) log() []trace.Event {
	if s.rep == nil {
		return s.events
	}
	return s.rep.Run.Events
}

// Mode is what drives the events.
func (s *Session) Mode() Mode { return s.mode }

// Machine is the machine, nil in playback without a flow.
func (s *Session) Machine() *engine.Machine { return s.machine }

// Pos is how many events are applied.
func (s *Session) Pos() int { return s.pos }

// Len is how many events exist in this run so far; Total adds the recorded ones that were not reached yet.
func (s *Session) Len() int { return len(s.log()) }

// Total is the number of events that can be shown: the run's own, and what the record holds beyond them.
func (s *Session) Total() int {
	if s.rep != nil && s.rep.Found != nil {
		return len(s.log())
	}
	return max(len(s.log()), len(s.record))
}

// Event is the i-th event, 0 ≤ i < Total: the run's own where it exists, else the recorded one. It must not be changed.
func (s *Session) Event(i int) *trace.Event {
	if log := s.log(); i < len(log) {
		return &log[i]
	}
	return &s.record[i]
}

// State is the state at the position. It changes with the next move; do not keep it.
func (s *Session) State() trace.View { return s.state }

// Fold is the state at the position when it is a fold over events, nil when it is read off an index. Callers change
// nothing in it.
func (s *Session) Fold() *trace.State { return s.state }

// Stop is why the session last stopped.
func (s *Session) Stop() Stop { return s.stop }

// Problems are diagnostics, findings, warnings and the reload history, oldest first.
func (s *Session) Problems() []Problem { return s.problems }

// Runs is the run tree: the first run and one child per reload.
func (s *Session) Runs() []RunInfo { return s.runs }

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
	if s.pos < len(s.log()) {
		return false
	}
	return s.rep == nil || s.rep.Ended() || s.state.Finished() != nil
}
