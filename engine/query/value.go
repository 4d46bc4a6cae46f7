package query

import (
	"math"
	"slices"

	"go.starlark.net/starlark"

	"flowdbg/trace/canon"
)

// misses collects the members that an expression asked for and that were not there; nil collects nothing.
type misses struct{ names []string }

func (m *misses) note(path string) {
	if len(m.names) < 8 && !slices.Contains(m.names, path) {
		m.names = append(m.names, path)
	}
}

// wrap makes a Starlark value of a canonical one: scalars become Starlark's own, arrays and objects stay undecoded. path
// is how the expression came to it.
func wrap(v canon.Value, path string, m *misses) starlark.Value {
	if in := wrapIn(v); in != nil {
		in.step, in.m = path, m
		return in
	}
	return scalar(v)
}

// wrapIn is the lazy value of an array or object, nil for anything else.
func wrapIn(v canon.Value) *lazy {
	if k := v.Kind(); k == canon.KindArray || k == canon.KindObject {
		return &lazy{v: v}
	}
	return nil
}

// scalar is None for arrays and objects too.
func scalar(v canon.Value) starlark.Value {
	switch v.Kind() {
	case canon.KindBool:
		b, _ := v.Bool()
		return starlark.Bool(b)
	case canon.KindNumber:
		f, _ := v.Float()
		return number(f)
	case canon.KindString:
		s, _ := v.Str()
		return starlark.String(s)
	}
	return starlark.None
}

func number(f float64) starlark.Value {
	if f == math.Trunc(f) && math.Abs(f) <= canon.MaxSafeInteger {
		return starlark.MakeInt64(int64(f))
	}
	return starlark.Float(f)
}
