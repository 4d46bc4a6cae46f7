package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/cli/at"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// place is a state at a position: the first pos events are applied.
type place struct {
	state    *trace.State
	log      trace.Log
	pos      int
	mode     debug.Mode
	findings []trace.Finding // what did not fit when the events were folded
	flow     *load.File      // nil: playback of a trace alone
	machine  *engine.Machine
}

// fold applies the first pos events. Without a machine kinds and ports are unknown.
func fold(m *engine.Machine, events []trace.Event, pos int) place {
	setup := trace.PlaybackSetup(events)
	if m != nil {
		setup = m.Setup()
	}
	p := place{state: trace.NewState(setup), log: trace.MemLog(events), pos: pos, mode: debug.Playback, machine: m}
	for i := range pos {
		if _, f := p.state.Apply(&events[i]); f != nil {
			f.Event = i
			p.findings = append(p.findings, *f)
		}
	}
	return p
}

// foldOpened is fold for an open trace. The state of one in a file is read off its index, so that what does not fit is not
// found on the way: lint does that.
func foldOpened(m *engine.Machine, o *trace.Opened, pos int) (place, error) {
	if o.Store == nil {
		return fold(m, o.Trace.Events, pos), nil
	}
	st, err := o.Store.FoldAt(pos)
	if err != nil {
		return place{}, out.Bad("%s: %w", o.Name, err)
	}
	return place{state: st, log: o.Store, pos: pos, mode: debug.Playback, machine: m}, nil
}

// positionFlags choose a position.
type positionFlags struct {
	at   at.Place
	step int
}

func (f *positionFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&f.at, "at", at.Usage)
	cmd.Flags().IntVar(&f.step, "step", 0, "the position at the end of this `step`; 0 is before anything")
	cmd.MarkFlagsMutuallyExclusive("at", "step")
	_ = cmd.RegisterFlagCompletionFunc("at", at.Complete(func(args []string) ([]debug.Mark, error) {
		t, err := load.Open(args, nil)
		if err != nil {
			return nil, err
		}
		return t.Marks()
	}))
}

// place goes to the position: in the recorded events when there is a trace (nothing is run again), else in a run of the
// flow with mocks.
func (a *app) place(cmd *cobra.Command, args []string, f positionFlags, strict bool) (*place, error) {
	t, err := a.open(args)
	if err != nil {
		return nil, err
	}
	if err := f.at.Find(t.Marks); err != nil {
		return nil, err
	}
	var m *engine.Machine
	if t.Flow != nil {
		if m, err = a.machine(t.Flow, strict); err != nil {
			return nil, err
		}
	}
	var p place
	if t.Trace != nil {
		o, err := a.openTrace(cmd.Context(), t.Trace, m)
		if err != nil {
			return nil, err
		}
		pos, err := f.position(cmd, o.Log())
		if err != nil {
			return nil, err
		}
		if p, err = foldOpened(m, o, pos); err != nil {
			return nil, err
		}
	} else {
		events, err := a.runTo(cmd.Context(), t.Flow, m, limitOf(cmd, f))
		if err != nil {
			return nil, err
		}
		pos, err := f.position(cmd, trace.MemLog(events))
		if err != nil {
			return nil, err
		}
		p = fold(m, events, pos)
		p.mode = debug.Live
	}
	if note := f.at.Note(p.log); note != "" {
		a.warn("%s", note)
	}
	p.flow = t.Flow
	return &p, nil
}

// limitOf says when a live run has gone far enough for a position.
func limitOf(cmd *cobra.Command, f positionFlags) func(*engine.Run) bool {
	switch {
	case cmd.Flags().Changed("at"):
		return func(r *engine.Run) bool { return len(r.Events) >= f.at.Pos(math.MaxInt) }
	case cmd.Flags().Changed("step"):
		return func(r *engine.Run) bool { return r.State.Begun() > f.step }
	}
	return func(*engine.Run) bool { return false }
}

func (a *app) runTo(ctx context.Context, file *load.File, m *engine.Machine, enough func(*engine.Run) bool) ([]trace.Event, error) {
	r, err := engine.NewRun(m, m.Bus())
	if err != nil {
		return nil, out.No("%s: %w", file.Name, err)
	}
	p := a.progress()
	defer p.clear()
	for !enough(r) {
		if err := ctx.Err(); err != nil {
			return nil, runFailed(file, err)
		}
		status, err := r.Step(ctx)
		if err != nil {
			return nil, runFailed(file, err)
		}
		if status == engine.RunEnded {
			break
		}
		if err := p.step(r); err != nil {
			return nil, out.Bad("writing standard error: %w", err)
		}
	}
	return r.Events, nil
}

func (f *positionFlags) position(cmd *cobra.Command, log trace.Log) (int, error) {
	switch {
	case cmd.Flags().Changed("at"):
		return f.at.In(log)
	case cmd.Flags().Changed("step"):
		pos, last, ok := stepEnd(log, f.step)
		if !ok {
			return 0, out.Bad("--step %d: there are steps 0 to %d", f.step, last)
		}
		return pos, nil
	}
	return log.Len(), nil
}

// stepEnd is the position behind the last event of the k-th step, finish not included; last is how many steps there are.
func stepEnd(log trace.Log, k int) (pos, last int, ok bool) {
	for i := range log.Len() {
		switch t := log.Header(i).Type; {
		case t != trace.Receive && t != trace.FinishEvent:
			continue
		case last == k && k > 0 && !ok:
			pos, ok = i, true
		}
		if log.Header(i).Type == trace.Receive {
			last++
		}
	}
	switch {
	case k == 0:
		return 0, last, true
	case !ok && k == last && k > 0:
		return log.Len(), last, true
	}
	return pos, last, ok
}

// positionText is "position 12 of 23 · step 3".
func (p *place) positionText() string {
	of := fmt.Sprintf("of %d", p.log.Len())
	if p.mode == debug.Live && p.state.Finished() == nil {
		of = "of a live run"
	}
	return fmt.Sprintf("position %d %s · step %d · %s", p.pos, of, p.state.Step(), debug.ModeText(p.mode, p.machine))
}

// within is true when the position lies inside a step: the next event belongs to it.
func (p *place) within() bool {
	if p.pos == 0 || p.pos >= p.log.Len() {
		return false
	}
	switch h := p.log.Header(p.pos); h.Type {
	case trace.Act, trace.SendEvent, trace.EffectEvent:
		return true
	case trace.ErrorEvent:
		return h.Agent != ""
	}
	return false
}
