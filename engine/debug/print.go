package debug

import (
	"errors"
	"fmt"

	"flowdbg/engine/behavior/script"
	"flowdbg/engine/query"
	"flowdbg/trace/canon"
)

// Printed is what an expression came to at a place.
type Printed struct {
	Expr  string      `json:"expr"`
	Value canon.Value `json:"value,omitzero"` // absent for what is no JSON, such as a function
	Text  string      `json:"text"`           // as Starlark writes it, cut
	Place string      `json:"place"`          // "position 12", or "desk.star:14 in act" inside a script's call
}

// briefLen is how many characters Brief has at most.
const briefLen = 200

// Brief is the value on one line, cut.
func (p Printed) Brief() string {
	text := p.Text
	if !p.Value.IsAbsent() {
		text = p.Value.Text()
	}
	if r := []rune(text); len(r) > briefLen {
		return string(r[:briefLen]) + "…"
	}
	return text
}

// Frame is the walk whose variables Print sees: the one that was asked for at this position, as long as its call runs.
func (s *Session) Frame() *Source {
	w := s.walk
	if w == nil || w.run != s.run.info.ID || w.pos != s.pos || w.at >= w.Len() {
		return nil
	}
	return w
}

// Print evaluates an expression of the query language at the position: over the event before it and the state there. While
// a script is walked through, it sees the function's variables and the script's globals first, as they are before the
// statement. It is bounded, and changes nothing.
func (s *Session) Print(expr string) (Printed, error) {
	sub := query.Subject{Index: s.pos - 1, Event: &empty, View: s.State()}
	if s.pos > 0 {
		sub.Event = s.Event(s.pos - 1)
	}
	if expr == "" {
		return Printed{}, errors.New("write an expression, for example payload.score or state_of(\"critic\")")
	}
	var p Printed
	var err error
	if src := s.Frame(); src != nil {
		var v script.Value
		v, err = src.rec.Eval(expr, src.at, query.Env(sub))
		st, _ := src.Statement()
		p = Printed{Value: v.JSON, Text: v.Text, Place: fmt.Sprintf("%s:%d in %s", st.File, st.Line, st.Func)}
	} else {
		var q *query.Query
		if q, err = query.Compile(expr); err == nil {
			p, err = evaluate(q, sub)
		}
		p.Place = fmt.Sprintf("position %d", s.pos)
	}
	p.Expr = expr
	return p, err
}

func evaluate(q *query.Query, sub query.Subject) (Printed, error) {
	v, err := q.Eval(sub)
	if err != nil {
		return Printed{}, err
	}
	as := script.ValueOf(v)
	return Printed{Value: as.JSON, Text: as.Text}, nil
}
