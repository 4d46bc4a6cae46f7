package compat

import (
	"slices"
	"strings"

	"flowdbg/trace/canon"
)

// gathered is what all schemas that apply to one place say, over references and every alternative.
type gathered struct {
	values   map[string][]canon.Value // keywords that hold no schemas, and annotations: sorted, no repeats
	props    map[string]term
	patterns map[string]term
	rest     term
	items    term
	prefix   []term
	contains term
	names    term
	required map[string]bool
	logic    map[string][]string // not, if, dependencies: identities
	open     bool                // additionalProperties: true (or {}) was written, or a schema restricts undeclared members
}

// structural keywords are read into fields of their own.
var structural = map[string]bool{
	"properties": true, "patternProperties": true, "additionalProperties": true, "unevaluatedProperties": true, "items": true,
	"prefixItems": true, "contains": true, "propertyNames": true, "unevaluatedItems": true, "required": true, "type": true,
	"$ref": true, "$dynamicRef": true, "$recursiveRef": true, "allOf": true, "anyOf": true, "oneOf": true,
	"$schema": true, "$id": true, "id": true, "$anchor": true, "$dynamicAnchor": true, "$defs": true, "definitions": true,
	"$vocabulary": true, "additionalItems": true, "then": true, "else": true,
}

func (e *engine) gather(t term) *gathered {
	g := &gathered{values: map[string][]canon.Value{}, props: map[string]term{}, patterns: map[string]term{},
		required: map[string]bool{}, logic: map[string][]string{}}
	todo := slices.Clone(t)
	seen := map[*node]bool{}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, k := range n.keys {
			e.gatherKey(g, n, k)
		}
		todo = append(todo, e.sameInstance(n, false)...)
	}
	for k := range g.values {
		slices.SortFunc(g.values[k], func(a, b canon.Value) int { return strings.Compare(a.Text(), b.Text()) })
		g.values[k] = slices.Compact(g.values[k])
	}
	for k := range g.logic {
		slices.Sort(g.logic[k])
		g.logic[k] = slices.Compact(g.logic[k])
	}
	return g
}

func (e *engine) gatherKey(g *gathered, n *node, k string) {
	v := n.kw[k]
	sub := func(m canon.Value) *node { return e.node(n.doc, m) }
	switch k {
	case "properties":
		for name, m := range v.Members() {
			g.props[name] = g.props[name].and(sub(m))
		}
	case "patternProperties":
		for text, m := range v.Members() {
			g.patterns[text] = g.patterns[text].and(sub(m))
		}
	case "additionalProperties", "unevaluatedProperties":
		if isSchema(v) {
			g.rest = g.rest.and(sub(v))
			g.open = g.open || !sub(v).isFalse()
		}
	case "items", "unevaluatedItems":
		if isSchema(v) {
			g.items = g.items.and(sub(v))
		}
	case "prefixItems":
		for i, m := range v.Elems() {
			if i == len(g.prefix) {
				g.prefix = append(g.prefix, nil)
			}
			g.prefix[i] = g.prefix[i].and(sub(m))
		}
	case "contains":
		g.contains = g.contains.and(sub(v))
	case "propertyNames":
		g.names = g.names.and(sub(v))
	case "required":
		for _, m := range v.Elems() {
			if name, ok := m.Str(); ok {
				g.required[name] = true
			}
		}
	case "not", "if", "dependentRequired", "dependentSchemas":
		g.logic[k] = append(g.logic[k], e.given(n, k))
	default:
		if !structural[k] {
			g.values[k] = append(g.values[k], v)
		}
	}
}

// shown is the keyword's value for a finding: itself when there is one, a list when several schemas speak.
func shown(vals []canon.Value) canon.Value {
	switch len(vals) {
	case 0:
		return canon.Value{}
	case 1:
		return vals[0]
	}
	return canon.Array(vals...)
}

// typesOf are the types that instances of a term can have; all of them when the term cannot be followed.
func (e *engine) typesOf(t term) typeSet {
	shapes, err := e.expand(t, nil)
	if err != nil {
		return tAll
	}
	var all typeSet
	for _, s := range shapes {
		all |= s.types
	}
	return all
}
