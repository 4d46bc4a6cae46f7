package translate

// Side is the half of a call that a document belongs to.
type Side string

// The two sides, named as rule files name them.
const (
	Input  Side = "input"  // arguments
	Output Side = "output" // structured results
)

// Direction is up (older → newer) or down.
type Direction bool

// The two directions.
const (
	Up   Direction = true
	Down Direction = false
)

// String is "up" or "down".
func (d Direction) String() string {
	if d == Up {
		return "up"
	}
	return "down"
}

// Apply carries one JSON document through a list of operations. The document is not modified; on an error nothing is
// returned but the error (*SyntaxError or *OpError).
func Apply(ops Ops, dir Direction, side Side, doc []byte) ([]byte, []Note, error) {
	root, err := parseTree(doc)
	if err != nil {
		return nil, nil, err
	}
	notes, fault := applyTree(ops, dir, side, root, nil)
	if fault != nil {
		return nil, nil, fault
	}
	return root.append(make([]byte, 0, len(doc)+64)), notes, nil
}

// applyTree changes the tree in place; after an error the tree is of no use.
func applyTree(ops Ops, dir Direction, side Side, root *node, notes []Note) ([]Note, *OpError) {
	if dir == Down {
		if fault := ops.Invertible(); fault != nil {
			return notes, fault
		}
	}
	r := run{dir: dir, side: side, root: root, notes: notes}
	for i := range ops {
		at := i
		if dir == Down {
			at = len(ops) - 1 - i
		}
		if fault := r.op(&ops[at]); fault != nil {
			fault.Index = at
			return r.notes, fault
		}
	}
	return r.notes, nil
}

// run is one list being applied to one document.
type run struct {
	dir   Direction
	side  Side
	root  *node
	notes []Note
	index []int // array indices of the `*` segments on the way to the present place
}

func (r *run) op(o *Op) *OpError {
	switch o.kind {
	case OpRename:
		from, to := o.path, o.to
		if r.dir == Down {
			from, to = to, from
		}
		return r.each(r.root, from.parent(), 0, func(parent *node) *OpError { return r.rename(parent, from, to) })
	case OpMove:
		from, to := o.path, o.to
		if r.dir == Down {
			from, to = to, from
		}
		n := from.starPrefix()
		return r.each(r.root, from.segs[:n], 0, func(base *node) *OpError { return r.move(base, from, to, n) })
	case OpDefault:
		if r.dir == Up {
			return r.each(r.root, o.path.parent(), 0, func(parent *node) *OpError { return r.insert(parent, o) })
		}
		return r.each(r.root, o.path.parent(), 0, func(parent *node) *OpError { return r.undefault(parent, o) })
	}
	if r.dir == Up {
		return r.each(r.root, o.path.parent(), 0, func(parent *node) *OpError { return r.drop(parent, o) })
	}
	return r.each(r.root, o.path.parent(), 0, func(parent *node) *OpError { return r.restore(parent, o) })
}

// each calls do for every object that segs[at:] leads to from n. Absent and null places are skipped, others of the wrong
// kind are path_type.
func (r *run) each(n *node, segs []segment, at int, do func(*node) *OpError) *OpError {
	if n == nil || n.kind == kindNull {
		return nil
	}
	if at == len(segs) {
		if n.kind != kindObject {
			return r.fault(ReasonPathType, segs, n.what()+" where an object is needed")
		}
		return do(n)
	}
	if !segs[at].star {
		if n.kind != kindObject {
			return r.fault(ReasonPathType, segs[:at], n.what()+" where an object is needed")
		}
		return r.each(n.get(segs[at].name), segs, at+1, do)
	}
	if n.kind != kindArray {
		return r.fault(ReasonPathType, segs[:at], n.what()+" where an array is needed")
	}
	depth := len(r.index)
	for i, e := range n.elems {
		r.index = append(r.index[:depth], i)
		if fault := r.each(e, segs, at+1, do); fault != nil {
			return fault
		}
	}
	r.index = r.index[:depth]
	return nil
}

func (r *run) fault(code string, segs []segment, text string) *OpError {
	return &OpError{Code: code, At: pointer(segs, r.index), Text: text}
}

func (r *run) note(kind string, segs []segment) {
	r.notes = append(r.notes, Note{Kind: kind, Path: pointer(segs, r.index)})
}

func (r *run) rename(parent *node, from, to path) *OpError {
	if parent.find(to.last()) >= 0 {
		return r.fault(ReasonTargetExists, to.segs, "")
	}
	if i := parent.find(from.last()); i >= 0 {
		parent.members[i] = to.member(parent.members[i].val)
	}
	return nil
}

func (r *run) insert(parent *node, o *Op) *OpError {
	if parent.find(o.path.last()) < 0 {
		parent.members = append(parent.members, o.path.member(o.value.clone()))
		r.note(NoteInvented, o.path.segs)
	}
	return nil
}

// undefault takes a default out again. Arguments must say what the older version means by saying nothing; a result's
// value is dropped, because the older version has no place for it.
func (r *run) undefault(parent *node, o *Op) *OpError {
	i := parent.find(o.path.last())
	if i < 0 {
		return nil
	}
	if !equal(parent.members[i].val, o.value) {
		if r.side == Input {
			return r.fault(ReasonNotRepresentable, o.path.segs, "the older version can only mean "+string(o.value.append(nil)))
		}
		r.note(NoteLoss, o.path.segs)
	}
	parent.remove(o.path.last())
	return nil
}

func (r *run) drop(parent *node, o *Op) *OpError {
	if parent.find(o.path.last()) >= 0 {
		parent.remove(o.path.last())
		r.note(NoteLoss, o.path.segs)
	}
	return nil
}

func (r *run) restore(parent *node, o *Op) *OpError {
	if parent.find(o.path.last()) >= 0 {
		return r.fault(ReasonTargetExists, o.path.segs, "")
	}
	if o.value != nil {
		parent.members = append(parent.members, o.path.member(o.value.clone()))
		r.note(NoteInvented, o.path.segs)
	}
	return nil
}
