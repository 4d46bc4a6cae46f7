package translate

import (
	"fmt"
	"strings"
)

// Codes of problems that a schema dry run meets.
const (
	ProblemNotDeclared    = "not_declared"    // the schema does not declare the place: the operation changes nothing there
	ProblemNoEffect       = "no_effect"       // a default that can never apply
	ProblemTargetDeclared = "target_declared" // the place a value goes to is declared already: documents will be refused
	ProblemCannotFollow   = "cannot_follow"   // a keyword that the dry run cannot carry through the operation
	ProblemNotRestorable  = "not_restorable"  // the way back leaves out what the older version requires
	ProblemBadValue       = "value_not_valid" // a default's value or a restore that the declared type does not allow
	ProblemDanglingRef    = "dangling_ref"    // a $ref to a place that the operations changed
	ProblemBadSchema      = "bad_schema"      // not a JSON object or boolean
)

// Problem is something the dry run of one operation on a schema met. Fatal means that the new schema does not describe the
// translated documents, so that no verdict may rest on it.
type Problem struct {
	Op    int    `json:"op"` // index in the list, -1 for the schema as a whole
	Code  string `json:"code"`
	Path  string `json:"path"` // the operation's path, `*` kept
	Text  string `json:"text"`
	Fatal bool   `json:"fatal"`
}

// String is the problem in one line.
func (p Problem) String() string {
	return fmt.Sprintf("op %d %s: %s: %s", p.Op, p.Path, p.Code, p.Text)
}

// ApplyToSchema carries a JSON Schema (2020-12, local $ref only) of the older version through the operations upwards. For
// side Input the new schema describes what arguments of the older version look like after translation: a sender. For side
// Output it describes what results the older version can be given through the way back: a receiver. So a default is a
// required constant in the first and an optional anything in the second. Documents hold no empty objects and no members
// that the schema does not declare (the terms of the translation laws). The given schema is not modified; with a fatal
// problem the new schema is only a best effort.
func ApplyToSchema(ops Ops, side Side, schema []byte) ([]byte, []Problem) {
	root, err := parseTree(schema)
	if err != nil {
		return nil, []Problem{{Op: -1, Code: ProblemBadSchema, Text: err.Error(), Fatal: true}}
	}
	out, problems := applyToSchemaTree(ops, side, root)
	return out.append(nil), problems
}

func applyToSchemaTree(ops Ops, side Side, schema *node) (*node, []Problem) {
	root := schema.clone()
	if len(ops) == 0 {
		return root, nil
	}
	if root.kind != kindObject && root.kind != kindTrue && root.kind != kindFalse {
		return root, []Problem{{Op: -1, Code: ProblemBadSchema, Text: "a schema is an object or a boolean, not " + root.what(), Fatal: true}}
	}
	s := &schemaRun{orig: schema, root: root, side: side, made: map[*node][]string{}}
	for i := range ops {
		s.at, s.op = i, &ops[i]
		s.apply()
	}
	s.checkRefs(root)
	return root, s.problems
}

// schemaRun is one list being applied to one schema.
type schemaRun struct {
	orig, root *node
	side       Side
	at         int
	op         *Op
	problems   []Problem
	made       map[*node][]string // object schemas made by moves → members required only while no other value moves there
}

func (s *schemaRun) problem(code string, fatal bool, format string, args ...any) {
	s.problems = append(s.problems, Problem{Op: s.at, Code: code, Path: s.op.path.text, Text: fmt.Sprintf(format, args...), Fatal: fatal})
}

func (s *schemaRun) apply() {
	o := s.op
	if o.kind == OpMove {
		s.move(o.path, o.to)
		return
	}
	parent, ok := s.follow(s.root, o.path.parent())
	if !ok {
		return
	}
	facets, ok := s.objectFacets(parent, o.path.last())
	if !ok {
		return
	}
	switch o.kind {
	case OpRename:
		s.rename(facets, o.path.last(), o.to.last())
	case OpDrop:
		s.drop(facets, o)
	case OpDefault:
		s.deflt(facets, o)
	}
}

func (s *schemaRun) rename(facets []*node, from, to string) {
	if declared(facets, to) != nil {
		s.problem(ProblemTargetDeclared, true, "%q is declared already", to)
		return
	}
	if declared(facets, from) == nil {
		s.problem(ProblemNotDeclared, false, "%q is not declared", from)
		return
	}
	for i, name := range s.made[facets[0]] {
		if name == from {
			s.made[facets[0]][i] = to
		}
	}
	for _, f := range facets {
		if p := f.get("properties"); p != nil {
			if i := p.find(from); i >= 0 {
				p.members[i] = newMember(to, p.members[i].val)
			}
		}
		renameIn(f.get("required"), from, to)
		if d := f.get("dependentRequired"); d != nil && d.kind == kindObject {
			if i := d.find(from); i >= 0 {
				d.members[i] = newMember(to, d.members[i].val)
			}
			for _, m := range d.members {
				renameIn(m.val, from, to)
			}
		}
	}
}

func (s *schemaRun) drop(facets []*node, o *Op) {
	name := o.path.last()
	if declared(facets, name) == nil {
		s.problem(ProblemNotDeclared, false, "%q is not declared", name)
		return
	}
	if s.side == Output && o.value == nil && isRequired(facets, name) {
		s.problem(ProblemNotRestorable, true, "the older version requires %q and the drop has no restore", name)
	}
	if s.side == Output && o.value != nil && !validValue(s.orig, declared(facets, name), o.value) {
		s.problem(ProblemBadValue, true, "the older version does not allow what is restored at %q", name)
	}
	undeclare(facets, name)
	delete(s.made, facets[0]) // it may be there and hold nothing now
}

func (s *schemaRun) deflt(facets []*node, o *Op) {
	name := o.path.last()
	old := declared(facets, name)
	required := isRequired(facets, name)
	if s.side == Output {
		switch {
		case old == nil:
			declare(facets[0], name, objectNode())
		case required:
			s.problem(ProblemNotRestorable, true, "the older version requires %q, and the way back removes it", name)
		case !validValue(s.orig, old, o.value):
			s.problem(ProblemBadValue, true, "the default is not what the schema of %q allows", name)
		default:
			s.problem(ProblemNoEffect, false, "the older version has %q already; the way back removes it", name)
		}
		return
	}
	switch {
	case old == nil:
		declare(facets[0], name, constSchema(o.value))
	case required:
		s.problem(ProblemNoEffect, false, "%q is required already", name)
		return
	case !validValue(s.orig, old, o.value):
		s.problem(ProblemBadValue, true, "the default is not what the schema of %q allows", name)
	}
	require(facets[0], name)
	if alone, isMade := s.made[facets[0]]; isMade { // a value moved there later may find no object to fill
		s.made[facets[0]] = append(alone, name)
	}
}

// constSchema is the schema of exactly one value, with its type for comparers that look at types first.
func constSchema(v *node) *node {
	typ := v.what()
	if typ == "number" && !strings.ContainsAny(v.raw, ".eE") {
		typ = "integer"
	}
	return objectNode(newMember("type", stringNode(typ)), newMember("const", v.clone()))
}
