package compat

import (
	"maps"
	"slices"
)

// emptyTerm says that no instance suits the term. A false answer means only that this was not proved.
func (e *engine) emptyTerm(t term) bool {
	if t.isTrue() {
		return false
	}
	for _, n := range t {
		if n.isFalse() {
			return true
		}
	}
	key := t.key()
	if known, ok := e.empty[key]; ok {
		return known
	}
	if e.asking[key] || len(e.asking) > maxNest {
		return false
	}
	if e.work++; e.work > maxWork {
		return false
	}
	e.asking[key] = true
	defer delete(e.asking, key)
	saved := e.low
	e.low = maxNest + 1
	shapes, err := e.expand(t, nil)
	result := err == nil
	for _, s := range shapes {
		result = result && e.isEmpty(s)
	}
	if e.low > maxNest { // rests on no question that is still open
		e.empty[key] = result
	}
	e.low = min(e.low, saved)
	return result
}

// isEmpty says that no instance suits the shape, as far as that can be proved.
func (e *engine) isEmpty(s *shape) bool {
	for _, t := range sliceTypes {
		if s.types&t != 0 && !e.emptySlice(s.slice(t)) {
			return false
		}
	}
	return true
}

func (e *engine) emptySlice(s *shape) bool {
	if vals, ok := finite(s, nil); ok {
		for _, v := range vals {
			if e.admits(s, v) != no {
				return false
			}
		}
		return true
	}
	if s.types == tArray && e.emptyArray(s) || s.types == tObject && e.emptyObject(s) {
		return true
	}
	if e.work > maxWork {
		return false
	}
	for _, excluded := range s.nots {
		bare := *s
		bare.nots = nil // what the shape excludes cannot be what makes it fit in there
		if len(e.within(&bare, excluded, nil, question{})) == 0 {
			return true
		}
	}
	return false
}

func (e *engine) emptyArray(s *shape) bool {
	most := e.longest(s)
	if most >= 0 && s.minItems > most {
		return true
	}
	for _, c := range s.contains {
		if c.least == 0 {
			continue
		}
		none := true
		if c.most >= 0 && c.most < c.least {
			return true
		}
		for i := 0; i <= s.prefixLen() && (most < 0 || int64(i) < most); i++ {
			none = none && e.emptyTerm(s.element(i).and(c.what))
		}
		if none {
			return true
		}
	}
	return false
}

func (e *engine) emptyObject(s *shape) bool {
	for _, name := range sortedKeys(s.required) {
		if e.emptyTerm(s.member(name, true)) {
			return true
		}
	}
	return s.minProps > 0 && !s.blind() && len(s.names) == 0 && len(e.extras(s)) == 0 && s.minProps > e.countNames(s)
}

// countNames is the number of declared members that something suits.
func (e *engine) countNames(s *shape) int64 {
	names := map[string]bool{}
	for _, o := range s.objects {
		for name := range o.props {
			names[name] = true
		}
	}
	for name := range maps.Clone(names) {
		if e.emptyTerm(s.member(name, true)) {
			delete(names, name)
		}
	}
	return int64(len(names))
}

// disjoint says that a shape and a term have no instance in common, as far as that can be proved.
func (e *engine) disjoint(s *shape, t term) bool {
	shapes, err := e.expand(t, nil)
	if err != nil {
		return false
	}
	for _, other := range shapes {
		if !e.isEmpty(meet(s, other)) {
			return false
		}
	}
	return true
}

// meet is the conjunction of two shapes.
func meet(a, b *shape) *shape {
	s := a.clone()
	s.types &= b.types
	if b.isListed {
		s.list(b.listKey, b.listed)
	}
	if b.lo.at != nil {
		s.above(b.lo)
	}
	if b.hi.at != nil {
		s.below(b.hi)
	}
	s.steps = append(s.steps, b.steps...)
	s.minLen, s.minItems, s.minProps = max(s.minLen, b.minLen), max(s.minItems, b.minItems), max(s.minProps, b.minProps)
	for _, limit := range [...]struct {
		to   *int64
		from int64
	}{{&s.maxLen, b.maxLen}, {&s.maxItems, b.maxItems}, {&s.maxProps, b.maxProps}} {
		if limit.from >= 0 {
			atMost(limit.to, limit.from)
		}
	}
	s.unique = s.unique || b.unique
	s.patterns, s.formats = union(s.patterns, b.patterns), union(s.formats, b.formats)
	s.required = union(s.required, b.required)
	s.arrays = append(s.arrays, b.arrays...)
	s.objects = append(s.objects, b.objects...)
	s.contains = append(s.contains, b.contains...)
	s.names = s.names.and(b.names...)
	s.nots = append(s.nots, slices.Clone(b.nots)...)
	for k, v := range b.opaque {
		s.setOpaque(k, v)
	}
	s.normalise()
	return s
}

func union(a, b map[string]bool) map[string]bool {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := map[string]bool{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}
