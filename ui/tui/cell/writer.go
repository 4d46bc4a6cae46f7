package cell

import (
	"io"
	"unicode/utf8"
)

// SafeWriter lets text out to a terminal or a pipe and makes whatever could steer a terminal or hide something
// visible: C0 controls but newline and tab as \x1b; DEL, C1, bidi controls, line separators and invisible characters as
// \u202e, beyond U+FFFF as a surrogate pair. Those are the escapes of a JSON string too, so JSON that passes through
// stays JSON and means the same (C0 controls cannot stand in it raw). Bytes that are not UTF-8 become U+FFFD. A
// character may be split over writes; Flush writes what is left of one that never ended.
type SafeWriter struct {
	w    io.Writer
	part [utf8.UTFMax]byte // the start of a character whose end has not come yet
	n    int
	buf  []byte
}

// NewSafeWriter returns a SafeWriter in front of w.
func NewSafeWriter(w io.Writer) *SafeWriter { return &SafeWriter{w: w} }

// Write passes p on in its safe form. The count is that of p's bytes that were taken: all of them without an error,
// none with one.
func (s *SafeWriter) Write(p []byte) (int, error) {
	s.buf = s.buf[:0]
	rest := p
	for s.n > 0 && len(rest) > 0 {
		s.part[s.n] = rest[0]
		s.n, rest = s.n+1, rest[1:]
		s.drain()
	}
	for len(rest) > 0 {
		clean := cleanLen(rest)
		if s.n == 0 && clean == len(p) {
			_, err := s.w.Write(p) // the usual case: nothing to do, nothing copied
			return s.count(p, err)
		}
		s.buf = append(s.buf, rest[:clean]...)
		if rest = rest[clean:]; len(rest) == 0 {
			break
		}
		if !utf8.FullRune(rest) {
			s.n = copy(s.part[:], rest)
			break
		}
		r, n := utf8.DecodeRune(rest)
		s.buf = appendVisible(s.buf, r)
		rest = rest[n:]
	}
	if len(s.buf) == 0 {
		return len(p), nil
	}
	_, err := s.w.Write(s.buf)
	return s.count(p, err)
}

func (s *SafeWriter) count(p []byte, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// drain moves the pending character to the buffer as soon as it is whole or cannot become one.
func (s *SafeWriter) drain() {
	for s.n > 0 && utf8.FullRune(s.part[:s.n]) {
		r, n := utf8.DecodeRune(s.part[:s.n])
		s.buf = appendVisible(s.buf, r)
		s.n = copy(s.part[:], s.part[n:s.n])
	}
}

// Flush writes U+FFFD for a character that was never completed.
func (s *SafeWriter) Flush() error {
	if s.n == 0 {
		return nil
	}
	s.n = 0
	_, err := io.WriteString(s.w, string(utf8.RuneError))
	return err
}

// cleanLen is the length of the start of p that may pass as it is.
func cleanLen(p []byte) int {
	for i := 0; i < len(p); {
		if b := p[i]; b < utf8.RuneSelf {
			if b-0x20 > 0x5e && b != '\n' && b != '\t' {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 || dangerous(r) {
			return i
		}
		i += n
	}
	return len(p)
}

// dangerous says whether a character steers a terminal or is invisible. Unlike on the screen of the TUI, width does
// not matter here: the joiners and presentation selectors that scripts and emoji need may pass.
func dangerous(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r == 0x200c || r == 0x200d || r == 0xfe0e || r == 0xfe0f:
		return false
	}
	switch classOf(r) {
	case clsControl, clsEscape, clsSelect:
		return true
	}
	return false
}

// appendVisible writes r, as an escape if it is dangerous.
func appendVisible(dst []byte, r rune) []byte {
	switch {
	case !dangerous(r):
		return utf8.AppendRune(dst, r)
	case r < 0x20:
		return append(dst, '\\', 'x', hexDigit(r>>4), hexDigit(r))
	case r > 0xffff:
		r -= 0x10000
		dst = appendHex(dst, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	return appendHex(dst, r)
}

func appendHex(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigit(r>>12), hexDigit(r>>8), hexDigit(r>>4), hexDigit(r))
}
