package compat

import (
	"fmt"

	"flowdbg/trace/canon"
)

// blind says that some name patterns of the shape cannot be run, so it is unknown which members they hit.
func (s *shape) blind() bool {
	_, ok := s.opaque["patternProperties"]
	return ok
}

// member is what the shape demands of a member. With over, the answer may demand too little but never too much.
func (s *shape) member(name string, over bool) term {
	var t term
	for _, o := range s.objects {
		hit := false
		if p, ok := o.props[name]; ok {
			t, hit = t.and(p), true
		}
		for _, p := range o.patterns {
			if p.re.MatchString(name) {
				t, hit = t.and(p.what), true
			}
		}
		if !hit && o.rest != nil && !(over && s.blind()) {
			t = t.and(o.rest)
		}
	}
	return t
}

// declares says that the shape declares a member: a schema names it under properties and does not forbid it.
func (s *shape) declares(name string) bool {
	for _, o := range s.objects {
		if p, ok := o.props[name]; ok && !o.synthetic && !p.isFalse() {
			return true
		}
	}
	return false
}

// extra is a class of members without a declaration of their own: those that hit one pattern, or none (text "").
type extra struct {
	pattern string
	what    term
}

// extras lists the classes of undeclared members that the sender's shape allows; what each demands may be too little,
// never too much.
func (e *engine) extras(s *shape) []extra {
	patterns := map[string]term{}
	var rest term
	for _, o := range s.objects {
		for _, p := range o.patterns {
			patterns[p.text] = patterns[p.text].and(p.what)
		}
		if o.rest != nil && !s.blind() {
			rest = rest.and(o.rest)
		}
	}
	var out []extra
	if !e.emptyTerm(rest) {
		out = append(out, extra{"", rest})
	}
	for _, text := range sortedKeys(patterns) {
		t := patterns[text]
		for _, o := range s.objects {
			if len(o.patterns) == 0 && o.rest != nil {
				t = t.and(o.rest)
			}
		}
		if !e.emptyTerm(t) {
			out = append(out, extra{text, t})
		}
	}
	return out
}

// nameRange is what can be known about the names of a sender shape: the explicit ones, and the classes of others.
type nameRange struct {
	explicit map[string]bool
	others   []extra
}

func (e *engine) nameRange(s, r *shape) nameRange {
	nr := nameRange{explicit: map[string]bool{}, others: e.extras(s)}
	if len(s.names) > 0 {
		if listed, ok := e.listedNames(s.names); ok {
			nr.others = nil
			for _, name := range listed {
				nr.explicit[name] = true
			}
		}
	}
	for _, side := range [...]*shape{s, r} {
		for _, o := range side.objects {
			for name := range o.props {
				nr.explicit[name] = true
			}
		}
	}
	for name := range s.required {
		nr.explicit[name] = true
	}
	for name := range nr.explicit {
		if len(s.names) > 0 && e.admitsTerm(s.names, canon.String(name)) == no || e.emptyTerm(s.member(name, true)) {
			delete(nr.explicit, name)
		}
	}
	return nr
}

// listedNames are the names that a propertyNames schema lists.
func (e *engine) listedNames(t term) ([]string, bool) {
	shapes, err := e.expand(t, nil)
	if err != nil {
		return nil, false
	}
	var out []string
	for _, s := range shapes {
		if s.types&tString == 0 {
			continue
		}
		if !s.isListed {
			return nil, false
		}
		for _, v := range s.listed {
			if name, ok := v.Str(); ok {
				out = append(out, name)
			}
		}
	}
	return out, true
}

func (e *engine) compareObject(s, r *shape, q question) []miss {
	nr := e.nameRange(s, r)
	var out []miss
	for _, name := range sortedKeys(r.required) {
		if !s.required[name] {
			out = append(out, miss{rule: ruleRequired, ptr: "/required", subject: name,
				sent: namesValue(s.required), taken: namesValue(r.required),
				what: fmt.Sprintf("may leave out %q; needs it", name)})
		}
	}
	out = append(out, e.compareMembers(s, r, q, nr)...)
	for _, x := range nr.others {
		out = append(out, e.compareExtra(s, r, q, x)...)
	}
	out = append(out, e.compareNames(s, r, nr)...)
	return append(out, compareCounts(s, r, nr)...)
}

func namesValue(names map[string]bool) canon.Value {
	if len(names) == 0 {
		return canon.Value{}
	}
	var vals []canon.Value
	for _, n := range sortedKeys(names) {
		vals = append(vals, canon.String(n))
	}
	return canon.Array(vals...)
}

// compareMembers compares every member with a declaration on either side.
func (e *engine) compareMembers(s, r *shape, q question, nr nameRange) []miss {
	var out []miss
	for _, name := range sortedKeys(nr.explicit) {
		ptr := "/properties/" + escapeToken(name)
		if q.at != nil && e.dir == Results && r.declares(name) && !e.declared(q.at, name) {
			continue // told below
		}
		sent, taken := s.member(name, true), r.member(name, false)
		if q.at != nil && r.declares(name) && !e.declared(q.at, name) && sent.isTrue() {
			continue // newly declared on an open object: nobody is assumed to use the name
		}
		m := e.includes(sent, taken, e.memberPlace(q.at, name))
		if len(m) > 0 && e.emptyTerm(taken) {
			m = []miss{{rule: ruleRefused, sent: e.declaration(s, name), subject: name,
				what: fmt.Sprintf("may hold the member %q; refuses it", name)}}
		}
		out = append(out, under(ptr, m)...)
	}
	if q.at != nil && e.dir == Results {
		out = append(out, e.fieldsGone(r, q)...)
	}
	return out
}

// fieldsGone reports fields of the old result that no alternative of the new one declares (seed 000: removing a field
// from a result is MAJOR, optional or not).
func (e *engine) fieldsGone(r *shape, q question) []miss {
	gone := map[string]bool{}
	for _, o := range r.objects {
		for name := range o.props {
			if r.declares(name) && !e.declared(q.at, name) {
				gone[name] = true
			}
		}
	}
	var out []miss
	for _, name := range sortedKeys(gone) {
		out = append(out, miss{rule: ruleFieldRemoved, ptr: "/properties/" + escapeToken(name), subject: name,
			taken: e.declaration(r, name), what: fmt.Sprintf("no longer has the field %q; may read it", name)})
	}
	return out
}

// declaration is the schema of a member as it is written, absent when there is none.
func (e *engine) declaration(s *shape, name string) canon.Value {
	for _, o := range s.objects {
		if p, ok := o.props[name]; ok && !o.synthetic {
			return p.text
		}
	}
	return canon.Value{}
}

// under moves reasons to a place deeper in the instance.
func under(ptr string, misses []miss) []miss {
	out := make([]miss, len(misses))
	for i, m := range misses {
		m.ptr = ptr + m.ptr
		out[i] = m
	}
	return out
}
