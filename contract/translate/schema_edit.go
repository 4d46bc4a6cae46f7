package translate

// elems are the elements of an array node, or none.
func elems(n *node) []*node {
	if n == nil || n.kind != kindArray {
		return nil
	}
	return n.elems
}

// notNull is the branch X of [X, {"type":"null"}] in either order, or nil.
func notNull(n *node) *node {
	e := elems(n)
	if len(e) != 2 {
		return nil
	}
	for i := range e {
		if t, ok := e[i].get("type").str(); ok && t == "null" && e[1-i].kind == kindObject {
			return e[1-i]
		}
	}
	return nil
}

// nullable says whether a facet allows null beside the object.
func nullable(facets []*node) bool {
	for _, f := range facets {
		if notNull(f.get("anyOf")) != nil || notNull(f.get("oneOf")) != nil {
			return true
		}
		if hasType(f, "null") {
			return true
		}
	}
	return false
}

// hasType says whether the type keyword names a type, alone or in a list.
func hasType(f *node, want string) bool {
	t := f.get("type")
	if name, ok := t.str(); ok {
		return name == want
	}
	for _, e := range elems(t) {
		if name, _ := e.str(); name == want {
			return true
		}
	}
	return false
}

// allowsObject says whether the declared types, if any, have object among them.
func allowsObject(facets []*node) bool {
	for _, f := range facets {
		if f.get("type") != nil && !hasType(f, "object") {
			return false
		}
	}
	return true
}

// annotations are keywords that say nothing about which documents are valid.
var annotations = map[string]bool{
	"title": true, "description": true, "examples": true, "$comment": true, "default": true, "deprecated": true,
	"readOnly": true, "writeOnly": true, "$defs": true, "definitions": true, "$schema": true, "$id": true,
}

func assertions(n *node) []string {
	var out []string
	for _, m := range n.members {
		if !annotations[m.name] {
			out = append(out, m.name)
		}
	}
	return out
}

func anyHas(facets []*node, key string) bool {
	for _, f := range facets {
		if f.get(key) != nil {
			return true
		}
	}
	return false
}

func itemsOf(facets []*node) *node {
	for _, f := range facets {
		if v := f.get("items"); v != nil {
			return v
		}
	}
	return nil
}

// declared is the first schema of a member among the facets, or nil.
func declared(facets []*node, name string) *node {
	for _, f := range facets {
		if v := f.get("properties").get(name); v != nil {
			return v
		}
	}
	return nil
}

// members counts declared members over all facets.
func memberCount(facets []*node) int {
	n := 0
	for _, f := range facets {
		if p := f.get("properties"); p != nil {
			n += len(p.members)
		}
	}
	return n
}

func isRequired(facets []*node, name string) bool {
	for _, f := range facets {
		for _, e := range elems(f.get("required")) {
			if t, _ := e.str(); t == name {
				return true
			}
		}
	}
	return false
}

// requiredCount counts required members over all facets.
func requiredCount(facets []*node) int {
	n := 0
	for _, f := range facets {
		n += len(elems(f.get("required")))
	}
	return n
}

func declare(f *node, name string, schema *node) {
	p := f.get("properties")
	if p == nil || p.kind != kindObject {
		p = objectNode()
		f.set("properties", p)
	}
	p.set(name, schema)
}

func require(f *node, name string) {
	r := f.get("required")
	if r == nil || r.kind != kindArray {
		r = &node{kind: kindArray, off: -1}
		f.set("required", r)
	}
	for _, e := range r.elems {
		if t, _ := e.str(); t == name {
			return
		}
	}
	r.elems = append(r.elems, stringNode(name))
}

// unrequire takes a name out of required in every facet; an empty list goes too.
func unrequire(facets []*node, name string) {
	for _, f := range facets {
		r := f.get("required")
		if r == nil {
			continue
		}
		kept := r.elems[:0]
		for _, e := range r.elems {
			if t, _ := e.str(); t != name {
				kept = append(kept, e)
			}
		}
		if r.elems = kept; len(kept) == 0 {
			f.remove("required")
		}
	}
}

// requireOnly keeps of all required names only the one given.
func requireOnly(facets []*node, name string) {
	for _, f := range facets {
		for _, e := range append([]*node{}, elems(f.get("required"))...) {
			if t, _ := e.str(); t != name {
				unrequire([]*node{f}, t)
			}
		}
	}
}

// undeclare takes a member out of properties, required and dependentRequired.
func undeclare(facets []*node, name string) {
	for _, f := range facets {
		if p := f.get("properties"); p != nil && p.kind == kindObject {
			p.remove(name)
		}
		if d := f.get("dependentRequired"); d != nil && d.kind == kindObject {
			d.remove(name)
			for _, m := range d.members {
				removeString(m.val, name)
			}
		}
	}
	unrequire(facets, name)
}

func removeString(list *node, s string) {
	kept := list.elems[:0]
	for _, e := range list.elems {
		if t, _ := e.str(); t != s {
			kept = append(kept, e)
		}
	}
	list.elems = kept
}

func renameIn(list *node, from, to string) {
	for i, e := range elems(list) {
		if t, _ := e.str(); t == from {
			list.elems[i] = stringNode(to)
		}
	}
}

// closed says whether a facet forbids members that it does not declare.
func closed(facets []*node) bool {
	for _, f := range facets {
		for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
			if v := f.get(key); v != nil && v.kind == kindFalse {
				return true
			}
		}
	}
	return false
}
