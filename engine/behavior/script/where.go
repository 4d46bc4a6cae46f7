package script

import (
	"errors"
	"fmt"
	"maps"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
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

// where is the question that a call is run again for.
type where struct {
	expr string
	want func(Statement) bool
	env  starlark.StringDict // what every function of the script sees
	hits []int
	told int   // statements at which it could be told
	err  error // of the last one at which it could not
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
	if !w.want(st) {
		return
	}
	env := maps.Clone(w.env)
	frameVars(thread, env)
	own := &starlark.Thread{Name: "condition"}
	own.SetMaxExecutionSteps(maxWhereSteps)
	v, err := starlark.EvalOptions(dialect, own, "condition", w.expr, env)
	if err != nil {
		w.err = fmt.Errorf("condition %q at %s:%d: %w", w.expr, st.File, st.Line, plainEval(err))
		return
	}
	w.told++
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
