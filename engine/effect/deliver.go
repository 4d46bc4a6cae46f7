package effect

import (
	"context"
	"errors"
	"fmt"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Cancelled is an effect that was given up because the caller's context ended. Nothing is recorded for it; the session
// stands where it stood before the step.
type Cancelled struct {
	Op             string
	PossiblyBilled bool         // a request had been sent, so the provider may charge for it
	Usage          *trace.Usage // what is known to have been spent before, by attempts that failed; may be nil
	Side           canon.Value  // {attempts} as in Failure.Side
	Cause          error        // context.Canceled or context.DeadlineExceeded
}

// Error says whether money may have been spent.
func (e *Cancelled) Error() string {
	if e.PossiblyBilled {
		return fmt.Sprintf("effect %q was cancelled: %v (possibly billed)", e.Op, e.Cause)
	}
	return fmt.Sprintf("effect %q was cancelled: %v (nothing was sent)", e.Op, e.Cause)
}

// Unwrap makes errors.Is(err, context.Canceled) true.
func (e *Cancelled) Unwrap() error { return e.Cause }

// Classes of failure that any provider may have. The classes of the deadlines are "<clock>_timeout".
const (
	ClassPanic    = "panic"    // the provider itself is broken
	ClassProvider = "provider" // it failed in a way that has no class
)

// deliver asks a real provider and takes every secret out of what it says, before anyone sees it: live run, trace and
// replay hold the same bytes.
func (b *Bus) deliver(ctx context.Context, p Provider, c Call) (a Answer, err error) {
	a, err = guarded(ctx, p, c)
	scan := b.vault.Scanner()
	if err == nil {
		if a.Output.IsAbsent() {
			a.Output = canon.Null
		}
		out, changed := scan.RedactValue(a.Output)
		a.Output = out
		a.Side, _ = scan.RedactValue(a.Side)
		if changed {
			a.Side = Noted(a.Side, "redacted")
		}
		return a, nil
	}
	var failed *Failure
	var cancelled *Cancelled
	switch {
	case errors.As(err, &failed):
		f := *failed
		f.Class, _ = scan.Redact(f.Class)
		f.Text, _ = scan.Redact(f.Text)
		f.Side, _ = scan.RedactValue(f.Side)
		return Answer{}, &f
	case errors.As(err, &cancelled):
		e := *cancelled
		e.Side, _ = scan.RedactValue(e.Side)
		return Answer{}, &e
	case ctx.Err() != nil:
		return Answer{}, &Cancelled{Op: c.Request.Op, PossiblyBilled: true, Cause: ctx.Err()}
	}
	text, _ := scan.Redact(err.Error())
	return Answer{}, &Failure{Op: c.Request.Op, Class: ClassProvider, Side: Detail(text)}
}

// guarded turns a panic of a provider into a failure: a broken answer must not end the session.
func guarded(ctx context.Context, p Provider, c Call) (a Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			a, err = Answer{}, &Failure{Op: c.Request.Op, Class: ClassPanic, Side: Detail(fmt.Sprint(r))}
		}
	}()
	return p.Do(ctx, c)
}

// maxDetail bounds the text of a failure in side, in bytes.
const maxDetail = 2 << 10

// Detail is a side member {detail: text}; long texts are cut.
func Detail(text string) canon.Value {
	if len(text) > maxDetail {
		text = cutText(text, maxDetail) + " …"
	}
	return canon.Object(canon.Member{Key: "detail", Value: canon.String(text)})
}

// Noted is side with one more entry in its list "notes".
func Noted(side canon.Value, note string) canon.Value {
	var members []canon.Member
	for k, v := range side.Members() {
		members = append(members, canon.Member{Key: k, Value: v})
	}
	var notes []canon.Value
	for _, v := range side.Get("notes").Elems() {
		notes = append(notes, v)
	}
	return canon.Object(append(members, canon.Member{Key: "notes", Value: canon.Array(append(notes, canon.String(note))...)})...)
}
