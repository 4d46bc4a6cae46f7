package translate

import (
	"strings"
)

// follow leads from an object schema along the segments, through local $ref, allOf and "or null". What it passes is made
// editable in place. ok is false when the way is not declared or cannot be followed; the problem is then noted.
func (s *schemaRun) follow(cur *node, segs []segment) (*node, bool) {
	for i, seg := range segs {
		facets, ok := s.facets(cur, 0)
		if !ok {
			return nil, false
		}
		var next *node
		if seg.star {
			next = itemsOf(facets)
			if anyHas(facets, "prefixItems") {
				s.problem(ProblemCannotFollow, true, "prefixItems at %s", pointer(segs[:i], nil))
				return nil, false
			}
		} else {
			if !s.plain(facets, seg.name) {
				return nil, false
			}
			next = declared(facets, seg.name)
		}
		if next == nil {
			s.problem(ProblemNotDeclared, false, "the schema does not declare %s", pointer(segs[:i+1], nil))
			return nil, false
		}
		cur = next
	}
	return cur, true
}

// objectFacets are the facets of an object schema whose members are about to change.
func (s *schemaRun) objectFacets(n *node, names ...string) ([]*node, bool) {
	facets, ok := s.facets(n, 0)
	if !ok {
		return nil, false
	}
	for _, name := range names {
		if !s.plain(facets, name) {
			return nil, false
		}
	}
	return facets, true
}

// facets are the schema objects that all describe the same value: the schema itself, its allOf, and the one branch of an
// anyOf or oneOf that is not null. A local $ref is replaced by a copy of its target, so that other users of the target
// stay as they are.
func (s *schemaRun) facets(n *node, depth int) ([]*node, bool) {
	if n.kind == kindTrue || n.kind == kindFalse {
		if n.kind == kindFalse {
			s.problem(ProblemCannotFollow, true, "a false schema")
			return nil, false
		}
		*n = *objectNode()
	}
	if n.kind != kindObject || depth > 32 {
		s.problem(ProblemCannotFollow, true, "no schema that can be followed")
		return nil, false
	}
	if n.get("$ref") != nil && !s.inline(n) {
		return nil, false
	}
	for _, key := range []string{"$dynamicRef", "const", "enum"} {
		if n.get(key) != nil {
			s.problem(ProblemCannotFollow, true, "%s", key)
			return nil, false
		}
	}
	out := []*node{n}
	parts := append([]*node{}, elems(n.get("allOf"))...)
	for _, key := range []string{"anyOf", "oneOf"} {
		if branch := notNull(n.get(key)); branch != nil {
			parts = append(parts, branch)
		}
	}
	for _, part := range parts {
		more, ok := s.facets(part, depth+1)
		if !ok {
			return nil, false
		}
		out = append(out, more...)
	}
	return out, true
}

// inline replaces {"$ref": …} by a copy of the target; assertions beside the $ref become an allOf.
func (s *schemaRun) inline(n *node) bool {
	ref, _ := n.get("$ref").str()
	target := resolveRef(s.orig, ref)
	for hops := 0; target != nil && hops < 32; hops++ { // a chain of references ends somewhere, or it is a circle
		next, ok := target.get("$ref").str()
		if !ok || len(assertions(target)) > 1 {
			break
		}
		target = resolveRef(s.orig, next)
	}
	if target == nil || target.get("$ref") != nil {
		s.problem(ProblemCannotFollow, true, "$ref %q is not local, leads nowhere or in a circle", ref)
		return false
	}
	n.remove("$ref")
	copied := target.clone()
	if copied.kind != kindObject {
		*n = *copied
		return true
	}
	copied.remove("$defs")
	if len(assertions(n)) == 0 {
		for _, m := range n.members {
			copied.set(m.name, m.val)
		}
		*n = *copied
		return true
	}
	all := n.get("allOf")
	if all == nil {
		all = &node{kind: kindArray, off: -1}
		n.set("allOf", all)
	}
	all.elems = append(all.elems, copied)
	return true
}

// plain says that no keyword which is not followed speaks about a member of that name.
func (s *schemaRun) plain(facets []*node, name string) bool {
	for _, f := range facets {
		if f.get("patternProperties") != nil {
			s.problem(ProblemCannotFollow, true, "patternProperties beside %q", name)
			return false
		}
		for _, key := range []string{"anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"} {
			v := f.get(key)
			if v == nil || notNull(v) != nil {
				continue
			}
			if mentions(v, name) {
				s.problem(ProblemCannotFollow, true, "%s speaks about %q", key, name)
				return false
			}
		}
	}
	return true
}

// mentions looks for a member name among properties, required and dependentSchemas anywhere below.
func mentions(n *node, name string) bool {
	for _, m := range n.members {
		switch m.name {
		case "properties", "dependentSchemas", "dependentRequired":
			if m.val.get(name) != nil {
				return true
			}
		case "required":
			for _, e := range m.val.elems {
				if t, ok := e.str(); ok && t == name {
					return true
				}
			}
		case "$ref": // may say anything
			return true
		}
		if mentions(m.val, name) {
			return true
		}
	}
	for _, e := range n.elems {
		if mentions(e, name) {
			return true
		}
	}
	return false
}

// checkRefs finds references into places that the operations changed.
func (s *schemaRun) checkRefs(n *node) {
	for _, m := range n.members {
		if ref, ok := m.val.str(); ok && m.name == "$ref" && strings.HasPrefix(ref, "#") {
			was, is := resolveRef(s.orig, ref), resolveRef(s.root, ref)
			if was != nil && !equal(was, is) && !strings.HasPrefix(ref, "#/$defs/") {
				s.problems = append(s.problems, Problem{Op: -1, Code: ProblemDanglingRef, Path: ref, Text: "the operations changed what this $ref points to", Fatal: true})
			}
		}
		s.checkRefs(m.val)
	}
	for _, e := range n.elems {
		s.checkRefs(e)
	}
}

// resolveRef follows a local reference: "#" or "#/json/pointer".
func resolveRef(root *node, ref string) *node {
	if ref == "#" {
		return root
	}
	rest, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	cur := root
	for part := range strings.SplitSeq(rest, "/") {
		name, err := unescape(part)
		if err != nil || cur == nil {
			return nil
		}
		if cur.kind == kindArray {
			if cur = elemAt(cur, name); cur == nil {
				return nil
			}
			continue
		}
		cur = cur.get(name)
	}
	return cur
}

func elemAt(n *node, index string) *node {
	if !isIndex(index) || len(index) > 9 {
		return nil
	}
	i := 0
	for _, c := range index {
		i = i*10 + int(c-'0')
	}
	if i >= len(n.elems) {
		return nil
	}
	return n.elems[i]
}
