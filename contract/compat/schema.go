package compat

import (
	"fmt"
	"math"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"flowdbg/trace/canon"
)

// typeSet is a set of instance types. Integers and other numbers are apart, because JSON Schema's integer is a part of number.
type typeSet uint8

const (
	tNull typeSet = 1 << iota
	tBool
	tInt
	tFrac // numbers that are no integers
	tString
	tArray
	tObject
	tNumber = tInt | tFrac
	tAll    = tNull | tBool | tNumber | tString | tArray | tObject
)

var typeNames = map[string]typeSet{
	"null": tNull, "boolean": tBool, "integer": tInt, "number": tNumber,
	"string": tString, "array": tArray, "object": tObject,
}

// String lists the names, such as "integer or null"; "nothing" for the empty set, "anything" for all.
func (t typeSet) String() string {
	switch t {
	case 0:
		return "nothing"
	case tAll:
		return "anything"
	}
	return strings.Join(t.names(), " or ")
}

// names are the type keyword's words for the set, sorted. A fraction without integers has no word and is told as number.
func (t typeSet) names() []string {
	var names []string
	for _, n := range [...]string{"array", "boolean", "integer", "null", "number", "object", "string"} {
		if n == "integer" && t&tFrac != 0 || n == "number" && t&tFrac == 0 {
			continue
		}
		if t&typeNames[n] != 0 {
			names = append(names, n)
		}
	}
	return names
}

