package query

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"flowdbg/trace/canon"
)

// misses collects the members that an expression asked for and that were not there; nil collects nothing.
type misses struct{ names []string }

func (m *misses) note(path string) {
	if m != nil && len(m.names) < 8 && !slices.Contains(m.names, path) {
		m.names = append(m.names, path)
	}
}

// wrap makes a Starlark value of a canonical one: scalars become Starlark's own, arrays and objects stay undecoded. path
// is how the expression came to it.
func wrap(v canon.Value, path string, m *misses) starlark.Value {
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
	case canon.KindArray, canon.KindObject:
		return lazy{v, path, m}
	}
	return starlark.None
}

func number(f float64) starlark.Value {
	if f == math.Trunc(f) && math.Abs(f) <= canon.MaxSafeInteger {
		return starlark.MakeInt64(int64(f))
	}
	return starlark.Float(f)
}

// lazy is an array or object that is decoded member by member. A member that is not there is None, in every spelling:
// x.score, x["score"] and x.get("score"), so that a condition over mixed payloads needs no guards.
type lazy struct {
	v    canon.Value
	path string
	m    *misses
}

// Canon is the value as it is.
func (l lazy) Canon() canon.Value { return l.v }

// member is a member or an element by the way that leads to it.
func (l lazy) member(v canon.Value, step string) starlark.Value {
	path := l.path + step
	if v.IsAbsent() {
		l.m.note(path)
	}
	return wrap(v, path, l.m)
}

// step is a member's name as an expression writes it.
func stepTo(name string) string {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return "[" + strconv.Quote(name) + "]"
		}
	}
	return "." + name
}

var (
	_ starlark.Mapping    = lazy{}
	_ starlark.HasAttrs   = lazy{}
	_ starlark.Sequence   = lazy{}
	_ starlark.Comparable = lazy{}
)

func (l lazy) String() string        { return l.v.Text() }
func (l lazy) Type() string          { return l.v.Kind().String() }
func (l lazy) Freeze()               {}
func (l lazy) Truth() starlark.Bool  { return l.v.Count() > 0 }
func (l lazy) Hash() (uint32, error) { return starlark.String(l.v.Text()).Hash() }
func (l lazy) Len() int              { return l.v.Count() }

// Attr gives a member; keys, values and get are methods as on a dict, unless the object has members of these names.
func (l lazy) Attr(name string) (starlark.Value, error) {
	if m := l.v.Get(name); !m.IsAbsent() {
		return l.member(m, stepTo(name)), nil
	}
	switch name {
	case "get":
		return starlark.NewBuiltin("get", l.get), nil
	case "keys", "values":
		return starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			var list []starlark.Value
			for k, v := range l.v.Members() {
				if name == "keys" {
					list = append(list, starlark.String(k))
				} else {
					list = append(list, l.member(v, stepTo(k)))
				}
			}
			return starlark.NewList(list), nil
		}), nil
	}
	return l.member(canon.Value{}, stepTo(name)), nil
}

func (l lazy) get(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key string
	def := starlark.Value(starlark.None)
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &key, &def); err != nil {
		return nil, err
	}
	if m := l.v.Get(key); !m.IsAbsent() || def == starlark.None {
		return l.member(m, stepTo(key)), nil
	}
	return def, nil
}

func (l lazy) AttrNames() []string {
	var names []string
	for k := range l.v.Members() {
		names = append(names, k)
	}
	return names
}

// Get is x[key]: a member by name, or an element by number, negative from the end.
func (l lazy) Get(key starlark.Value) (starlark.Value, bool, error) {
	switch k := key.(type) {
	case starlark.String:
		return l.member(l.v.Get(string(k)), stepTo(string(k))), true, nil
	case starlark.Int:
		i, ok := k.Int64()
		if n := int64(l.v.Count()); ok && l.v.Kind() == canon.KindArray {
			if i < 0 {
				i += n
			}
			if i >= 0 && i < n {
				return l.member(l.v.At(int(i)), "["+k.String()+"]"), true, nil
			}
		}
		return l.member(canon.Value{}, "["+k.String()+"]"), true, nil
	}
	return nil, false, fmt.Errorf("cannot index %s with %s", l.Type(), key.Type())
}

// Iterate goes over elements, or over the names of members.
func (l lazy) Iterate() starlark.Iterator {
	var list []starlark.Value
	if l.v.Kind() == canon.KindArray {
		for i, e := range l.v.Elems() {
			list = append(list, l.member(e, "["+strconv.Itoa(i)+"]"))
		}
	} else {
		for k := range l.v.Members() {
			list = append(list, starlark.String(k))
		}
	}
	return starlark.Tuple(list).Iterate()
}

// CompareSameType: arrays and objects are equal when their canonical texts are; they have no order.
func (l lazy) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	o := y.(lazy)
	switch op {
	case syntax.EQL:
		return l.v == o.v, nil
	case syntax.NEQ:
		return l.v != o.v, nil
	}
	return false, fmt.Errorf("%s has no order", l.Type())
}
