package engine

import (
	"context"

	"flowdbg/engine/effect"
	"flowdbg/trace"
)

// Run is one run of a machine: the events so far and the state behind them.
type Run struct {
	Machine *Machine
	Source  effect.Source
	State   *trace.State
	Events  []trace.Event
	undos   []trace.Undo // of the step under way
	take    Emit         // emit that keeps undos
}

// NewRun is a run at its start, with the behaviours' first states.
func NewRun(m *Machine, src effect.Source) (*Run, error) {
	r := &Run{Machine: m, Source: src, State: trace.NewState(m.Setup())}
	return r, m.Init(r.emit)
}

func (r *Run) emit(ev trace.Event) error {
	r.Events = append(r.Events, ev)
	r.State.Apply(&r.Events[len(r.Events)-1])
	return nil
}

// Step runs one step. When the step did not happen (see Machine.Step) its events are taken back.
func (r *Run) Step(ctx context.Context) (Status, error) {
	if r.take == nil {
		r.take = r.emitUndoable
	}
	from := len(r.Events)
	r.undos = r.undos[:0]
	status, err := r.Machine.Step(ctx, r.State, r.Source, r.take)
	if err == nil {
		return status, nil
	}
	for i := len(r.undos) - 1; i >= 0; i-- {
		r.State.Undo(&r.Events[from+i], r.undos[i])
	}
	r.Events = r.Events[:from]
	return status, err
}

func (r *Run) emitUndoable(ev trace.Event) error {
	r.Events = append(r.Events, ev)
	u, _ := r.State.Apply(&r.Events[len(r.Events)-1])
	r.undos = append(r.undos, u)
	return nil
}

// ToEnd runs until finish, calling progress (if not nil) after every step; its error stops the run.
func (r *Run) ToEnd(ctx context.Context, progress func(*Run) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		status, err := r.Step(ctx)
		if err != nil || status == RunEnded {
			return err
		}
		if progress != nil {
			if err := progress(r); err != nil {
				return err
			}
		}
	}
}

// Failed is true when the run ended in an error.
func (r *Run) Failed() bool {
	f := r.State.Finished()
	return f != nil && f.Reason == trace.ReasonError
}
