package engine

import (
	"flowdbg/engine/effect"
	"flowdbg/trace"
)

// NewFork starts a run that shares the first at events of another log and goes its own way from there. The state must
// be the fold over those events and becomes the fork's own. undos are the records of the last of them, for stepping
// back; the parent is never changed.
func NewFork(m *Machine, parent trace.Log, at int, state *trace.State, undos []trace.Undo, src effect.Source) *Replayer {
	r := &Replayer{Machine: m, State: state, Comparer: NewComparer(nil), log: RunLog{record: parent, shared: at}, started: true, forked: true,
		opt: ReplayOptions{Keep: KeepAll, Loose: true, PastEnd: true, Source: src}}
	r.undos = append([]trace.Undo(nil), undos...)
	r.undoBase = at - len(undos)
	r.Comparer.before = r.stateOf
	return r
}

// Intervene appends a person's edit to the run. The finding says why it did not take effect; nothing is appended then.
func (r *Replayer) Intervene(ev trace.Event) *trace.Finding {
	u, f := r.State.Apply(&ev)
	r.State.Undo(&ev, u)
	if f != nil {
		return f
	}
	r.push(ev, nil)
	return nil
}
