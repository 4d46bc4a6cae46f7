package compat

import (
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"

	"flowdbg/trace/canon"
)

// bound is one end of a range of numbers; a nil at means unbounded.
type bound struct {
	at   *big.Rat
	open bool // the end itself is outside
	text canon.Value
	key  string // the keyword it came from
}

// arrayLayer is what one schema says about elements by position. A nil rest says nothing.
type arrayLayer struct {
	prefix []*node
	rest   *node
}

// containsRule counts matching elements. most < 0 = no upper limit.
type containsRule struct {
	what        *node
	least, most int64
}

type namePattern struct {
	text string
	re   *regexp.Regexp
	what *node
}

// objectLayer is what one schema says about members by name. A nil rest says nothing. Layers of one shape hold together:
// a member must suit each of them, and what is "additional" is decided by each layer for itself.
type objectLayer struct {
	props    map[string]*node
	patterns []namePattern
	rest     *node
	// synthetic layers come from dependencies and negations, not from a declaration: they do not declare their names.
	synthetic bool
}

// shape is a conjunction of keywords without alternatives: one disjunct of an expanded schema.
type shape struct {
	types    typeSet
	listed   []canon.Value // enum or const
	isListed bool
	listKey  string // "enum" or "const"

	lo, hi bound
	steps  []*big.Rat // multipleOf

	minLen, maxLen     int64 // code points; maxLen < 0 = no limit, as for the other upper limits
	patterns, formats  map[string]bool
	minItems, maxItems int64
	unique             bool
	arrays             []arrayLayer
	contains           []containsRule
	minProps, maxProps int64
	required           map[string]bool
	objects            []objectLayer
	names              term
	nots               []term
	opaque             map[string]canon.Value // keywords that cannot be compared, by name
	branch             string                 // which alternatives were taken, such as "/anyOf/1"
}

func newShape() *shape {
	return &shape{types: tAll, maxLen: -1, maxItems: -1, maxProps: -1}
}

// clone copies everything that narrowing modifies.
func (s *shape) clone() *shape {
	c := *s
	c.listed = slices.Clone(s.listed)
	c.steps = slices.Clone(s.steps)
	c.patterns, c.formats = maps.Clone(s.patterns), maps.Clone(s.formats)
	c.arrays, c.contains = slices.Clone(s.arrays), slices.Clone(s.contains)
	c.required, c.objects = maps.Clone(s.required), slices.Clone(s.objects)
	c.names, c.nots = slices.Clone(s.names), slices.Clone(s.nots)
	c.opaque = maps.Clone(s.opaque)
	return &c
}

// slice is the part of the shape with the given types.
func (s *shape) slice(t typeSet) *shape {
	c := *s
	c.types &= t
	if c.isListed {
		c.listed = nil
		for _, v := range s.listed {
			if typeOf(v)&c.types != 0 {
				c.listed = append(c.listed, v)
			}
		}
	}
	return &c
}

func (s *shape) setOpaque(key string, v canon.Value) {
	if s.opaque == nil {
		s.opaque = map[string]canon.Value{}
	}
	if have, ok := s.opaque[key]; ok && have != v {
		v = canon.Array(have, v)
	}
	s.opaque[key] = v
}

func (s *shape) require(name string) {
	if s.required == nil {
		s.required = map[string]bool{}
	}
	s.required[name] = true
}

// list narrows to the given values.
func (s *shape) list(key string, values []canon.Value) {
	if !s.isListed {
		s.isListed, s.listed, s.listKey = true, values, key
		return
	}
	kept := s.listed[:0:0]
	for _, v := range s.listed {
		if slices.Contains(values, v) {
			kept = append(kept, v)
		}
	}
	s.listed = kept
}

// above narrows the lower end.
func (s *shape) above(b bound) {
	if s.lo.at == nil || b.at.Cmp(s.lo.at) > 0 || b.at.Cmp(s.lo.at) == 0 && b.open {
		s.lo = b
	}
}

// below narrows the upper end.
func (s *shape) below(b bound) {
	if s.hi.at == nil || b.at.Cmp(s.hi.at) < 0 || b.at.Cmp(s.hi.at) == 0 && b.open {
		s.hi = b
	}
}

// atMost narrows an upper limit where a negative one means none.
func atMost(limit *int64, n int64) {
	if *limit < 0 || n < *limit {
		*limit = n
	}
}

// rat is a JSON number exactly.
func rat(v canon.Value) (*big.Rat, bool) {
	if v.Kind() != canon.KindNumber {
		return nil, false
	}
	return new(big.Rat).SetString(v.Text())
}

// size reads a non-negative integer keyword; huge ones are cut to the largest int64.
func size(v canon.Value) (int64, bool) {
	f, ok := v.Float()
	if !ok || f < 0 || f != math.Trunc(f) {
		return 0, false
	}
	if f >= math.MaxInt64 {
		return math.MaxInt64, true
	}
	return int64(f), true
}

// normalise draws the consequences that keywords have for each other within the shape: integer ends, listed values and
// types, boolean and null as lists. It does not look into elements and members.
func (s *shape) normalise() {
	for _, step := range s.steps {
		if step.IsInt() {
			s.types &^= tFrac
		}
	}
	if s.isListed {
		var have typeSet
		kept := s.listed[:0:0]
		for _, v := range s.listed {
			t := typeOf(v)
			if t&s.types != 0 && !slices.Contains(kept, v) {
				have |= t
				kept = append(kept, v)
			}
		}
		s.listed, s.types = kept, have
	}
	if s.types&tNumber == tInt {
		s.lo, s.hi = integerEnd(s.lo, 1), integerEnd(s.hi, -1)
	}
	if s.types&tNumber != 0 && s.lo.at != nil && s.hi.at != nil {
		c := s.lo.at.Cmp(s.hi.at)
		if c > 0 || c == 0 && (s.lo.open || s.hi.open) {
			s.types &^= tNumber
		}
	}
	if s.maxLen >= 0 && s.minLen > s.maxLen {
		s.types &^= tString
	}
	if s.maxItems >= 0 && s.minItems > s.maxItems {
		s.types &^= tArray
	}
	s.minProps = max(s.minProps, int64(len(s.required)))
	if s.maxProps >= 0 && s.minProps > s.maxProps {
		s.types &^= tObject
	}
}

// integerEnd moves an end to the nearest integer inside: dir 1 for a lower end, −1 for an upper one.
func integerEnd(b bound, dir int64) bound {
	if b.at == nil {
		return b
	}
	if b.at.IsInt() {
		if b.open {
			b.at, b.open = new(big.Rat).Add(b.at, big.NewRat(dir, 1)), false
		}
		return b
	}
	// Div rounds down for positive denominators, as big.Rat keeps them.
	q := new(big.Int).Div(b.at.Num(), b.at.Denom())
	if dir > 0 {
		q.Add(q, big.NewInt(1))
	}
	b.at, b.open = new(big.Rat).SetInt(q), false
	return b
}
