// Package query is the one language for filters, searches, breakpoint conditions and --where: a Starlark expression over
// an event and the state behind it. Values are decoded only when the expression looks at them, and what the expression
// demands of type, agent and step is checked on the event's header before anything is decoded.
//
// It may not change anything, and it knows neither sessions nor files.
package query

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"flowdbg/trace"
)

// maxSteps bounds one evaluation in Starlark's own steps.
const maxSteps = 100_000

// Names documents what an expression can use, by name.
var Names = map[string]string{
	"event":    "index of the event, from 0",
	"type":     `"receive", "act", "send", "effect", "error", "finish" or an extension`,
	"step":     "step of the event",
	"agent":    "who receives, acts, sends, asked or failed",
	"tag":      "tag of the message (receive, send)",
	"sender":   "sender of the message; None for the input",
	"payload":  "payload of the message, or the answer of an effect",
	"port":     "port of a send",
	"to":       "receiver of a send; None when it ends in the outputs",
	"state":    "state that an act leaves behind; elsewhere the agent's state at the event",
	"op":       "op of an act's or an effect's request",
	"input":    "input of that request",
	"response": "answer of an effect",
	"usd":      "what the effect cost, US dollars",
	"tokens":   "what the effect cost, tokens",
	"error":    "text of an error",
	"spent":    "US dollars spent so far, the event included",
	"used":     "tokens used so far, the event included",
	"inbox":    "inbox(agent): how many messages wait for an agent behind the event",
	"state_of": "state_of(agent): an agent's state behind the event",
	"text":     "the whole event as JSON text",
}

// Query is a compiled expression. It is not for concurrent use.
type Query struct {
	src   string
	fn    *starlark.Function
	env   starlark.StringDict
	names []string
	pre   prefilter
}

// dialect is that of expressions.
var dialect = &syntax.FileOptions{}

// Error is an expression that cannot be used: column (1-based, code points) and what is wrong.
type Error struct {
	Src  string
	Col  int
	What string
}

// Error names the column.
func (e *Error) Error() string {
	return fmt.Sprintf("expression %q, column %d: %s", e.Src, e.Col, e.What)
}

// Compile reads an expression. Unknown names are errors that list the known ones.
func Compile(src string) (*Query, error) {
	expr, err := dialect.ParseExpr("expression", src, 0)
	if err != nil {
		return nil, placed(src, err)
	}
	q := &Query{src: src, env: starlark.StringDict{}}
	for name := range Names {
		q.env[name] = starlark.None
	}
	used := map[string]bool{}
	syntax.Walk(expr, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for name := range used {
		if _, ok := Names[name]; ok {
			q.names = append(q.names, name)
		}
	}
	sort.Strings(q.names)
	q.pre = demands(expr)
	q.fn, err = starlark.ExprFuncOptions(dialect, "expression", src, q.env)
	if err != nil {
		return nil, placed(src, err)
	}
	return q, nil
}

func placed(src string, err error) error {
	var se syntax.Error
	if errors.As(err, &se) {
		return &Error{Src: src, Col: int(se.Pos.Col), What: se.Msg}
	}
	var list resolve.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		what := list[0].Msg
		if strings.HasPrefix(what, "undefined") {
			names := make([]string, 0, len(Names))
			for n := range Names {
				names = append(names, n)
			}
			sort.Strings(names)
			what += "; an expression can use " + strings.Join(names, ", ")
		}
		return &Error{Src: src, Col: int(list[0].Pos.Col), What: what}
	}
	return &Error{Src: src, Col: 1, What: err.Error()}
}

// String is the expression.
func (q *Query) String() string { return q.src }

// May is false when the header alone shows that the expression is not true. It decodes nothing.
func (q *Query) May(h trace.Header) bool { return q.pre.may(h) }

// NeedsState is true when the expression looks at the state behind the event.
func (q *Query) NeedsState() bool {
	for _, n := range q.names {
		switch n {
		case "state", "spent", "used", "inbox", "state_of":
			return true
		}
	}
	return false
}

// Subject is what an expression is evaluated over. View may be nil when the expression does not need the state.
type Subject struct {
	Index int
	Event *trace.Event
	View  trace.View // behind the event
}

// Match is the truth of the expression. What the event does not have is None, and an expression that stumbles over a
// None is not true rather than wrong: payload.score > 0.5 simply does not match an event without a payload. Any other
// error is returned and names its column.
func (q *Query) Match(s Subject) (bool, error) {
	if !q.pre.may(trace.MemLog{*s.Event}.Header(0)) {
		return false, nil
	}
	v, err := q.Eval(s)
	if err != nil {
		var qe *Error
		if errors.As(err, &qe) && strings.Contains(qe.What, "NoneType") {
			return false, nil
		}
		return false, err
	}
	return bool(v.Truth()), nil
}

// Eval is the expression's value.
func (q *Query) Eval(s Subject) (starlark.Value, error) {
	for _, name := range q.names {
		q.env[name] = s.value(name)
	}
	thread := &starlark.Thread{Name: "query"}
	thread.SetMaxExecutionSteps(maxSteps)
	v, err := starlark.Call(thread, q.fn, nil, nil)
	if err != nil {
		var eval *starlark.EvalError
		if errors.As(err, &eval) {
			col := 1
			if n := len(eval.CallStack); n > 0 {
				col = max(1, int(eval.CallStack[0].Pos.Col))
			}
			return nil, &Error{Src: q.src, Col: col, What: fmt.Sprintf("%s (at event %d)", eval.Msg, s.Index)}
		}
		return nil, err
	}
	return v, nil
}
