package compat

import (
	"math/bits"

	"flowdbg/trace/canon"
)

// maxSubsets is the largest anyOf of which every combination is followed when unevaluated… keywords make them matter.
const maxSubsets = 5

// alternative is one way through a choice.
type alternative struct {
	push    []*node // schemas that hold
	nots    []*node // schemas that do not
	forbid  []string
	require []string
	types   typeSet // 0 = no restriction
	label   string
}

// alternatives lists the ways through a choice. Together they cover it exactly.
func (e *engine) alternatives(c choice) ([]alternative, error) {
	d := c.n.doc
	kind, name := dependencyName(c.key)
	switch kind {
	case "anyOf":
		return e.anyOf(c)
	case "oneOf":
		parts := e.parts(d, c.n.kw["oneOf"])
		var out []alternative
		for i, p := range parts {
			a := alternative{push: []*node{p}, label: label("oneOf", i)}
			for j, other := range parts {
				if j != i {
					a.nots = append(a.nots, other)
				}
			}
			out = append(out, a)
		}
		return out, nil
	case "not":
		return e.negate(e.node(d, c.n.kw["not"])), nil
	case "if":
		return e.conditional(c), nil
	case "dependentRequired":
		a := alternative{types: tObject, require: []string{name}, label: "/dependentRequired/" + name}
		for _, v := range c.n.kw[kind].Get(name).Elems() {
			if s, ok := v.Str(); ok {
				a.require = append(a.require, s)
			}
		}
		return []alternative{{forbid: []string{name}}, a}, nil
	default: // dependentSchemas
		with := alternative{push: []*node{e.node(d, c.n.kw[kind].Get(name))}, types: tObject, require: []string{name},
			label: "/dependentSchemas/" + name}
		alts := []alternative{{forbid: []string{name}}, with}
		if !d.unevaluated {
			// Part of the union already; as a shape of its own it saves splitting on the member's presence.
			alts = append(alts, alternative{push: with.push, label: with.label})
		}
		return alts, nil
	}
}

func (e *engine) parts(d *document, list canon.Value) []*node {
	var out []*node
	for _, v := range list.Elems() {
		out = append(out, e.node(d, v))
	}
	return out
}

// anyOf takes its parts one by one; where unevaluated… asks which parts held, every combination.
func (e *engine) anyOf(c choice) ([]alternative, error) {
	parts := e.parts(c.n.doc, c.n.kw["anyOf"])
	var out []alternative
	if !c.n.doc.unevaluated {
		for i, p := range parts {
			out = append(out, alternative{push: []*node{p}, label: label("anyOf", i)})
		}
		return out, nil
	}
	if len(parts) > maxSubsets {
		return nil, errTooMany
	}
	for set := uint(1); set < 1<<len(parts); set++ {
		a := alternative{label: label("anyOf", bits.TrailingZeros(set))}
		for i, p := range parts {
			if set&(1<<i) != 0 {
				a.push = append(a.push, p)
			}
		}
		out = append(out, a)
	}
	return out, nil
}

func (e *engine) conditional(c choice) []alternative {
	d, cond := c.n.doc, e.node(c.n.doc, c.n.kw["if"])
	yes := alternative{push: []*node{cond}, label: "/then"}
	no := alternative{nots: []*node{cond}, label: "/else"}
	both := alternative{label: "/then"}
	if v, ok := c.n.kw["then"]; ok && isSchema(v) {
		yes.push = append(yes.push, e.node(d, v))
		both.push = append(both.push, e.node(d, v))
	}
	if v, ok := c.n.kw["else"]; ok && isSchema(v) {
		no.push = append(no.push, e.node(d, v))
		both.push = append(both.push, e.node(d, v))
	}
	if d.unevaluated {
		return []alternative{yes, no}
	}
	// What suits both consequences suits the whole, whichever way the condition goes.
	return []alternative{yes, no, both}
}

