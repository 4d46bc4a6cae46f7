package trace

import "flowdbg/trace/canon"

// Type is the member "type" of an event.
type Type string

// The event types of seed 002 §5, and ours, which start with "x-".
const (
	Receive      Type = "receive"
	Act          Type = "act"
	SendEvent    Type = "send"
	EffectEvent  Type = "effect"
	ErrorEvent   Type = "error"
	FinishEvent  Type = "finish"
	XInit        Type = "x-init"         // {agent, state}: an agent's first state, step 0
	XCancel      Type = "x-cancel"       // {step}: takes the cancelled step back
	XIntervene   Type = "x-intervention" // a person's edit; see Intervention
	XIntent      Type = "x-effect-intent"
	XDamage      Type = "x-damage" // stands for text in a file that is no event; no run writes it, only a repair that keeps both sides
	extensionPfx      = "x-"
)

// IsExtension is true for the types that start with "x-": ours, never compared in a replay.
func (t Type) IsExtension() bool { return len(t) > 2 && t[:2] == extensionPfx }

// Known is true for the seed's six types.
func (t Type) Known() bool {
	switch t {
	case Receive, Act, SendEvent, EffectEvent, ErrorEvent, FinishEvent:
		return true
	}
	return false
}

// Codes of error events; the text of an error is "Code: what".
const (
	CodeBudgetExceeded  = "BudgetExceeded"
	CodeBehaviorError   = "BehaviorError"
	CodeEffectError     = "EffectError"
	CodeBadValue        = "BadValue"
	CodeLimitExceeded   = "LimitExceeded"
	CodeUnmeteredEffect = "UnmeteredEffect"
	CodeMessageInvalid  = "MessageInvalid"
)

// Reasons of finish.reason (ours, optional).
const (
	ReasonIdle  = "idle"
	ReasonError = "error"
)

// Event is one line of a trace. Which fields are set depends on Type; values are canonical and shared, so an Event is
// cheap to copy and must not be changed once it is in a log.
//
//	receive  Step Agent Message
//	act      Step Agent State Send Effect?
//	send     Step Agent(=from) Port To? Message
//	effect   Step Agent Effect(=request) Response Usage
//	error    Step Agent? Error
//	finish   Finish
//	x-…      Step? and Extra: all other members
type Event struct {
	Type     Type
	Step     int
	Agent    string
	Port, To string // send; To is "" when the port is not wired (terminal)
	Message  Message
	State    canon.Value // act: the full resulting state; absent in a foreign act without one = unchanged
	Send     canon.Value // act: array of {payload, port, tag}
	Effect   *Request    // act: what it asks; effect: the request
	Response canon.Value // effect: the output, or a foreign {output, usage}
	Usage    Usage
	Error    *ErrorInfo
	Finish   *Finish
	Side     canon.Value // ours: never compared, never hashed
	Extra    canon.Value // members that the type does not define, as an object; absent when there are none
	flags    eventFlags
}

type eventFlags uint8

const (
	flagHasTo        eventFlags = 1 << iota // foreign: "to" was there, even if empty
	flagNoUsage                             // effect or error without a usage member
	flagNestedAnswer                        // response is {output, usage} and the answer's payload is that object
	flagNestedOutput                        // response is {output, usage} and the answer's payload is its output
	flagNoStep                              // the event has no step member
	flagCancelled                           // the step was taken back by x-cancel: the fold passes over it
)

// ErrorInfo is the body of an error event.
type ErrorInfo struct {
	Text     string   // "Code: what"
	Code     string   // optional member "code"
	Request  *Request // the effect that failed, optional
	HasUsage bool     // usage was billed although the effect failed; Apply adds it
}

// Finish is the body of the last event.
type Finish struct {
	Steps     int // steps begun
	StateHash string
	Ledger    Ledger
	Outputs   canon.Value // object: "agent.port" → array of messages
	Reason    string      // idle, error, or "" in a foreign trace
}

// HasTo is true when a send event is delivered to an agent, false when it ends in the outputs.
func (e *Event) HasTo() bool { return e.To != "" || e.flags&flagHasTo != 0 }

// HasUsage is true when an effect event carries a usage member.
func (e *Event) HasUsage() bool { return e.flags&flagNoUsage == 0 }

// HasStep is true when the event has a step member (finish has none).
func (e *Event) HasStep() bool { return e.flags&flagNoStep == 0 && e.Type != FinishEvent }

// Answer is the payload that an effect event puts into the agent's inbox.
func (e *Event) Answer() canon.Value {
	if e.flags&flagNestedOutput != 0 {
		return e.Response.Get("output")
	}
	return e.Response
}

// SideFlag is the value of one member of side, absent when there is none.
func (e *Event) SideFlag(key string) canon.Value { return e.Side.Get(key) }

// UsageUnknown is true when the answer came without usage, so that the ledger is a lower bound from here on.
func (e *Event) UsageUnknown() bool { return e.Side.Get("usage_unknown") == canon.True }

// OutputKey is the key in outputs of a message sent on an unwired port: "<agent>.<port>" (seed 002 §2).
func OutputKey(agent, port string) string { return agent + "." + port }

// TakeAnswer takes over the answer of a recorded effect event, in the form that it has there.
func (e *Event) TakeAnswer(rec *Event) {
	const form = flagNoUsage | flagNestedAnswer | flagNestedOutput
	e.Response, e.Usage, e.Message = rec.Response, rec.Usage, rec.Message
	e.flags = e.flags&^form | rec.flags&form
}
