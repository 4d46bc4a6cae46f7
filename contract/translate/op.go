package translate

import (
	"fmt"
	"strings"
)

// The operations of seed 003.
const (
	OpRename  = "rename"
	OpMove    = "move"
	OpDefault = "default"
	OpDrop    = "drop"
)

// Op is one checked operation, written from the older version to the newer one. Its zero value does nothing useful; ops
// come from ParseOps or Load.
type Op struct {
	kind  string
	path  path  // rename, default, drop; a move's source
	to    path  // a rename's or a move's target
	value *node // a default's value, a drop's restore; nil when absent
}

// Ops is a list of operations in the order in which they are applied upwards.
type Ops []Op

// Kind is rename, move, default or drop.
func (o Op) Kind() string { return o.kind }

// Path is the pointer that the operation reads: a rename's, default's or drop's path, a move's source.
func (o Op) Path() string { return o.path.text }

// Target is the pointer of a rename's or move's destination, "" for the others.
func (o Op) Target() string { return o.to.text }

// Value is the JSON text of a default's value or a drop's restore, and whether there is one.
func (o Op) Value() (string, bool) {
	if o.value == nil {
		return "", false
	}
	return string(o.value.append(nil)), true
}

// unwraps says whether a move puts a value in the place of its own ancestor.
func (o Op) unwraps() bool { return o.kind == OpMove && o.path.startsWith(o.to) }

// String is the operation in one line, as lists of steps show it.
func (o Op) String() string {
	switch o.kind {
	case OpRename, OpMove:
		return o.kind + " " + o.path.text + " → " + o.to.text
	case OpDefault:
		v, _ := o.Value()
		return o.kind + " " + o.path.text + " = " + v
	}
	if v, ok := o.Value(); ok {
		return o.kind + " " + o.path.text + ", restore " + v
	}
	return o.kind + " " + o.path.text
}

// Invertible is nil when the list can be derived backwards, else the error of the first operation that cannot.
func (ops Ops) Invertible() *OpError {
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].unwraps() {
			return &OpError{Code: ReasonNotInvertible, At: ops[i].to.text, Index: i}
		}
	}
	return nil
}

// badOp is what is wrong with one operation; at is the offending text, off its place in the source.
type badOp struct {
	at   string
	off  int
	text string
}

// opFields are the members each operation needs, then those it may have.
var opFields = map[string][2][]string{
	OpRename:  {{"path", "to"}, nil},
	OpMove:    {{"from", "to"}, nil},
	OpDefault: {{"path", "value"}, nil},
	OpDrop:    {{"path"}, {"restore"}},
}

// compileOp checks one operation of a rule file.
func compileOp(n *node) (Op, *badOp) {
	if n.kind != kindObject {
		return Op{}, &badOp{off: n.off, text: "an operation is an object, not " + n.what()}
	}
	kind, ok := n.get("op").str()
	if !ok {
		return Op{}, &badOp{off: n.off, text: `"op" must be rename, move, default or drop`}
	}
	fields, ok := opFields[kind]
	if !ok {
		return Op{}, &badOp{off: n.get("op").off, text: fmt.Sprintf("unknown operation %q: want rename, move, default or drop", kind)}
	}
	if bad := checkFields(n, kind, fields[0], fields[1]); bad != nil {
		return Op{}, bad
	}
	op := Op{kind: kind}
	for _, name := range []string{"path", "from"} {
		if v := n.get(name); v != nil {
			var bad *badOp
			if op.path, bad = pathOf(v, name); bad != nil {
				return Op{}, bad
			}
		}
	}
	return compileRest(op, n)
}

func compileRest(op Op, n *node) (Op, *badOp) {
	switch op.kind {
	case OpRename:
		return compileRename(op, n.get("to"))
	case OpMove:
		var bad *badOp
		if op.to, bad = pathOf(n.get("to"), "to"); bad != nil {
			return Op{}, bad
		}
		return compileMove(op, n.get("to").off)
	case OpDefault:
		op.value = n.get("value").clone()
	case OpDrop:
		op.value = n.get("restore").clone()
	}
	return op, nil
}

func checkFields(n *node, kind string, need, may []string) *badOp {
	for _, name := range need {
		if n.get(name) == nil {
			return &badOp{off: n.off, text: fmt.Sprintf("%s needs %q", kind, name)}
		}
	}
	for _, m := range n.members {
		if m.name == "note" && m.val.kind != kindString {
			return &badOp{at: m.name, off: m.val.off, text: `"note" must be a string, not ` + m.val.what()}
		}
		if m.name == "op" || m.name == "note" || contains(need, m.name) || contains(may, m.name) {
			continue
		}
		return &badOp{at: m.name, off: m.val.off, text: fmt.Sprintf("%s has no member %q", kind, m.name)}
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func pathOf(v *node, name string) (path, *badOp) {
	text, ok := v.str()
	if !ok {
		return path{}, &badOp{off: v.off, text: fmt.Sprintf("%q must be a string, not %s", name, v.what())}
	}
	p, err := parsePath(text)
	if err != nil {
		return path{}, &badOp{at: text, off: v.off, text: err.Error()}
	}
	return p, nil
}

func compileRename(op Op, v *node) (Op, *badOp) {
	to, ok := v.str()
	if !ok {
		return Op{}, &badOp{off: v.off, text: `"to" must be a string, not ` + v.what()}
	}
	bad := func(format string, args ...any) (Op, *badOp) {
		return Op{}, &badOp{at: to, off: v.off, text: fmt.Sprintf(format, args...)}
	}
	if strings.Contains(to, "/") {
		return bad("a rename's target is one name, not a path: use move, or ~1 for a slash")
	}
	s, err := parseSegment(to)
	if err != nil {
		return bad("%v", err)
	}
	if s.star {
		return bad("a rename's target is one name, not *")
	}
	if s.name == op.path.last() {
		return bad("renames %q to itself", s.name)
	}
	op.to = op.path.sibling(s.name)
	return op, nil
}

func compileMove(op Op, off int) (Op, *badOp) {
	from, to := op.path, op.to
	bad := func(format string, args ...any) (Op, *badOp) {
		return Op{}, &badOp{at: to.text, off: off, text: fmt.Sprintf(format, args...)}
	}
	if to.startsWith(from) {
		return bad("moves %s into itself: go through a temporary name", from.text)
	}
	n := from.starPrefix()
	if to.starPrefix() != n || from.stars() != to.stars() {
		return bad("the * of %s and %s do not match: a value stays in its own element", from.text, to.text)
	}
	for i := range n {
		if from.segs[i] != to.segs[i] {
			return bad("the * of %s and %s belong to different arrays", from.text, to.text)
		}
	}
	return op, nil
}
