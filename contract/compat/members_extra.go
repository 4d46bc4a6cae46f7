package compat

import (
	"fmt"
	"slices"

	"flowdbg/trace/canon"
)

// compareExtra compares one class of undeclared members with every layer of the receiver.
func (e *engine) compareExtra(s, r *shape, q question, x extra) []miss {
	var senders []string
	for _, o := range s.objects {
		for _, p := range o.patterns {
			senders = append(senders, p.text)
		}
	}
	ptr := "/additionalProperties"
	if x.pattern != "" {
		ptr = "/patternProperties/" + escapeToken(x.pattern)
	}
	for _, o := range r.objects {
		hit := false
		for _, p := range o.patterns {
			if p.text == x.pattern {
				hit = true
			} else if slices.Contains(senders, p.text) {
				continue // members that hit it are a class of their own
			}
			if m := e.includes(x.what, term{p.what}, e.extraPlace(q.at)); len(m) > 0 {
				return e.extraMiss("/patternProperties/"+escapeToken(p.text), x, p.what, m)
			}
		}
		if hit || o.rest == nil {
			continue
		}
		if m := e.includes(x.what, term{o.rest}, e.extraPlace(q.at)); len(m) > 0 {
			return e.extraMiss(ptr, x, o.rest, m)
		}
	}
	return nil
}

// extraMiss tells a restriction of undeclared members as closing, unless the sender restricts them as well.
func (e *engine) extraMiss(ptr string, x extra, taken *node, m []miss) []miss {
	if !x.what.isTrue() && !taken.isFalse() {
		return under(ptr, m)
	}
	which := "members without a declaration"
	if x.pattern != "" {
		which = "members that match " + brief(canon.String(x.pattern))
	}
	limits := "takes none"
	if !taken.isFalse() {
		limits = "takes only " + brief(taken.text)
	}
	return []miss{{rule: ruleClosed, ptr: ptr, taken: taken.text, sent: termValue(x.what),
		what: fmt.Sprintf("may hold %s; %s", which, limits)}}
}

// termValue is the schema when the term is one, absent otherwise.
func termValue(t term) canon.Value {
	if len(t) == 1 {
		return t[0].text
	}
	return canon.Value{}
}

// compareNames compares the receiver's propertyNames with all names that the sender may use.
func (e *engine) compareNames(s, r *shape, nr nameRange) []miss {
	if len(r.names) == 0 || e.same(s.names, r.names) {
		return nil
	}
	tell := func(which string) []miss {
		return []miss{{rule: rulePropertyNames, ptr: "/propertyNames", sent: termValue(s.names), taken: termValue(r.names),
			what: fmt.Sprintf("may use %s; takes only names that suit %s", which, brief(termValue(r.names)))}}
	}
	for _, name := range sortedKeys(nr.explicit) {
		if e.admitsTerm(r.names, canon.String(name)) != yes {
			return tell(fmt.Sprintf("the name %q", name))
		}
	}
	for _, x := range nr.others {
		allowed := s.names.and(e.node(r.names[0].doc, canon.Object(canon.Member{Key: "type", Value: canon.String("string")})))
		if x.pattern != "" {
			allowed = allowed.and(e.node(r.names[0].doc, canon.Object(canon.Member{Key: "pattern", Value: canon.String(x.pattern)})))
		}
		if len(e.includes(allowed, r.names, nil)) > 0 {
			return tell("other names")
		}
	}
	return nil
}

func compareCounts(s, r *shape, nr nameRange) []miss {
	var out []miss
	if s.minProps < r.minProps {
		// The receiver's own required members count as well; they are told as such.
		if r.minProps > int64(len(r.required)) {
			out = append(out, miss{rule: ruleMinProperties, ptr: "/minProperties", sent: sizeValue(s.minProps, 0),
				taken: sizeValue(r.minProps, 0), what: fmt.Sprintf("may hold %d members; takes only %d or more", s.minProps, r.minProps)})
		}
	}
	most := s.maxProps
	if len(nr.others) == 0 {
		atMost(&most, int64(len(nr.explicit)))
	}
	if exceeds(most, r.maxProps) {
		out = append(out, miss{rule: ruleMaxProperties, ptr: "/maxProperties", sent: sizeValue(s.maxProps, -1),
			taken: sizeValue(r.maxProps, -1), what: fmt.Sprintf("may hold %s members; takes at most %d", sayLimit(most), r.maxProps)})
	}
	return out
}
