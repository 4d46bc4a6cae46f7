package engine

import (
	"context"
	"fmt"

	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Intent is a paid effect that was about to be sent, as an x-effect-intent line notes it before the call is made:
// {step, agent, op, request_hash, redo?}.
type Intent struct {
	Event     int // index of the line in the record
	Step      int
	Agent, Op string
	Hash      string // request hash
	Cancelled bool   // the step was taken back while the answer was awaited
}

type intentKey struct {
	step int
	hash string
}

func (i Intent) key() intentKey { return intentKey{i.Step, i.Hash} }

// event is the line.
func (i Intent) event(redo bool) trace.Event {
	members := []canon.Member{{Key: "agent", Value: canon.String(i.Agent)}, {Key: "op", Value: canon.String(i.Op)}, {Key: "request_hash", Value: canon.String(i.Hash)}}
	if redo {
		members = append(members, canon.Member{Key: "redo", Value: canon.True})
	}
	return trace.Event{Type: trace.XIntent, Step: i.Step, Agent: i.Agent, Extra: canon.Object(members...)}
}

// OpenIntents lists the intents of a record that no answer follows: the request may have been sent, and billed, and its
// answer is not known. The error is the record's, when it can no longer be read.
func OpenIntents(record trace.Log) ([]Intent, error) {
	open := map[intentKey]Intent{}
	var order []intentKey
	first := 0 // most records have none: then no event is decoded
	for first < record.Len() && record.Header(first).Type != trace.XIntent {
		first++
	}
	for i := first; i < record.Len(); i++ {
		switch record.Header(i).Type {
		case trace.XIntent, trace.EffectEvent, trace.ErrorEvent, trace.XCancel:
		default:
			continue
		}
		e, err := record.Event(i)
		if err != nil {
			return nil, err
		}
		switch e.Type {
		case trace.XIntent:
			in := intentOf(i, e)
			if _, known := open[in.key()]; !known {
				order = append(order, in.key())
			}
			open[in.key()] = in
		case trace.XCancel:
			cancelIntents(open, e)
		default:
			if req := answered(e); req != nil && !e.Cancelled() {
				delete(open, intentKey{e.Step, req.Hash()})
			}
		}
	}
	var list []Intent
	for _, k := range order {
		if in, ok := open[k]; ok {
			list = append(list, in)
			delete(open, k)
		}
	}
	return list, nil
}

func intentOf(i int, e *trace.Event) Intent {
	in := Intent{Event: i, Step: e.Step, Agent: e.Agent}
	in.Op, _ = e.Extra.Get("op").Str()
	in.Hash, _ = e.Extra.Get("request_hash").Str()
	return in
}

func cancelIntents(open map[intentKey]Intent, e *trace.Event) {
	step := e.Step
	if n, ok := e.Extra.Get("step").Int(); ok {
		step = int(n)
	}
	for k, in := range open {
		if in.Step == step {
			in.Cancelled = true
			open[k] = in
		}
	}
}

// answered is the request that an event answers, nil when it answers none.
func answered(e *trace.Event) *trace.Request {
	switch {
	case e.Type == trace.EffectEvent:
		return e.Effect
	case e.Error != nil && e.Error.Code == trace.CodeEffectError:
		return e.Error.Request
	}
	return nil
}

// Unsettled is a paid effect that may have been sent before: the record notes that it was about to be, and holds no
// answer. It is never sent again unless somebody says so.
type Unsettled struct{ Intent Intent }

// Error says which effect, and why it is not sent.
func (e *Unsettled) Error() string {
	how := "was about to be sent when the recording stopped"
	if e.Intent.Cancelled {
		how = "was cancelled while its answer was awaited"
	}
	return fmt.Sprintf("step %d: the %s effect of %s (request %.12s) %s: it may have been done and billed, and its answer is not known",
		e.Intent.Step, e.Intent.Op, e.Intent.Agent, e.Intent.Hash, how)
}

// Pause makes it an error that a person can settle, see effect.IsPause.
func (e *Unsettled) Pause() {}

// OpenEffects keeps a run that goes on behind a record from sending an effect again that the record notes and does not
// answer. It looks at the record when the first effect is about to be sent.
type OpenEffects struct {
	record  trace.Log
	looked  bool
	open    map[string]Intent // by request hash
	allowed map[string]bool
}

// NewOpenEffects is for a run behind record, which may be nil.
func NewOpenEffects(record trace.Log) *OpenEffects {
	return &OpenEffects{record: record, open: map[string]Intent{}, allowed: map[string]bool{}}
}

// Allow lets a request through that may have been sent before, this once.
func (o *OpenEffects) Allow(hash string) { o.allowed[hash] = true }

// Before is a source that comes back with *Unsettled instead of asking next a second time. What costs nothing is always
// asked.
func (o *OpenEffects) Before(next effect.Source) effect.Source { return askFirst{o, next} }

type askFirst struct {
	*OpenEffects
	next effect.Source
}

func (a askFirst) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	if terms, ok := a.next.(effect.Terms); ok && !terms.Paid(c) {
		return a.next.Answer(ctx, c)
	}
	if err := a.look(); err != nil {
		return effect.Answer{}, err
	}
	hash := c.Request.Hash()
	if in, ok := a.open[hash]; ok {
		if !a.allowed[hash] {
			return effect.Answer{}, &Unsettled{in}
		}
		delete(a.open, hash)
		delete(a.allowed, hash)
	}
	return a.next.Answer(ctx, c)
}

func (o *OpenEffects) look() error {
	if o.looked || o.record == nil {
		return nil
	}
	list, err := OpenIntents(o.record)
	for _, in := range list {
		o.open[in.Hash] = in
	}
	o.looked = err == nil
	return err
}
