package script

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"flowdbg/engine/behavior"
	"flowdbg/trace/canon"
)

// Name is the kind's name in flows.
const Name = "script"

// MaxSteps bounds one call of a script in Starlark's own steps: the same on every machine, so running into it is a
// result like any other.
const MaxSteps = 10_000_000

// Options say where scripts lie and what happens to what they print.
type Options struct {
	Dir     string                       // the flow's folder; scripts and what they load lie in it
	Read    func(string) ([]byte, error) // reads a file of Dir by its slash-separated name; nil: from the disk
	Print   func(agent, text string)     // what print says; it never enters a trace; nil: dropped
	Timeout time.Duration                // wall-clock watchdog of one call; 0 is 10 s
}

// Register adds the kind to a registry.
func Register(r *behavior.Registry, opt Options) error { return r.Register(newKind(newLibrary(opt))) }

// Registry is the built-in kinds and scripts from a flow's folder.
func Registry(opt Options) *behavior.Registry {
	r := behavior.Builtin()
	if err := Register(r, opt); err != nil {
		panic(err) // the name is taken: a mistake of this program
	}
	return r
}

func newKind(lib *library) behavior.Kind {
	return behavior.Kind{
		Name: Name, Summary: "runs a function of a Starlark file in the flow's folder",
		Receives: []string{"any"},
		Ports:    []behavior.Port{{Name: "(from the script)", Sends: "what the script sends"}},
		Config: []behavior.Field{
			{Name: "script", Type: "file name", Default: "required", Doc: "the Starlark file, inside the flow's folder"},
			{Name: "entry", Type: "function name", Default: "act", Doc: "called as act(msg, state, config) for each message"},
			{Name: "init", Type: "function name", Default: "init, if it is defined", Doc: "called as init(config) for the first state"},
			{Name: "(other)", Type: "any", Doc: "handed to the script in config"},
		},
		State: "what the script returns",
		New:   func(config canon.Value) (behavior.Behavior, []behavior.Problem) { return lib.agent(config) },
	}
}

// agent is one scripted agent: a loaded program and its config.
type agent struct {
	lib    *library
	prog   *program
	entry  string
	init   string
	config starlark.Value
}

// agent reads a config and loads its script. A script that does not load is a problem of the config's script member.
func (l *library) agent(config canon.Value) (behavior.Behavior, []behavior.Problem) {
	name, ok := config.Get("script").Str()
	if !ok {
		return nil, []behavior.Problem{{Pointer: "/script", What: "the script's file name is missing or not a string", Want: `write "script": "name.star"`}}
	}
	a := &agent{lib: l, entry: "act", init: "init"}
	var problems []behavior.Problem
	for key, to := range map[string]*string{"entry": &a.entry, "init": &a.init} {
		if v := config.Get(key); !v.IsAbsent() && !v.IsNull() {
			s, ok := v.Str()
			if !ok {
				problems = append(problems, behavior.Problem{Pointer: "/" + key, What: fmt.Sprintf("%q is not a string", key), Want: "name a function of the script"})
			}
			*to = s
		}
	}
	prog, err := l.load(name)
	if err != nil {
		return nil, append(problems, behavior.Problem{Pointer: "/script", What: err.Error(), Want: "correct the script"})
	}
	a.prog = prog
	if _, ok := prog.globals[a.entry].(*starlark.Function); !ok {
		problems = append(problems, behavior.Problem{Pointer: "/entry", What: fmt.Sprintf("%s defines no function %s", name, a.entry), Want: "define it, or name another in config entry"})
	}
	_, hasInit := prog.globals[a.init].(*starlark.Function)
	if !hasInit && a.init != "init" {
		problems = append(problems, behavior.Problem{Pointer: "/init", What: fmt.Sprintf("%s defines no function %s", name, a.init), Want: "define it, or leave init out"})
	}
	if !hasInit {
		a.init = ""
	}
	a.config = toStarlark(config)
	a.config.Freeze()
	if len(problems) > 0 {
		return nil, problems
	}
	return a, nil
}

// Init calls init(config); without one the state is null.
func (a *agent) Init() (canon.Value, error) {
	if a.init == "" {
		return canon.Null, nil
	}
	out, err := a.call(a.prog.globals, "", a.init, starlark.Tuple{a.config}, nil)
	if err != nil {
		return canon.Value{}, err
	}
	return fromStarlark(out, "/state")
}

// Act calls the entry function with fresh copies of message and state.
func (a *agent) Act(c behavior.Call) (behavior.Result, error) {
	out, err := a.call(a.prog.globals, c.Agent, a.entry, a.args(c), nil)
	if err != nil {
		return behavior.Result{}, err
	}
	return readResult(out)
}

func (a *agent) args(c behavior.Call) starlark.Tuple {
	return starlark.Tuple{newMessage(c.Message), toStarlark(c.State), a.config}
}

// call runs one function under the step limit and the watchdog.
func (a *agent) call(globals starlark.StringDict, who, fn string, args starlark.Tuple, prepare func(*starlark.Thread)) (starlark.Value, error) {
	thread := &starlark.Thread{Name: who, Print: func(_ *starlark.Thread, text string) {
		if a.lib.opt.Print != nil {
			a.lib.opt.Print(who, text)
		}
	}}
	thread.SetMaxExecutionSteps(MaxSteps)
	if prepare != nil {
		prepare(thread)
	}
	late := time.AfterFunc(a.lib.timeout(), func() { thread.Cancel(watchdogReason) })
	defer late.Stop()
	out, err := starlark.Call(thread, globals[fn], args, nil)
	if err != nil {
		return nil, a.fault(err)
	}
	return out, nil
}

const watchdogReason = "the wall-clock watchdog"

// fault is the error of a call with its place in the script, innermost frame first.
func (a *agent) fault(err error) error {
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return err
	}
	msg := eval.Msg
	if strings.Contains(msg, watchdogReason) {
		return &behavior.Interrupted{Why: fmt.Sprintf("%s ran longer than %s", a.prog.name, a.lib.timeout())}
	}
	for i := len(eval.CallStack) - 1; i >= 0; i-- {
		if pos := eval.CallStack[i].Pos; pos.Line > 0 {
			return fmt.Errorf("%s:%d:%d: %s", pos.Filename(), pos.Line, pos.Col, msg)
		}
	}
	return errors.New(msg)
}

// Sources names the script and everything it loaded, with the sha256 of each, so that a replay can say "script changed".
func (a *agent) Sources() []behavior.SourceFile { return a.prog.sources }
