package secret

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text after some decoding, with the way back to the bytes it came from.
type view struct {
	text string
	from []int // from[i] is where text[i] began in the original; from[len(text)] is the original's length; nil: the same
}

// original maps a range of the view to the original's bytes.
func (v view) original(start, end int) (int, int) {
	if v.from == nil {
		return start, end
	}
	return v.from[start], v.from[end]
}

func (v view) at(i int) int {
	if v.from == nil {
		return i
	}
	return v.from[i]
}

// rewriter builds a view out of another one.
type rewriter struct {
	of   view
	text []byte
	from []int
}

func newRewriter(v view) *rewriter {
	return &rewriter{of: v, text: make([]byte, 0, len(v.text)), from: make([]int, 0, len(v.text)+1)}
}

// put appends bytes that stand for the source's byte i and those behind it.
func (w *rewriter) put(i int, b ...byte) {
	for range b {
		w.from = append(w.from, w.of.at(i))
	}
	w.text = append(w.text, b...)
}

func (w *rewriter) done() view {
	return view{string(w.text), append(w.from, w.of.at(len(w.of.text)))}
}

// percentDecoded turns %XX into its byte; what is no such group stays.
func (v view) percentDecoded() view {
	w := newRewriter(v)
	for i := 0; i < len(v.text); i++ {
		if v.text[i] == '%' && i+2 < len(v.text) {
			if b, err := strconv.ParseUint(v.text[i+1:i+3], 16, 8); err == nil {
				w.put(i, byte(b))
				i += 2
				continue
			}
		}
		w.put(i, v.text[i])
	}
	return w.done()
}

// squeezed leaves line breaks and the blanks behind them out.
func (v view) squeezed() view {
	w := newRewriter(v)
	for i := 0; i < len(v.text); i++ {
		if c := v.text[i]; c == '\n' || c == '\r' {
			for i+1 < len(v.text) && strings.IndexByte(" \t\r\n", v.text[i+1]) >= 0 {
				i++
			}
			continue
		}
		w.put(i, v.text[i])
	}
	return w.done()
}

// unescaped undoes JSON's backslash escapes, anywhere in the text.
func (v view) unescaped() view {
	w := newRewriter(v)
	for i := 0; i < len(v.text); i++ {
		if v.text[i] != '\\' || i+1 == len(v.text) {
			w.put(i, v.text[i])
			continue
		}
		switch c := v.text[i+1]; c {
		case 'n':
			w.put(i, '\n')
		case 'r':
			w.put(i, '\r')
		case 't':
			w.put(i, '\t')
		case 'b':
			w.put(i, '\b')
		case 'f':
			w.put(i, '\f')
		case '"', '\\', '/':
			w.put(i, c)
		case 'u':
			n := unescapeUnicode(w, i)
			i += n - 1
			continue
		default:
			w.put(i, '\\')
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
		w.put(i, '\\')
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
	w.put(i, utf8.AppendRune(nil, r)...)
	return n
}

// hex4 reads \uXXXX at i.
func hex4(s string, i int) (rune, bool) {
	if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
	return rune(n), err == nil
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
