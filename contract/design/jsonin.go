package design

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonIn walks a JSON text as a stream. Duplicate members, bad UTF-8 and trailing data are refused.
type jsonIn struct {
	dec   *jsontext.Decoder
	lines *lineTail
	buf   []byte
}

func newJSONIn(r io.Reader) *jsonIn {
	lines := &lineTail{r: r}
	return &jsonIn{dec: jsontext.NewDecoder(lines), lines: lines}
}

// fault is a SyntaxError at the value that was read last.
func (j *jsonIn) fault(what, want string) error {
	line, col := j.lines.position(j.dec.InputOffset())
	if ptr := j.dec.StackPointer(); ptr != "" {
		what = fmt.Sprintf("%s: %s", shorten(string(ptr)), what)
	}
	return &SyntaxError{Line: line, Col: col, What: what, Want: want}
}

// failed turns an error of the decoder into one with a place.
func (j *jsonIn) failed(err error) error {
	var syn *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		line, col := j.lines.position(j.dec.InputOffset())
		return &SyntaxError{Line: line, Col: col, What: "the file ends inside its JSON text", Want: "the rest of it"}
	case errors.As(err, &syn):
		line, col := j.lines.position(syn.ByteOffset)
		what := syn.Err.Error()
		if syn.JSONPointer != "" {
			what = shorten(string(syn.JSONPointer)) + ": " + what
		}
		return &SyntaxError{Line: line, Col: col, What: what, Want: "JSON text"}
	}
	return fmt.Errorf("reading the design: %w", err)
}

func shorten(s string) string {
	if len(s) > 120 {
		return strings.ToValidUTF8(s[:120], "") + "…"
	}
	return s
}

// begin reads an opening brace or bracket.
func (j *jsonIn) begin(kind jsontext.Kind, want string) error {
	if k := j.dec.PeekKind(); k != kind && k != 0 {
		if err := j.skip(); err != nil {
			return err
		}
		return j.fault("not "+want, want)
	}
	if _, err := j.dec.ReadToken(); err != nil {
		return j.failed(err)
	}
	return nil
}

// object calls member for each member; member reads exactly the value. The key is valid until member reads.
func (j *jsonIn) object(member func(key []byte) error) error {
	if err := j.begin('{', "an object"); err != nil {
		return err
	}
	for j.dec.PeekKind() == '"' {
		key, err := j.text()
		if err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
	}
	_, err := j.dec.ReadToken()
	if err != nil {
		return j.failed(err)
	}
	return nil
}

// array calls elem for each element; elem reads exactly the value.
func (j *jsonIn) array(elem func(i int) error) error {
	if err := j.begin('[', "an array"); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if k := j.dec.PeekKind(); k == ']' || k == 0 {
			break
		}
		if err := elem(i); err != nil {
			return err
		}
	}
	if _, err := j.dec.ReadToken(); err != nil {
		return j.failed(err)
	}
	return nil
}

// text reads a string. It is valid until the next read.
func (j *jsonIn) text() ([]byte, error) {
	v, err := j.dec.ReadValue()
	if err != nil {
		return nil, j.failed(err)
	}
	if v.Kind() != '"' {
		return nil, j.fault("not a string", "a string")
	}
	raw := v[1 : len(v)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw, nil
	}
	if j.buf, err = jsontext.AppendUnquote(j.buf[:0], v); err != nil {
		return nil, j.failed(err)
	}
	return j.buf, nil
}

// integer reads a whole number within ±2^53.
func (j *jsonIn) integer() (int64, error) {
	v, err := j.dec.ReadValue()
	if err != nil {
		return 0, j.failed(err)
	}
	n, ok := parseSafeInt(v)
	if !ok {
		return 0, j.fault("not a whole number within 2^53", "a whole number")
	}
	return n, nil
}

func (j *jsonIn) boolean() (bool, error) {
	v, err := j.dec.ReadValue()
	if err != nil {
		return false, j.failed(err)
	}
	switch v.Kind() {
	case 't':
		return true, nil
	case 'f':
		return false, nil
	}
	return false, j.fault("not a boolean", "true or false")
}

func (j *jsonIn) skip() error {
	if err := j.dec.SkipValue(); err != nil {
		return j.failed(err)
	}
	return nil
}

// end refuses anything but white space after the value.
func (j *jsonIn) end() error {
	switch _, err := j.dec.ReadToken(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return j.failed(err)
	}
	return j.fault("text after the JSON value", "the end of the file")
}

func parseSafeInt(w []byte) (int64, bool) {
	neg := len(w) > 1 && w[0] == '-'
	if neg {
		w = w[1:]
	}
	if len(w) == 0 || len(w) > 16 {
		return 0, false
	}
	var n int64
	for _, c := range w {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if n > 1<<53-1 {
		return 0, false
	}
	if neg {
		n = -n
	}
	return n, true
}

// lineTail passes bytes through and remembers the last of them, to tell the line of an offset that lies not far back.
type lineTail struct {
	r       io.Reader
	tail    []byte
	start   int64 // offset of tail[0]
	lines   int   // newlines before it
	lineOff int64 // start of the line that tail[0] lies in
}

const tailBytes = 1 << 20

func (l *lineTail) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.tail = append(l.tail, p[:n]...)
	if drop := len(l.tail) - tailBytes; drop > tailBytes {
		gone := l.tail[:drop]
		if k := bytes.LastIndexByte(gone, '\n'); k >= 0 {
			l.lines += bytes.Count(gone, []byte{'\n'})
			l.lineOff = l.start + int64(k) + 1
		}
		l.start += int64(drop)
		l.tail = append(l.tail[:0], l.tail[drop:]...)
	}
	return n, err
}

// position is the 1-based line and column of an offset; 0, 0 when it lies too far back.
func (l *lineTail) position(off int64) (line, col int) {
	if off < l.start || off > l.start+int64(len(l.tail)) {
		return 0, 0
	}
	seen := l.tail[:off-l.start]
	line = l.lines + 1 + bytes.Count(seen, []byte{'\n'})
	if k := bytes.LastIndexByte(seen, '\n'); k >= 0 {
		return line, utf8.RuneCount(seen[k+1:]) + 1
	}
	return line, int(l.start-l.lineOff) + utf8.RuneCount(seen) + 1
}
