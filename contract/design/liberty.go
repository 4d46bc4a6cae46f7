package design

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// libertyReader reads the groups of a Liberty file as a stream and keeps area and pin directions of each cell.
type libertyReader struct {
	in    *bufio.Reader
	line  int
	lib   *Library
	cells int

	cell  *Master // the cell that the reader is in, or nil
	pins  []string
	depth int
}

// maxLibertyDepth bounds nesting; real files need 6.
const maxLibertyDepth = 64

// ReadLib reads cells, their `area` and the `direction` of their pins from a Liberty file. Areas are taken as µm², which is
// what the libraries in use mean; the format itself leaves the unit open.
func (l *Library) ReadLib(r io.Reader) error {
	f := &libertyReader{in: bufio.NewReaderSize(r, 64<<10), line: 1, lib: l}
	if err := f.group(0); err != nil {
		return err
	}
	if f.cells == 0 {
		return &SyntaxError{What: "no cell in the Liberty file", Want: "library (name) { cell (name) { area : 1.0; } }"}
	}
	return nil
}

func (f *libertyReader) fault(what, want string) error {
	return &SyntaxError{Line: f.line, Col: 1, What: what, Want: want}
}

// group reads statements until the closing brace (depth > 0) or the end of the file.
func (f *libertyReader) group(depth int) error {
	if depth > maxLibertyDepth {
		return f.fault("groups nested too deep", fmt.Sprintf("at most %d levels", maxLibertyDepth))
	}
	for {
		head, end, err := f.statement()
		if err == io.EOF {
			if depth > 0 {
				return f.fault("the file ends inside a group", "}")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch end {
		case '}':
			if depth == 0 {
				return f.fault("a closing brace without its group", "a group")
			}
			return nil
		case '{':
			if err := f.enter(head, depth); err != nil {
				return err
			}
		default:
			if err := f.attribute(head, depth); err != nil {
				return err
			}
		}
	}
}

func (f *libertyReader) enter(head string, depth int) error {
	kind, args := splitGroup(head)
	switch {
	case kind == "cell" && f.cell == nil && len(args) == 1:
		f.cells++
		f.cell, f.depth = f.lib.master(args[0]), depth+1
		defer func() { f.cell = nil }()
	case f.cell != nil && (kind == "pin" || kind == "bus" || kind == "bundle"):
		before := f.pins
		f.pins = args
		defer func() { f.pins = before }()
	}
	return f.group(depth + 1)
}

func (f *libertyReader) attribute(head string, depth int) error {
	if f.cell == nil {
		return nil
	}
	name, value, ok := strings.Cut(head, ":")
	if !ok {
		return nil
	}
	value = strings.Trim(strings.TrimSpace(value), `"`)
	switch strings.TrimSpace(name) {
	case "area":
		if depth != f.depth {
			return nil
		}
		area, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(area) || math.IsInf(area, 0) || area < 0 {
			return f.fault("area "+show([]byte(value)), "a number of at least 0")
		}
		f.cell.Area, f.cell.HasArea = area, true
	case "direction":
		for _, pin := range f.pins {
			p := f.cell.pins[pin]
			p.dir = defDir([]byte(strings.ToUpper(value)))
			f.cell.pins[pin] = p
		}
	}
	return nil
}

// splitGroup reads `kind ( a, "b" )`.
func splitGroup(head string) (kind string, args []string) {
	kind, rest, ok := strings.Cut(head, "(")
	if !ok {
		return strings.TrimSpace(head), nil
	}
	rest, _, _ = strings.Cut(rest, ")")
	for _, a := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		args = append(args, strings.Trim(a, `"`))
	}
	return strings.TrimSpace(kind), args
}

// maxStatement is how much of one statement is kept; tables are longer and not needed.
const maxStatement = 4096

// statement reads up to ";", "{", "}" or the end of a line that closed its parentheses, outside strings and comments.
func (f *libertyReader) statement() (head string, end byte, err error) {
	var b strings.Builder
	quoted := false
	parens := 0
	for {
		c, err := f.in.ReadByte()
		if err != nil {
			if err == io.EOF && strings.TrimSpace(b.String()) != "" {
				return "", 0, f.fault("the file ends inside a statement", `";"`)
			}
			return "", 0, err
		}
		if c == '\n' {
			f.line++
		}
		switch {
		case quoted:
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '/' && f.comment():
			continue
		case c == '\\':
			continue
		case c == ';' || c == '{' || c == '}':
			return strings.TrimSpace(b.String()), c, nil
		case c == '(':
			parens++
		case c == ')':
			parens--
		case c == '\n' && parens == 0 && f.complete(b.String()):
			return strings.TrimSpace(b.String()), ';', nil
		}
		if b.Len() < maxStatement {
			b.WriteByte(c)
		}
	}
}

// complete says that a line without its ";" is a whole attribute, which many writers leave so.
func (f *libertyReader) complete(s string) bool {
	s = strings.TrimSpace(s)
	name, value, ok := strings.Cut(s, ":")
	return ok && name != "" && strings.TrimSpace(value) != ""
}

// comment skips a comment if the slash that was just read begins one.
func (f *libertyReader) comment() bool {
	next, err := f.in.Peek(1)
	if err != nil || next[0] != '*' {
		return false
	}
	f.in.ReadByte()
	star := false
	for {
		c, err := f.in.ReadByte()
		if err != nil {
			return true // the end of the file is met again by the caller
		}
		if c == '\n' {
			f.line++
		}
		if star && c == '/' {
			return true
		}
		star = c == '*'
	}
}
