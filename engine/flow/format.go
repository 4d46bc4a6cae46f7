package flow

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"flowdbg/trace/canon"
)

// formatWidth is how many code points a line may have before an object or array on it is opened up.
const formatWidth = 100

// Orders of members in a formatted flow: the seed's, then ours. Unknown ones follow in the order of the file.
var (
	flowMembers   = []string{"version", "id", "agents", "edges", "budget", "input", "effects", "mcpServers", "contracts", "messages"}
	agentMembers  = []string{"id", "kind", "config", "ports", "contract_version"}
	edgeMembers   = []string{"from", "port", "to"}
	budgetMembers = []string{"usd", "tokens", "steps", "allow_unmetered"}
	inputMembers  = []string{"to", "tag", "payload"}
)

// Format lays out a flow like the seed's example: members in the seed's order, every agent and every edge on a line of its own,
// the input opened up, anything else on one line where it fits into 100 columns. Unknown fields are kept, and so are the
// spellings of numbers and strings; line ends become "\n". The canonical form, and with it the hash, does not change, and
// formatting twice is formatting once.
//
// Only what Parse can read as a document is formatted: bad JSON, duplicate keys, bad UTF-8 and numbers without a canonical form
// are refused, and so is a document that is no object. Other errors of the flow do not matter.
func Format(data []byte) ([]byte, error) {
	doc, errs := canon.ParseDoc(data)
	if len(errs) > 0 {
		return nil, fmt.Errorf("the flow cannot be read: %w", errs[0])
	}
	if doc.Root.Kind != canon.KindObject {
		return nil, errors.New("a flow is a JSON object, and this is " + kindName(doc.Root.Kind))
	}
	l := layout{src: doc.Data, out: make([]byte, 0, len(data)+len(data)/4)}
	l.flow(doc.Root)
	return append(l.out, '\n'), nil
}

// layout writes nodes with the spelling that they have in the source.
type layout struct {
	src []byte
	out []byte
}

// flow writes the whole document.
func (l *layout) flow(root *canon.Node) {
	lines(l, '{', '}', 0, inOrder(root, flowMembers).Members, func(m canon.NodeMember) {
		l.key(m)
		n := m.Value
		switch {
		case m.Key == "agents" && n.Kind == canon.KindArray:
			l.rows(n, agentMembers)
		case m.Key == "edges" && n.Kind == canon.KindArray:
			l.rows(n, edgeMembers)
		case m.Key == "budget":
			l.fitted(inOrder(n, budgetMembers), 2)
		case m.Key == "input" && n.Kind == canon.KindObject:
			l.opened(inOrder(n, inputMembers), 2)
		default:
			l.fitted(n, 2)
		}
	})
}

// lines writes brackets around items, each on a line of its own, indented by two more than the closing bracket.
func lines[T any](l *layout, open, end byte, indent int, items []T, write func(T)) {
	l.out = append(l.out, open)
	for i, item := range items {
		if i > 0 {
			l.out = append(l.out, ',')
		}
		l.newline(indent + 2)
		write(item)
	}
	if len(items) > 0 {
		l.newline(indent)
	}
	l.out = append(l.out, end)
}

func (l *layout) newline(indent int) {
	l.out = append(l.out, '\n')
	for range indent {
		l.out = append(l.out, ' ')
	}
}

// rows writes an array with one element per line, however long.
func (l *layout) rows(list *canon.Node, order []string) {
	lines(l, '[', ']', 2, list.Elems, func(n *canon.Node) { l.inline(inOrder(n, order)) })
}

// fitted writes a value on the rest of the line if it fits, with a comma, else opened up.
func (l *layout) fitted(n *canon.Node, indent int) {
	if l.width(n, formatWidth-1-l.column()) >= 0 {
		l.inline(n)
		return
	}
	l.opened(n, indent)
}

// opened writes an object or array over several lines, and anything else as it is.
func (l *layout) opened(n *canon.Node, indent int) {
	switch n.Kind {
	case canon.KindObject:
		lines(l, '{', '}', indent, n.Members, func(m canon.NodeMember) {
			l.key(m)
			l.fitted(m.Value, indent+2)
		})
	case canon.KindArray:
		lines(l, '[', ']', indent, n.Elems, func(e *canon.Node) { l.fitted(e, indent+2) })
	default:
		l.inline(n)
	}
}

func (l *layout) inline(n *canon.Node) {
	switch {
	case n.Kind == canon.KindObject && len(n.Members) > 0:
		l.out = append(l.out, "{ "...)
		for i, m := range n.Members {
			if i > 0 {
				l.out = append(l.out, ", "...)
			}
			l.key(m)
			l.inline(m.Value)
		}
		l.out = append(l.out, " }"...)
	case n.Kind == canon.KindArray && len(n.Elems) > 0:
		l.out = append(l.out, '[')
		for i, e := range n.Elems {
			if i > 0 {
				l.out = append(l.out, ", "...)
			}
			l.inline(e)
		}
		l.out = append(l.out, ']')
	default:
		l.out = append(l.out, l.scalar(n)...)
	}
}

// scalar is how the source spells a scalar, and the short form of an empty container.
func (l *layout) scalar(n *canon.Node) []byte {
	switch n.Kind {
	case canon.KindObject:
		return []byte("{}")
	case canon.KindArray:
		return []byte("[]")
	}
	return l.src[n.Off:n.End]
}

// width takes the columns of a value on one line from left and returns what remains, negative when it does not fit.
func (l *layout) width(n *canon.Node, left int) int {
	switch {
	case n.Kind == canon.KindObject && len(n.Members) > 0:
		left -= len("{ ") + len(" }") - len(", ")
		for _, m := range n.Members {
			left = l.width(m.Value, left-utf8.RuneCount(l.keyText(m))-len(": , "))
			if left < 0 {
				return left
			}
		}
		return left
	case n.Kind == canon.KindArray && len(n.Elems) > 0:
		left -= len("[]") - len(", ")
		for _, e := range n.Elems {
			if left = l.width(e, left-len(", ")); left < 0 {
				return left
			}
		}
		return left
	}
	return left - utf8.RuneCount(l.scalar(n))
}

func (l *layout) key(m canon.NodeMember) {
	l.out = append(l.out, l.keyText(m)...)
	l.out = append(l.out, ": "...)
}

// keyText is the key with its quotes as the source spells it.
func (l *layout) keyText(m canon.NodeMember) []byte {
	end := m.KeyOff + 1
	for l.src[end] != '"' {
		if l.src[end] == '\\' {
			end++
		}
		end++
	}
	return l.src[m.KeyOff : end+1]
}

// column is how many code points the current line has so far.
func (l *layout) column() int {
	start := len(l.out)
	for start > 0 && l.out[start-1] != '\n' {
		start--
	}
	return utf8.RuneCount(l.out[start:])
}

// inOrder is the object with its members in the wanted order, the others behind in their own. Anything else is itself.
func inOrder(n *canon.Node, order []string) *canon.Node {
	if n.Kind != canon.KindObject {
		return n
	}
	place := func(m canon.NodeMember) int {
		if i := slices.Index(order, m.Key); i >= 0 {
			return i
		}
		return len(order)
	}
	sorted := *n
	sorted.Members = slices.Clone(n.Members)
	slices.SortStableFunc(sorted.Members, func(a, b canon.NodeMember) int { return place(a) - place(b) })
	return &sorted
}
