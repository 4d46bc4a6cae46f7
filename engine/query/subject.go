package query

import (
	"fmt"

	"go.starlark.net/starlark"

	"flowdbg/trace"
)

// value is one name's value at the subject; None where the event has nothing of the kind.
func (s Subject) value(name string) starlark.Value {
	e := s.Event
	switch name {
	case "event":
		return starlark.MakeInt(s.Index)
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
		return s.state()
	case "spent", "used", "inbox", "state_of":
		return s.world(name)
	}
	return starlark.None
}

func textOrNone(s string) starlark.Value {
	if s == "" {
		return starlark.None
	}
	return starlark.String(s)
}

func (s Subject) message(name string) starlark.Value {
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

func (s Subject) request(name string) starlark.Value {
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

func (s Subject) cost(name string) starlark.Value {
	if s.Event.Type != trace.EffectEvent && s.Event.Type != trace.ErrorEvent {
		return starlark.None
	}
	if name == "usd" {
		return starlark.Float(s.Event.Usage.USD)
	}
	return number(s.Event.Usage.Tokens())
}

func (s Subject) state() starlark.Value {
	if s.Event.Type == trace.Act && !s.Event.State.IsAbsent() {
		return wrap(s.Event.State, "state", s.miss)
	}
	if s.View == nil || s.Event.Agent == "" {
		return starlark.None
	}
	if a, ok := s.View.Agent(s.Event.Agent); ok {
		return wrap(a.State, "state", s.miss)
	}
	return starlark.None
}

// world is what only the state can tell.
func (s Subject) world(name string) starlark.Value {
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
		a, ok := s.View.Agent(agent)
		if !ok {
			return nil, fmt.Errorf("%s: there is no agent %q", name, agent)
		}
		if name == "inbox" {
			return starlark.MakeInt(a.Inbox), nil
		}
		return wrap(a.State, fmt.Sprintf("%s(%q)", name, agent), s.miss), nil
	})
}
