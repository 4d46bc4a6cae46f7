package translate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds nesting: the same bound as the canonical reader's, so that no text passes one and fails the other.
const maxDepth = 256

// SyntaxError says why a text is not JSON that can be carried: bad syntax, a duplicate member, invalid UTF-8, a number
// outside float64's range, nesting deeper than 256. Line and Col count from 1, Col in code points.
type SyntaxError struct {
	Line, Col int
	Pointer   string
	Text      string
}

// Error is "line:col pointer: text".
func (e *SyntaxError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = " " + e.Pointer
	}
	return fmt.Sprintf("%d:%d%s: %s", e.Line, e.Col, at, e.Text)
}

// parseTree reads one JSON value strictly. The data is not kept.
func parseTree(data []byte) (*node, error) {
	src := string(data)
	if n := parsePlain(src); n != nil {
		return n, nil
	}
	return parseStrict(src, data)
}

// parseStrict is parseTree by the decoder, which judges every text.
func parseStrict(src string, data []byte) (*node, error) {
	p := parser{src: src, dec: jsontext.NewDecoder(bytes.NewBuffer(data))}
	n, err := p.value(0)
	if err != nil {
		return nil, p.fault(err)
	}
	if _, err := p.dec.ReadToken(); err == nil {
		return nil, p.at(int(p.dec.InputOffset()), "", "text after the value")
	} else if !errors.Is(err, io.EOF) {
		return nil, p.fault(err)
	}
	return n, nil
}

type parser struct {
	src  string
	dec  *jsontext.Decoder
	slab []node // nodes are handed out of blocks: a document has many, and they live and die together
}

func (p *parser) node(kind jsontext.Kind, raw string, off int) *node {
	if len(p.slab) == cap(p.slab) {
		p.slab = make([]node, 0, min(64, len(p.src)/12+2)) // small documents are the usual ones
	}
	p.slab = append(p.slab, node{kind: kind, raw: raw, off: off})
	return &p.slab[len(p.slab)-1]
}

func (p *parser) value(depth int) (*node, error) {
	switch p.dec.PeekKind() {
	case kindObject:
		return p.object(depth)
	case kindArray:
		return p.array(depth)
	}
	raw, off, err := p.scalar()
	if err != nil {
		return nil, err
	}
	n := p.node(kindOf(raw[0]), raw, off)
	if n.kind == kindNumber && len(raw) > 15 {
		if _, err := strconv.ParseFloat(raw, 64); err != nil {
			return nil, p.at(off, string(p.dec.StackPointer()), "number outside the range of float64")
		}
	} else if n.kind == kindNumber && strings.ContainsAny(raw, "eE") {
		if _, err := strconv.ParseFloat(raw, 64); err != nil {
			return nil, p.at(off, string(p.dec.StackPointer()), "number outside the range of float64")
		}
	}
	return n, nil
}

// kindOf is the kind of a scalar by its first byte.
func kindOf(first byte) jsontext.Kind {
	if first == '-' || first >= '0' && first <= '9' {
		return kindNumber
	}
	return jsontext.Kind(first)
}

// scalar reads a number, string, literal or member name as a piece of the source.
func (p *parser) scalar() (string, int, error) {
	v, err := p.dec.ReadValue()
	if err != nil {
		return "", 0, err
	}
	end := int(p.dec.InputOffset())
	return p.src[end-len(v) : end], end - len(v), nil
}

func (p *parser) object(depth int) (*node, error) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, err
	}
	n := p.node(kindObject, "", int(p.dec.InputOffset())-1)
	if depth >= maxDepth {
		return nil, p.at(n.off, "", fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	for {
		switch p.dec.PeekKind() {
		case jsontext.KindEndObject:
			_, err := p.dec.ReadToken()
			return n, err
		case kindString:
		default:
			_, err := p.dec.ReadToken()
			if err == nil {
				err = p.at(int(p.dec.InputOffset()), "", "a member name was expected")
			}
			return nil, err
		}
		raw, _, err := p.scalar()
		if err != nil {
			return nil, err
		}
		val, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if n.members == nil {
			n.members = make([]member, 0, 4)
		}
		n.members = append(n.members, member{unquote(raw), raw, val})
	}
}

func (p *parser) array(depth int) (*node, error) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, err
	}
	n := p.node(kindArray, "", int(p.dec.InputOffset())-1)
	if depth >= maxDepth {
		return nil, p.at(n.off, "", fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	for {
		if p.dec.PeekKind() == jsontext.KindEndArray {
			_, err := p.dec.ReadToken()
			return n, err
		}
		e, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.elems = append(n.elems, e)
	}
}

// fault turns a decoder's error into a SyntaxError with a position.
func (p *parser) fault(err error) error {
	var se *SyntaxError
	if errors.As(err, &se) {
		return se
	}
	var je *jsontext.SyntacticError
	if errors.As(err, &je) {
		return p.at(int(je.ByteOffset), string(je.JSONPointer), strings.TrimPrefix(je.Err.Error(), "jsontext: "))
	}
	if errors.Is(err, io.EOF) {
		return p.at(len(p.src), "", "no JSON value")
	}
	return p.at(len(p.src), "", strings.TrimPrefix(err.Error(), "jsontext: "))
}

func (p *parser) at(off int, pointer, text string) *SyntaxError {
	line, col := position(p.src, off)
	return &SyntaxError{Line: line, Col: col, Pointer: pointer, Text: text}
}

// position is the 1-based line and code point column of a byte offset.
func position(src string, off int) (line, col int) {
	off = min(max(off, 0), len(src))
	start := strings.LastIndexByte(src[:off], '\n') + 1
	return strings.Count(src[:start], "\n") + 1, utf8.RuneCountInString(src[start:off]) + 1
}
