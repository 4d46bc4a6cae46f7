package design

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// SyntaxError says where a file cannot be read, what stands there and what would be right. Line and Col are 1-based; Col
// counts code points. Line 0 means that no place is known.
type SyntaxError struct {
	Line, Col int
	What      string
	Want      string
}

// Error is "line:col: what; want …".
func (e *SyntaxError) Error() string {
	text := e.What
	if e.Want != "" {
		text += "; want " + e.Want
	}
	if e.Line == 0 {
		return text
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, text)
}

// maxWord bounds one word of a file, and with it what a scanner holds.
const maxWord = 1 << 20

// scanner cuts LEF and DEF text into words. Words are separated by white space, also the ";", "(" and "+" (LEF/DEF 5.8); a "#"
// at the start of a word begins a comment; a word that begins with a quote goes on to the next quote. A word is valid until
// the next call.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int
	base     int64 // offset in the input of buf[0]
	line     int   // of buf[pos]
	lineOff  int64 // offset in the input of the start of that line
	eof      bool
	err      error // read error or *SyntaxError; sticky

	wordOff     int64 // where the last word began
	wordLine    int
	wordLineOff int64
}

func newScanner(r io.Reader) *scanner {
	return &scanner{r: r, buf: make([]byte, 256<<10), line: 1}
}

// fill reads more, keeping the bytes from keep on. It says false at the end of the input or at an error.
func (s *scanner) fill(keep int) (newKeep int, ok bool) {
	if s.eof || s.err != nil {
		return keep, false
	}
	if keep > 0 {
		copy(s.buf, s.buf[keep:s.end])
		s.base += int64(keep)
		s.pos -= keep
		s.end -= keep
	}
	if s.end == len(s.buf) {
		if s.end >= maxWord {
			s.mark(0)
			s.err = s.fault("a word longer than 1 MiB", "text of words separated by white space")
			return 0, false
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err == io.EOF {
			s.eof = true
		} else if err != nil {
			s.err = err
			return 0, false
		}
		if n > 0 || s.eof {
			return 0, n > 0
		}
	}
	s.err = io.ErrNoProgress
	return 0, false
}

func (s *scanner) mark(start int) {
	s.wordOff, s.wordLine, s.wordLineOff = s.base+int64(start), s.line, s.lineOff
}

// next is the next word, or nil at the end of the input or at an error.
func (s *scanner) next() []byte {
	for {
		buf := s.buf[:s.end]
		i := s.pos
		for i < len(buf) && buf[i] <= ' ' {
			if buf[i] == '\n' {
				s.line++
				s.lineOff = s.base + int64(i) + 1
			}
			i++
		}
		s.pos = i
		if i == len(buf) {
			if _, ok := s.fill(i); !ok {
				return nil
			}
			continue
		}
		switch buf[i] {
		case '#':
			s.skipLine()
		case '"':
			return s.quoted()
		default:
			return s.word()
		}
	}
}

func (s *scanner) word() []byte {
	start := s.pos
	s.mark(start)
	i := start + 1
	for {
		buf := s.buf[:s.end]
		for i < len(buf) && buf[i] > ' ' {
			i++
		}
		if i < len(buf) {
			break
		}
		n := i - start
		keep, ok := s.fill(start)
		if !ok && s.err != nil {
			return nil
		}
		start = keep
		i = start + n
		if !ok {
			break
		}
	}
	s.pos = i
	return s.buf[start:i]
}

// quoted is a string with its quotes. It may go over several lines, as property strings of some writers do.
func (s *scanner) quoted() []byte {
	start := s.pos
	s.mark(start)
	i := start + 1
	for {
		if j := bytes.IndexByte(s.buf[i:s.end], '"'); j >= 0 {
			i += j + 1
			break
		}
		i = s.end
		n := i - start
		keep, ok := s.fill(start)
		if !ok {
			if s.err == nil {
				s.err = s.fault("a string that is never closed", `a closing quote (")`)
			}
			return nil
		}
		start = keep
		i = start + n
	}
	word := s.buf[start:i]
	for off := 0; ; {
		j := bytes.IndexByte(word[off:], '\n')
		if j < 0 {
			break
		}
		off += j + 1
		s.line++
		s.lineOff = s.base + int64(start+off)
	}
	s.pos = i
	return word
}

func (s *scanner) skipLine() {
	for {
		if j := bytes.IndexByte(s.buf[s.pos:s.end], '\n'); j >= 0 {
			s.pos += j
			return
		}
		s.pos = s.end
		if _, ok := s.fill(s.pos); !ok {
			return
		}
	}
}

// fault is a SyntaxError at the last word.
func (s *scanner) fault(what, want string) *SyntaxError {
	line, col := s.place()
	return &SyntaxError{Line: line, Col: col, What: what, Want: want}
}

// place is where the last word began. The column counts code points as long as the line's start is still in the buffer,
// bytes otherwise.
func (s *scanner) place() (line, col int) {
	width := s.wordOff - s.wordLineOff
	from, to := s.wordLineOff-s.base, s.wordOff-s.base
	if from >= 0 && to <= int64(s.end) && from <= to {
		width = int64(utf8.RuneCount(s.buf[from:to]))
	}
	return s.wordLine, int(width) + 1
}

// nearPlace is place with a column in bytes, cheap enough to take for every connection.
func (s *scanner) nearPlace() (line, col int) { return s.wordLine, int(s.wordOff-s.wordLineOff) + 1 }

// failure is the read or syntax error that ended the input, or one that says where the input ended too early.
func (s *scanner) failure(inside, want string) error {
	if s.err != nil {
		return s.err
	}
	s.mark(s.pos)
	return s.fault("the file ends inside "+inside, want)
}
