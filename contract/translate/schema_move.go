package translate

import "slices"

// move carries a declared member to another place. What is always present, what only sometimes and what a move may create
// decides which members the new schema may require.
func (s *schemaRun) move(from, to path) {
	n := commonParent(from, to)
	base, ok := s.follow(s.root, from.segs[:n])
	if !ok {
		return
	}
	chain, always, ok := s.sourceChain(base, from, n)
	if !ok {
		return
	}
	last := chain[len(chain)-1]
	val := declared(last, from.last())
	if val == nil {
		s.problem(ProblemNotDeclared, false, "%s is not declared", from.text)
		return
	}
	conditional := slices.Contains(s.made[chain[0][0]], from.segs[n].name)
	if s.side == Output {
		s.checkShared(chain, from, n, !conditional)
	}
	always = always && isRequired(last, from.last()) && !conditional
	if from.startsWith(to) {
		s.unwrap(chain, from, to, n, val)
		return
	}
	if !s.put(base, to, n, val, always) {
		return
	}
	undeclare(last, from.last())
	s.prune(chain, from, n, always)
}

// commonParent is the number of leading segments that both paths' parents share: objects that are there whenever the
// source is.
func commonParent(from, to path) int {
	n := 0
	for n < len(from.segs)-1 && n < len(to.segs)-1 && from.segs[n] == to.segs[n] {
		n++
	}
	return n
}

// sourceChain are the facets of the objects from the base to the source's parent, and whether they are always there.
func (s *schemaRun) sourceChain(base *node, from path, n int) (chain [][]*node, always, ok bool) {
	always = true
	cur := base
	for i := n; i < len(from.segs); i++ {
		name := from.segs[i].name
		facets, ok := s.objectFacets(cur, name)
		if !ok {
			return nil, false, false
		}
		chain = append(chain, facets)
		if i == len(from.segs)-1 {
			break
		}
		if cur = declared(facets, name); cur == nil {
			s.problem(ProblemNotDeclared, false, "the schema does not declare %s", pointer(from.segs[:i+1], nil))
			return nil, false, false
		}
		always = always && isRequired(facets, name) && !nullable([]*node{cur})
	}
	return chain, always, true
}

// checkShared finds objects around a result's value that are not always there and require something: the older version
// then knows that both come together, and the newer one cannot promise it.
func (s *schemaRun) checkShared(chain [][]*node, from path, n int, present bool) {
	for i := 1; i < len(chain); i++ {
		present = present && isRequired(chain[i-1], from.segs[n+i-1].name) && !nullable(chain[i])
		if !present && memberCount(chain[i]) > 1 && requiredCount(chain[i]) > 0 {
			s.problem(ProblemNotRestorable, true, "in the older version %s may be absent and requires members that now lie in two places", pointer(from.segs[:n+i], nil))
			return
		}
	}
}

// put declares the target and the parents that documents will get. present says whether an object on the way is there
// in every document.
func (s *schemaRun) put(base *node, to path, n int, val *node, always bool) bool {
	cur, present := base, true
	for i := n; ; i++ {
		name := to.segs[i].name
		facets, ok := s.objectFacets(cur, name)
		if !ok {
			return false
		}
		next := declared(facets, name)
		isLast := i == len(to.segs)-1
		if isLast && next != nil {
			s.problem(ProblemTargetDeclared, true, "%s is declared already", to.text)
			return false
		}
		if !allowsObject(facets) {
			s.problem(ProblemCannotFollow, true, "%s is no object", pointer(to.segs[:i], nil))
			return false
		}
		there := present && isRequired(facets, name)
		s.requirements(base, cur, facets, name, present, always)
		if isLast {
			declare(facets[0], name, val)
			return true
		}
		present = there
		if next == nil {
			next = s.newParent(facets)
			declare(facets[0], name, next)
			present = true // it exists exactly when the moved value does
		}
		cur = next
	}
}

// requirements settles which members of one object on the way to the target may be required after the move.
func (s *schemaRun) requirements(base, cur *node, facets []*node, name string, present, always bool) {
	alone, isMade := s.made[cur]
	switch {
	case isMade && memberCount(facets) == 0: // made for this value: there whenever the value is
		require(facets[0], name)
		if !always {
			s.made[cur] = []string{name}
		}
		return
	case isMade: // another value shares it now
		s.made[cur] = nil
		if !always && slices.Contains(alone, name) {
			s.made[cur] = []string{name}
		}
		if !present {
			requireOnly(facets, name)
			break
		}
		for _, other := range alone {
			if other != name {
				unrequire(facets, other)
			}
		}
	case present && cur != base && s.side == Output && requiredCount(facets) == 0:
		s.problem(ProblemNotRestorable, true, "the way back prunes the object that the older version requires around %q when it holds nothing else", name)
	case !present: // documents without it get one that holds this value only
		if s.side == Output && requiredCount(facets) > 0 {
			s.problem(ProblemNotRestorable, true, "beside %q the older version requires other members, in an object that may be made for %q alone", name, name)
		}
		requireOnly(facets, name)
	}
	if always {
		require(facets[0], name)
	}
}

// newParent is the schema of an object that the move makes. Arguments hold exactly what is moved there; a result's
// receiver is as open as the object around it.
func (s *schemaRun) newParent(around []*node) *node {
	n := objectNode(newMember("type", stringNode("object")))
	if s.side == Input || closed(around) {
		n.set("additionalProperties", boolNode(false))
	}
	s.made[n] = nil
	return n
}

// prune takes away object schemas that hold nothing any more, and the promise that an object is there which the move may
// have emptied.
func (s *schemaRun) prune(chain [][]*node, from path, n int, always bool) {
	for i := len(chain) - 1; i > 0; i-- {
		name := from.segs[n+i-1].name
		if requiredCount(chain[i]) == 0 && isRequired(chain[i-1], name) && !always && s.side == Output {
			s.problem(ProblemNotRestorable, true, "the older version requires %s, which the way back makes only for a value that may be absent", pointer(from.segs[:n+i], nil))
		}
		if memberCount(chain[i]) == 0 {
			if nullable(chain[i]) { // null is no object, and so it stays
				*chain[i][0] = *objectNode(newMember("type", stringNode("null")))
				unrequire(chain[i-1], name)
				continue
			}
			undeclare(chain[i-1], name)
			continue
		}
		if requiredCount(chain[i]) > 0 {
			return
		}
		unrequire(chain[i-1], name)
	}
}

// unwrap puts the schema of a member in the place of the object around it. Objects with more members refuse documents at
// run time; the schema then says what is left.
func (s *schemaRun) unwrap(chain [][]*node, from, to path, n int, val *node) {
	top := len(to.segs) - 1 - n
	for _, inner := range chain[top+1:] {
		if memberCount(inner) > 1 {
			s.problem(ProblemTargetDeclared, true, "%s holds more than the value that takes its place", to.text)
			return
		}
	}
	for _, f := range chain[top] {
		if p := f.get("properties"); p != nil {
			if i := p.find(to.last()); i >= 0 {
				p.members[i].val = val
			}
		}
	}
}
