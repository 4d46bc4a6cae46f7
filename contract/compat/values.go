package compat

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"flowdbg/trace/canon"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// maxRange is the widest range of integers that is compared value by value with a receiver's list.
const maxRange = 256

// finite lists the values of a shape of one type when they are few: listed ones, booleans, null, and short ranges of
// integers where a receiver lists values.
func finite(s *shape, to []*shape) ([]canon.Value, bool) {
	switch {
	case s.isListed:
		return s.listed, true
	case s.types == tNull:
		return []canon.Value{canon.Null}, true
	case s.types == tBool:
		return []canon.Value{canon.False, canon.True}, true
	case s.types == tInt && s.lo.at != nil && s.hi.at != nil:
		lists := false
		for _, r := range to {
			lists = lists || r.isListed
		}
		if width := new(big.Rat).Sub(s.hi.at, s.lo.at); lists && width.Cmp(big.NewRat(maxRange, 1)) <= 0 {
			return integers(s.lo, s.hi), true
		}
	}
	return nil, false
}

func integers(lo, hi bound) []canon.Value {
	lo, hi = integerEnd(lo, 1), integerEnd(hi, -1)
	var out []canon.Value
	for i := new(big.Rat).Set(lo.at); i.Cmp(hi.at) <= 0; i = new(big.Rat).Add(i, big.NewRat(1, 1)) {
		f, _ := i.Float64()
		if v, err := canon.Float(f); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// placeValues asks for every value of the sender by itself, which is exact; only a value whose fate cannot be told
// (formats, opaque keywords) is compared as a shape.
func (e *engine) placeValues(s *shape, vals []canon.Value, to []*shape, q question) []miss {
	var refused []canon.Value
	var why miss
	for _, v := range vals {
		if e.admits(s, v) == no {
			continue
		}
		verdict := no
		for _, r := range to {
			verdict = max(verdict, e.admits(r, v))
		}
		if verdict == maybe {
			one := *s
			one.isListed, one.listed = true, []canon.Value{v}
			if m := e.placeShape(&one, to, q); len(m) > 0 {
				return m
			}
		}
		if verdict == no {
			refused = append(refused, v)
			why = e.whyRefused(s, v, to)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	if why.rule == ruleType && len(refused) == len(vals) {
		return []miss{why}
	}
	why.what = fmt.Sprintf("may hold %s here; does not take %s", list(refused), pronoun(len(refused)))
	why.subject = list(refused)
	return []miss{why}
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// list shows a few values.
func list(vals []canon.Value) string {
	const most = 6
	text := ""
	for i, v := range vals {
		if i == most {
			return fmt.Sprintf("%s … (%d in all)", text, len(vals))
		}
		if i > 0 {
			text += ", "
		}
		text += brief(v)
	}
	return text
}

// brief is a value short enough for a sentence.
func brief(v canon.Value) string {
	const most = 60
	text := []rune(v.Text())
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "…"
}

// whyRefused finds the keyword to blame for a value that no receiver alternative takes.
func (e *engine) whyRefused(s *shape, v canon.Value, to []*shape) miss {
	t := typeOf(v)
	var near *shape
	for _, r := range to {
		if r.types&t != 0 || r.isListed && (near == nil || !near.isListed) {
			near = r
		}
	}
	if near == nil {
		return typeMiss(s.types, t, to)
	}
	if near.isListed && !slices.Contains(near.listed, v) {
		return miss{rule: ruleEnum, ptr: "/" + near.listKey, sent: listValue(s), taken: listValue(near)}
	}
	one := *s
	one.types, one.isListed, one.listed = t, true, []canon.Value{v}
	if m := e.compare(&one, near, question{}); len(m) > 0 {
		return m[0]
	}
	return miss{rule: ruleEnum, ptr: "/enum", sent: listValue(s), taken: listValue(near)}
}

func listValue(s *shape) canon.Value {
	if !s.isListed {
		return canon.Value{}
	}
	if s.listKey == "const" && len(s.listed) == 1 {
		return s.listed[0]
	}
	return canon.Array(s.listed...)
}
