package translate

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// field is one member of a generated contract version.
type field struct {
	name     string
	required bool
	nullable bool   // objects only
	kind     string // string, integer, number, boolean, object, array (of objects)
	members  []*field
}

var names = []string{"a", "b", "c", "d", "e", "f", "g", "h", "", "a/b", "m~n", "é"}

func genObject(t *rapid.T, depth int) []*field {
	n := rapid.IntRange(1, 4).Draw(t, "members")
	picked := rapid.SliceOfNDistinct(rapid.SampledFrom(names), n, n, rapid.ID[string]).Draw(t, "names")
	var out []*field
	for _, name := range picked {
		kinds := []string{"string", "integer", "number", "boolean"}
		if depth > 0 {
			kinds = append(kinds, "object", "object", "array")
		}
		f := &field{name: name, required: rapid.Bool().Draw(t, "required"), kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		if f.kind == "object" || f.kind == "array" {
			f.members = genObject(t, depth-1)
		}
		f.nullable = f.kind == "object" && rapid.IntRange(0, 5).Draw(t, "nullable") == 0
		out = append(out, f)
	}
	return out
}

func objectSchema(members []*field, nullable bool) string {
	var props, required []string
	for _, f := range members {
		props = append(props, quote(f.name)+":"+f.schema())
		if f.required {
			required = append(required, quote(f.name))
		}
	}
	typ := `"object"`
	if nullable {
		typ = `["object","null"]`
	}
	s := fmt.Sprintf(`{"type":%s,"additionalProperties":false,"properties":{%s}`, typ, strings.Join(props, ","))
	if required != nil {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return s + "}"
}

func (f *field) schema() string {
	switch f.kind {
	case "object":
		return objectSchema(f.members, f.nullable)
	case "array":
		return `{"type":"array","items":` + objectSchema(f.members, false) + `}`
	}
	return fmt.Sprintf(`{"type":%q}`, f.kind)
}

// genDoc draws a document of the version: no empty objects, no members that it does not declare.
func genDoc(t *rapid.T, members []*field) string {
	var out []string
	skipped := -1
	for i, f := range members {
		if !f.required && !rapid.Bool().Draw(t, "present") {
			skipped = i
			continue
		}
		out = append(out, quote(f.name)+":"+f.value(t))
	}
	if len(out) == 0 && len(members) > 0 {
		out = append(out, quote(members[skipped].name)+":"+members[skipped].value(t))
	}
	return "{" + strings.Join(out, ",") + "}"
}

func (f *field) value(t *rapid.T) string {
	switch f.kind {
	case "object":
		if f.nullable && rapid.IntRange(0, 2).Draw(t, "null") == 0 {
			return "null"
		}
		return genDoc(t, f.members)
	case "array":
		n := rapid.IntRange(0, 3).Draw(t, "elements")
		elems := make([]string, n)
		for i := range elems {
			elems[i] = genDoc(t, f.members)
		}
		return "[" + strings.Join(elems, ",") + "]"
	}
	return genScalar(t, f.kind)
}

var scalars = map[string][]string{
	"string":  {`""`, `"x"`, `"standard"`, `"\u00e9"`, `"1"`},
	"integer": {"0", "1", "-7", "1.0", "10e1", "9007199254740993"},
	"number":  {"0.5", "1", "1.50", "-0", "1e-7"},
	"boolean": {"true", "false"},
}

func genScalar(t *rapid.T, kind string) string {
	return rapid.SampledFrom(scalars[kind]).Draw(t, "value")
}

// place is an object of the version: its members by reference, and the path that leads to it.
type place struct {
	path    string
	members *[]*field
	base    int // length of the path up to the last element of an array: moves stay below it
}

func places(path string, members *[]*field, base int) []place {
	out := []place{{path, members, base}}
	for _, f := range *members {
		switch p := path + "/" + escaper.Replace(f.name); f.kind {
		case "object":
			out = append(out, places(p, &f.members, base)...)
		case "array":
			out = append(out, places(p+"/*", &f.members, len(p)+2)...)
		}
	}
	return out
}

func find(members []*field, name string) int {
	for i, f := range members {
		if f.name == name {
			return i
		}
	}
	return -1
}

func fresh(t *rapid.T, members []*field) (string, bool) {
	var free []string
	for _, n := range names {
		if find(members, n) < 0 {
			free = append(free, n)
		}
	}
	if len(free) == 0 {
		return "", false
	}
	return rapid.SampledFrom(free).Draw(t, "fresh"), true
}

// genOp draws an operation that makes sense for the version and changes the version accordingly; "" when the draw leads
// nowhere.
func genOp(t *rapid.T, root *[]*field) string {
	p := rapid.SampledFrom(places("", root, 0)).Draw(t, "place")
	kind := rapid.SampledFrom([]string{OpRename, OpMove, OpMove, OpDefault, OpDrop}).Draw(t, "op")
	if kind == OpDefault {
		return genDefault(t, p)
	}
	if len(*p.members) == 0 {
		return ""
	}
	i := rapid.IntRange(0, len(*p.members)-1).Draw(t, "which")
	f := (*p.members)[i]
	path := p.path + "/" + escaper.Replace(f.name)
	switch kind {
	case OpRename:
		name, ok := fresh(t, *p.members)
		if !ok {
			return ""
		}
		f.name = name
		return fmt.Sprintf(`{"op":"rename","path":%s,"to":%s}`, quote(path), quote(escaper.Replace(name)))
	case OpMove:
		return genMove(t, root, p, f, path)
	}
	*p.members = append((*p.members)[:i:i], (*p.members)[i+1:]...)
	// a restore for what may be absent is an exception of the laws, with a case of its own
	if f.required && rapid.Bool().Draw(t, "restore") {
		if v := f.value(t); !strings.Contains(v, "{}") {
			return fmt.Sprintf(`{"op":"drop","path":%s,"restore":%s}`, quote(path), v)
		}
	}
	return fmt.Sprintf(`{"op":"drop","path":%s}`, quote(path))
}

func genDefault(t *rapid.T, p place) string {
	name, ok := fresh(t, *p.members)
	if !ok {
		return ""
	}
	kind := rapid.SampledFrom([]string{"string", "integer", "number", "boolean"}).Draw(t, "kind")
	*p.members = append(*p.members, &field{name: name, required: false, kind: kind})
	return fmt.Sprintf(`{"op":"default","path":%s,"value":%s}`, quote(p.path+"/"+escaper.Replace(name)), genScalar(t, kind))
}

// genMove moves a member to a free place in another object below the same base, or in a new one there.
func genMove(t *rapid.T, root *[]*field, from place, f *field, path string) string {
	var ok []place
	for _, q := range places("", root, 0) {
		inside := q.path == path || strings.HasPrefix(q.path, path+"/")
		if q.base == from.base && q.path[:q.base] == from.path[:from.base] && !inside {
			ok = append(ok, q)
		}
	}
	to := rapid.SampledFrom(ok).Draw(t, "target")
	// a parent of the target may come to be for the moved value alone, one of the source may be pruned with it
	for _, q := range places("", root, 0) {
		if q.path != "" && within(to.path, q.path) || from.path != "" && within(from.path, q.path) {
			for _, m := range *q.members {
				m.required = false
			}
		}
	}
	target := to.path
	if rapid.Bool().Draw(t, "new parent") {
		name, free := fresh(t, *to.members)
		if !free {
			return ""
		}
		parent := &field{name: name, kind: "object"}
		*to.members = append(*to.members, parent)
		to = place{members: &parent.members}
		target += "/" + escaper.Replace(name)
	}
	name, free := fresh(t, *to.members)
	if !free {
		return ""
	}
	*from.members = remove(*from.members, f)
	*to.members = append(*to.members, &field{name: name, kind: f.kind, members: f.members, nullable: f.nullable})
	pruneModel(root)
	return fmt.Sprintf(`{"op":"move","from":%s,"to":%s}`, quote(path), quote(target+"/"+escaper.Replace(name)))
}

func remove(members []*field, f *field) []*field {
	var out []*field
	for _, m := range members {
		if m != f {
			out = append(out, m)
		}
	}
	return out
}

// pruneModel takes objects without members out of the model; elements of arrays stay.
func pruneModel(members *[]*field) {
	var out []*field
	for _, f := range *members {
		if f.members != nil || f.kind == "object" {
			pruneModel(&f.members)
		}
		if f.kind != "object" || len(f.members) > 0 || f.nullable { // null stays
			out = append(out, f)
		}
	}
	*members = out
}

func within(path, outer string) bool { return path == outer || strings.HasPrefix(path, outer+"/") }
