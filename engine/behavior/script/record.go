package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"flowdbg/engine/behavior"
)

// A behaviour is a pure function, so a call can be run again under the debugger at any time and recorded statement by
// statement. The recording is then walked forward and back like any trace; nothing has to be kept waiting inside the
// interpreter.

// Statement is one statement of a recorded call, as it was about to run.
type Statement struct {
	File  string `json:"file"`
	Line  int    `json:"line"` // 1-based
	Col   int    `json:"col"`
	Func  string `json:"func"`
	Depth int    `json:"depth"` // 0 is the entry function
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
	seen   int
	from   int // locals are taken of statements from ≤ i < to
	to     int
	locals map[int][]Local
	where  *where
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
	out, err := r.agent.call(globals, r.call.Agent, r.agent.entry, r.agent.args(r.call), func(t *starlark.Thread) {
		t.SetLocal(recordingKey, r)
		t.Print = func(_ *starlark.Thread, text string) {
			if keep && len(r.Printed) < MaxStatements {
				r.Printed = append(r.Printed, text)
			}
		}
	})
	if err != nil {
		r.Err = err
		return nil
	}
	r.Result, r.Err = readResult(out)
	return nil
}

// recordingKey is where a thread keeps the recording that its statements report to.
const recordingKey = "flowdbg.recording"

// debugGlobals are the functions of the instrumented form, made once per loaded script. Loaded files stay plain:
// stepping stays in the script itself.
func (a *agent) debugGlobals() (starlark.StringDict, error) {
	p := a.prog
	p.debugOnce.Do(func() { p.debug, p.debugErr = a.initDebug() })
	return p.debug, p.debugErr
}

func (a *agent) initDebug() (starlark.StringDict, error) {
	prog, err := a.prog.instrumented()
	if err != nil {
		return nil, err
	}
	env := starlark.StringDict{hookName: starlark.NewBuiltin("statement", hook)}
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
	globals.Freeze()
	return globals, nil
}

// hook is called before every statement inside a function. Calls that the top level makes belong to no recording.
func hook(thread *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	r, ok := thread.Local(recordingKey).(*Recording)
	if !ok {
		return starlark.None, nil
	}
	i := r.seen
	r.seen++
	if r.where != nil {
		if i < len(r.Statements) {
			r.where.ask(thread, i, r.Statements[i])
		}
		return starlark.None, nil
	}
	if r.locals != nil {
		if i >= r.from && i < r.to {
			r.locals[i] = callerFrame(thread, true).locals
		}
		return starlark.None, nil
	}
	if i >= MaxStatements {
		r.Truncated = true
		return starlark.None, nil
	}
	f := callerFrame(thread, false)
	r.Statements = append(r.Statements, Statement{
		File: f.pos.Filename(), Line: int(f.pos.Line), Col: int(f.pos.Col), Func: f.fn, Depth: thread.CallStackDepth() - 2})
	return starlark.None, nil
}

// Source is the text of a scripted agent's file by name, for showing it; ok is false for another behaviour.
func Source(b behavior.Behavior) (name string, text []byte, ok bool) {
	a, ok := b.(*agent)
	if !ok {
		return "", nil, false
	}
	return a.prog.name, a.prog.src, true
}

// shown bounds how much of a variable's value is kept.
const shown = 200

// show is a value as text, built only as far as it is shown: a script may hold a list of a million elements.
func show(v starlark.Value) string {
	var b strings.Builder
	write(&b, v, 0)
	if s := []rune(b.String()); len(s) > shown {
		return string(s[:shown]) + "…"
	}
	return b.String()
}

func write(b *strings.Builder, v starlark.Value, depth int) {
	if b.Len() > shown*4 || depth > 8 {
		b.WriteString("…")
		return
	}
	switch v := v.(type) {
	case starlark.String:
		s := string(v)
		if len(s) > shown*4 {
			s = s[:shown*4]
		}
		b.WriteString(starlark.String(strings.ToValidUTF8(s, "\uFFFD")).String())
	case *starlark.List:
		writeSeq(b, "[", "]", v, depth)
	case starlark.Tuple:
		writeSeq(b, "(", ")", v, depth)
	case *starlark.Dict:
		b.WriteString("{")
		n := 0
		for k, m := range v.Entries() {
			if n++; n > 1 {
				b.WriteString(", ")
			}
			write(b, k, depth+1)
			b.WriteString(": ")
			write(b, m, depth+1)
			if b.Len() > shown*4 {
				break
			}
		}
		b.WriteString("}")
	case *starlarkstruct.Struct:
		b.WriteString("struct(")
		for i, name := range v.AttrNames() {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name + " = ")
			if m, err := v.Attr(name); err == nil {
				write(b, m, depth+1)
			}
		}
		b.WriteString(")")
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			fmt.Fprint(b, n)
		} else {
			fmt.Fprintf(b, "int of %d bits", v.BigInt().BitLen())
		}
	default:
		b.WriteString(cut(v.String()))
	}
}

func writeSeq(b *strings.Builder, open, closing string, v starlark.Indexable, depth int) {
	b.WriteString(open)
	for i := range v.Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, v.Index(i), depth+1)
		if b.Len() > shown*4 {
			break
		}
	}
	b.WriteString(closing)
}
