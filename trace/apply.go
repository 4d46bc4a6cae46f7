package trace

import (
	"fmt"

	"flowdbg/trace/canon"
)

// Undo is what Apply replaced, so that State.Undo restores it exactly. Its size does not depend on the trace or on the
// values: texts are shared.
type Undo struct {
	state     canon.Value // act, x-init, edited state: the agent's state before
	more      *undoMore
	ord       int32
	created   int32 // agents that this event added to a flowless state
	step      int
	lastStep  int
	readyFrom int
	done      doneFlags
}

// doneFlags say which parts of an event took effect.
type doneFlags uint8

const (
	donePop doneFlags = 1 << iota
	donePush
	doneOutput
	doneState
	doneMore
	doneBegun
	doneReplaced
	doneRemoved
)

// undoMore is kept apart because few events need it.
type undoMore struct {
	ledger   Ledger
	budget   *Budget
	failed   *ErrorInfo
	finished *Finish
	partial  bool
	message  Message // the popped, dropped or replaced message when it is not the event's own
	index    int
}

// Apply folds one event into the state and returns what Undo needs. The finding, if any, says what does not fit the
// state: the recorded content is taken and the fold goes on, so that a foreign trace can always be looked at.
func (s *State) Apply(e *Event) (Undo, *Finding) {
	u := Undo{ord: -1, step: s.step}
	if e.flags&flagCancelled != 0 {
		return u, nil
	}
	if e.Type.Known() && e.Type != FinishEvent {
		s.step = e.Step
	}
	var f *Finding
	switch e.Type {
	case Receive:
		f = s.applyReceive(e, &u)
	case Act:
		f = s.target(e.Agent, &u)
		if !e.State.IsAbsent() {
			s.setState(e.State, &u)
		}
	case SendEvent:
		f = s.applySend(e, &u)
	case EffectEvent:
		f = s.applyEffect(e, &u)
	case ErrorEvent:
		s.save(&u)
		if e.Error.HasUsage {
			s.ledger = s.ledger.Add(e.Usage)
			s.hash.dirtyLedger()
		}
		s.failed = e.Error
	case FinishEvent:
		if s.finished != nil {
			f = &Finding{Kind: FindAfterFinish, Text: "a second finish"}
		}
		s.save(&u)
		s.finished = e.Finish
	case XInit:
		f = s.target(e.Agent, &u)
		if v := e.Extra.Get("state"); !v.IsAbsent() {
			s.setState(v, &u)
		}
	case XIntervene:
		f = s.applyIntervention(e, &u)
	case XDamage:
		s.save(&u)
		s.partial = true
		f = &Finding{Kind: FindDamage, Text: "the file is damaged here; what happened in its place is not known"}
	default:
		if !e.Type.IsExtension() {
			s.save(&u)
			s.partial = true
			f = &Finding{Kind: FindUnknownType, Text: fmt.Sprintf("unknown event type %q", e.Type)}
		}
	}
	if f == nil && s.finished != nil && e.Type != FinishEvent && !e.Type.IsExtension() {
		f = &Finding{Kind: FindAfterFinish, Text: "an event behind finish"}
	}
	return u, f
}

// target finds the agent of an event, adding it when nobody knows it.
func (s *State) target(id string, u *Undo) *Finding {
	ord, ok := s.ords[id]
	if !ok {
		ord = s.ensure(id)
		u.created++
	}
	u.ord = int32(ord)
	if !ok && !s.flowless {
		return &Finding{Kind: FindUnknownAgent, Pointer: "/agent", Text: fmt.Sprintf("the flow has no agent %q", id)}
	}
	return nil
}

func (s *State) setState(v canon.Value, u *Undo) {
	a := s.agents[u.ord]
	u.state = a.state
	u.done |= doneState
	if a.state != v {
		a.state = v
		s.hash.dirty(a.rank)
	}
}

// save keeps the rarely changing parts in the undo record before they change.
func (s *State) save(u *Undo) *undoMore {
	if u.more == nil {
		u.more = &undoMore{ledger: s.ledger, budget: s.budget, failed: s.failed, finished: s.finished, partial: s.partial}
		u.done |= doneMore
	}
	return u.more
}

func (s *State) applyReceive(e *Event, u *Undo) *Finding {
	f := s.target(e.Agent, u)
	a := s.agents[u.ord]
	u.lastStep, u.readyFrom = a.lastStep, a.readyFrom
	u.done |= doneBegun
	s.begun++
	a.lastStep = e.Step
	a.receives++
	s.hash.dirty(a.rank)
	if a.inbox.len() == 0 {
		if f == nil {
			f = &Finding{Kind: FindEmptyInbox, Pointer: "/message", Text: fmt.Sprintf("the inbox of %q is empty; the recorded message is taken", e.Agent)}
		}
		return f
	}
	m := a.inbox.pop()
	u.done |= donePop
	if !m.Equal(e.Message) {
		s.save(u).message = m
		if f == nil {
			f = &Finding{Kind: FindInboxHead, Pointer: "/message", Text: fmt.Sprintf("%q takes another message than the head of its inbox; the recorded one is taken", e.Agent)}
		}
	}
	if a.inbox.len() == 0 {
		s.ready.clear(a.rank)
	} else {
		a.readyFrom = e.Step
	}
	return f
}

