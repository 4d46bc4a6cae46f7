package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"flowdbg/engine/behavior"
	"flowdbg/trace/canon"
)

// maxWhereSteps bounds one evaluation of a condition, in Starlark's own steps.
const maxWhereSteps = 100_000

// CheckExpr is nil for a text that is one Starlark expression. Which variables there are is seen only when it is
// evaluated.
func CheckExpr(expr string) error {
	if _, err := dialect.ParseExpr("condition", expr, 0); err != nil {
		return fmt.Errorf("the condition is no Starlark expression: %w", err)
	}
	return nil
}

// maxAsking bounds one evaluation in time, for what one step of Starlark can take (ours).
const maxAsking = time.Second

// Value is what an expression came to: as JSON where it can be written so, and as a text.
type Value struct {
	JSON canon.Value // absent for a function and the like
	Text string      // as Starlark writes it, cut
}

// ValueOf is what an expression came to, in both forms.
func ValueOf(v starlark.Value) Value {
	from := v
	if st, ok := v.(*starlarkstruct.Struct); ok { // a message, say
		d := starlark.NewDict(len(st.AttrNames()))
		for _, name := range st.AttrNames() {
			if m, err := st.Attr(name); err == nil {
				_ = d.SetKey(starlark.String(name), m) // a string key of a dict of ours cannot fail
			}
		}
		from = d
	}
	j, err := fromStarlark(from, "")
	if err != nil {
		j = canon.Value{}
	}
	return Value{JSON: j, Text: show(v)}
}

// Eval is the value of an expression when the i-th statement was about to run, over the function's variables, the script's
// globals, and more where these have no such name. The call is run once more for it; nothing else sees what it changes.
func (r *Recording) Eval(expr string, i int, more starlark.StringDict) (v Value, err error) {
	if err := CheckExpr(expr); err != nil {
		return v, err
	}
	if i < 0 || i >= len(r.Statements) {
		return v, errors.New("the call has returned: its variables are gone")
	}
	globals, err := r.agent.debugGlobals()
	if err != nil {
		return v, err
	}
	w := &where{expr: expr, at: i, take: &v, env: starlark.StringDict{}}
	w.want = func(Statement) bool { return true }
	maps.Copy(w.env, more)
	maps.Copy(w.env, predeclared)
	maps.Copy(w.env, globals)
	again := &Recording{agent: r.agent, call: r.call, Statements: r.Statements, where: w}
	if err := again.run(false); err != nil {
		return v, err
	}
	return v, w.err
}

// StatementLines are the lines of a scripted agent's file at which a statement of a function begins, ascending. They are
// where a call can be stopped.
func StatementLines(b behavior.Behavior) ([]int, error) {
	a, ok := b.(*agent)
	if !ok {
		return nil, nil
	}
	if _, err := a.debugGlobals(); err != nil {
		return nil, err
	}
	var lines []int
	for _, s := range a.prog.sites {
		lines = append(lines, s.place.Line)
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil
}

// where is the question that a call is run again for.
type where struct {
	expr string
	want func(Statement) bool
	env  starlark.StringDict // what every function of the script sees
	hits []int
	at   int    // the statement whose value is asked for
	told int    // statements at which it could be told
	take *Value // where its value goes when that is asked for; nil when only its truth is
	err  error  // of the last one at which it could not
}

// Where lists, in order, the statements that want picks and at which the expression over the function's variables and the
// script's globals is true, by running the call once more. An expression that names a variable which is not set there
// yet, or that fails, is not true there; when it could be told nowhere the error says why. An expression that changes a
// value changes it for the rest of that one look, and for nothing else.
func (r *Recording) Where(expr string, want func(Statement) bool) ([]int, error) {
	if err := CheckExpr(expr); err != nil {
		return nil, err
	}
	globals, err := r.agent.debugGlobals()
	if err != nil {
		return nil, err
	}
	w := &where{expr: expr, want: want, env: maps.Clone(predeclared)}
	maps.Copy(w.env, globals)
	again := &Recording{agent: r.agent, call: r.call, Statements: r.Statements, where: w}
	if err := again.run(false); err != nil {
		return nil, err
	}
	if w.err != nil && w.told == 0 {
		return nil, w.err
	}
	return w.hits, nil
}

// ask evaluates the condition at the i-th statement.
func (w *where) ask(thread *starlark.Thread, i int, st Statement) {
	if !w.want(st) || w.take != nil && i != w.at {
		return
	}
	env := maps.Clone(w.env)
	frameVars(thread, env)
	own := &starlark.Thread{Name: "condition"}
	own.SetMaxExecutionSteps(maxWhereSteps)
	watchdog := time.AfterFunc(maxAsking, func() { own.Cancel("it takes too long") })
	defer watchdog.Stop()
	v, err := starlark.EvalOptions(dialect, own, "condition", w.expr, env)
	if err != nil {
		w.err = fmt.Errorf("condition %q at %s:%d: %w", w.expr, st.File, st.Line, plainEval(err))
		return
	}
	w.told++
	if w.take != nil {
		*w.take = ValueOf(v) // now: the call may change what it is made of
		return
	}
	if v.Truth() {
		w.hits = append(w.hits, i)
	}
}

// plainEval takes the position inside the one-line condition off an error.
func plainEval(err error) error {
	var list resolve.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return errors.New(list[0].Msg)
	}
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		return errors.New(eval.Msg)
	}
	return err
}