// negate writes a negation without "not" where that is exact, so that it takes part in the comparison of types and members.
func (e *engine) negate(n *node) []alternative {
	plain := []alternative{{nots: []*node{n}, label: "/not"}}
	if n.isTrue() {
		return nil
	}
	if n.isFalse() {
		return []alternative{{}}
	}
	key := ""
	for _, k := range n.keys {
		if isAnnotation(k) {
			continue
		}
		if key != "" {
			return plain // several keywords: ¬(a ∧ b) is left to the disjointness test
		}
		key = k
	}
	v := n.kw[key]
	switch key {
	case "type":
		if t, ok := readTypes(v); ok {
			if t == tAll {
				return nil
			}
			return []alternative{{types: tAll &^ t, label: "/not"}}
		}
	case "required":
		var out []alternative
		for _, m := range v.Elems() {
			if name, ok := m.Str(); ok {
				out = append(out, alternative{types: tObject, forbid: []string{name}, label: "/not"})
			}
		}
		return out
	case "not":
		if isSchema(v) {
			return []alternative{{push: []*node{e.node(n.doc, v)}}}
		}
	case "anyOf":
		if wellFormed("anyOf", v) {
			return []alternative{{nots: e.parts(n.doc, v), label: "/not"}}
		}
	}
	return plain
}

// apply enters an alternative on a branch.
func (e *engine) apply(b *branch, c choice, a alternative) {
	for _, n := range a.push {
		b.todo = append(b.todo, task{n, &occurrence{c.at}})
	}
	for _, n := range a.nots {
		b.s.nots = append(b.s.nots, term{n})
	}
	if a.types != 0 {
		b.s.types &= a.types
	}
	for _, name := range a.require {
		b.s.require(name)
	}
	if len(a.forbid) > 0 {
		layer := objectLayer{props: map[string]*node{}, synthetic: true}
		for _, name := range a.forbid {
			layer.props[name] = e.node(c.n.doc, canon.False)
		}
		b.s.objects = append(b.s.objects, layer)
		// Synthetic layers evaluate nothing, so no schema contains them.
		b.objAt = append(b.objAt, nil)
	}
	b.s.branch += a.label
}

// settle turns the unevaluated… keywords of a complete branch into layers of their own: everything that the layers within
// the same schema speak of is evaluated, the rest must suit the keyword. Outer keywords come after inner ones.
func (e *engine) settle(b *branch) {
	for i := len(b.leftovers) - 1; i >= 0; i-- {
		l := b.leftovers[i]
		v := l.n.kw[l.key]
		switch {
		case !isSchema(v):
			b.s.setOpaque(l.key, v)
		case l.key == "unevaluatedProperties":
			e.settleProperties(b, l, e.node(l.n.doc, v))
		default:
			e.settleItems(b, l, e.node(l.n.doc, v))
		}
	}
}

func (e *engine) settleProperties(b *branch, l leftover, rest *node) {
	layer := objectLayer{props: map[string]*node{}, rest: rest, synthetic: true}
	anything := e.node(l.n.doc, canon.True)
	for i, o := range b.s.objects {
		if i >= len(b.objAt) || !b.objAt[i].within(l.at) {
			continue
		}
		if o.rest != nil {
			return // additionalProperties evaluates every member
		}
		for name := range o.props {
			layer.props[name] = anything
		}
		for _, p := range o.patterns {
			layer.patterns = append(layer.patterns, namePattern{p.text, p.re, anything})
		}
	}
	b.s.objects, b.objAt = append(b.s.objects, layer), append(b.objAt, l.at)
}

func (e *engine) settleItems(b *branch, l leftover, rest *node) {
	if len(b.s.contains) > 0 {
		// contains evaluates the elements it matches, which no position tells.
		b.s.setOpaque(l.key, l.n.kw[l.key])
		return
	}
	layer := arrayLayer{rest: rest}
	for i, a := range b.s.arrays {
		if i >= len(b.arrAt) || !b.arrAt[i].within(l.at) {
			continue
		}
		if a.rest != nil {
			return
		}
		for len(layer.prefix) < len(a.prefix) {
			layer.prefix = append(layer.prefix, e.node(l.n.doc, canon.True))
		}
	}
	b.s.arrays, b.arrAt = append(b.s.arrays, layer), append(b.arrAt, l.at)
}
