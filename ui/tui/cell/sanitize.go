package cell

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

const (
	unlimited = math.MaxInt

	// maxMarks is how many combining marks one base keeps. Three serve every script that needs them (Hebrew, Vietnamese,
	// polytonic Greek) and fit with their base into the 21 bytes that tmux keeps for a cell.
	maxMarks = 3
	// maxSkip bounds how many further marks one ◌ stands for, so that the work per cell stays bounded too.
	maxSkip = 64

	lostMark = '◌' // a mark was here that cannot be shown in a certain width
	flagMark = '⚑'
)

// fitter writes the safe form of a text until no further piece fits. A piece is what must not be torn: a base with
// its marks, an escape, a flag.
type fitter struct {
	ascii   bool
	dst     []byte
	max     int
	cells   int
	cut     bool // something that takes cells was left out
	keep    int  // len(dst) at the last border of pieces that leaves a cell free, for the ellipsis
	keepAt  int  // the cells at that border
	base    bool // a mark may follow: what was written last is an ordinary character
	marks   int  // marks that the base carries already
	picture bool // what was written last is a pictograph, perhaps with tone or selector
	chosen  bool // a variation selector was dropped just now
}

// append writes the safe form of s behind dst until max cells are full.
func (c Charset) append(dst []byte, s string, max int) ([]byte, fitter) {
	f := fitter{ascii: c == ASCII, dst: dst, max: max, keep: len(dst)}
	for len(s) > 0 && !f.cut {
		if s[0]-0x20 <= 0x5e {
			s = f.plain(s)
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = f.step(r, n, s[n:])
	}
	return f.dst, f
}

// plain copies the printable ASCII that s begins with, as far as there is room.
func (f *fitter) plain(s string) string {
	room := f.max - f.cells
	window := s
	if room < len(s)-1 {
		window = s[:room+1]
	}
	n := plainLen(window)
	if n > room {
		n, f.cut = room, true
	}
	f.dst = append(f.dst, s[:n]...)
	f.cells += n
	f.base, f.marks, f.picture, f.chosen = true, 0, false, false
	if over := f.cells - (f.max - 1); over <= 0 {
		f.keep, f.keepAt = len(f.dst), f.cells
	} else if n >= over {
		f.keep, f.keepAt = len(f.dst)-over, f.max-1
	}
	return s[n:]
}

// put writes one piece of w cells unless it no longer fits.
func (f *fitter) put(w int, base bool, piece ...rune) {
	if f.cells+w > f.max {
		f.cut = true
		return
	}
	for _, r := range piece {
		f.dst = utf8.AppendRune(f.dst, r)
	}
	f.done(w, base)
}

func (f *fitter) done(w int, base bool) {
	f.cells += w
	f.base, f.marks, f.picture, f.chosen = base, 0, false, false
	f.border()
}

func (f *fitter) border() {
	if f.cells < f.max {
		f.keep, f.keepAt = len(f.dst), f.cells
	}
}

// step handles r, which is n bytes long and is followed by rest, and returns what is left after it.
func (f *fitter) step(r rune, n int, rest string) string {
	if r == utf8.RuneError && n <= 1 {
		f.invalid()
		return rest
	}
	cls := classOf(r)
	if cls == clsControl {
		f.control(r)
		return rest
	}
	if f.ascii {
		f.escape(r)
		return rest
	}
	switch cls {
	case clsNarrow:
		f.put(1, true, r)
		f.picture = unicode.Is(unicode.So, r)
	case clsWide:
		return f.wide(r, rest)
	case clsMark:
		return f.mark(r, rest)
	case clsSelect:
		f.selector(r)
	case clsJoiner:
		f.joiner(r, rest)
	case clsFlag:
		return f.flag(r, rest)
	case clsJamo:
		return f.jamo(r, rest)
	default:
		f.substitute(cls, r)
	}
	return rest
}

// invalid writes U+FFFD for a byte that is not UTF-8.
func (f *fitter) invalid() {
	if f.ascii {
		f.escape(utf8.RuneError)
		return
	}
	f.put(1, false, utf8.RuneError)
}

// substitute handles the classes that are replaced without looking at the neighbours.
func (f *fitter) substitute(cls class, r rune) {
	switch cls {
	case clsEscape:
		f.escape(r)
	case clsTone:
		was := f.picture
		f.put(1, false, [...]rune{'²', '³', '⁴', '⁵', '⁶'}[r-0x1f3fb])
		f.picture = was
	case clsLost, clsVowel:
		f.put(1, false, lostMark)
	case clsAm:
		// U+0E33 is the mark U+0E4D and the letter U+0E32; U+0EB3 likewise (its compatibility decomposition).
		if f.base && f.marks < maxMarks {
			f.put(1, true, r+0x1a, r-1)
		} else {
			f.put(2, true, lostMark, r+0x1a, r-1)
		}
	case clsVoice:
		f.put(1, false, map[rune]rune{0xff9e: '"', 0xff9f: '°'}[r])
	case clsUnknown:
		f.put(1, false, utf8.RuneError)
	}
}

// wide writes a character of two cells; a Hangul syllable takes a final jamo that follows it.
func (f *fitter) wide(r rune, rest string) string {
	if r >= 0xac00 && r <= 0xd7a3 && (r-0xac00)%28 == 0 {
		if t, n := utf8.DecodeRuneInString(rest); t >= 0x11a8 && t <= 0x11c2 {
			r, rest = r+t-0x11a7, rest[n:]
		}
	}
	f.put(2, true, r)
	f.picture = unicode.Is(unicode.So, r)
	return rest
}

// jamo composes a leading jamo and the vowel behind it (Unicode 3.12, Hangul Syllable Composition); alone it is lost.
func (f *fitter) jamo(r rune, rest string) string {
	v, n := utf8.DecodeRuneInString(rest)
	if v < 0x1161 || v > 0x1175 {
		f.put(1, false, lostMark)
		return rest
	}
	return f.wide(0xac00+((r-0x1100)*21+v-0x1161)*28, rest[n:])
}

// mark writes a combining mark behind its base. Beyond maxMarks one ◌ stands for the pile.
func (f *fitter) mark(r rune, rest string) string {
	switch {
	case !f.base:
		f.put(1, true, lostMark, r)
		f.marks = 1
	case f.marks < maxMarks:
		f.dst = utf8.AppendRune(f.dst, r)
		f.marks++
		f.chosen = false
		f.border()
	default:
		f.put(1, true, lostMark)
		for range maxSkip {
			next, n := utf8.DecodeRuneInString(rest)
			if n == 0 || classOf(next) != clsMark {
				break
			}
			rest = rest[n:]
		}
	}
	return rest
}

// selector drops one variation selector behind a character, because that only chooses a presentation, on whose width
// terminals disagree. A second one has no such meaning and is shown: selectors are used to hide text.
func (f *fitter) selector(r rune) {
	if f.base && !f.chosen {
		f.chosen = true
		return
	}
	f.escape(r)
}

// joiner drops U+200D between two pictographs, which then stand side by side; anywhere else it is shown.
func (f *fitter) joiner(r rune, rest string) {
	next, _ := utf8.DecodeRuneInString(rest)
	if f.picture && unicode.Is(unicode.So, next) {
		return
	}
	f.escape(r)
}

// flag writes one or two regional indicators as ⚑ and their letters.
func (f *fitter) flag(r rune, rest string) string {
	letter := func(r rune) rune { return 'A' + r - 0x1f1e6 }
	if next, n := utf8.DecodeRuneInString(rest); classOf(next) == clsFlag {
		f.put(3, false, flagMark, letter(r), letter(next))
		return rest[n:]
	}
	f.put(2, false, flagMark, letter(r))
	return rest
}

// control writes a picture of a C0 control or of DEL.
func (f *fitter) control(r rune) {
	if f.ascii {
		switch r {
		case '\n':
			f.put(2, false, '\\', 'n')
		case '\t':
			f.put(2, false, '\\', 't')
		case '\r':
			f.put(2, false, '\\', 'r')
		default:
			f.text([]byte{'\\', 'x', hexDigit(r >> 4), hexDigit(r)})
		}
		return
	}
	switch r {
	case '\n':
		f.put(1, false, '⏎')
	case '\t':
		f.put(1, false, '⇥')
	case 0x7f:
		f.put(1, false, '␡')
	default:
		f.put(1, false, '␀'+r)
	}
}

// escape writes r as \u202e, or as \u{e0041} beyond four digits.
func (f *fitter) escape(r rune) {
	var buf [10]byte
	if r > 0xffff {
		f.text(append(strconv.AppendInt(append(buf[:0], `\u{`...), int64(r), 16), '}'))
		return
	}
	f.text(append(buf[:0], '\\', 'u', hexDigit(r>>12), hexDigit(r>>8), hexDigit(r>>4), hexDigit(r)))
}

// text writes ASCII as one piece.
func (f *fitter) text(b []byte) {
	if f.cells+len(b) > f.max {
		f.cut = true
		return
	}
	f.dst = append(f.dst, b...)
	f.done(len(b), false)
}

func hexDigit(n rune) byte { return "0123456789abcdef"[n&15] }

// measure is the width of text that is safe already; ok is false when s has to be rewritten to be measured.
func (c Charset) measure(s string) (w int, ok bool) {
	if c == ASCII {
		return 0, false
	}
	base, marks := false, 0
	for _, r := range s {
		switch classOf(r) {
		case clsNarrow:
			w++
			base, marks = r != utf8.RuneError, 0 // a bad byte, which carries no mark, looks the same here
		case clsWide:
			w += 2
			base, marks = true, 0
		case clsMark:
			if marks++; !base || marks > maxMarks {
				return 0, false
			}
		default:
			return 0, false
		}
	}
	return w, true
}

// appendFit writes the safe form of s in exactly w cells.
func (c Charset) appendFit(dst []byte, s string, w int) []byte {
	if w <= 0 {
		return dst
	}
	dst, cells := c.appendCut(dst, s, w)
	return appendSpaces(dst, w-cells)
}

// appendFitRight is appendFit with the padding before the text.
func (c Charset) appendFitRight(dst []byte, s string, w int) []byte {
	if w <= 0 {
		return dst
	}
	start := len(dst)
	dst, cells := c.appendCut(dst, s, w)
	if pad := w - cells; pad > 0 {
		dst = appendSpaces(dst, pad)
		copy(dst[start+pad:], dst[start:len(dst)-pad])
		for i := range pad {
			dst[start+i] = ' '
		}
	}
	return dst
}

// appendCut writes the safe form of s, with an ellipsis if it has to be cut, and returns its cells, at most w ≥ 1.
func (c Charset) appendCut(dst []byte, s string, w int) ([]byte, int) {
	dst, f := c.append(dst, s, w)
	if !f.cut {
		return dst, f.cells
	}
	dst = append(dst[:f.keep], c.Ellipsis()...)
	return dst, f.keepAt + 1
}

const blank = "                                                                                "

func appendSpaces(dst []byte, n int) []byte {
	for ; n > len(blank); n -= len(blank) {
		dst = append(dst, blank...)
	}
	return append(dst, blank[:max(n, 0)]...)
}
