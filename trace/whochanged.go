package trace

import (
	"context"
	"fmt"

	"flowdbg/trace/canon"
)

// Change is an event that changed a value in an agent's state.
type Change struct {
	Event  int         `json:"event"`
	Step   int         `json:"step"`
	Type   Type        `json:"type"` // act, x-init, or x-intervention for a person's edit
	Agent  string      `json:"agent"`
	Before canon.Value `json:"before,omitzero"` // absent when the pointer led nowhere before
	After  canon.Value `json:"after,omitzero"`  // absent when it leads nowhere behind the event
}

// WhoChanged finds the last event below position at that changed the value at a JSON Pointer (RFC 6901) in an agent's
// state; at beyond the end, or negative, means the end. nil without an error: nothing changed it, it was so from the
// start (or never was).
func WhoChanged(ctx context.Context, log Log, agent, pointer string, at int, progress Progress) (*Change, error) {
	list, err := Changes(ctx, log, agent, pointer, at, 1, progress)
	if len(list) == 0 {
		return nil, err
	}
	return &list[0], err
}

// Changes lists up to limit changes, the latest first. It goes backward through the events that set the agent's state
// (a Store lists them) and stops within a millisecond or one event's decoding of a cancelled context; what was found by
// then is returned beside the context's error.
func Changes(ctx context.Context, log Log, agent, pointer string, at, limit int, progress Progress) ([]Change, error) {
	if at < 0 || at > log.Len() {
		at = log.Len()
	}
	if err := checkPointer(pointer); err != nil {
		return nil, err
	}
	b := &stateBack{log: log, agent: agent, p: pass{ctx: ctx, progress: progress, total: at}, at: at}
	b.store, _ = log.(*Store)
	var list []Change
	later, err := b.next(pointer)
	for later != nil && err == nil && len(list) < limit {
		var earlier *stateEvent
		if earlier, err = b.next(pointer); err != nil {
			break
		}
		before := canon.Value{}
		if earlier != nil {
			before = earlier.value
		} else if pointer == "" {
			before = canon.Null // every state begins as null (seed kinds; ours for x-init)
		}
		if before != later.value {
			list = append(list, Change{Event: later.event, Step: later.step, Type: later.kind, Agent: agent, Before: before, After: later.value})
		}
		later = earlier
	}
	return list, err
}

// checkPointer refuses what no document can answer.
func checkPointer(ptr string) error {
	if ptr != "" && ptr[0] != '/' {
		return fmt.Errorf("%q does not begin with /: %w", ptr, canon.ErrPointer)
	}
	for i := range ptr {
		if ptr[i] == '~' && (i+1 == len(ptr) || ptr[i+1] != '0' && ptr[i+1] != '1') {
			return fmt.Errorf("%q has a ~ that is neither ~0 nor ~1: %w", ptr, canon.ErrPointer)
		}
	}
	return nil
}

// stateEvent is an event that set the state, and the value at the pointer behind it.
type stateEvent struct {
	event, step int
	kind        Type
	value       canon.Value
}

// stateBack walks the events that set one agent's state, latest first.
type stateBack struct {
	log   Log
	store *Store
	agent string
	at    int
	p     pass
}

// next is the next earlier event that set the state, or nil.
func (b *stateBack) next(pointer string) (*stateEvent, error) {
	for {
		i := b.candidate()
		if i == NoEvent {
			b.p.end()
			return nil, b.p.ctx.Err()
		}
		if err := b.p.ctx.Err(); err != nil {
			return nil, err
		}
		b.at = i
		if b.p.progress != nil {
			b.p.progress(b.p.total-i, b.p.total)
		}
		e, err := b.log.Event(i)
		if err != nil {
			return nil, err
		}
		state, sets := stateSet(e)
		if !sets || e.Cancelled() {
			continue
		}
		v, err := state.Pointer(pointer)
		if err != nil {
			v = canon.Value{} // it leads nowhere in this state
		}
		return &stateEvent{i, e.Step, e.Type, v}, nil
	}
}

// candidate is the next earlier event that may set the state.
func (b *stateBack) candidate() int {
	if b.store != nil {
		return b.store.StateEventBefore(b.agent, b.at)
	}
	for i := b.at - 1; i >= 0; i-- {
		if i%checkEvery == 0 && b.p.ctx.Err() != nil {
			return NoEvent
		}
		h := b.log.Header(i)
		if h.Agent == b.agent && (h.Type == Act || h.Type == XInit || h.Type == XIntervene) {
			return i
		}
	}
	return NoEvent
}

// stateSet is the state that an event sets, and whether it sets one.
func stateSet(e *Event) (canon.Value, bool) {
	switch e.Type {
	case Act:
		return e.State, !e.State.IsAbsent()
	case XInit:
		v := e.Extra.Get("state")
		return v, !v.IsAbsent()
	case XIntervene:
		if do, _ := e.Extra.Get("do").Str(); do == DoState {
			v := e.Extra.Get("state")
			return v, !v.IsAbsent()
		}
	}
	return canon.Value{}, false
}