func (s *State) applySend(e *Event, u *Undo) *Finding {
	if !e.HasTo() {
		o := s.output(OutputKey(e.Agent, e.Port))
		o.msgs.Push(e.Message)
		s.hash.dirtyOutputs()
		u.done |= doneOutput
		return nil
	}
	f := s.target(e.To, u)
	s.push(s.agents[u.ord], e.Message, u)
	return f
}

func (s *State) push(a *agent, m Message, u *Undo) {
	u.readyFrom = a.readyFrom
	s.deliver(a, m)
	u.done |= donePush
}

func (s *State) applyEffect(e *Event, u *Undo) *Finding {
	f := s.target(e.Agent, u)
	a := s.agents[u.ord]
	s.save(u)
	s.ledger = s.ledger.Add(e.Usage)
	if e.UsageUnknown() {
		s.ledger.Unknown++
	}
	s.hash.dirtyLedger()
	if m := e.AnswerMessage(); s.answerBreach(a, m) == nil {
		s.push(a, m, u)
	}
	return f
}

// AnswerMessage is the message that an effect event puts into the agent's inbox (seed 002 §2). It is made anew unless
// Message holds it (Normalise and the engine put it there): an event that is in a log is never written to.
func (e *Event) AnswerMessage() Message {
	if !e.Message.IsZero() {
		return e.Message
	}
	return NewMessage(FromEffect, TagEffect, e.Answer())
}

// AnswerBreach is nil or the limit that an answer breaks; such an answer is not enqueued (ours).
func (s *State) AnswerBreach(id string, m Message) *LimitBreach {
	ord, ok := s.ords[id]
	if !ok {
		return CheckMessage(m)
	}
	return s.answerBreach(s.agents[ord], m)
}

func (s *State) answerBreach(a *agent, m Message) *LimitBreach {
	if b := CheckMessage(m); b != nil {
		return b
	}
	if n := a.inbox.len() + 1; n > MaxInbox {
		return &LimitBreach{"inbox", n, MaxInbox}
	}
	return nil
}

// Undo takes the last applied event back. The event and its record must be the last pair that Apply saw.
func (s *State) Undo(e *Event, u Undo) {
	if e.flags&flagCancelled != 0 {
		return
	}
	s.step = u.step
	if u.done&doneMore != 0 {
		m := u.more
		s.ledger, s.budget, s.failed, s.finished, s.partial = m.ledger, m.budget, m.failed, m.finished, m.partial
		s.hash.dirtyLedger()
	}
	if u.done&doneOutput != 0 {
		s.undoOutput(OutputKey(e.Agent, e.Port))
	}
	if u.ord >= 0 {
		s.undoAgent(e, u, s.agents[u.ord])
	}
	for range u.created {
		s.forgetLast()
	}
}

func (s *State) undoAgent(e *Event, u Undo, a *agent) {
	s.hash.dirty(a.rank)
	if u.done&doneState != 0 {
		a.state = u.state
	}
	if u.done&(doneReplaced|doneRemoved) != 0 {
		if u.done&doneReplaced != 0 {
			a.inbox.remove(u.more.index)
		}
		a.inbox.insert(u.more.index, u.more.message)
		a.readyFrom = u.readyFrom
	}
	if u.done&donePush != 0 {
		a.inbox.unpush()
		a.readyFrom = u.readyFrom
	}
	if u.done&donePop != 0 {
		m := e.Message
		if u.more != nil {
			m = u.more.message
		}
		a.inbox.unpop(m)
	}
	if u.done&doneBegun != 0 {
		s.begun--
		a.receives--
		a.lastStep, a.readyFrom = u.lastStep, u.readyFrom
	}
	if a.inbox.len() > 0 {
		s.ready.set(a.rank)
	} else {
		s.ready.clear(a.rank)
	}
}

func (s *State) undoOutput(key string) {
	o := s.outIndex[key]
	o.unpush()
	if o.len() == 0 {
		s.dropOutput(key)
	}
	s.hash.dirtyOutputs()
}

// forgetLast removes the agent that was added last, so that undo leaves no trace of it.
func (s *State) forgetLast() {
	last := s.agents[len(s.agents)-1]
	delete(s.ords, last.id)
	s.agents = s.agents[:len(s.agents)-1]
	s.rerank()
}
