package query

import (
	"fmt"
	"iter"
	"strconv"
	"unicode"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"flowdbg/trace/canon"
)

// lazy is an array or object that is decoded member by member. A member that is not there is None, in every spelling:
// x.score, x["score"] and x.get("score"), so that a condition over mixed payloads needs no guards.
//
// Behind the first few look-ups the whole value is indexed at once, and what was found is remembered: an expression that
// goes through a value of megabytes member by member reads it a few times, not as often as it has members.
type lazy struct {
	v       canon.Value
	up      *lazy  // what it was found in; nil: step is a name of the language
	step    string // its name there
	index   int    // its place there, when that is an array
	m       *misses
	looks   int                       // look-ups so far
	members map[string]starlark.Value // when indexed
	elems   []canon.Value             // when indexed
	inner   map[int]starlark.Value    // elements that were given since then, when they are arrays or objects
	count   int                       // elements plus one, 0 when they were not counted
}

// looksBeforeIndex is how many look-ups read the text before it is indexed.
const looksBeforeIndex = 4

var (
	_ starlark.Mapping    = (*lazy)(nil)
	_ starlark.HasAttrs   = (*lazy)(nil)
	_ starlark.Sequence   = (*lazy)(nil)
	_ starlark.Comparable = (*lazy)(nil)
)

func (l *lazy) String() string        { return l.v.Text() }
func (l *lazy) Type() string          { return l.v.Kind().String() }
func (l *lazy) Freeze()               {}
func (l *lazy) Truth() starlark.Bool  { return l.v.Len() > len("[]") }
func (l *lazy) Hash() (uint32, error) { return starlark.String(l.v.Text()).Hash() }

func (l *lazy) Len() int {
	if l.count == 0 {
		l.count = l.v.Count() + 1
	}
	return l.count - 1
}

// Canon is the value as it is.
func (l *lazy) Canon() canon.Value { return l.v }

// path is how the expression came to it.
func (l *lazy) path() string {
	switch {
	case l.up == nil:
		return l.step
	case l.up.v.Kind() == canon.KindArray:
		return l.up.path() + "[" + strconv.Itoa(l.index) + "]"
	}
	return l.up.path() + stepTo(l.step)
}

// stepTo is a member's name as an expression writes it.
func stepTo(name string) string {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return "[" + strconv.Quote(name) + "]"
		}
	}
	return "." + name
}

// miss is None, noted as asked for.
func (l *lazy) miss(step string) starlark.Value {
	if l.m != nil {
		l.m.note(l.path() + step)
	}
	return starlark.None
}

// in is what lies in it, under a name or at a place.
func (l *lazy) in(v canon.Value, name string, index int) starlark.Value {
	if in := wrapIn(v); in != nil {
		in.up, in.step, in.index, in.m = l, name, index, l.m
		return in
	}
	return scalar(v)
}

// member is the value of a member; ok is false when there is none.
func (l *lazy) member(name string) (v starlark.Value, ok bool) {
	if l.v.Kind() != canon.KindObject {
		return nil, false
	}
	if l.looks++; l.looks <= looksBeforeIndex {
		m := l.v.Get(name)
		return l.in(m, name, 0), !m.IsAbsent()
	}
	if l.members == nil {
		l.members = map[string]starlark.Value{}
		for k, m := range l.v.Members() {
			l.members[k] = l.in(m, k, 0)
		}
	}
	v, ok = l.members[name]
	return v, ok
}

// at is the i-th element of an array, 0 ≤ i < Len.
func (l *lazy) at(i int) starlark.Value {
	if v, ok := l.inner[i]; ok {
		return v
	}
	if l.looks++; l.looks <= looksBeforeIndex {
		return l.in(l.v.At(i), "", i)
	}
	if l.elems == nil {
		l.elems = make([]canon.Value, 0, l.Len())
		for _, e := range l.v.Elems() {
			l.elems = append(l.elems, e)
		}
	}
	v := l.in(l.elems[i], "", i)
	if in, ok := v.(*lazy); ok {
		if l.inner == nil {
			l.inner = map[int]starlark.Value{}
		}
		l.inner[i] = in
	}
	return v
}

// Attr gives a member; keys, values and get are methods as on a dict, unless the object has members of these names.
func (l *lazy) Attr(name string) (starlark.Value, error) {
	if m, ok := l.member(name); ok {
		return m, nil
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
					list = append(list, l.in(v, k, 0))
				}
			}
			return starlark.NewList(list), nil
		}), nil
	}
	return l.miss(stepTo(name)), nil
}

func (l *lazy) get(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key string
	def := starlark.Value(starlark.None)
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &key, &def); err != nil {
		return nil, err
	}
	if m, ok := l.member(key); ok {
		return m, nil
	}
	if def == starlark.None {
		return l.miss(stepTo(key)), nil
	}
	return def, nil
}

func (l *lazy) AttrNames() []string {
	var names []string
	for k := range l.v.Members() {
		names = append(names, k)
	}
	return names
}

// Get is x[key]: a member by name, or an element by number, negative from the end.
func (l *lazy) Get(key starlark.Value) (starlark.Value, bool, error) {
	switch k := key.(type) {
	case starlark.String:
		if m, ok := l.member(string(k)); ok {
			return m, true, nil
		}
		return l.miss(stepTo(string(k))), true, nil
	case starlark.Int:
		if i, ok := k.Int64(); ok && l.v.Kind() == canon.KindArray {
			n := int64(l.Len())
			if i < 0 {
				i += n
			}
			if i >= 0 && i < n {
				return l.at(int(i)), true, nil
			}
		}
		return l.miss("[" + k.String() + "]"), true, nil
	}
	return nil, false, fmt.Errorf("cannot index %s with %s", l.Type(), key.Type())
}

// Iterate goes over elements, or over the names of members, decoding as it goes.
func (l *lazy) Iterate() starlark.Iterator {
	next, stop := iter.Pull(l.each)
	return &lazyIterator{next, stop}
}

func (l *lazy) each(yield func(starlark.Value) bool) {
	if l.v.Kind() == canon.KindArray {
		for i, e := range l.v.Elems() {
			if !yield(l.in(e, "", i)) {
				return
			}
		}
		return
	}
	for k := range l.v.Members() {
		if !yield(starlark.String(k)) {
			return
		}
	}
}

type lazyIterator struct {
	next func() (starlark.Value, bool)
	stop func()
}

func (it *lazyIterator) Next(p *starlark.Value) bool {
	v, ok := it.next()
	if ok {
		*p = v
	}
	return ok
}

func (it *lazyIterator) Done() { it.stop() }

// CompareSameType: arrays and objects are equal when their canonical texts are; they have no order.
func (l *lazy) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	o := y.(*lazy)
	switch op {
	case syntax.EQL:
		return l.v == o.v, nil
	case syntax.NEQ:
		return l.v != o.v, nil
	}
	return false, fmt.Errorf("%s has no order", l.Type())
}
