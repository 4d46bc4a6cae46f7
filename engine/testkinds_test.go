package engine

import (
	"context"
	"errors"

	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// testKinds is the built-in registry and kind "do", whose message says what to do: {state?, send?, effect?, fail?, panic?,
// bad?}. An effect's answer is handled by config.on_effect, a message of the same form, or does nothing. config.init is
// the first state; config.flaky makes the named result differ from call to call.
func testKinds() *behavior.Registry {
	r := behavior.Builtin()
	err := r.Register(behavior.Kind{Name: "do", New: func(config canon.Value) (behavior.Behavior, []behavior.Problem) {
		flaky, _ := config.Get("flaky").Str()
		d := &do{config: config, flaky: flaky}
		if init := config.Get("init"); !init.IsAbsent() {
			return &doInit{d, init}, nil
		}
		return d, nil
	}})
	if err != nil {
		panic(err)
	}
	return r
}

type do struct {
	config canon.Value
	flaky  string
	calls  int64
}

type doInit struct {
	*do
	first canon.Value
}

func (d *doInit) Init() (canon.Value, error) {
	d.calls++
	switch d.flaky {
	case "init":
		return canon.Int(d.calls), nil
	case "init panics":
		panic("no first state")
	case "init fails":
		return d.first, errors.New("no first state")
	}
	return d.first, nil
}

func (d *do) Act(c behavior.Call) (behavior.Result, error) {
	d.calls++
	todo := c.Message.Payload
	if c.Message.Tag == trace.TagEffect {
		todo = d.config.Get("on_effect")
	}
	if s, ok := todo.Get("fail").Str(); ok {
		return behavior.Result{State: canon.String("not applied"), Sends: []trace.Send{{Port: "out", Tag: "not sent"}}}, errors.New(s)
	}
	if s, ok := todo.Get("panic").Str(); ok {
		panic(s)
	}
	if bad := todo.Get("bad"); !bad.IsAbsent() {
		ptr, _ := bad.Get("pointer").Str()
		why, _ := bad.Get("why").Str()
		return behavior.Result{}, &behavior.BadValue{Pointer: ptr, Why: why}
	}
	res := behavior.Result{State: todo.Get("state")}
	for _, s := range todo.Get("send").Elems() {
		port, _ := s.Get("port").Str()
		tag, _ := s.Get("tag").Str()
		res.Sends = append(res.Sends, trace.Send{Port: port, Tag: tag, Payload: s.Get("payload")})
	}
	if e := todo.Get("effect"); !e.IsAbsent() {
		op, _ := e.Get("op").Str()
		res.Effect = &behavior.Effect{Op: op, Input: e.Get("input")}
	}
	return res, d.disturb(&res)
}

// disturb makes one part of the result depend on how often the behaviour was called.
func (d *do) disturb(res *behavior.Result) error {
	n := canon.Int(d.calls)
	switch d.flaky {
	case "state":
		res.State = n
	case "send":
		res.Sends = append(res.Sends, trace.Send{Port: "out", Tag: "n", Payload: n})
	case "effect":
		res.Effect = &behavior.Effect{Op: "search", Input: n}
	case "error":
		return errors.New("call " + n.Text())
	case "error once":
		if d.calls == 1 {
			return errors.New("once")
		}
	}
	return nil
}

// fakeSource answers requests whose input has a member "fake": {answer?, usage?, unknown?, side?, error?, billed?}. All
// others go to the bus.
type fakeSource struct{ bus *effect.Bus }

func (f fakeSource) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	fake := c.Request.Input.Get("fake")
	if fake.IsAbsent() {
		return f.bus.Answer(ctx, c)
	}
	if class, ok := fake.Get("error").Str(); ok {
		failure := &effect.Failure{Op: c.Request.Op, Class: class, Side: fake.Get("side")}
		if b := fake.Get("billed"); !b.IsAbsent() {
			u := usageOf(b)
			failure.Usage = &u
		}
		return effect.Answer{}, failure
	}
	a := effect.Answer{Output: fake.Get("answer"), Usage: usageOf(fake.Get("usage")), UsageUnknown: fake.Get("unknown") == canon.True, Side: fake.Get("side")}
	if a.Output.IsAbsent() {
		a.Output = canon.Null
	}
	return a, nil
}

func usageOf(v canon.Value) trace.Usage {
	in, _ := v.Get("input_tokens").Float()
	out, _ := v.Get("output_tokens").Float()
	usd, _ := v.Get("usd").Float()
	return trace.Usage{InputTokens: in, OutputTokens: out, USD: usd}
}
