package compat

import (
	"fmt"

	"flowdbg/trace/canon"
)

// miss is one reason why an inclusion could not be proved. Pointers are relative to the place of the question.
type miss struct {
	rule    string
	ptr     string
	sent    canon.Value // the sender's value of the keyword
	taken   canon.Value // the receiver's
	what    string      // "<sender> may …; <receiver> …" without the nouns, see phrase
	subject string
}

// question is the context in which two shapes are compared.
type question struct {
	// at makes the question one by the rules of a contract: names that the receiver newly declares are not assumed to be in
	// use, and a field that leaves a result is missed. Nil inside negations and disjointness, which are about sets only.
	at     *place
	splits int // how often the sender's shape may still be split
}

// includes proves that every instance of s is one of r, or says why it could not. Questions in progress are assumed to
// hold, which is sound because a smallest counterexample would lie deeper; answers that rest on such an assumption are kept
// only when it has been settled.
func (e *engine) includes(s, r term, at *place) []miss {
	if r.isTrue() || e.same(s, r) {
		return nil
	}
	key := s.key() + "|" + r.key() + "|" + at.key()
	if known, ok := e.memo[key]; ok {
		return known
	}
	if depth, ok := e.active[key]; ok {
		e.low = min(e.low, depth)
		return nil
	}
	if depth, ok := e.resting[key]; ok {
		e.low = min(e.low, depth)
		return nil
	}
	e.work++
	depth := len(e.active)
	if e.work > maxWork || depth > maxNest {
		return []miss{{rule: ruleTooComplex, what: "is too deep or too large to follow"}}
	}
	saved, mark := e.low, len(e.trail)
	e.low = maxNest + 1
	e.active[key] = depth
	misses := e.prove(s, r, at)
	delete(e.active, key)
	e.conclude(key, misses, depth, mark)
	e.low = min(e.low, saved)
	return misses
}

// conclude files the answer to a question. A failure is final: it failed although everything open was assumed to hold. A
// success that rests on an open question further out waits for that one; when the outermost of such a group succeeds the
// group is final, and when a question fails, what rested on it is forgotten.
func (e *engine) conclude(key string, misses []miss, depth, mark int) {
	switch {
	case len(misses) > 0:
		e.memo[key] = misses
	case e.low < depth:
		e.trail = append(e.trail, key)
		for _, k := range e.trail[mark:] { // what rested on this question rests further out now
			e.resting[k] = e.low
		}
		return
	default:
		e.memo[key] = nil
		for _, k := range e.trail[mark:] {
			e.memo[k] = nil
		}
		e.low = maxNest + 1
	}
	for _, k := range e.trail[mark:] {
		delete(e.resting, k)
	}
	e.trail = e.trail[:mark]
}

// prove expands both sides and finds a place for every alternative of the sender.
func (e *engine) prove(s, r term, at *place) []miss {
	from, err := e.expand(s, nil)
	if err != nil { // without its alternatives the sender's side is a larger set: what can be proved of it still holds
		from, err = e.expand(s, e.givens(s))
	}
	if err != nil {
		return []miss{{rule: ruleTooComplex, what: "has " + err.Error()}}
	}
	q := question{at: at, splits: 2}
	var misses []miss
	for _, shape := range from {
		if e.isEmpty(shape) {
			continue
		}
		found := e.within(shape, r, e.givens(s), q)
		if len(found) > 0 && at == nil {
			return found
		}
		misses = append(misses, found...)
	}
	return misses
}

// slices are the parts of a shape that are placed one by one.
var sliceTypes = [...]typeSet{tNull, tBool, tNumber, tString, tArray, tObject}

// within finds a place in r for every instance of a shape, type by type.
func (e *engine) within(s *shape, r term, given map[string]bool, q question) []miss {
	to, err := e.expand(r, given)
	if err != nil {
		return []miss{{rule: ruleTooComplex, what: "meets a schema with " + err.Error()}}
	}
	var misses []miss
	var lost typeSet
	for _, t := range sliceTypes {
		if s.types&t == 0 {
			continue
		}
		part := s.slice(t)
		if e.emptySlice(part) {
			continue
		}
		found := e.place(part, to, q)
		if len(found) == 1 && found[0].rule == ruleType && found[0].ptr == "/type" {
			lost |= s.types & t // told once for all types that are lost
			continue
		}
		misses = append(misses, found...)
	}
	if lost != 0 {
		misses = append(misses, typeMiss(s.types, lost, to))
	}
	return misses
}

