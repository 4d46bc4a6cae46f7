package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"flowdbg/engine/behavior"
	"flowdbg/trace/canon"
)

// A behaviour is a pure function, so a call can be run again under the debugger at any time and recorded statement by
// statement. The recording is then walked forward and back like any trace; nothing has to be kept waiting inside the
// interpreter.

// Place is where a statement stands.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"` // 1-based
	Col  int    `json:"col"`
	Func string `json:"func"`
}

// Statement is one statement of a recorded call, as it was about to run. The place is shared by all runs of it and never
// changed; the zero Statement has none.
type Statement struct {
	*Place
	Depth int `json:"depth"` // 0 is the entry function
}

// Recording is a call that was run statement by statement.
type Recording struct {
	Statements []Statement
	Truncated  bool // more statements ran than are kept
	Result     behavior.Result
	Err        error // the call's own error, with its place
	Printed    []string

	agent  *agent
	call   behavior.Call
	from   int // locals are taken of statements from ≤ i < to
	to     int
	locals map[int][]Local
	where  *where

	valuesAt int // the statement whose variables are wanted whole, from 1; 0 is none
	values   canon.Value
}

// MaxStatements is how many statements a recording keeps.
const MaxStatements = 20_000

// Record runs one call of a scripted behaviour again and records where it went. Variables are not kept: Locals runs the
// call once more to the place that is looked at. It fails for a behaviour that is no script, and when the script no
// longer loads.
func Record(b behavior.Behavior, c behavior.Call) (*Recording, error) {
	a, ok := b.(*agent)
	if !ok {
		return nil, fmt.Errorf("the agent's kind is not %s: there is no source to step through", Name)
	}
	rec := &Recording{agent: a, call: c}
	return rec, rec.run(true)
}

// localsAround is how many statements before and behind the wanted one have their variables taken too.
const localsAround = 32

// Locals are the variables of the function at the i-th statement, as they were when it was about to run.
func (r *Recording) Locals(i int) ([]Local, error) {
	if i < 0 || i >= len(r.Statements) {
		return nil, nil
	}
	if list, ok := r.locals[i]; ok {
		return list, nil
	}
	again := &Recording{agent: r.agent, call: r.call, from: i - localsAround, to: i + localsAround, locals: map[int][]Local{}}
	if err := again.run(false); err != nil {
		return nil, err
	}
	r.locals = again.locals
	return r.locals[i], nil
}

func (r *Recording) run(keep bool) error {
	globals, err := r.agent.debugGlobals()
	if err != nil {
		return err
	}
	u := &r.agent.prog.under
	u.mu.Lock()
	defer u.mu.Unlock()
	u.begin(r, keep)
	defer u.end()
	out, err := r.agent.call(globals, r.call.Agent, r.agent.entry, r.agent.args(r.call), func(t *starlark.Thread) {
		u.thread = t
		t.OnMaxSteps = u.maxSteps
		t.Print = func(_ *starlark.Thread, text string) {
			if keep && len(r.Printed) < MaxStatements {
				r.Printed = append(r.Printed, text)
			}
		}
	})
	if keep {
		r.Statements, r.Truncated = u.statements(r.agent.prog.sites), u.n > MaxStatements
	}
	if err != nil {
		r.Err = err
		return nil
	}
	r.Result, r.Err = readResult(out)
	return nil
}

// debugGlobals are the functions of the instrumented form, made once per loaded script. Loaded files stay plain:
// stepping stays in the script itself.
func (a *agent) debugGlobals() (starlark.StringDict, error) {
	p := a.prog
	p.debugOnce.Do(func() { p.debug, p.debugErr = a.initDebug() })
	return p.debug, p.debugErr
}

func (a *agent) initDebug() (starlark.StringDict, error) {
	prog, sites, err := a.prog.instrumented()
	if err != nil {
		return nil, err
	}
	a.prog.sites = sites
	env := make(starlark.StringDict, len(predeclared)+len(sites))
	for i, s := range sites {
		env[siteName(i)] = s
	}
	for k, v := range predeclared {
		env[k] = v
	}
	thread := &starlark.Thread{Name: a.prog.name, Print: func(*starlark.Thread, string) {}, Load: func(_ *starlark.Thread, module string) (starlark.StringDict, error) {
		p, err := a.lib.load(joinName(a.prog.name, module))
		if err != nil {
			return nil, err
		}
		return p.globals, nil
	}}
	thread.SetMaxExecutionSteps(MaxSteps)
	globals, err := prog.Init(thread, env)
	if err != nil {
		return nil, placed(err)
	}
	for i := range sites {
		delete(globals, boundName(i))
	}
	globals.Freeze()
	return globals, nil
}

// Source is the text of a scripted agent's file by name, for showing it; ok is false for another behaviour.
func Source(b behavior.Behavior) (name string, text []byte, ok bool) {
	a, ok := b.(*agent)
	if !ok {
		return "", nil, false
	}
	return a.prog.name, a.prog.src, true
}
