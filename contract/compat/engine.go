package compat

import (
	"errors"
	"sort"
	"strings"

	"flowdbg/trace/canon"
)

// Limits of one proof. They bound time, not correctness: what is given up is a break.
const (
	maxShapes = 256    // alternatives of one schema
	maxWork   = 60_000 // inclusion questions of one Diff
	maxNest   = 200    // nesting of inclusion questions
)

var errTooMany = errors.New("more alternatives than the comparison follows")

// engine proves inclusions between the schemas of one Diff. It is used by one goroutine.
type engine struct {
	dir    Direction
	nodes  map[nodeKey]*node
	shapes map[string]expansion
	memo   map[string][]miss
	active map[string]int // questions being answered, with their nesting
	low    int            // the outermost active question that the current answer rests on
	// Questions that hold if outer ones do: the outermost each rests on, and in which order they were answered.
	resting map[string]int
	trail   []string
	work    int
	empty   map[string]bool
	places  map[string]*gathered
	asking  map[string]bool // emptiness questions being answered
}

type nodeKey struct {
	side int
	text string
}

type expansion struct {
	shapes []*shape
	err    error
}

func newEngine(dir Direction) *engine {
	return &engine{
		dir: dir, nodes: map[nodeKey]*node{}, shapes: map[string]expansion{}, memo: map[string][]miss{},
		active: map[string]int{}, resting: map[string]int{}, low: maxNest + 1, empty: map[string]bool{}, places: map[string]*gathered{}, asking: map[string]bool{},
	}
}

// node compiles a schema value of a document, once.
func (e *engine) node(d *document, v canon.Value) *node {
	key := nodeKey{d.side, v.Text()}
	if n, ok := e.nodes[key]; ok {
		return n
	}
	n := &node{num: len(e.nodes), doc: d, text: v, kind: v.Kind()}
	e.nodes[key] = n
	if n.kind == canon.KindBool {
		return n
	}
	var err error
	if n.kind == canon.KindObject {
		n.kw, err = compile(d, v)
	}
	if n.kind != canon.KindObject || err != nil {
		n.kw = map[string]canon.Value{"(malformed)": v}
	}
	for k := range n.kw {
		n.keys = append(n.keys, k)
	}
	sort.Strings(n.keys)
	return n
}

var refKeys = [...]string{"$ref", "$dynamicRef", "$recursiveRef"}

// print is the identity of a node across documents.
func (e *engine) print(n *node) string {
	if n.print == "" {
		n.print = printOf(n.doc, n.text)
	}
	return n.print
}

// printOf is the text of a value followed by the texts of everything it refers to, in the order of the references.
func printOf(d *document, v canon.Value) string {
	if !strings.Contains(v.Text(), `"$`) {
		return v.Text()
	}
	targets := map[string]string{}
	collectTargets(d, v, targets)
	if len(targets) == 0 {
		return v.Text()
	}
	var b strings.Builder
	b.WriteString(v.Text())
	if d.legacy {
		b.WriteString("\nlegacy")
	}
	refs := make([]string, 0, len(targets))
	for ref := range targets {
		refs = append(refs, ref)
	}
	sort.Strings(refs)
	for _, ref := range refs {
		b.WriteString("\n" + ref + "\n" + targets[ref])
	}
	return b.String()
}

func collectTargets(d *document, v canon.Value, into map[string]string) {
	if !strings.Contains(v.Text(), `"$`) {
		return
	}
	switch v.Kind() {
	case canon.KindArray:
		for _, e := range v.Elems() {
			collectTargets(d, e, into)
		}
	case canon.KindObject:
		for k, m := range v.Members() {
			ref, isRef := m.Str()
			if !isRef || k != refKeys[0] && k != refKeys[1] && k != refKeys[2] {
				collectTargets(d, m, into)
				continue
			}
			if _, done := into[ref]; done {
				continue
			}
			target, err := d.resolve(ref)
			if err != nil {
				into[ref] = "?"
				continue
			}
			into[ref] = target.Text()
			collectTargets(d, target, into)
		}
	}
}

// same says that two terms are the same schemas, spelled the same.
func (e *engine) same(a, b term) bool {
	if len(a) != len(b) {
		return false
	}
	have := map[string]int{}
	for _, n := range a {
		have[e.print(n)]++
	}
	for _, n := range b {
		if have[e.print(n)] == 0 {
			return false
		}
		have[e.print(n)]--
	}
	return true
}
