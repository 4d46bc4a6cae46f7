// Package bounds holds Starlark functions that cannot take long or much between two of Starlark's steps, for expressions
// and scripts alike: whoever runs them stops them by counting steps and by a context, and both are looked at between
// steps only. It knows no events and no scripts.
package bounds

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Range is Starlark's range, of at most most elements. A longer one is an error, because a function such as max goes
// through all of it within one step: max(range(10**11)) could not be stopped.
func Range(most int) *starlark.Builtin {
	return starlark.NewBuiltin("range", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		v, err := starlark.Call(t, starlark.Universe["range"], args, kwargs)
		if err != nil {
			return nil, err
		}
		if n := starlark.Len(v); n > most || n < 0 { // Starlark's own count can overflow
			return nil, fmt.Errorf("range: so many elements take too many steps; at most %d", most)
		}
		return v, nil
	})
}

// mostRepeated is how often an expression may repeat a text or a list that is written in it.
const mostRepeated = 1000

// Repeats finds the first place where an expression repeats a text, list, tuple or comprehension that is written in it
// by more than a small number, as [0] * 1000000000 does: one step that takes gigabytes. ok is false when there is none.
func Repeats(expr syntax.Expr) (at syntax.Position, ok bool) {
	syntax.Walk(expr, func(n syntax.Node) bool {
		b, is := n.(*syntax.BinaryExpr)
		if ok || !is || b.Op != syntax.STAR {
			return !ok
		}
		if sequence(b.X) && !few(b.Y) || sequence(b.Y) && !few(b.X) {
			at, ok = b.OpPos, true
		}
		return !ok
	})
	return at, ok
}

// sequence says whether an expression is a text or a list as it stands there.
func sequence(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return sequence(e.X)
	case *syntax.Literal:
		return e.Token == syntax.STRING || e.Token == syntax.BYTES
	case *syntax.ListExpr, *syntax.TupleExpr, *syntax.Comprehension:
		return true
	case *syntax.BinaryExpr:
		return e.Op == syntax.STAR && (sequence(e.X) || sequence(e.Y))
	}
	return false
}

// few says whether an expression is a small number as it stands there.
func few(e syntax.Expr) bool {
	if p, ok := e.(*syntax.ParenExpr); ok {
		return few(p.X)
	}
	l, ok := e.(*syntax.Literal)
	if !ok {
		return false
	}
	n, ok := l.Value.(int64)
	return ok && n <= mostRepeated
}
