package effect

import (
	"context"
	"strings"

	"flowdbg/trace"
)

// record is one answered or failed effect of a trace.
type record struct {
	agent   string
	request *trace.Request
	answer  Answer
	failure *Failure
}

func (r record) result() (Answer, error) {
	if r.failure != nil {
		return Answer{}, r.failure
	}
	return r.answer, nil
}

// recordOf is the effect that an event records. A failed effect left no effect event but an error event with its
// request.
func recordOf(e *trace.Event) (record, bool) {
	if e.Cancelled() {
		return record{}, false
	}
	switch e.Type {
	case trace.EffectEvent:
		return record{agent: e.Agent, request: e.Effect, answer: Answer{
			Output: e.Response, Usage: e.Usage, UsageUnknown: e.UsageUnknown(), Side: e.Side, Recorded: e}}, true
	case trace.ErrorEvent:
		if isEffectError(e) && e.Error.Request != nil {
			return failed(e, e.Agent, e.Error.Request), true
		}
	}
	return record{}, false
}

func isEffectError(e *trace.Event) bool {
	return e.Error.Code == trace.CodeEffectError || strings.HasPrefix(e.Error.Text, trace.CodeEffectError+":")
}

func failed(e *trace.Event, agent string, req *trace.Request) record {
	f := &Failure{Op: req.Op, Text: e.Error.Text, Side: e.Side}
	if e.Error.HasUsage {
		u := e.Usage
		f.Usage = &u
	}
	return record{agent: agent, request: req, failure: f}
}

// Strict answers the i-th effect with the i-th record, which must be the same op, input and agent (seed 002 §5).
type Strict struct {
	Next  Source // asked when every record was given; nil: *Mismatch
	log   trace.Log
	at    int // event index behind the last record given
	count int
}

// NewStrict is a strict source over a recorded log, which is read as it goes.
func NewStrict(log trace.Log) *Strict { return &Strict{log: log} }

// find is the next record and the event behind it.
func (s *Strict) find() (record, int, error) {
	for i := s.at; i < s.log.Len(); i++ {
		if t := s.log.Header(i).Type; t != trace.EffectEvent && t != trace.ErrorEvent {
			continue
		}
		e, err := s.log.Event(i)
		if err != nil {
			return record{}, 0, err
		}
		if r, ok := recordOf(e); ok {
			return r, i + 1, nil
		}
		if e.Type == trace.ErrorEvent && !e.Cancelled() && isEffectError(e) {
			act, err := s.actBefore(i)
			if err != nil {
				return record{}, 0, err
			}
			if act != nil {
				return failed(e, act.Agent, act.Effect), i + 1, nil
			}
		}
	}
	s.at = s.log.Len()
	return record{}, -1, nil
}

// actBefore is the act whose effect a foreign error without a request tells of: the last one before it in its step.
func (s *Strict) actBefore(i int) (*trace.Event, error) {
	for i--; i >= s.at; i-- {
		switch t := s.log.Header(i).Type; {
		case t == trace.Act:
			act, err := s.log.Event(i)
			if err != nil || act.Effect == nil || act.Cancelled() {
				return nil, err
			}
			return act, nil
		case t != trace.SendEvent && !t.IsExtension():
			return nil, nil
		}
	}
	return nil, nil
}

// Mismatch is an effect that is not the recorded one.
type Mismatch struct {
	Index         int            // which effect, from 0
	Recorded      *trace.Request // nil when the record has no more effects
	RecordedAgent string
}

// Error says which effect differs.
func (e *Mismatch) Error() string {
	if e.Recorded == nil {
		return "the trace has no further effect"
	}
	return "the trace has another effect here: " + e.Recorded.Op + " by " + e.RecordedAgent
}

// Answer gives the next recorded answer or a *Mismatch; another error is the log's.
func (s *Strict) Answer(ctx context.Context, c Call) (Answer, error) {
	r, next, err := s.find()
	switch {
	case err != nil:
		return Answer{}, err
	case next < 0 && s.Next != nil:
		return s.Next.Answer(ctx, c)
	case next < 0:
		return Answer{}, &Mismatch{Index: s.count}
	case r.agent != c.Agent || !r.request.Equal(c.Request):
		return Answer{}, &Mismatch{Index: s.count, Recorded: r.request, RecordedAgent: r.agent}
	}
	s.at = next
	s.count++
	return r.result()
}
