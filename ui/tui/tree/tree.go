// Package tree shows a JSON value as a tree that opens lazily, and marks what differs from an earlier value.
//
// A frame costs what its visible rows cost, whatever the size of the value: children are looked up when a node is
// opened, a page at a time; previews read the start of a text only. What is open, and where the cursor stands, is
// kept by JSON Pointer, so that it survives the next value. Nothing here knows agents, messages or events.
package tree

import (
	"strconv"
	"strings"

	"flowdbg/trace/canon"
	"flowdbg/ui/tui/rows"
)

const (
	// firstPage is how many children an opened node looks up at first; every further page is as long as all before it
	// together, three times over, so that looking from the start again stays linear in sum.
	firstPage = 1000
	growth    = 4
	// smallBytes is up to which size a node near the root is open from the start.
	smallBytes = 400
	// countBytes is up to which size a closed container is read through to say how many children it has.
	countBytes = 64 << 10
)

// node is one value of the tree. Rows are nodes, but for the row "more", which has none.
type node struct {
	parent *node
	key    string // member name, or index in an array
	index  bool   // key is an index
	depth  int    // of the row; children of the root have 0
	val    canon.Value
	prev   canon.Value // the value at the same pointer before, absent when there was none

	gone    bool // only prev has it
	differs int8 // 0 not compared yet, 1 equal, 2 differs
	count   int  // children, -1 unknown
	kids    []*node
	loaded  bool // kids holds the first page at least
	more    bool // there are children beyond kids
	keyW    int  // cells of the widest key among kids, bounded
	ptr     string
	hasPtr  bool
}

// memory is what is kept about a pointer from value to value.
type memory struct {
	open    bool
	touched bool // open was chosen by the user
	limit   int  // children looked up
}

// row is a visible line: a node, or the row behind a node's children that stands for the rest of them.
type row struct {
	n    *node
	rest bool
}

// Tree is the view of one value. The zero Tree shows nothing. It is not safe for use by several goroutines.
type Tree struct {
	root    *node
	compare bool
	rows    []row
	list    rows.List[string]
	mem     map[string]*memory
}

// Set shows val. With compare, what differs from prev (absent: everything is new) is marked. What was open stays
// open, and the cursor stays on its pointer.
func (t *Tree) Set(val, prev canon.Value, compare bool) {
	if t.mem == nil {
		t.mem = map[string]*memory{}
	}
	if !compare {
		prev = canon.Value{}
	}
	if t.root != nil && t.root.val == val && t.root.prev == prev && t.compare == compare {
		return
	}
	t.compare = compare
	t.root = &node{val: val, prev: prev, depth: -1, count: -1, hasPtr: true}
	t.flatten()
}

// flatten works out the rows from what is open.
func (t *Tree) flatten() {
	t.rows = t.rows[:0]
	if t.root != nil && !t.root.val.IsAbsent() {
		if hasKids(t.root.val) {
			t.addKids(t.root)
		} else {
			t.rows = append(t.rows, row{n: t.root})
		}
	}
	t.list.Update(len(t.rows), func(i int) string { return t.rows[i].id() }, t.find)
}

// find is where a row stands. Mostly it stands where the cursor was, which saves going through all of them.
func (t *Tree) find(id string) (int, bool) {
	if i := t.list.Cursor(); i < len(t.rows) && t.rows[i].id() == id {
		return i, true
	}
	for i := range t.rows {
		if t.rows[i].id() == id {
			return i, true
		}
	}
	return 0, false
}

func (t *Tree) addKids(n *node) {
	t.load(n)
	for _, k := range n.kids {
		t.rows = append(t.rows, row{n: k})
		if t.isOpen(k) {
			t.addKids(k)
		}
	}
	if n.more {
		t.rows = append(t.rows, row{n: n, rest: true})
	}
}

// id is what the cursor remembers: the pointer, or the pointer with a sign that no pointer ends in for the rest.
func (r row) id() string {
	if r.rest {
		return r.n.pointer() + "/~"
	}
	return r.n.pointer()
}

// pointer is the node's JSON Pointer (RFC 6901).
func (n *node) pointer() string {
	if !n.hasPtr {
		n.ptr, n.hasPtr = n.parent.pointer()+"/"+escapeToken(n.key), true
	}
	return n.ptr
}

// label is the key as it is shown; one that is empty or has blanks at its ends is quoted, else they could not be seen.
func (n *node) label() string {
	if n.key == "" || strings.TrimSpace(n.key) != n.key {
		return `"` + n.key + `"`
	}
	return n.key
}

func escapeToken(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// changed says whether the node's value differs from before; false when nothing is compared.
func (t *Tree) changed(n *node) bool {
	if !t.compare {
		return false
	}
	if n.differs == 0 {
		n.differs = 1
		if n.gone || n.val != n.prev {
			n.differs = 2
		}
	}
	return n.differs == 2
}

// isOpen says whether the node's children are shown: as chosen, else when it is small and near the root.
func (t *Tree) isOpen(n *node) bool {
	if n.gone || !hasKids(n.val) {
		return false
	}
	if m := t.mem[n.pointer()]; m != nil && m.touched {
		return m.open
	}
	return n.depth < 1 && n.val.Len() <= smallBytes
}

func (t *Tree) remember(n *node) *memory {
	m := t.mem[n.pointer()]
	if m == nil {
		m = &memory{limit: firstPage}
		t.mem[n.pointer()] = m
	}
	return m
}

func hasKids(v canon.Value) bool {
	k := v.Kind()
	return (k == canon.KindArray || k == canon.KindObject) && v.Len() > 2
}

// children is how many children the node has; ok is false when finding out would mean reading too much.
func (n *node) children() (count int, ok bool) {
	if n.count < 0 {
		switch {
		case n.loaded && !n.more:
			n.count = 0
			for _, k := range n.kids {
				if !k.gone {
					n.count++
				}
			}
		case n.val.Len() <= countBytes:
			n.count = n.val.Count()
		}
	}
	return n.count, n.count >= 0
}

func indexKey(i int) string { return strconv.Itoa(i) }
