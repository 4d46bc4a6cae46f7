// Package effect is how a run reaches the world: the EffectBus (seed 002 §4), the providers behind it, and the recorded
// answers of a trace. A provider answers one request; it never sees the state of the run. Nothing here opens a
// connection or starts a program unless the op was made live.
package effect

import (
	"context"
	"errors"
	"fmt"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Call is one effect to be answered.
type Call struct {
	Agent   string
	Step    int
	Request *trace.Request
}

// Answer is what came back. UsageUnknown means that the provider did not say what it cost. Side is ours: it goes into
// the event's side member and is neither compared nor hashed.
type Answer struct {
	Output       canon.Value
	Usage        trace.Usage
	UsageUnknown bool
	LowerBound   bool // beside UsageUnknown: Usage is the part that is known, such as tokens of a model without a price
	Side         canon.Value
	Recorded     *trace.Event // the event this answer was taken from, nil for a fresh one; it keeps foreign forms exact
}

// Source answers effects: the bus, a recording, or one before the other. Errors are *Failure (recorded as an error
// event), *NotLive, *Unanswered or *Mismatch (nothing is recorded; the step did not happen).
type Source interface {
	Answer(ctx context.Context, c Call) (Answer, error)
}

// Failure is an effect that failed in transport: "EffectError: <op>: <class>". A tool's own refusal is an answer, not
// a Failure.
type Failure struct {
	Op, Class string
	Text      string // the recorded text, "" for a live failure
	Usage     *trace.Usage
	Side      canon.Value
}

// Error is the text of the error event.
func (f *Failure) Error() string {
	if f.Text != "" {
		return f.Text
	}
	return trace.CodeEffectError + ": " + f.Op + ": " + f.Class
}

// ClassNoProvider is the failure of an op that nobody answers.
const ClassNoProvider = "no_provider"

// NotLive is an effect whose flow names a real provider that was not made live. It is never answered by the mock.
type NotLive struct{ Op, Provider string }

// Error names the op and what would let it through.
func (e *NotLive) Error() string {
	return fmt.Sprintf("effect %q goes to the real provider %q, which is not live", e.Op, e.Provider)
}

// Unanswered is an effect that a recording has no answer for.
type Unanswered struct{ Request *trace.Request }

// Error names the op and the request hash.
func (e *Unanswered) Error() string {
	return fmt.Sprintf("no recorded answer for %s request %s", e.Request.Op, e.Request.Hash()[:12])
}

// IsPause is true for the errors after which a step can be tried again once the effect can be answered; an error of
// another package is one when it has a method Pause.
func IsPause(err error) bool {
	var notLive *NotLive
	var unanswered *Unanswered
	var asks interface{ Pause() }
	return errors.As(err, &notLive) || errors.As(err, &unanswered) || errors.As(err, &asks)
}
