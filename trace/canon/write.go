package canon

import (
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// Byte classes of string contents.
const (
	plainByte  = iota // stands for itself
	quoteByte         // the quote
	slashByte         // the backslash
	ctrlByte          // below 0x20, escaped
	highByte          // 0x80 and above, part of a longer code point
	classCount = 256
)

var class = func() (t [classCount]uint8) {
	for i := range t {
		switch {
		case i < 0x20:
			t[i] = ctrlByte
		case i >= 0x80:
			t[i] = highByte
		}
	}
	t['"'], t['\\'] = quoteByte, slashByte
	return t
}()

// plainRun returns the index of the first byte at or after i that is not a plain ASCII string byte. Eight bytes are
// looked at together; a false alarm of the word test is settled by the table.
func plainRun(s string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for len(s)-i >= 8 {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		if (x|(x-ones*0x20)|((x^ones*'"')-ones)|((x^ones*'\\')-ones))&highs != 0 {
			break
		}
		i += 8
	}
	for i < len(s) && class[s[i]] == plainByte {
		i++
	}
	return i
}

// isPlain says that s is written as it is: no escapes, no bytes above ASCII.
func isPlain(s string) bool { return plainRun(s, 0) == len(s) }

// AppendString appends the canonical form of s, with quotes. Bytes that are not UTF-8 become U+FFFD, because a
// canonical text is always valid; who must not lose them checks before.
func AppendString(dst []byte, s string) []byte {
	dst, _ = appendEscaped(append(dst, '"'), s)
	return append(dst, '"')
}

// appendEscaped is AppendString without the quotes; valid says that s was UTF-8.
func appendEscaped(dst []byte, s string) (out []byte, valid bool) {
	start, valid := 0, true
	for i := 0; i < len(s); {
		if i = plainRun(s, i); i == len(s) {
			break
		}
		if s[i] >= 0x80 {
			n := runeLen(s, i)
			if n > 0 {
				i += n
				continue
			}
			valid = false
			dst = append(append(dst, s[start:i]...), "\uFFFD"...)
			i++
			start = i
			continue
		}
		dst = appendEscape(append(dst, s[start:i]...), s[i])
		i++
		start = i
	}
	return append(dst, s[start:]...), valid
}

// appendEscape appends the escape of a quote, a backslash or a control character.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// runeLen is the length of the valid multi-byte UTF-8 sequence at s[i], or 0 when it is not valid. Two- and
// three-byte sequences, nearly all there are, are checked here without a call.
func runeLen(s string, i int) int {
	c := s[i]
	switch {
	case c >= 0xC2 && c < 0xE0 && i+1 < len(s) && s[i+1]&0xC0 == 0x80:
		return 2
	case c >= 0xE1 && c < 0xF0 && c != 0xED && i+2 < len(s) && s[i+1]&0xC0 == 0x80 && s[i+2]&0xC0 == 0x80:
		return 3
	}
	if _, n := utf8.DecodeRuneInString(s[i:]); n > 1 {
		return n
	}
	return 0
}

// AppendFloat appends the canonical form of f, which is ECMAScript's: the shortest digits that read back as f,
// without exponent from 1e-6 up to (not including) 1e21, and 0 for −0. NaN and infinities have no JSON form; they
// are written as null, as JSON.stringify does, and callers that can meet them check first (Float does).
func AppendFloat(dst []byte, f float64) []byte {
	if math.Abs(f) <= MaxSafeInteger {
		if i := int64(f); float64(i) == f {
			return strconv.AppendInt(dst, i, 10)
		}
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes at least two digits of exponent, ECMAScript as few as it can.
	if n := len(dst); n-start >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// CompareKeys orders object keys by UTF-16 code units, as RFC 8785 §3.2.3 demands: negative when a sorts before b, 0
// when they are equal. It looks at the UTF-8 bytes: their order is the same except that code points above U+FFFF
// (lead byte 0xF0 and up) sort as surrogates, before U+E000–U+FFFF (lead bytes 0xEE and 0xEF).
func CompareKeys(a, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			return int(y) - int(x)
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}
