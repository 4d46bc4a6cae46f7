package compat

import (
	"regexp"

	"flowdbg/trace/canon"
)

// choices are the keywords that make alternatives; expand reads them.
var choices = map[string]bool{
	"$ref": true, "$dynamicRef": true, "$recursiveRef": true, "allOf": true, "anyOf": true, "oneOf": true, "not": true,
	"if": true, "dependentRequired": true, "dependentSchemas": true, "unevaluatedProperties": true, "unevaluatedItems": true,
	"then": true, "else": true,
}

// narrow adds the keywords of a node to a shape, except those that make alternatives. A keyword that is unknown or holds
// what it must not hold becomes opaque: it can only be compared with itself.
func (e *engine) narrow(s *shape, n *node) {
	if n.isFalse() {
		s.types = 0
	}
	if n.kind == canon.KindBool {
		return
	}
	for _, k := range n.keys {
		v := n.kw[k]
		if isAnnotation(k) || choices[k] {
			continue
		}
		if !e.narrowScalar(s, k, v) && !e.narrowContainer(s, n, k, v) {
			s.setOpaque(k, v)
		}
	}
	if has(n.kw, "prefixItems", "items") {
		e.arrayLayer(s, n)
	}
	if has(n.kw, "properties", "patternProperties", "additionalProperties") {
		e.objectLayer(s, n)
	}
}

func has(kw map[string]canon.Value, keys ...string) bool {
	for _, k := range keys {
		if _, ok := kw[k]; ok {
			return true
		}
	}
	return false
}

// narrowScalar handles keywords without subschemas; false = not one of them, or malformed.
func (e *engine) narrowScalar(s *shape, k string, v canon.Value) bool {
	switch k {
	case "type":
		t, ok := readTypes(v)
		s.types &= t
		return ok
	case "enum":
		if v.Kind() != canon.KindArray {
			return false
		}
		s.list(k, elems(v))
		return true
	case "const":
		s.list(k, []canon.Value{v})
		return true
	case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf":
		return narrowNumber(s, k, v)
	case "pattern", "format", "contentEncoding", "contentMediaType":
		return narrowText(s, k, v)
	case "uniqueItems":
		b, ok := v.Bool()
		s.unique = s.unique || b
		return ok
	case "required":
		return narrowRequired(s, v)
	}
	return narrowSize(s, k, v)
}

func narrowNumber(s *shape, k string, v canon.Value) bool {
	at, ok := rat(v)
	if !ok {
		return false
	}
	b := bound{at: at, text: v, key: k, open: k == "exclusiveMinimum" || k == "exclusiveMaximum"}
	switch k {
	case "minimum", "exclusiveMinimum":
		s.above(b)
	case "maximum", "exclusiveMaximum":
		s.below(b)
	default:
		if at.Sign() <= 0 {
			return false
		}
		s.steps = append(s.steps, at)
	}
	return true
}

func narrowText(s *shape, k string, v canon.Value) bool {
	text, ok := v.Str()
	if !ok {
		return false
	}
	if k == "pattern" {
		if text == "" || text == ".*" || text == "^.*$" {
			return true
		}
		s.patterns = addTo(s.patterns, text)
		return true
	}
	s.formats = addTo(s.formats, k+" "+text)
	return true
}

func addTo(set map[string]bool, key string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[key] = true
	return set
}

func narrowRequired(s *shape, v canon.Value) bool {
	if v.Kind() != canon.KindArray {
		return false
	}
	for _, e := range v.Elems() {
		name, ok := e.Str()
		if !ok {
			return false
		}
		s.require(name)
	}
	return true
}

func narrowSize(s *shape, k string, v canon.Value) bool {
	n, ok := size(v)
	if !ok {
		return false
	}
	switch k {
	case "minLength":
		s.minLen = max(s.minLen, n)
	case "maxLength":
		atMost(&s.maxLen, n)
	case "minItems":
		s.minItems = max(s.minItems, n)
	case "maxItems":
		atMost(&s.maxItems, n)
	case "minProperties":
		s.minProps = max(s.minProps, n)
	case "maxProperties":
		atMost(&s.maxProps, n)
	default:
		return false
	}
	return true
}

// narrowContainer handles the keywords with subschemas. The layers are built once per node by the caller; here the form of
// their values is checked.
func (e *engine) narrowContainer(s *shape, n *node, k string, v canon.Value) bool {
	switch k {
	case "properties", "patternProperties":
		return v.Kind() == canon.KindObject
	case "prefixItems":
		return v.Kind() == canon.KindArray
	case "items", "additionalProperties":
		return isSchema(v)
	case "propertyNames":
		if !isSchema(v) {
			return false
		}
		s.names = s.names.and(e.node(n.doc, v))
		return true
	case "contains":
		return e.narrowContains(s, n, v)
	}
	return false
}

func isSchema(v canon.Value) bool { return v.Kind() == canon.KindObject || v.Kind() == canon.KindBool }

func (e *engine) narrowContains(s *shape, n *node, v canon.Value) bool {
	if !isSchema(v) {
		return false
	}
	rule := containsRule{what: e.node(n.doc, v), least: 1, most: -1}
	if m, ok := n.kw["minContains"]; ok {
		if rule.least, ok = size(m); !ok {
			return false
		}
	}
	if m, ok := n.kw["maxContains"]; ok {
		if rule.most, ok = size(m); !ok {
			return false
		}
	}
	s.contains = append(s.contains, rule)
	s.minItems = max(s.minItems, rule.least)
	return true
}

func (e *engine) arrayLayer(s *shape, n *node) {
	var layer arrayLayer
	for _, p := range n.kw["prefixItems"].Elems() {
		layer.prefix = append(layer.prefix, e.node(n.doc, p))
	}
	if rest := n.kw["items"]; isSchema(rest) {
		layer.rest = e.node(n.doc, rest)
	}
	s.arrays = append(s.arrays, layer)
}

func (e *engine) objectLayer(s *shape, n *node) {
	layer := objectLayer{props: map[string]*node{}}
	for name, p := range n.kw["properties"].Members() {
		layer.props[name] = e.node(n.doc, p)
	}
	for text, p := range n.kw["patternProperties"].Members() {
		re, err := regexp.Compile(text)
		if err != nil {
			// A pattern that this engine cannot run: which names it hits is unknown, so the keyword is opaque.
			s.setOpaque("patternProperties", n.kw["patternProperties"])
			continue
		}
		layer.patterns = append(layer.patterns, namePattern{text, re, e.node(n.doc, p)})
	}
	if rest := n.kw["additionalProperties"]; isSchema(rest) {
		layer.rest = e.node(n.doc, rest)
	}
	s.objects = append(s.objects, layer)
}

// readTypes reads the type keyword.
func readTypes(v canon.Value) (typeSet, bool) {
	if name, ok := v.Str(); ok {
		t, known := typeNames[name]
		if !known {
			return tAll, false
		}
		return t, true
	}
	if v.Kind() != canon.KindArray {
		return tAll, false
	}
	var all typeSet
	for _, e := range v.Elems() {
		name, _ := e.Str()
		t, ok := typeNames[name]
		if !ok {
			return tAll, false
		}
		all |= t
	}
	return all, true
}

func elems(v canon.Value) []canon.Value {
	var out []canon.Value
	for _, e := range v.Elems() {
		out = append(out, e)
	}
	return out
}
