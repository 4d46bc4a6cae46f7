package compat

import (
	"math/big"
	"regexp"
	"slices"
	"unicode/utf8"

	"flowdbg/trace/canon"
)

// verdict is what can be said about one instance and one schema.
type verdict uint8

const (
	no verdict = iota
	maybe
	yes
)

// admitsTerm says whether an instance suits a term.
func (e *engine) admitsTerm(t term, v canon.Value) verdict {
	if t.isTrue() {
		return yes
	}
	if e.work++; e.work > maxWork {
		return maybe
	}
	shapes, err := e.expand(t, nil)
	if err != nil {
		return maybe
	}
	best := no
	for _, s := range shapes {
		best = max(best, e.admits(s, v))
	}
	return best
}

// admits says whether an instance suits a shape. Formats and opaque keywords make it maybe.
func (e *engine) admits(s *shape, v canon.Value) verdict {
	if typeOf(v)&s.types == 0 || s.isListed && !slices.Contains(s.listed, v) {
		return no
	}
	result := yes
	if len(s.opaque) > 0 {
		result = maybe
	}
	switch v.Kind() {
	case canon.KindNumber:
		result = min(result, admitsNumber(s, v))
	case canon.KindString:
		result = min(result, admitsString(s, v))
	case canon.KindArray:
		result = min(result, e.admitsArray(s, v))
	case canon.KindObject:
		result = min(result, e.admitsObject(s, v))
	}
	for _, n := range s.nots {
		if result == no {
			break
		}
		result = min(result, yes-e.admitsTerm(n, v))
	}
	return result
}

func admitsNumber(s *shape, v canon.Value) verdict {
	n, ok := rat(v)
	if !ok {
		return maybe
	}
	if s.lo.at != nil {
		if c := n.Cmp(s.lo.at); c < 0 || c == 0 && s.lo.open {
			return no
		}
	}
	if s.hi.at != nil {
		if c := n.Cmp(s.hi.at); c > 0 || c == 0 && s.hi.open {
			return no
		}
	}
	for _, step := range s.steps {
		if !new(big.Rat).Quo(n, step).IsInt() {
			return no
		}
	}
	if len(s.formats) > 0 {
		return maybe
	}
	return yes
}

func admitsString(s *shape, v canon.Value) verdict {
	text, _ := v.Str()
	n := int64(utf8.RuneCountInString(text))
	if n < s.minLen || s.maxLen >= 0 && n > s.maxLen {
		return no
	}
	result := yes
	for p := range s.patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			result = maybe
		} else if !re.MatchString(text) {
			return no
		}
	}
	if len(s.formats) > 0 {
		return maybe
	}
	return result
}

func (e *engine) admitsArray(s *shape, v canon.Value) verdict {
	vals := elems(v)
	n := int64(len(vals))
	if n < s.minItems || s.maxItems >= 0 && n > s.maxItems {
		return no
	}
	if s.unique {
		sorted := slices.Clone(vals)
		slices.SortFunc(sorted, func(a, b canon.Value) int { return canon.CompareKeys(a.Text(), b.Text()) })
		if len(slices.Compact(sorted)) < len(vals) {
			return no
		}
	}
	result := yes
	for i, el := range vals {
		result = min(result, e.admitsTerm(s.element(i), el))
		if result == no {
			return no
		}
	}
	for _, c := range s.contains {
		result = min(result, e.counts(c, vals))
	}
	return result
}

// counts judges a contains rule.
func (e *engine) counts(c containsRule, vals []canon.Value) verdict {
	var sure, possible int64
	for _, el := range vals {
		switch e.admitsTerm(term{c.what}, el) {
		case yes:
			sure++
			possible++
		case maybe:
			possible++
		}
	}
	if possible < c.least || c.most >= 0 && sure > c.most {
		return no
	}
	if sure >= c.least && (c.most < 0 || possible <= c.most) {
		return yes
	}
	return maybe
}

func (e *engine) admitsObject(s *shape, v canon.Value) verdict {
	n := int64(v.Count())
	if n < s.minProps || s.maxProps >= 0 && n > s.maxProps {
		return no
	}
	for name := range s.required {
		if v.Get(name).IsAbsent() {
			return no
		}
	}
	result := yes
	for name, m := range v.Members() {
		result = min(result, e.admitsTerm(s.member(name, s.blind()), m))
		if result != no && len(s.names) > 0 {
			result = min(result, e.admitsTerm(s.names, canon.String(name)))
		}
		if result == no {
			return no
		}
	}
	return result
}
