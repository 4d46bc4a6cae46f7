// Package query is the one language for filters, searches, breakpoint conditions and --where: a Starlark expression over
// an event and the state behind it. Values are decoded only when the expression looks at them, and what the expression
// demands of type, agent and step is checked on the event's header before anything is decoded.
//
// It may not change anything, and it knows neither sessions nor files.
package query

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"flowdbg/engine/bounds"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// maxSteps bounds one evaluation in Starlark's own steps. Behind the first freeSteps the context is looked at before each:
// one step can be a look through a value of megabytes.
const (
	maxSteps  = 100_000
	freeSteps = 8
)

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
	miss  misses

	thread *starlark.Thread // used again, because making one costs as much as a small evaluation
	ctx    context.Context  // of the evaluation under way
	steps  int              // of the last evaluation
}

// shortRange bounds what functions that go through a range in one step may cost.
var shortRange = bounds.Range(1_000_000)

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
	if at, ok := bounds.Repeats(expr); ok {
		return nil, &Error{Src: src, Col: int(at.Col), What: "this may repeat a text or a list without bound; repeat it by a number up to 1000"}
	}
	q := &Query{src: src, env: starlark.StringDict{"range": shortRange}}
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

// Events gives events by index, and members of events that lie in a file without decoding the rest of them.
type Events interface {
	Event(i int) *trace.Event
	Members(i int) *trace.Members // nil: decode the event
	// StateBehind is an agent's state behind the i-th event; false: ask the View.
	StateBehind(i int, agent string) (canon.Value, bool)
}

// Subject is what an expression is evaluated over: an event, or its header and where it can be had when the expression
// looks at more. View may be nil when the expression does not need the state.
type Subject struct {
	Index  int
	Event  *trace.Event
	Header trace.Header // when Event is nil
	From   Events       // likewise
	View   trace.View   // behind the event
	miss   *misses
}

// Match is the truth of the expression. What the event does not have is None, and an expression that stumbles over a
// None is not true rather than wrong: payload.score > 0.5 simply does not match an event without a payload. Any other
// error is returned and names its column.
func (q *Query) Match(s Subject) (bool, error) {
	ok, _, err := q.Judge(context.Background(), s)
	return ok, err
}

// Judge is Match that also says when the expression was not true only because it stumbled over what is not there; stumble
// then names what was missing. It can be stopped: when the context ends, within the Starlark step under way, the error is
// the context's.
func (q *Query) Judge(ctx context.Context, s Subject) (ok bool, stumble *Error, err error) {
	q.steps = 0
	ok, stumble, err = q.judge(ctx, &s)
	if s.Event == nil && (ok || err != nil && ctx.Err() == nil) {
		// A part of the line made it true; a line that cannot be decoded as a whole may be none.
		s.load()
		return q.judge(ctx, &s)
	}
	return ok, stumble, err
}

// Steps is how many Starlark steps the last match took.
func (q *Query) Steps() int { return q.steps }

func (q *Query) judge(ctx context.Context, s *Subject) (ok bool, stumble *Error, err error) {
	if !q.pre.may(s.header()) {
		return false, nil, nil
	}
	v, err := q.eval(ctx, s)
	if err != nil {
		var qe *Error
		if errors.As(err, &qe) && strings.Contains(qe.What, "NoneType") {
			return false, qe, nil
		}
		return false, nil, err
	}
	return bool(v.Truth()), nil, nil
}

// Env is what every name of the language stands for at a subject.
func Env(s Subject) starlark.StringDict {
	env := make(starlark.StringDict, len(Names))
	for name := range Names {
		env[name] = s.value(name)
	}
	return env
}

// Eval is the expression's value.
func (q *Query) Eval(s Subject) (starlark.Value, error) { return q.eval(context.Background(), &s) }

// look is called before every step behind the first ones.
func (q *Query) look(t *starlark.Thread) {
	switch {
	case t.Steps >= maxSteps:
		t.Cancel("too many steps")
	case q.ctx.Err() != nil:
		t.Cancel(q.ctx.Err().Error())
	}
}

// eval is the expression's value.
func (q *Query) eval(ctx context.Context, s *Subject) (starlark.Value, error) {
	q.miss.names = q.miss.names[:0]
	s.miss = &q.miss
	for _, name := range q.names {
		q.env[name] = s.value(name)
	}
	if q.thread == nil {
		q.thread = &starlark.Thread{Name: "query", OnMaxSteps: q.look}
		q.thread.SetMaxExecutionSteps(freeSteps)
	}
	q.ctx, q.thread.Steps = ctx, 0
	v, err := starlark.Call(q.thread, q.fn, nil, nil)
	q.steps += int(q.thread.Steps)
	if err != nil {
		if ctx.Err() != nil || q.steps >= maxSteps {
			q.thread = nil // it was cancelled
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var eval *starlark.EvalError
		if errors.As(err, &eval) {
			col := 1
			if n := len(eval.CallStack); n > 0 {
				col = max(1, int(eval.CallStack[0].Pos.Col))
			}
			return nil, &Error{Src: q.src, Col: col, What: fmt.Sprintf("%s%s (at event %d)", eval.Msg, q.missing(eval.Msg), s.Index)}
		}
		return nil, err
	}
	return v, nil
}

// missing says what an expression that stumbled over a None had asked for and did not get.
func (q *Query) missing(what string) string {
	if !strings.Contains(what, "NoneType") {
		return ""
	}
	list := q.miss.names
	if len(list) == 0 {
		for _, name := range q.names {
			if q.env[name] == starlark.None {
				list = append(list, name)
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "; there is no " + strings.Join(list, ", ") + " here"
}