func typeMiss(sent, lost typeSet, to []*shape) miss {
	var taken typeSet
	for _, r := range to {
		taken |= r.types
	}
	// An integer-only receiver loses the fractions; the word for what is lost is still number.
	return miss{rule: ruleType, ptr: "/type", sent: sent.value(), taken: taken.value(), subject: lost.String(),
		what: fmt.Sprintf("may hold %s here; takes only %s", lost, taken)}
}

// place finds a receiver alternative for a sender shape of one type.
func (e *engine) place(s *shape, to []*shape, q question) []miss {
	if vals, ok := finite(s, to); ok {
		return e.placeValues(s, vals, to, q)
	}
	return e.placeShape(s, to, q)
}

func (e *engine) placeShape(s *shape, to []*shape, q question) []miss {
	var nearest []miss
	var candidates int
	for _, r := range likely(s, to) {
		if s.types&r.types != 0 {
			candidates++
		}
		m := e.compare(s, r, q)
		if len(m) == 0 {
			return nil
		}
		if nearest == nil || nearer(m, nearest) {
			nearest = m
		}
	}
	if candidates > 1 || s.types == tNumber && candidates > 0 {
		if e.placeSplit(s, to, q) {
			return nil
		}
	}
	if nearest == nil {
		return []miss{{rule: ruleType, ptr: "/type", sent: s.types.value(), what: "may send something here; takes nothing"}}
	}
	if candidates > 1 {
		what := "alternative " + s.branch
		if s.branch == "" {
			what = s.types.String()
		}
		return []miss{{rule: ruleUnion, what: fmt.Sprintf("may use %s; takes it in none of %d alternatives (nearest: %s)",
			what, candidates, nearest[0].what), sent: nearest[0].sent, taken: nearest[0].taken}}
	}
	return nearest
}

// likely puts the alternatives at the sender's own position first: most changes leave the others alone.
func likely(s *shape, to []*shape) []*shape {
	if len(to) < 2 {
		return to
	}
	out := make([]*shape, 0, len(to))
	for _, r := range to {
		if r.branch == s.branch {
			out = append(out, r)
		}
	}
	for _, r := range to {
		if r.branch != s.branch {
			out = append(out, r)
		}
	}
	return out
}

// nearer prefers an alternative of the right type, then one with fewer reasons against it.
func nearer(a, b []miss) bool {
	if at, bt := a[0].rule == ruleType && a[0].ptr == "/type", b[0].rule == ruleType && b[0].ptr == "/type"; at != bt {
		return bt
	}
	return len(a) < len(b)
}

// placeSplit tries the parts of a shape separately: integers and fractions, or one value of a required member at a time,
// which is what discriminated unions need.
func (e *engine) placeSplit(s *shape, to []*shape, q question) bool {
	if q.splits == 0 {
		return false
	}
	q.splits--
	if s.types == tNumber {
		return len(e.place(s.slice(tInt), to, q)) == 0 && len(e.place(s.slice(tFrac), to, q)) == 0
	}
	if s.types != tObject {
		return false
	}
	for _, name := range sortedKeys(s.required) {
		parts := e.splitMember(s, name)
		if len(parts) < 2 {
			continue
		}
		all := true
		for _, p := range parts {
			all = all && (e.isEmpty(p) || len(e.place(p, to, q)) == 0)
		}
		if all {
			return true
		}
	}
	return false
}

const maxSplit = 32

// splitMember makes one shape per value of a required member with few values, nil when it has many.
func (e *engine) splitMember(s *shape, name string) []*shape {
	t := s.member(name, true)
	shapes, err := e.expand(t, nil)
	if err != nil || len(t) == 0 {
		return nil
	}
	var values []canon.Value
	for _, m := range shapes {
		if m.types&^(tNull|tBool) != 0 && !m.isListed {
			return nil
		}
		for _, bit := range sliceTypes {
			if m.types&bit == 0 {
				continue
			}
			vals, _ := finite(m.slice(bit), nil)
			values = append(values, vals...)
		}
	}
	if len(values) > maxSplit {
		return nil
	}
	var parts []*shape
	for _, v := range values {
		p := s.clone()
		only := e.node(t[0].doc, canon.Object(canon.Member{Key: "const", Value: v}))
		p.objects = append(p.objects, objectLayer{props: map[string]*node{name: only}, synthetic: true})
		parts = append(parts, p)
	}
	return parts
}
