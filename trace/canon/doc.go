package canon

import (
	"sort"
	"strings"
)

// maxDocErrors is how many errors ParseDoc collects before it stops reading: enough for a document that a person
// wrote, and a bound for one made to flood.
const maxDocErrors = 1000

// Doc is a document read with positions: a flow, a rule file, whatever a person wrote and must be told about.
type Doc struct {
	Root *Node  // nil when the text is no JSON, or nested deeper than DefaultMaxDepth
	Data []byte // the text as it was read; Off and End of nodes are offsets into it

	text  string
	lines []int // offsets of the lines' first bytes
}

// Node is one value in a Doc: Data[Off:End]. Members are in the order of the text, duplicates included.
type Node struct {
	Kind    Kind
	Off     int
	End     int
	Members []NodeMember
	Elems   []*Node

	str    string
	num    float64
	flag   bool
	sorted []int32 // canonical order of Members without overridden duplicates; nil when the text has it already
}

// NodeMember is one member of an object; KeyOff is the offset of the key's opening quote.
type NodeMember struct {
	Key    string
	KeyOff int
	Value  *Node
}

// ParseDoc reads a document and collects everything that is wrong with it: all duplicate keys, all bytes that are not
// UTF-8, all half surrogate pairs, all numbers out of range and integers beyond ±(2^53−1), a byte order mark, and of
// syntax errors (trailing data and too deep nesting among them) the first. Errors come in the order of the text.
// The Doc is never nil, so that positions can be asked; with errors other than syntax its tree is complete: of
// duplicate keys the later counts, and U+FFFD stands for what is not UTF-8. The Doc shares data, which must not be
// changed afterwards.
func ParseDoc(data []byte) (*Doc, []*Error) {
	d := &Doc{Data: data, text: view(data), lines: []int{0}}
	for i := 0; ; i++ {
		n := strings.IndexByte(d.text[i:], '\n')
		if n < 0 {
			break
		}
		i += n
		d.lines = append(d.lines, i+1)
	}
	r := &docReader{doc: d, src: d.text}
	d.Root = r.document()
	if r.stopped {
		d.Root = nil
	}
	sort.SliceStable(r.errs, func(i, j int) bool { return r.errs[i].Offset < r.errs[j].Offset })
	return d, r.errs
}

// Position is line and column of a byte offset, both from 1; columns count code points. Offsets outside the text are
// moved to its nearest end.
func (d *Doc) Position(off int) (line, col int) {
	off = max(0, min(off, len(d.text)))
	line = sort.SearchInts(d.lines, off+1)
	return line, column(d.text, d.lines[line-1], off)
}

// Get is the member of an object, or nil; of duplicates the last.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}

// Str is the string without quotes and escapes, and whether the node is one.
func (n *Node) Str() (string, bool) {
	if n == nil || n.Kind != KindString {
		return "", false
	}
	return n.str, true
}

// Float is the number, and whether the node is one.
func (n *Node) Float() (float64, bool) {
	if n == nil || n.Kind != KindNumber {
		return 0, false
	}
	return n.num, true
}

// Int is the number when it is an integer within ±MaxSafeInteger, however it is spelled (2.0 is 2).
func (n *Node) Int() (int64, bool) {
	if n == nil || n.Kind != KindNumber || n.num < -MaxSafeInteger || n.num > MaxSafeInteger {
		return 0, false
	}
	i := int64(n.num)
	return i, float64(i) == n.num
}

// Bool is the boolean, and whether the node is one.
func (n *Node) Bool() (b, ok bool) {
	if n == nil || n.Kind != KindBool {
		return false, false
	}
	return n.flag, true
}

// IsNull says that the node is null; a nil node is not.
func (n *Node) IsNull() bool { return n != nil && n.Kind == KindNull }

// Value is the node's canonical form, made when it is asked for; absent for a nil node. Numbers are rounded to
// float64 whatever their size: ParseDoc has reported the big ones.
func (n *Node) Value() Value {
	if n == nil {
		return Value{}
	}
	return Value{view(AppendNode(make([]byte, 0, n.End-n.Off), n))}
}

// AppendNode appends the canonical text of a node. It allocates nothing when dst has room.
func AppendNode(dst []byte, n *Node) []byte {
	switch n.Kind {
	case KindString:
		return AppendString(dst, n.str)
	case KindNumber:
		return AppendFloat(dst, n.num)
	case KindObject:
		dst = append(dst, '{')
		if n.sorted != nil {
			for k, i := range n.sorted {
				dst = appendNodeMember(dst, &n.Members[i], k)
			}
		} else {
			for i := range n.Members {
				dst = appendNodeMember(dst, &n.Members[i], i)
			}
		}
		return append(dst, '}')
	case KindArray:
		dst = append(dst, '[')
		for i, e := range n.Elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendNode(dst, e)
		}
		return append(dst, ']')
	case KindBool:
		if n.flag {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	return append(dst, "null"...)
}

func appendNodeMember(dst []byte, m *NodeMember, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = append(AppendString(dst, m.Key), ':')
	return AppendNode(dst, m.Value)
}
