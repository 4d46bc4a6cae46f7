package canon

import (
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// fault is what a token scanner found wrong, before it is known where in the document that is.
type fault struct {
	off        int
	code       string
	what, want string
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// hex4 reads the four digits of \uXXXX at s[i], or gives −1.
func hex4(s string, i int) rune {
	if i+4 > len(s) {
		return -1
	}
	r := 0
	for _, c := range bytesOf(s[i : i+4]) {
		d := hexDigit(c)
		if d < 0 {
			return -1
		}
		r = r<<4 | d
	}
	return rune(r)
}

// scanEscape reads the escape at s[i] (a backslash). It returns the code point and the index after it; with a fault
// that is no syntax error (half a surrogate pair) end is still valid and r is U+FFFD.
func scanEscape(s string, i int) (r rune, end int, f *fault) {
	if i+1 >= len(s) {
		return 0, i, &fault{len(s), CodeSyntax, "the text ends inside a string", "expected a closing quote"}
	}
	switch c := s[i+1]; c {
	case '"', '\\', '/':
		return rune(c), i + 2, nil
	case 'b':
		return '\b', i + 2, nil
	case 'f':
		return '\f', i + 2, nil
	case 'n':
		return '\n', i + 2, nil
	case 'r':
		return '\r', i + 2, nil
	case 't':
		return '\t', i + 2, nil
	case 'u':
		return scanUnicodeEscape(s, i)
	}
	_, n := utf8.DecodeRuneInString(s[i+1:])
	return 0, i, &fault{i, CodeSyntax, "invalid escape " + quoted(s[i:i+1+n]),
		`expected one of \" \\ \/ \b \f \n \r \t \uXXXX`}
}

func scanUnicodeEscape(s string, i int) (r rune, end int, f *fault) {
	if r = hex4(s, i+2); r < 0 {
		return 0, i, &fault{i, CodeSyntax, `\u without four hexadecimal digits`, `expected four digits, as in \u00e9`}
	}
	end = i + 6
	if !utf16.IsSurrogate(r) {
		return r, end, nil
	}
	if r < 0xDC00 && end+1 < len(s) && s[end] == '\\' && s[end+1] == 'u' {
		if low := hex4(s, end+2); low >= 0xDC00 && low <= 0xDFFF {
			return utf16.DecodeRune(r, low), end + 6, nil
		}
	}
	return utf8.RuneError, end, &fault{i, CodeUTF8, "half a surrogate pair: " + s[i:end],
		`write a pair such as \ud83d\ude02, or the character itself`}
}

// number is a scanned number token.
type number struct {
	end       int
	canonical bool    // the token is canonical as it stands, and no integer beyond ±(2^53−1)
	value     float64 // only when not canonical
}

// scanNumber reads the number at s[i] (a digit or a minus).
func scanNumber(s string, i int) (number, *fault) {
	start, neg := i, false
	if s[i] == '-' {
		neg = true
		i++
	}
	digits := i
	if i = skipDigits(s, i); i == digits {
		return number{}, &fault{i, CodeSyntax, "a minus without a digit", "expected a digit, as in -1"}
	}
	if s[digits] == '0' && i-digits > 1 {
		return number{}, &fault{digits, CodeSyntax, "a number with a leading zero", "drop the zeros in front"}
	}
	intLen, fracLen := i-digits, 0
	short := true // short enough for every canonical spelling to be recognised without arithmetic
	if i < len(s) && s[i] == '.' {
		frac := i + 1
		i = skipDigits(s, frac)
		if fracLen = i - frac; fracLen == 0 {
			return number{}, &fault{i, CodeSyntax, "a decimal point without a digit after it", "expected a digit after the point"}
		}
		short = s[i-1] != '0' && (s[digits] != '0' || leadingZeros(s[frac:i]) <= 5)
	} else {
		short = !neg || s[digits] != '0' // −0 is 0
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		short = false
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		exp := i
		if i = skipDigits(s, exp); i == exp {
			return number{}, &fault{i, CodeSyntax, "an exponent without a digit", "expected a digit after e"}
		}
	}
	// Up to 15 significant digits survive the way through float64 and back, so they are the shortest form already.
	if short && intLen+fracLen <= 15 {
		return number{end: i, canonical: true}, nil
	}
	v, err := strconv.ParseFloat(s[start:i], 64)
	if err != nil || math.IsInf(v, 0) {
		return number{end: i, value: v}, &fault{start, CodeRange, "the number " + cut(s[start:i]) + " is out of range",
			"allowed is at most 1.7976931348623157e308 in size"}
	}
	return number{end: i, value: v}, nil
}

// isBigInteger says that the number comes under IntegerRule: as float64 it is an integer beyond ±(2^53−1) whose
// canonical form has no exponent. Judging the float64 and not the spelling makes 1e20, 9007199254740993.0 and
// 90071992547409930e-1 alike, and makes the verdict on a text and on its canonical form the same.
func isBigInteger(f float64) bool {
	a := math.Abs(f)
	return a > MaxSafeInteger && a < 1e21
}

func skipDigits(s string, i int) int {
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return i
}

func leadingZeros(s string) int {
	n := 0
	for n < len(s) && s[n] == '0' {
		n++
	}
	return n
}

// cut shortens a token for a message.
func cut(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// literal is the length of true, false or null at s[i], or 0.
func literal(s string, i int) int {
	for _, word := range [...]string{"true", "false", "null"} {
		if len(s)-i >= len(word) && s[i:i+len(word)] == word {
			return len(word)
		}
	}
	return 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// unexpected describes what stands at s[i] where something else should.
func unexpected(s string, i int) string {
	if i >= len(s) {
		return "the text ends too early"
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && n <= 1 {
		return "unexpected byte 0x" + string(hexDigits[s[i]>>4]) + string(hexDigits[s[i]&15])
	}
	return "unexpected " + quoted(s[i:i+n])
}

func bigIntegerFault(s string, start, end int) *fault {
	return &fault{start, CodeBigInteger, "the integer " + cut(s[start:end]) +
		" is beyond ±9007199254740991 and would be rounded", "send it as a string"}
}
