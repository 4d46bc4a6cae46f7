package secret

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text after some decoding, with the way back to the bytes it came from.
type view struct {
	text string
	from []place // where text[i] came from; nil: it is the original
}

// place is a range of the original.
type place struct{ start, end int }

// original maps a range of the view, which is not empty, to the original's bytes.
func (v view) original(start, end int) (int, int) {
	if v.from == nil {
		return start, end
	}
	return v.from[start].start, v.from[end-1].end
}

// maxEscapes is how many times JSON may be wrapped in strings of JSON, and maxPercents addresses in addresses.
const (
	maxEscapes  = 4
	maxPercents = 2
)

// views are the text itself and what is behind its backslashes, percent signs and line breaks, in every order in which
// programs wrap one in the other: backslashes outermost. Without track a view does not know the way back.
func views(text string, track bool) iter.Seq[view] {
	return func(yield func(view) bool) {
		v := view{text: text}
		for range maxEscapes + 1 {
			if !yield(v) || !behind(v, track, yield) {
				return
			}
			if strings.IndexByte(v.text, '\\') < 0 {
				return
			}
			v = v.unescaped(track)
		}
	}
}

// behind yields what is behind the percent signs and line breaks of a view.
func behind(v view, track bool, yield func(view) bool) bool {
	if wrapped(v.text) && !yield(v.squeezed(track)) {
		return false
	}
	for range maxPercents {
		if !hasPercent(v.text) {
			break
		}
		v = v.percentDecoded(track)
		if !yield(v) || wrapped(v.text) && !yield(v.squeezed(track)) {
			return false
		}
	}
	return true
}

// rewriter builds a view out of another one.
type rewriter struct {
	of    view
	track bool
	text  []byte
	from  []place
}

func newRewriter(v view, track bool) *rewriter {
	w := &rewriter{of: v, track: track, text: make([]byte, 0, len(v.text))}
	if track {
		w.from = make([]place, 0, len(v.text))
	}
	return w
}

// put appends a byte that stands for n bytes of the source from i on.
func (w *rewriter) put(i, n int, b byte) {
	if w.track {
		start, end := w.of.original(i, i+n)
		w.from = append(w.from, place{start, end})
	}
	w.text = append(w.text, b)
}

func (w *rewriter) done() view {
	return view{text: string(w.text), from: w.from}
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// percentAt is the byte of a %XX at i.
func percentAt(s string, i int) (byte, bool) {
	if s[i] != '%' || i+2 >= len(s) {
		return 0, false
	}
	hi, ok1 := hexDigit(s[i+1])
	lo, ok2 := hexDigit(s[i+2])
	return hi<<4 | lo, ok1 && ok2
}

// hasPercent is true when there is something to be decoded.
func hasPercent(s string) bool {
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], '%')
		if i < 0 {
			return false
		}
		at += i
		if _, ok := percentAt(s, at); ok {
			return true
		}
	}
}

// percentDecoded turns %XX into its byte; what is no such group stays.
func (v view) percentDecoded(track bool) view {
	w := newRewriter(v, track)
	for i := 0; i < len(v.text); i++ {
		if b, ok := percentAt(v.text, i); ok {
			w.put(i, 3, b)
			i += 2
			continue
		}
		w.put(i, 1, v.text[i])
	}
	return w.done()
}

// wrapped is true when a line may go on in the next one as base64 does: with letters or digits on both sides.
func wrapped(s string) bool {
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return false
		}
		at += i
		before, after := at-1, at+1
		for before >= 0 && blank(s[before]) {
			before--
		}
		for after < len(s) && blank(s[after]) {
			after++
		}
		if before >= 0 && after < len(s) && base64Letter(s[before]) && base64Letter(s[after]) {
			return true
		}
		at = after - 1
	}
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func base64Letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// squeezed leaves line breaks and the blanks around them out.
func (v view) squeezed(track bool) view {
	w := newRewriter(v, track)
	for i := 0; i < len(v.text); i++ {
		end, breaks := i, false
		for end < len(v.text) && blank(v.text[end]) {
			breaks = breaks || v.text[end] == '\n'
			end++
		}
		if breaks {
			i = end - 1
			continue
		}
		w.put(i, 1, v.text[i])
	}
	return w.done()
}

// unescaped undoes JSON's backslash escapes, anywhere in the text.
func (v view) unescaped(track bool) view {
	w := newRewriter(v, track)
	for i := 0; i < len(v.text); i++ {
		if v.text[i] != '\\' || i+1 == len(v.text) {
			w.put(i, 1, v.text[i])
			continue
		}
		switch c := v.text[i+1]; c {
		case 'n':
			w.put(i, 2, '\n')
		case 'r':
			w.put(i, 2, '\r')
		case 't':
			w.put(i, 2, '\t')
		case 'b':
			w.put(i, 2, '\b')
		case 'f':
			w.put(i, 2, '\f')
		case '"', '\\', '/':
			w.put(i, 2, c)
		case 'u':
			n := unescapeUnicode(w, i)
			i += n - 1
			continue
		default:
			w.put(i, 1, '\\')
			continue
		}
		i++
	}
	return w.done()
}

// unescapeUnicode writes the character of a \uXXXX, or of a pair of them, and tells how many bytes it took.
func unescapeUnicode(w *rewriter, i int) int {
	r, ok := hex4(w.of.text, i)
	if !ok {
		w.put(i, 1, '\\')
		return 1
	}
	n := 6
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(w.of.text, i+6); ok {
			if joined := utf16.DecodeRune(r, low); joined != utf8.RuneError {
				r, n = joined, 12
			}
		}
	}
	var buf [utf8.UTFMax]byte
	for _, b := range buf[:utf8.EncodeRune(buf[:], r)] {
		w.put(i, n, b)
	}
	return n
}

// hex4 reads \uXXXX at i.
func hex4(s string, i int) (rune, bool) {
	if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
		return 0, false
	}
	r := rune(0)
	for _, c := range []byte(s[i+2 : i+6]) {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// distinct is a key that is not in use, and marks it used.
func distinct(key string, used map[string]bool) string {
	k := key
	for n := 2; used[k]; n++ {
		k = key + "#" + strconv.Itoa(n)
	}
	used[k] = true
	return k
}
