package engine

import (
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/blocks"
)

// NewFork starts a run that shares the first at events of another log and goes its own way from there. The state must
// be the fold over those events and becomes the fork's own. undos are the records of the last of them, for stepping
// back. The parent is never changed, and goes on as if there were no fork.
func NewFork(m *Machine, parent trace.Log, at int, state *trace.State, undos Undos, src effect.Source) *Replayer {
	log := RunLog{record: parent, shared: at}
	if run, ok := parent.(*RunLog); ok {
		log = run.prefix(at)
	}
	r := &Replayer{Machine: m, State: state, Comparer: NewComparer(nil), log: log, undos: undos, started: true, forked: true,
		opt: ReplayOptions{Keep: KeepAll, Loose: true, PastEnd: true, Source: src}}
	r.Comparer.before = r.stateOf
	return r
}

// Begin emits the first states that the shared events do not have. Once a step has begun there are none to come. It is for
// a new fork; the error is a behaviour's own.
func (r *Replayer) Begin() error {
	have := map[string]bool{}
	for i := range r.log.Len() {
		h := r.log.Header(i)
		if !h.Type.IsExtension() {
			return nil
		}
		if h.Type == trace.XInit {
			have[h.Agent] = true
		}
	}
	return r.Machine.Init(func(ev trace.Event) error {
		if !have[ev.Agent] {
			r.push(ev, nil)
		}
		return nil
	})
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

// Undos are the undo records of consecutive events. Copies made by Before share the records.
type Undos struct {
	first int // event of the first record
	list  blocks.List[trace.Undo]
}

// End is the event behind the last record.
func (u *Undos) End() int { return u.first + u.list.Len() }

// At is the record of an event; ok is false where none is kept.
func (u *Undos) At(event int) (r trace.Undo, ok bool) {
	if event < u.first || event >= u.End() {
		return r, false
	}
	return *u.list.At(event - u.first), true
}

// Push keeps the record of the event End.
func (u *Undos) Push(r trace.Undo) { u.list.Push(r) }

// Before are the records of the last events before one, as many as are kept, to go on with on their own.
func (u *Undos) Before(event int) Undos {
	if event <= u.first || event > u.End() {
		return Undos{first: event}
	}
	return Undos{first: u.first, list: u.list.Prefix(event - u.first)}
}

// cut drops the records from an event on; restart drops all, the next is that of event.
func (u *Undos) cut(event int) { u.list.Cut(event - u.first) }

func (u *Undos) restart(event int) {
	u.list.Cut(0)
	u.first = event
}
