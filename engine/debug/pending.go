package debug

import (
	"context"
	"fmt"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Pending is an effect that the run waits for: nobody may answer it here, or a breakpoint holds it back. The step that
// asks for it has not happened; it runs when the effect was decided and the session is moved on.
type Pending struct {
	Agent   string
	Step    int
	Request *trace.Request
	Why     string
	pos     int // where the run waits
}

// deciding is what a person decided about the effects of one run, by request hash.
type deciding struct {
	typed    map[string]canon.Value // what was answered
	mocked   map[string]bool        // the mock may answer, once
	released map[string]bool        // a held effect may be sent, once
}

func newDeciding() deciding {
	return deciding{typed: map[string]canon.Value{}, mocked: map[string]bool{}, released: map[string]bool{}}
}

// Held is the error of an effect that a breakpoint holds back before it is sent.
type Held struct{ Breakpoint string }

// Error names the breakpoint.
func (e *Held) Error() string { return "held before it is sent, by breakpoint " + e.Breakpoint }

// Pending is the effect that the run which is shown waits for, nil when it waits for none.
func (s *Session) Pending() *Pending { return s.pending }

// AnswerPending types the answer to the pending effect; it costs nothing and is marked in side as typed.
func (s *Session) AnswerPending(answer canon.Value) error {
	if s.pending == nil {
		return fmt.Errorf("no effect waits for an answer")
	}
	s.typed[s.pending.Request.Hash()] = answer
	s.pending = nil
	return nil
}

// MockPending lets the mock provider answer the pending effect, this once. It fails for an op that has no mock.
func (s *Session) MockPending() error {
	if s.pending == nil {
		return fmt.Errorf("no effect waits for an answer")
	}
	if op := s.pending.Request.Op; !effect.HasMock(op) {
		return fmt.Errorf("op %q has no mock provider; type the answer instead", op)
	}
	s.mocked[s.pending.Request.Hash()] = true
	s.pending = nil
	return nil
}

// SendPending lets an effect go to its provider, this once, that a breakpoint holds or that may have been sent before.
func (s *Session) SendPending() error {
	if s.pending == nil {
		return fmt.Errorf("no effect waits")
	}
	hash := s.pending.Request.Hash()
	s.released[hash] = true
	if s.open != nil {
		s.open.Allow(hash)
	}
	s.pending = nil
	return nil
}

// TakeAnswersFrom adds the answers of another trace: requests that it answered are not asked again.
func (s *Session) TakeAnswersFrom(log trace.Log) (added int, err error) {
	for i := range log.Len() {
		if log.Header(i).Type != trace.EffectEvent {
			continue
		}
		e, err := log.Event(i)
		if err != nil {
			return added, err
		}
		s.lent = append(s.lent, *e)
		added++
	}
	s.lender = effect.NewByHash(nil, s.lent)
	s.pending = nil
	return added, nil
}

// decided answers what a person decided for the run that makes a step, then asks next. It notes what the run waits for.
type decided struct {
	s    *Session
	next effect.Source
}

// source puts what a person decides before a run's other answers.
func (s *Session) source(_ *engine.Machine, next effect.Source) effect.Source {
	return decided{s, next}
}

func (d decided) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	s, h := d.s, c.Request.Hash()
	if v, ok := s.typed[h]; ok {
		delete(s.typed, h)
		return effect.Answer{Output: v, Side: canon.Object(canon.Member{Key: "typed", Value: canon.True})}, nil
	}
	if s.mocked[h] {
		delete(s.mocked, h)
		return effect.Mock(ctx, c)
	}
	if s.lender != nil {
		if a, err := s.lender.Answer(ctx, c); err == nil {
			return a, nil
		}
	}
	if d.held(c) {
		err := &Held{Breakpoint: s.breaks.holding}
		s.pending = &Pending{Agent: c.Agent, Step: c.Step, Request: c.Request, Why: err.Error(), pos: s.waitsAt()}
		return effect.Answer{}, err
	}
	a, err := d.next.Answer(ctx, c)
	if effect.IsPause(err) {
		s.pending = &Pending{Agent: c.Agent, Step: c.Step, Request: c.Request, Why: err.Error(), pos: s.waitsAt()}
	}
	return a, err
}

// waitsAt is where the step under way begins.
func (s *Session) waitsAt() int { return s.rep.Begun() }

// held is true when a breakpoint on the op stops the run before the effect is sent. Answers that are there already
// are not sent, so nothing is held.
func (d decided) held(c effect.Call) bool {
	s, h := d.s, c.Request.Hash()
	if s.released[h] {
		delete(s.released, h)
		return false
	}
	return !s.unheld && s.breaks.holds(s, c)
}
