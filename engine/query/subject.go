package query

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"flowdbg/trace"
)

// load decodes the event.
func (s *Subject) load() *trace.Event {
	if s.Event == nil {
		s.Event = s.From.Event(s.Index)
	}
	return s.Event
}

func (s *Subject) header() trace.Header {
	if s.Event != nil {
		return s.Event.Header()
	}
	return s.Header
}

// holders are the types of events that can hold what a name stands for. Names that are missing here need the event, or
// none.
var holders = map[string][]trace.Type{
	"error": {trace.ErrorEvent}, "tag": {trace.Receive, trace.SendEvent}, "sender": {trace.Receive, trace.SendEvent},
	"payload": {trace.Receive, trace.SendEvent, trace.EffectEvent}, "port": {trace.SendEvent}, "to": {trace.SendEvent},
	"op": {trace.Act, trace.EffectEvent, trace.ErrorEvent}, "input": {trace.Act, trace.EffectEvent, trace.ErrorEvent},
	"response": {trace.EffectEvent}, "usd": {trace.EffectEvent, trace.ErrorEvent}, "tokens": {trace.EffectEvent, trace.ErrorEvent},
}

// value is one name's value at the subject; None where the event has nothing of the kind. The event is decoded only for
// what its header cannot tell.
func (s *Subject) value(name string) starlark.Value {
	if s.Event == nil && s.Header.Type.Known() {
		switch list, ok := holders[name]; {
		case ok && !slices.Contains(list, s.Header.Type):
			return starlark.None
		case name == "type":
			return starlark.String(s.Header.Type)
		case name == "step":
			return starlark.MakeInt(s.Header.Step)
		case name == "agent":
			return textOrNone(s.Header.Agent)
		case name == "state" && s.Header.Type != trace.Act:
			return s.stateOf(s.Header.Agent, name)
		}
		if m := s.From.Members(s.Index); m != nil {
			if v, ok := s.part(m, name); ok {
				return v
			}
		}
	}
	switch name {
	case "event":
		return starlark.MakeInt(s.Index)
	case "spent", "used", "inbox", "state_of":
		return s.world(name)
	}
	return s.member(name)
}

// part is what one member of the event's text tells, of an event that can hold it; false for what is not told so.
func (s *Subject) part(m *trace.Members, name string) (starlark.Value, bool) {
	effect := s.Header.Type == trace.EffectEvent
	switch {
	case name == "payload" && effect, name == "response":
		v, ok := m.Answer(s.Index)
		return wrap(v, name, s.miss), ok
	case name == "payload", name == "tag", name == "sender":
		tag, from, payload, ok := m.Message(s.Index)
		switch {
		case name == "payload":
			return wrap(payload, name, s.miss), ok
		case name == "tag":
			return starlark.String(tag), ok
		}
		return wrap(from, name, s.miss), ok
	case name == "state":
		v, ok := m.Get(s.Index, "state")
		return wrap(v, name, s.miss), ok && !v.IsAbsent()
	}
	return nil, false
}

// member is what only the decoded event tells.
func (s *Subject) member(name string) starlark.Value {
	e := s.load()
	switch name {
	case "type":
		return starlark.String(e.Type)
	case "step":
		return starlark.MakeInt(e.Step)
	case "agent":
		return textOrNone(e.Agent)
	case "text":
		return starlark.String(e.AppendJSON(nil))
	case "error":
		if e.Error != nil {
			return starlark.String(e.Error.Text)
		}
	case "tag", "sender", "payload":
		return s.message(name)
	case "port":
		return textOrNone(e.Port)
	case "to":
		return textOrNone(e.To)
	case "op", "input":
		return s.request(name)
	case "response":
		if e.Type == trace.EffectEvent {
			return wrap(e.Answer(), name, s.miss)
		}
	case "usd", "tokens":
		return s.cost(name)
	case "state":
		if e.Type == trace.Act && !e.State.IsAbsent() {
			return wrap(e.State, name, s.miss)
		}
		return s.stateOf(e.Agent, name)
	}
	return starlark.None
}

func textOrNone(s string) starlark.Value {
	if s == "" {
		return starlark.None
	}
	return starlark.String(s)
}

func (s *Subject) message(name string) starlark.Value {
	e := s.Event
	if e.Type == trace.EffectEvent && name == "payload" {
		return wrap(e.Answer(), name, s.miss)
	}
	if e.Type != trace.Receive && e.Type != trace.SendEvent {
		return starlark.None
	}
	switch {
	case name == "tag":
		return starlark.String(e.Message.Tag)
	case name == "payload":
		return wrap(e.Message.Payload, name, s.miss)
	case e.Message.HasFrom:
		return starlark.String(e.Message.From)
	}
	return starlark.None
}

func (s *Subject) request(name string) starlark.Value {
	r := s.Event.Effect
	if r == nil && s.Event.Error != nil {
		r = s.Event.Error.Request
	}
	switch {
	case r == nil:
		return starlark.None
	case name == "op":
		return starlark.String(r.Op)
	}
	return wrap(r.Input, name, s.miss)
}

func (s *Subject) cost(name string) starlark.Value {
	if s.Event.Type != trace.EffectEvent && s.Event.Type != trace.ErrorEvent {
		return starlark.None
	}
	if name == "usd" {
		return starlark.Float(s.Event.Usage.USD)
	}
	return number(s.Event.Usage.Tokens())
}

// stateOf is an agent's state; path is how the expression came to it.
func (s *Subject) stateOf(agent, path string) starlark.Value {
	if s.View == nil || agent == "" {
		return starlark.None
	}
	if s.From != nil {
		if v, ok := s.From.StateBehind(s.Index, agent); ok {
			return wrap(v, path, s.miss)
		}
	}
	if a, ok := s.View.Agent(agent); ok {
		return wrap(a.State, path, s.miss)
	}
	return starlark.None
}

// world is what only the state can tell.
func (s *Subject) world(name string) starlark.Value {
	if s.View == nil {
		return starlark.None
	}
	switch name {
	case "spent":
		return starlark.Float(s.View.Ledger().USD)
	case "used":
		return number(s.View.Ledger().Tokens())
	}
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var agent string
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &agent); err != nil {
			return nil, err
		}
		if s.View.Rank(agent) < 0 {
			return nil, fmt.Errorf("%s: there is no agent %q", name, agent)
		}
		if name == "inbox" {
			return starlark.MakeInt(s.View.InboxLen(agent)), nil
		}
		return s.stateOf(agent, fmt.Sprintf("%s(%q)", name, agent)), nil
	})
}
