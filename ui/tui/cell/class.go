package cell

import (
	"sync/atomic"
	"unicode"
)

// class says what has to happen to a code point before it may reach the screen.
type class uint8

const (
	clsNarrow  class = iota // one cell, goes through
	clsWide                 // two cells, goes through
	clsMark                 // no cell, goes through behind a base, a few at most
	clsControl              // C0 and DEL: a picture
	clsEscape               // invisible or dangerous: a visible escape
	clsSelect               // variation selectors 1 to 16: one is presentation and is dropped, more are shown
	clsJoiner               // U+200D: dropped between two pictures, else shown
	clsFlag                 // regional indicators: ⚑ and letters
	clsTone                 // skin tones: a raised digit
	clsLost                 // a mark that some terminals give a cell and some do not: ◌
	clsJamo                 // a leading Hangul jamo: composed with what follows, else ◌
	clsVowel                // a Hangul vowel or final jamo: composed with what stands before, else ◌
	clsAm                   // Thai and Lao sara am: written as its two halves, on which all agree
	clsVoice                // halfwidth katakana sound marks: an ASCII look-alike
	clsUnknown              // unassigned, or of a width that changed between Unicode versions: U+FFFD
)

// pages holds the classes of 256 code points each; a page is worked out when it is first needed, because all of them
// at start would cost milliseconds.
var pages [(unicode.MaxRune + 1) >> 8]atomic.Pointer[[256]class]

func classOf(r rune) class {
	if r < 0 || r > unicode.MaxRune {
		return clsUnknown
	}
	p := pages[r>>8].Load()
	if p == nil {
		p = new([256]class)
		for i := range p {
			p[i] = classify(r&^0xff | rune(i))
		}
		pages[r>>8].Store(p)
	}
	return p[r&0xff]
}

// classify is the rule behind the pages. The order matters: special cases stand before the categories they belong to.
func classify(r rune) class {
	switch {
	case r < 0x20 || r == 0x7f:
		return clsControl
	case r < 0x7f:
		return clsNarrow
	case r >= 0xfe00 && r <= 0xfe0f:
		return clsSelect
	case r == 0x200d:
		return clsJoiner
	case r >= 0x1f1e6 && r <= 0x1f1ff:
		return clsFlag
	case r >= 0x1f3fb && r <= 0x1f3ff:
		return clsTone
	case r >= 0x1100 && r <= 0x1112:
		return clsJamo
	case r >= 0x1161 && r <= 0x1175, r >= 0x11a8 && r <= 0x11c2:
		return clsVowel
	case r == 0xe33 || r == 0xeb3:
		return clsAm
	case r == 0xff9e || r == 0xff9f:
		return clsVoice
	case in(invisible, r):
		return clsEscape
	case in(lost, r):
		return clsLost
	case in(disputed, r):
		return clsUnknown
	}
	return classifyByCategory(r)
}

func classifyByCategory(r rune) class {
	switch {
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs):
		return clsEscape
	case r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef:
		return clsEscape // noncharacters
	case unicode.Is(unicode.Mc, r):
		return clsLost
	case unicode.In(r, unicode.Mn, unicode.Me):
		return clsMark
	case !unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Co):
		return clsUnknown
	case in(wide, r):
		return clsWide
	}
	return clsNarrow
}

// span is a range of code points, both ends included.
type span struct{ lo, hi rune }

func in(table []span, r rune) bool {
	lo, hi := 0, len(table)
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case r < table[mid].lo:
			hi = mid
		case r > table[mid].hi:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

// invisible lists what is drawn as nothing although its category is a letter or a mark: the grapheme joiner, the
// Hangul fillers, Khmer and Mongolian relics, the variation selectors beyond 16 and the tag block. All of them have
// been used to hide text.
var invisible = []span{
	{0x034f, 0x034f}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2065, 0x2065}, {0x3164, 0x3164},
	{0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
}

// lost lists what joins its neighbour into one cluster without being a spacing mark: the viramas that make Indic
// conjuncts (Unicode 16, Indic_Conjunct_Break=Linker), letters that attach to the next one (Grapheme_Cluster_Break=
// Prepend), and the old Hangul jamo, for which there are no syllables to compose.
var lost = []span{
	{0x094d, 0x094d}, {0x09cd, 0x09cd}, {0x0acd, 0x0acd}, {0x0b4d, 0x0b4d}, {0x0c4d, 0x0c4d}, {0x0d4d, 0x0d4e},
	{0x1039, 0x1039}, {0x1113, 0x115e}, {0x1176, 0x11a7}, {0x11c3, 0x11ff}, {0x17d2, 0x17d2}, {0x1a60, 0x1a60}, {0x1bab, 0x1bab},
	{0xa960, 0xa97c}, {0xaaf6, 0xaaf6}, {0xd7b0, 0xd7fb}, {0x10a3f, 0x10a3f}, {0x11133, 0x11133}, {0x111c2, 0x111c3}, {0x113d0, 0x113d1},
	{0x1193e, 0x1193f}, {0x11941, 0x11941}, {0x11a3a, 0x11a3a}, {0x11a47, 0x11a47}, {0x11a84, 0x11a89},
	{0x11a99, 0x11a99}, {0x11d46, 0x11d46}, {0x11f02, 0x11f02}, {0x11f42, 0x11f42},
}

// disputed lists what became wide with Unicode 16 (trigrams, hexagrams, counting rods) or is wide in the C library
// only (circled numbers on black squares): one cell here and two there, depending on the age of the terminal.
var disputed = []span{
	{0x2630, 0x2637}, {0x268a, 0x268f}, {0x3248, 0x324f}, {0x4dc0, 0x4dff}, {0x1d300, 0x1d37f},
}
