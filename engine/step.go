package engine

import (
	"context"
	"errors"
	"fmt"

	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// step is one scheduler step under way: receive, act, send…, effect, [error].
type step struct {
	m     *Machine
	st    *trace.State
	src   effect.Source
	emit  Emit
	n     int
	id    string
	actor *actor
	valid validity // of the message sent last
}

// Undeterministic is a behaviour that gave two results for one call (found by Verify).
type Undeterministic struct{ Agent, What string }

// Error names the agent and what differed.
func (e *Undeterministic) Error() string {
	return fmt.Sprintf("%s is not a pure function: two runs of the same call differ in %s", e.Agent, e.What)
}

func (s *step) run(ctx context.Context) error {
	msg, _ := s.st.InboxAt(s.id, 0)
	view, _ := s.st.Agent(s.id)
	if err := s.emit(trace.Event{Type: trace.Receive, Step: s.n, Agent: s.id, Message: msg}); err != nil {
		return err
	}
	if s.actor == nil {
		return s.fail(s.behaviorText(errNoSuchAgent)) // only a person's edit can send to one
	}
	call := behavior.Call{Agent: s.id, State: view.State, Message: msg}
	res, err := s.act(call)
	if err == nil {
		err = checkNames(res)
	}
	if err != nil {
		var u *Undeterministic
		var stopped *behavior.Interrupted
		if errors.As(err, &u) || errors.As(err, &stopped) {
			return err
		}
		return s.fail(s.behaviorText(err))
	}
	state := res.State
	if state.IsAbsent() {
		state = view.State
	}
	var req *trace.Request
	if res.Effect != nil {
		req = trace.NewRequest(res.Effect.Op, s.m.request(res.Effect, s.actor.spec))
	}
	sends, breach := s.deliveries(res.Sends)
	if breach == nil {
		breach = check(state, req)
	}
	if breach != nil {
		return s.fail(breach.Error())
	}
	if err := s.emit(trace.Event{Type: trace.Act, Step: s.n, Agent: s.id, State: state, Send: trace.SendsValue(res.Sends), Effect: req}); err != nil {
		return err
	}
	for _, ev := range sends {
		if done, err := s.send(ev); done || err != nil {
			return err
		}
	}
	if req == nil {
		return nil
	}
	return s.effect(ctx, req)
}

var errNoSuchAgent = errors.New("the flow has no agent of this name")

// act calls the behaviour; a panic becomes an error with its text, never a stack.
func (s *step) act(call behavior.Call) (res behavior.Result, err error) {
	res, err = safely(s.actor.behavior, call)
	if !s.m.Verify {
		return res, err
	}
	again, err2 := safely(s.actor.behavior, call)
	switch {
	case (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error():
		return res, &Undeterministic{s.id, "their errors"}
	case err != nil:
		return res, err
	case res.State != again.State:
		return res, &Undeterministic{s.id, "the state"}
	case trace.SendsValue(res.Sends) != trace.SendsValue(again.Sends):
		return res, &Undeterministic{s.id, "what is sent"}
	case (res.Effect == nil) != (again.Effect == nil) || res.Effect != nil && *res.Effect != *again.Effect:
		return res, &Undeterministic{s.id, "the effect"}
	}
	return res, nil
}

func safely(b behavior.Behavior, call behavior.Call) (res behavior.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return b.Act(call)
}

func (s *step) behaviorText(err error) string {
	var bad *behavior.BadValue
	if errors.As(err, &bad) {
		return trace.CodeBadValue + ": " + bad.Error()
	}
	var breach *trace.LimitBreach
	if errors.As(err, &breach) {
		return breach.Error()
	}
	return trace.CodeBehaviorError + ": " + s.id + ": " + err.Error()
}

// send emits one send event; done is true when its message breaks the schema of its tag under policy error.
func (s *step) send(ev trace.Event) (done bool, err error) {
	v := s.validate(ev.Message)
	if len(v.problems) > 0 && v.policy == flow.PolicyWarn {
		list := make([]canon.Value, len(v.problems))
		for i, p := range v.problems {
			list[i] = canon.Object(canon.Member{Key: "pointer", Value: canon.String(p.Pointer)}, canon.Member{Key: "why", Value: canon.String(p.Why)})
		}
		ev.Side = canon.Object(canon.Member{Key: "message_invalid", Value: canon.Array(list...)})
	}
	s.warn(&ev)
	if err := s.emit(ev); err != nil {
		return true, err
	}
	if len(v.problems) > 0 && v.policy == flow.PolicyError {
		return true, s.fail(fmt.Sprintf("%s: %s %s: %s", trace.CodeMessageInvalid, ev.Message.Tag, v.problems[0].Pointer, v.problems[0].Why))
	}
	return false, nil
}

// validate holds a message to the schema of its tag; the edges of one send share the result.
func (s *step) validate(m trace.Message) validity {
	if !s.valid.of.Equal(m) {
		s.valid.of = m
		s.valid.problems, s.valid.policy = s.m.flow.CheckMessage(m.Tag, m.Payload)
	}
	return s.valid
}

type validity struct {
	of       trace.Message
	problems []flow.Problem
	policy   flow.Policy
}

// warn tells of sends that are most likely mistakes.
func (s *step) warn(ev *trace.Event) {
	if s.m.OnWarn == nil {
		return
	}
	if ev.To == "" && s.actor.wired && !s.actor.spec.DeclaresTerminal(ev.Port) {
		s.m.OnWarn(trace.Finding{Kind: "unwired_port", Event: -1, Text: fmt.Sprintf(
			"%s sends on port %q, which has no edge: the message ends in outputs[%q]; list the port in the agent's ports if that is meant", s.id, ev.Port, trace.OutputKey(s.id, ev.Port))})
	}
	if ev.Message.Tag == trace.TagEffect {
		s.m.OnWarn(trace.Finding{Kind: "reserved_tag", Event: -1, Text: fmt.Sprintf(
			"%s sends a message with the tag %q on port %q: the receiver may take it for the answer of an effect", s.id, trace.TagEffect, ev.Port)})
	}
}

// effect asks for the answer, emits it, and judges limits, metering and budget in that order.
func (s *step) effect(ctx context.Context, req *trace.Request) error {
	ans, err := s.src.Answer(ctx, effect.Call{Agent: s.id, Step: s.n, Request: req})
	if err != nil {
		var failed *effect.Failure
		if errors.As(err, &failed) {
			return s.effectError(failed, req)
		}
		return err
	}
	ev := trace.Event{Type: trace.EffectEvent, Step: s.n, Agent: s.id, Effect: req, Response: ans.Output, Usage: ans.Usage, Side: ans.Side}
	if ans.Recorded != nil {
		ev = *ans.Recorded
		ev.Step, ev.Agent, ev.Effect = s.n, s.id, req
	} else if ans.UsageUnknown = ans.UsageUnknown || !ans.Usage.Valid(); ans.UsageUnknown {
		if !ans.LowerBound || !ans.Usage.Valid() {
			ev.Usage = trace.Usage{}
		}
		ev.Side = withMember(ev.Side, "usage_unknown", canon.True)
	}
	ev.Message = ev.AnswerMessage()
	breach := s.st.AnswerBreach(s.id, ev.Message)
	if err := s.emit(ev); err != nil {
		return err
	}
	if breach != nil {
		return s.fail(breach.Error())
	}
	if over := overBudget(s.st, req.Op, ans.UsageUnknown); over != "" {
		return s.fail(over)
	}
	return nil
}

// overBudget is the error that an effect ends the run with when the budget does not allow it, "" when it does.
func overBudget(st *trace.State, op string, usageUnknown bool) string {
	budget := st.Budget()
	if usageUnknown && op == "llm" && budget.Metered() && !budget.AllowUnmetered {
		return trace.CodeUnmeteredEffect + ": " + op
	}
	if over := budget.Exceeded(st.Ledger()); over != "" {
		return trace.CodeBudgetExceeded + ": " + over
	}
	return ""
}

func (s *step) effectError(failed *effect.Failure, req *trace.Request) error {
	ev := errorEvent(s.n, s.id, failed.Error())
	ev.Error.Request = req
	ev.Side = failed.Side
	if failed.Usage != nil && (failed.Text != "" || failed.Usage.Valid()) { // a recorded one is taken as it is
		ev.Error.HasUsage = true
		ev.Usage = *failed.Usage
	}
	return s.emit(ev)
}

func (s *step) fail(text string) error { return s.emit(errorEvent(s.n, s.id, text)) }

// withMember is an object with one member more; absent counts as empty.
func withMember(obj canon.Value, key string, v canon.Value) canon.Value {
	var members []canon.Member
	for k, m := range obj.Members() {
		members = append(members, canon.Member{Key: k, Value: m})
	}
	return canon.Object(append(members, canon.Member{Key: key, Value: v})...)
}
