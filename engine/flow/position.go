package flow

import (
	"iter"
	"strconv"
	"strings"

	"flowdbg/trace/canon"
)

// Pos is where the value at a JSON Pointer starts in the file: line and column from 1, columns in code points. For a pointer
// to nothing it is the deepest value on the way there.
func (f *Flow) Pos(pointer string) (line, col int) {
	return f.doc.Position(nearest(f.doc.Root, pointer).Off)
}

// Diagnose makes a diagnostic at the value of a JSON Pointer, for findings that need more than this package knows: what a
// behaviour thinks of its config, say. The code may be one of the caller's own.
func (f *Flow) Diagnose(sev Severity, code Code, pointer, message, want string) Diagnostic {
	line, col := f.Pos(pointer)
	return Diagnostic{
		Severity: sev, Code: code, File: f.file, Line: line, Col: col, Pointer: pointer, Message: message, Want: want,
	}
}

// AgentPointer is the JSON Pointer of an agent, or of a place inside it: AgentPointer("critic", "/config/model"). It is ""
// for an id that no agent has.
func (f *Flow) AgentPointer(id, inside string) string {
	i, ok := f.index.byID[id]
	if !ok {
		return ""
	}
	return element("/agents", i) + inside
}

// nearest is the node at a pointer, or the deepest one on the way to it.
func nearest(root *canon.Node, ptr string) *canon.Node {
	n := root
	for token := range pointerTokens(ptr) {
		next := childOf(n, token)
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// childOf is a member or element, nil when there is none.
func childOf(n *canon.Node, token string) *canon.Node {
	switch n.Kind {
	case canon.KindObject:
		return n.Get(token)
	case canon.KindArray:
		if i, err := strconv.ParseUint(token, 10, 32); err == nil && int(i) < len(n.Elems) {
			return n.Elems[i]
		}
	}
	return nil
}

// pointerTokens are the unescaped reference tokens of a JSON Pointer.
func pointerTokens(ptr string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for strings.HasPrefix(ptr, "/") {
			ptr = ptr[1:]
			end := strings.IndexByte(ptr, '/')
			if end < 0 {
				end = len(ptr)
			}
			if !yield(unescapePointer(ptr[:end])) {
				return
			}
			ptr = ptr[end:]
		}
	}
}

var (
	pointerEscapes   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescapes = strings.NewReplacer("~0", "~", "~1", "/")
)

// escapePointer writes a key as a reference token (RFC 6901 §3).
func escapePointer(key string) string { return pointerEscapes.Replace(key) }

func unescapePointer(token string) string { return pointerUnescapes.Replace(token) }

// element is the JSON Pointer of an array's element.
func element(ptr string, i int) string { return ptr + "/" + strconv.Itoa(i) }
