package compat

import "regexp"

// place is where in the instance a lenient question is asked: all schemas that the sender applies there in any of its
// alternatives. Names that none of them declares are not assumed to be in use when the receiver declares them. A nil place
// makes a question strict: about sets of instances and nothing else.
//
// The place is wider than the sender's side of the question, which is one alternative: a name that another alternative
// declares is known there as well.
type place struct{ around term }

func (p *place) key() string {
	if p == nil {
		return "strict"
	}
	return p.around.key()
}

// at is gather, once per term.
func (e *engine) at(t term) *gathered {
	key := t.key()
	g, ok := e.places[key]
	if !ok {
		g = e.gather(t)
		e.places[key] = g
	}
	return g
}

// declared says that some alternative of the sender declares the member at the place.
func (e *engine) declared(p *place, name string) bool {
	for _, n := range e.at(p.around).props[name] {
		if !n.isFalse() {
			return true
		}
	}
	return false
}

// memberPlace is the place of a member.
func (e *engine) memberPlace(p *place, name string) *place {
	if p == nil {
		return nil
	}
	g := e.at(p.around)
	t := g.props[name].and(g.rest...)
	for text, what := range g.patterns {
		if re, err := regexp.Compile(text); err != nil || re.MatchString(name) {
			t = t.and(what...)
		}
	}
	return &place{t}
}

// extraPlace is the place of members without a declaration.
func (e *engine) extraPlace(p *place) *place {
	if p == nil {
		return nil
	}
	g := e.at(p.around)
	t := g.rest
	for _, what := range g.patterns {
		t = t.and(what...)
	}
	return &place{t}
}

// elementPlace is the place of an element. contains may match at any position.
func (e *engine) elementPlace(p *place, i int) *place {
	if p == nil {
		return nil
	}
	g := e.at(p.around)
	t := g.items.and(g.contains...)
	if i < len(g.prefix) {
		t = t.and(g.prefix[i]...)
	}
	return &place{t}
}
