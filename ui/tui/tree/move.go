package tree

import (
	"strings"

	"flowdbg/trace/canon"
)

// Selected is the row under the cursor: its JSON Pointer, its value (absent when it is gone), and the value before.
// ok is false when there is no row or the row stands for children not looked up yet.
func (t *Tree) Selected() (ptr string, val, prev canon.Value, ok bool) {
	r, ok := t.current()
	if !ok || r.rest {
		return "", canon.Value{}, canon.Value{}, false
	}
	return r.n.pointer(), r.n.val, r.n.prev, true
}

func (t *Tree) current() (row, bool) {
	if i := t.list.Cursor(); i < len(t.rows) {
		return t.rows[i], true
	}
	return row{}, false
}

// Len is the number of rows that can be scrolled through as things stand.
func (t *Tree) Len() int { return len(t.rows) }

// Move goes by rows, Page by windows, Home and End to the ends; Scroll moves the window. Reaching the row that stands
// for further children looks them up.
func (t *Tree) Move(d int) { t.list.Move(d); t.more() }

// Page goes by windows.
func (t *Tree) Page(d int) { t.list.Page(d); t.more() }

// Home goes to the first row.
func (t *Tree) Home() { t.list.Home() }

// End goes to the last row; of a node with very many children that is the last one looked up.
func (t *Tree) End() { t.list.End(); t.more() }

// Scroll moves the window by rows.
func (t *Tree) Scroll(d int) { t.list.Scroll(d); t.more() }

// SetCursor goes to the row on line y of the window, for the mouse.
func (t *Tree) SetCursor(y int) {
	if i, ok := t.list.RowAt(y); ok {
		t.list.SetCursor(i)
		t.more()
	}
}

// Thumb is the part of a scroll bar that stands for the window (see rows.List).
func (t *Tree) Thumb() (from, to int) { return t.list.Thumb() }

// more looks up the next page when the cursor stands on the row for the rest. The cursor then stands on the first of
// the new rows.
func (t *Tree) more() {
	r, ok := t.current()
	if !ok || !r.rest {
		return
	}
	at, n := t.list.Cursor(), len(r.n.kids)
	t.remember(r.n).limit = max(n, firstPage) * growth
	t.flatten()
	t.list.SetCursor(at)
}

// Toggle opens or closes the node under the cursor.
func (t *Tree) Toggle() {
	if r, ok := t.current(); ok && !r.rest {
		t.setOpen(r.n, !t.isOpen(r.n))
	}
}

// Open opens the node under the cursor; an open one is entered.
func (t *Tree) Open() {
	r, ok := t.current()
	switch {
	case !ok || r.rest:
	case t.isOpen(r.n):
		t.Move(1)
	default:
		t.setOpen(r.n, true)
	}
}

// Close closes the node under the cursor; from a closed one the cursor goes to its parent. It is false when there was
// nothing to close and no parent.
func (t *Tree) Close() bool {
	r, ok := t.current()
	if !ok {
		return false
	}
	if !r.rest && t.isOpen(r.n) {
		t.setOpen(r.n, false)
		return true
	}
	up := r.n.parent
	if r.rest {
		up = r.n
	}
	if up == nil || up.depth < 0 {
		return false
	}
	if i, ok := t.find(up.pointer()); ok {
		t.list.SetCursor(i)
	}
	return true
}

func (t *Tree) setOpen(n *node, open bool) {
	if n.depth < 0 || n.gone || !hasKids(n.val) {
		return
	}
	m := t.remember(n)
	m.open, m.touched = open, true
	t.flatten()
}

// Goto puts the cursor on a JSON Pointer and opens everything above it, looking children up until they are found. It
// returns false, and goes nowhere, when the value has no such place.
func (t *Tree) Goto(ptr string) bool {
	if t.root == nil || ptr != "" && ptr[0] != '/' {
		return false
	}
	if v, err := t.root.val.Pointer(ptr); err != nil || v.IsAbsent() {
		return false
	}
	if ptr == "" {
		t.list.Home()
		return true
	}
	n := t.root
	for rest := ptr; rest != ""; {
		token, after, found := strings.Cut(rest[1:], "/")
		kid := t.childAt(n, token)
		if kid == nil {
			return false
		}
		if found {
			m := t.remember(kid)
			m.open, m.touched = true, true
			after = "/" + after
		}
		n, rest = kid, after
	}
	t.flatten()
	i, ok := t.find(n.pointer())
	if ok {
		t.list.Center(i)
	}
	return ok
}

// childAt finds the child with an escaped token, page by page.
func (t *Tree) childAt(n *node, token string) *node {
	for seen := 0; ; {
		t.load(n)
		for ; seen < len(n.kids); seen++ {
			if escapeToken(n.kids[seen].key) == token {
				return n.kids[seen]
			}
		}
		if !n.more {
			return nil
		}
		t.remember(n).limit = max(len(n.kids), firstPage) * growth
	}
}
