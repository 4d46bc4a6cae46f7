package compat

import (
	"fmt"

	"flowdbg/trace/canon"
)

// element is what the shape demands of the element at a position.
func (s *shape) element(i int) term {
	var t term
	for _, a := range s.arrays {
		if i < len(a.prefix) {
			t = t.and(a.prefix[i])
		} else if a.rest != nil {
			t = t.and(a.rest)
		}
	}
	return t
}

// prefixLen is the number of positions that some layer treats apart; from there on all positions are alike.
func (s *shape) prefixLen() int {
	n := 0
	for _, a := range s.arrays {
		n = max(n, len(a.prefix))
	}
	return n
}

// longest is the largest number of elements, shortened by positions that nothing suits; negative = no limit.
func (e *engine) longest(s *shape) int64 {
	most := s.maxItems
	for i := 0; i <= s.prefixLen() && (most < 0 || int64(i) < most); i++ {
		if e.emptyTerm(s.element(i)) {
			most = int64(i)
		}
	}
	return most
}

func (e *engine) compareArray(s, r *shape, q question) []miss {
	var out []miss
	most := e.longest(s)
	if s.minItems < r.minItems && !onlyContains(r) {
		out = append(out, miss{rule: ruleMinItems, ptr: "/minItems", sent: sizeValue(s.minItems, 0), taken: sizeValue(r.minItems, 0),
			what: fmt.Sprintf("may hold arrays of %d elements; takes only %d or more", s.minItems, r.minItems)})
	}
	if exceeds(most, r.maxItems) {
		out = append(out, miss{rule: ruleMaxItems, ptr: "/maxItems", sent: sizeValue(s.maxItems, -1), taken: sizeValue(r.maxItems, -1),
			what: fmt.Sprintf("may hold arrays of %s elements; takes at most %d", sayLimit(most), r.maxItems)})
	}
	if r.unique && !s.unique && (most < 0 || most > 1) {
		out = append(out, miss{rule: ruleUnique, ptr: "/uniqueItems", taken: canon.True,
			what: "may repeat elements; wants them unique"})
	}
	out = append(out, e.compareElements(s, r, q, most)...)
	for _, c := range r.contains {
		if !e.keepsCount(s, c, most) {
			out = append(out, miss{rule: ruleContains, ptr: "/contains", taken: c.what.text,
				what: fmt.Sprintf("does not promise the count of elements that suit %s; counts them", brief(c.what.text))})
		}
	}
	return out
}

// onlyContains says that the lower limit comes from contains, which is told as such.
func onlyContains(r *shape) bool {
	for _, c := range r.contains {
		if c.least == r.minItems {
			return true
		}
	}
	return false
}

func (e *engine) compareElements(s, r *shape, q question, most int64) []miss {
	var out []miss
	apart := max(s.prefixLen(), r.prefixLen())
	for i := 0; i <= apart && (most < 0 || int64(i) < most); i++ {
		ptr := "/items"
		if i < r.prefixLen() || i < s.prefixLen() {
			ptr = fmt.Sprintf("/prefixItems/%d", i)
		}
		sent, taken := s.element(i), r.element(i)
		m := e.includes(sent, taken, e.elementPlace(q.at, i))
		if len(m) > 0 && e.emptyTerm(taken) {
			out = append(out, miss{rule: ruleMaxItems, ptr: ptr, sent: termValue(sent), taken: termValue(taken),
				what: fmt.Sprintf("may hold arrays of more than %d elements; takes no more", i)})
			break
		}
		out = append(out, under(ptr, m)...)
	}
	return out
}

// keepsCount says that every array of s has between least and most elements that suit the rule.
func (e *engine) keepsCount(s *shape, c containsRule, longest int64) bool {
	least := c.least == 0
	most := c.most < 0 || longest >= 0 && longest <= c.most
	for _, own := range s.contains {
		least = least || own.least >= c.least && len(e.includes(term{own.what}, term{c.what}, nil)) == 0
		most = most || own.most >= 0 && own.most <= c.most && len(e.includes(term{c.what}, term{own.what}, nil)) == 0
	}
	if least && most {
		return true
	}
	// Otherwise by position: how many of the elements must suit the rule, how many can.
	var must, can int64
	apart := int64(s.prefixLen())
	unlimited := longest < 0
	for i := int64(0); i <= apart && (unlimited || i < longest); i++ {
		count := int64(1)
		at := s.element(int(i))
		all := len(e.includes(at, term{c.what}, nil)) == 0
		none := e.emptyTerm(at.and(c.what))
		if i == apart { // the rest
			if !none {
				if unlimited {
					can = -1
				} else {
					count = longest - i
				}
			}
			if all && s.minItems > i {
				must += s.minItems - i
			}
		} else if all && i < s.minItems {
			must++
		}
		if !none && can >= 0 {
			can += count
		}
	}
	return (least || must >= c.least) && (most || can >= 0 && can <= c.most)
}
