package trace

import (
	"fmt"

	"flowdbg/trace/canon"
)

// link describes a delivery or any other event as a link; act and receive are set for what a step made.
func (c *Causes) link(d Delivery) (Link, error) {
	l := Link{Event: d.Event, Act: NoEvent, Receive: NoEvent, Edit: d.Edit}
	if d.Edit != NoEvent {
		l.Note = fmt.Sprintf("a person replaced its payload at event %d", d.Edit)
	}
	if d.Event == InputEvent {
		to, m := c.index.Input()
		l.Kind, l.Agent, l.Event = LinkInput, to, NoEvent
		l.Text = fmt.Sprintf("%s → %s", m.Tag, to)
		l.Detail = m.Payload
		if r, ok := c.index.Consumer(to, InputEvent); ok {
			l.Event = r
		}
		return l, nil
	}
	e, err := c.log.Event(d.Event)
	if err != nil {
		return l, err
	}
	l.Step, l.Agent = e.Step, e.Agent
	c.describe(&l, e)
	switch l.Kind {
	case LinkInject, LinkOther, LinkInput:
	case LinkFinish:
		l.Receive = c.lastReceive(d.Event)
	case LinkError:
		if l.Act, l.Receive = c.origin(d.Event, c.log.Header(d.Event)); e.Agent == "" && l.Receive == NoEvent {
			l.Receive = c.lastReceive(d.Event)
		}
	default:
		l.Act, l.Receive = c.origin(d.Event, c.log.Header(d.Event))
		if l.Kind == LinkAct {
			l.Act = d.Event
		}
		if l.Kind == LinkReceive {
			l.Receive = d.Event
		}
	}
	return l, nil
}

// lastReceive is the receive before an event that belongs to no agent's step.
func (c *Causes) lastReceive(i int) int {
	for i--; i >= 0; i-- {
		if c.log.Header(i).Type == Receive && !isCancelled(c.log, i) {
			return i
		}
	}
	return NoEvent
}

// describe sets kind, text, detail and cost.
func (c *Causes) describe(l *Link, e *Event) {
	switch e.Type {
	case Receive:
		from := "the input"
		if e.Message.HasFrom {
			from = e.Message.From
		}
		l.Kind, l.Text, l.Detail = LinkReceive, fmt.Sprintf("%s took %s from %s", e.Agent, e.Message.Tag, from), e.Message.Payload
	case Act:
		l.Kind, l.Text, l.Detail = LinkAct, e.Agent+" acted", e.State
	case SendEvent:
		l.Kind, l.Detail = LinkSend, e.Message.Payload
		l.Text = fmt.Sprintf("%s.%s → %s  %s", e.Agent, e.Port, e.To, e.Message.Tag)
		if !e.HasTo() {
			l.Kind = LinkOutput
			l.Text = fmt.Sprintf("%s.%s → outputs  %s", e.Agent, e.Port, e.Message.Tag)
		}
	case EffectEvent:
		l.Kind, l.Text, l.Detail = LinkEffect, e.Agent+" asked "+e.Effect.Asks(), e.Effect.Input
		l.Cost = &LinkCost{e.Usage.InputTokens, e.Usage.OutputTokens, e.Usage.USD, e.UsageUnknown()}
	case ErrorEvent:
		l.Kind, l.Text = LinkError, e.Error.Text
	case FinishEvent:
		l.Kind, l.Text = LinkFinish, fmt.Sprintf("the run ended after %d steps", e.Finish.Steps)
		if e.Finish.Reason != "" {
			l.Text += ": " + e.Finish.Reason
		}
	case XIntervene:
		c.describeEdit(l, e)
	case XIntent:
		l.Kind, l.Text, l.Detail = LinkIntent, e.Agent+" was about to ask the world", e.Extra
	case XInit:
		l.Kind, l.Text, l.Detail = LinkOther, "the first state of "+e.Agent, e.Extra.Get("state")
	default:
		l.Kind, l.Text, l.Detail = LinkOther, string(e.Type), e.Extra
	}
}

func (c *Causes) describeEdit(l *Link, e *Event) {
	l.Kind = LinkOther
	do, _ := e.Extra.Get("do").Str()
	switch do {
	case DoInject:
		if m, ok := injectedMessage(e); ok {
			l.Kind, l.Text, l.Detail = LinkInject, fmt.Sprintf("a person put %s into the inbox of %s", m.Tag, e.Agent), m.Payload
			return
		}
	case DoState:
		l.Text, l.Detail = "a person replaced the state of "+e.Agent, e.Extra.Get("state")
		return
	case DoBudget:
		l.Text, l.Detail = "a person changed the budget", e.Extra.Get("budget")
		return
	}
	l.Text, l.Detail = "a person's edit: "+do, e.Extra
}

// modelOf is the model that a request names, else the one that its answer names, else "".
func modelOf(r *Request, answer canon.Value) string {
	if r != nil {
		if m, ok := r.Input.Get("model").Str(); ok {
			return m
		}
	}
	m, _ := answer.Get("model").Str()
	return m
}