// value is the set as the type keyword would hold it.
func (t typeSet) value() canon.Value {
	if t == tAll {
		return canon.Value{}
	}
	var vals []canon.Value
	for _, n := range t.names() {
		vals = append(vals, canon.String(n))
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return canon.Array(vals...)
}

// typeOf is the type of an instance.
func typeOf(v canon.Value) typeSet {
	switch v.Kind() {
	case canon.KindNull:
		return tNull
	case canon.KindBool:
		return tBool
	case canon.KindString:
		return tString
	case canon.KindArray:
		return tArray
	case canon.KindObject:
		return tObject
	}
	if f, ok := v.Float(); ok && f == math.Trunc(f) {
		return tInt
	}
	return tFrac
}

// document is one whole schema with its definitions; references are resolved in it.
type document struct {
	root        canon.Value
	side        int // 0 sender, 1 receiver: part of the identity of its nodes
	legacy      bool
	unevaluated bool // some keyword depends on which branches hold
	nested      bool // an $id below the root: references cannot be resolved by pointer alone
	id          string
	anchors     map[string]canon.Value
}

// node is one compiled schema object or boolean. Nodes are cached by document and text, so equal pointers mean equal schemas.
type node struct {
	num  int
	doc  *document
	text canon.Value
	kind canon.Kind
	kw   map[string]canon.Value
	keys []string // of kw, sorted
	// print is the text together with the texts of all that it refers to; nodes of different documents with the same print
	// are the same schema. Computed at first use.
	print string
}

// isTrue says that the node takes every instance: it holds nothing but annotations.
func (n *node) isTrue() bool {
	if n.kind == canon.KindBool {
		return n.text == canon.True
	}
	for k := range n.kw {
		if !isAnnotation(k) {
			return false
		}
	}
	return true
}

func (n *node) isFalse() bool { return n.text == canon.False }

func newDocument(root canon.Value, side int) *document {
	d := &document{root: root, side: side, anchors: map[string]canon.Value{}}
	draft, _ := root.Get("$schema").Str()
	for _, old := range [...]string{"draft-03", "draft-04", "draft-06", "draft-07"} {
		d.legacy = d.legacy || strings.Contains(draft, old)
	}
	d.id, _ = root.Get("$id").Str()
	d.unevaluated = strings.Contains(root.Text(), `"unevaluated`)
	if strings.Contains(root.Text(), `"$`) {
		d.collectAnchors(root, true)
	}
	return d
}

// collectAnchors walks everything, also values that are no schemas; an anchor-like member there is harmless because only
// references look anchors up.
func (d *document) collectAnchors(v canon.Value, top bool) {
	switch v.Kind() {
	case canon.KindArray:
		for _, e := range v.Elems() {
			d.collectAnchors(e, false)
		}
	case canon.KindObject:
		for k, m := range v.Members() {
			name, isStr := m.Str()
			switch {
			case isStr && k == "$id" && !top && !strings.HasPrefix(name, "#"):
				d.nested = true
			case isStr && (k == "$anchor" || k == "$dynamicAnchor"):
				if _, twice := d.anchors[name]; twice {
					d.nested = true
				}
				d.anchors[name] = v
			}
			d.collectAnchors(m, false)
		}
	}
}

// resolve finds the target of a local reference. Anything else is an error that says what it is.
func (d *document) resolve(ref string) (canon.Value, error) {
	base, frag, _ := strings.Cut(ref, "#")
	if base != "" && base != d.id {
		return canon.Value{}, fmt.Errorf("reference %q leaves the schema", ref)
	}
	if d.nested {
		return canon.Value{}, fmt.Errorf("reference %q in a schema with nested $id or repeated anchors", ref)
	}
	frag, err := url.PathUnescape(frag)
	if err != nil {
		return canon.Value{}, fmt.Errorf("reference %q: %w", ref, err)
	}
	if frag == "" || strings.HasPrefix(frag, "/") {
		target, err := d.root.Pointer(frag)
		if err != nil {
			return canon.Value{}, fmt.Errorf("reference %q: %w", ref, err)
		}
		if target.IsAbsent() {
			return canon.Value{}, fmt.Errorf("reference %q points at nothing", ref)
		}
		return target, nil
	}
	if target, ok := d.anchors[frag]; ok {
		return target, nil
	}
	return canon.Value{}, fmt.Errorf("reference %q points at nothing", ref)
}

// annotations are keywords that say nothing about instances. contentEncoding, contentMediaType and format are not among
// them: an agent that encodes otherwise breaks, whatever a validator says.
var annotations = map[string]bool{
	"title": true, "description": true, "examples": true, "$comment": true, "deprecated": true, "default": true,
	"readOnly": true, "writeOnly": true, "$schema": true, "$id": true, "id": true, "$anchor": true, "$dynamicAnchor": true,
	"$defs": true, "definitions": true, "$vocabulary": true, "example": true,
	// Without their partner these say nothing; with it the partner reads them.
	"then": true, "else": true, "minContains": true, "maxContains": true, "additionalItems": true,
}

// isAnnotation says that a keyword never makes an instance invalid. Names with the prefix x- are by convention remarks.
func isAnnotation(key string) bool { return annotations[key] || strings.HasPrefix(key, "x-") }

// compile makes the keyword table of a schema value, with the spellings of older drafts brought to today's.
func compile(d *document, v canon.Value) (map[string]canon.Value, error) {
	kw := map[string]canon.Value{}
	for k, m := range v.Members() {
		kw[k] = m
	}
	if ref, ok := kw["$ref"]; ok && d.legacy {
		// Up to draft 7 everything beside $ref is ignored.
		kept := map[string]canon.Value{"$ref": ref}
		for k, m := range kw {
			if isAnnotation(k) {
				kept[k] = m
			}
		}
		kw = kept
	}
	if kw["items"].Kind() == canon.KindArray {
		if _, both := kw["prefixItems"]; both {
			return nil, fmt.Errorf("items is an array beside prefixItems")
		}
		kw["prefixItems"] = kw["items"]
		delete(kw, "items")
		if rest, ok := kw["additionalItems"]; ok {
			kw["items"] = rest
		}
	}
	for _, ends := range [...][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		open, bound := kw[ends[0]], kw[ends[1]]
		if open == canon.True && !bound.IsAbsent() {
			kw[ends[0]] = bound
			delete(kw, ends[1])
		} else if open.Kind() == canon.KindBool {
			delete(kw, ends[0])
		}
	}
	splitDependencies(kw)
	return kw, nil
}

// splitDependencies turns draft 7's dependencies into the two keywords that came after it.
func splitDependencies(kw map[string]canon.Value) {
	deps, ok := kw["dependencies"]
	if !ok || deps.Kind() != canon.KindObject {
		return
	}
	var names, schemas []canon.Member
	for k, m := range deps.Members() {
		if m.Kind() == canon.KindArray {
			names = append(names, canon.Member{Key: k, Value: m})
		} else {
			schemas = append(schemas, canon.Member{Key: k, Value: m})
		}
	}
	delete(kw, "dependencies")
	if _, both := kw["dependentRequired"]; len(names) > 0 && !both {
		kw["dependentRequired"] = canon.Object(names...)
	}
	if _, both := kw["dependentSchemas"]; len(schemas) > 0 && !both {
		kw["dependentSchemas"] = canon.Object(schemas...)
	}
}

// term is a conjunction of nodes, sorted by number without repeats; empty = every instance.
type term []*node

func (t term) key() string {
	var b strings.Builder
	for _, n := range t {
		b.WriteString(strconv.Itoa(n.num))
		b.WriteByte(',')
	}
	return b.String()
}

// and adds nodes to a term; the receiver is not modified.
func (t term) and(more ...*node) term {
	out := append(append(term(nil), t...), more...)
	sort.Slice(out, func(i, j int) bool { return out[i].num < out[j].num })
	kept := out[:0]
	for i, n := range out {
		if i == 0 || out[i-1] != n {
			kept = append(kept, n)
		}
	}
	return kept
}

// isTrue says that the term restricts nothing by its own keywords.
func (t term) isTrue() bool {
	for _, n := range t {
		if !n.isTrue() {
			return false
		}
	}
	return true
}
