package compat

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/trace/canon"
)

// occurrence is one use of a node while a schema is expanded. The chain of parents says within which schemas a layer lies,
// which is what unevaluatedProperties and unevaluatedItems ask.
type occurrence struct{ parent *occurrence }

func (o *occurrence) within(outer *occurrence) bool {
	for ; o != nil; o = o.parent {
		if o == outer {
			return true
		}
	}
	return false
}

type task struct {
	n  *node
	at *occurrence
}

// choice is a keyword that makes alternatives, waiting for its turn.
type choice struct {
	task
	key string
}

// leftover is an unevaluatedProperties or unevaluatedItems keyword: it is settled when the branch is complete.
type leftover struct {
	task
	key string
}

// branch is one partly expanded alternative.
type branch struct {
	s            *shape
	todo         []task
	choices      []choice
	leftovers    []leftover
	done         map[*node]bool
	objAt, arrAt []*occurrence // parallel to s.objects and s.arrays
}

func (b *branch) fork() *branch {
	c := &branch{s: b.s.clone(), todo: slices.Clone(b.todo), choices: slices.Clone(b.choices),
		leftovers: slices.Clone(b.leftovers), done: map[*node]bool{}, objAt: slices.Clone(b.objAt), arrAt: slices.Clone(b.arrAt)}
	for n := range b.done {
		c.done[n] = true
	}
	return c
}

// expand makes the alternatives of a term; instances of the term are exactly those of at least one of them. given names
// choices (see givens) that are known to hold and need no expansion.
func (e *engine) expand(t term, given map[string]bool) ([]*shape, error) {
	key := t.key()
	if len(given) == 0 {
		if x, ok := e.shapes[key]; ok {
			return x.shapes, x.err
		}
	}
	first := &branch{s: newShape(), done: map[*node]bool{}}
	for _, n := range t {
		first.todo = append(first.todo, task{n, &occurrence{}})
	}
	var out []*shape
	err := e.grow(first, given, &out)
	if err != nil {
		out = nil
	}
	if len(given) == 0 {
		e.shapes[key] = expansion{out, err}
	}
	return out, err
}

// grow completes a branch, forking at every choice.
func (e *engine) grow(b *branch, given map[string]bool, out *[]*shape) error {
	for len(b.todo) > 0 {
		next := b.todo[0]
		b.todo = b.todo[1:]
		if b.done[next.n] && !next.n.doc.unevaluated {
			continue
		}
		b.done[next.n] = true
		if err := e.absorb(b, next, given); err != nil {
			return err
		}
	}
	if b.s.types == 0 || b.s.isListed && len(b.s.listed) == 0 {
		return nil
	}
	if len(b.choices) == 0 {
		e.settle(b)
		b.s.normalise()
		if b.s.types == 0 {
			return nil
		}
		if len(*out) >= maxShapes {
			return errTooMany
		}
		*out = append(*out, b.s)
		return nil
	}
	c := b.choices[0]
	b.choices = b.choices[1:]
	alts, err := e.alternatives(c)
	if err != nil {
		return err
	}
	for _, a := range alts {
		fork := b.fork()
		e.apply(fork, c, a)
		if e.work++; e.work > maxWork {
			return errTooMany
		}
		if err := e.grow(fork, given, out); err != nil {
			return err
		}
	}
	return nil
}

// absorb adds a node's own keywords to the branch and queues its conjunctive parts.
func (e *engine) absorb(b *branch, t task, given map[string]bool) error {
	objs, arrs := len(b.s.objects), len(b.s.arrays)
	e.narrow(b.s, t.n)
	for range len(b.s.objects) - objs {
		b.objAt = append(b.objAt, t.at)
	}
	for range len(b.s.arrays) - arrs {
		b.arrAt = append(b.arrAt, t.at)
	}
	for _, k := range t.n.keys {
		v := t.n.kw[k]
		switch k {
		case "$ref", "$dynamicRef", "$recursiveRef":
			ref, _ := v.Str()
			target, err := t.n.doc.resolve(ref)
			if err != nil {
				b.s.setOpaque(k, v)
				continue
			}
			b.todo = append(b.todo, task{e.node(t.n.doc, target), &occurrence{t.at}})
		case "allOf":
			if v.Kind() != canon.KindArray {
				b.s.setOpaque(k, v)
				continue
			}
			for _, m := range v.Elems() {
				b.todo = append(b.todo, task{e.node(t.n.doc, m), &occurrence{t.at}})
			}
		case "anyOf", "oneOf", "not", "if", "dependentRequired", "dependentSchemas":
			if !wellFormed(k, v) {
				b.s.setOpaque(k, v)
				continue
			}
			for _, c := range unfold(choice{t, k}) {
				if !given[e.given(c.n, c.key)] {
					b.choices = append(b.choices, c)
				}
			}
		case "unevaluatedProperties", "unevaluatedItems":
			b.leftovers = append(b.leftovers, leftover{t, k})
		}
	}
	return nil
}

func wellFormed(k string, v canon.Value) bool {
	switch k {
	case "anyOf", "oneOf":
		return v.Kind() == canon.KindArray && v.Count() > 0
	case "not", "if":
		return isSchema(v)
	}
	if v.Kind() != canon.KindObject {
		return false
	}
	for _, m := range v.Members() {
		if k == "dependentSchemas" && !isSchema(m) || k == "dependentRequired" && m.Kind() != canon.KindArray {
			return false
		}
	}
	return true
}

// unfold turns one keyword into its choices: each dependency is one of its own.
func unfold(c choice) []choice {
	if c.key != "dependentRequired" && c.key != "dependentSchemas" {
		return []choice{c}
	}
	var out []choice
	for name := range c.n.kw[c.key].Members() {
		out = append(out, choice{c.task, c.key + "/" + name})
	}
	return out
}

// given is the identity of a choice: the keyword and the schemas in it.
func (e *engine) given(n *node, key string) string {
	kind, name := dependencyName(key)
	v := n.kw[kind]
	if name != "" || kind != key {
		v = v.Get(name)
	}
	id := key + "\n" + printOf(n.doc, v)
	if key == "if" {
		id += "\n" + printOf(n.doc, n.kw["then"]) + "\n" + printOf(n.doc, n.kw["else"])
	}
	return id
}

// givens are the choices that hold for every instance of a term: what the sender promises, the receiver's copy of the same
// keyword need not be proved again. A schema with unevaluated… keywords has none, because there the branches taken matter.
func (e *engine) givens(t term) map[string]bool {
	out := map[string]bool{}
	todo := slices.Clone(t)
	seen := map[*node]bool{}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		if n.doc.unevaluated {
			return nil
		}
		for _, k := range n.keys {
			switch k {
			case "anyOf", "oneOf", "not", "if", "dependentRequired", "dependentSchemas":
				if wellFormed(k, n.kw[k]) {
					for _, c := range unfold(choice{task{n: n}, k}) {
						out[e.given(n, c.key)] = true
					}
				}
			case "$ref":
				ref, _ := n.kw[k].Str()
				if target, err := n.doc.resolve(ref); err == nil {
					todo = append(todo, e.node(n.doc, target))
				}
			case "allOf":
				for _, m := range n.kw[k].Elems() {
					todo = append(todo, e.node(n.doc, m))
				}
			}
		}
	}
	return out
}

func dependencyName(key string) (kind, name string) {
	kind, name, _ = strings.Cut(key, "/")
	return kind, name
}

func label(key string, i int) string { return fmt.Sprintf("/%s/%d", key, i) }
