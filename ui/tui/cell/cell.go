// Package cell is the one place that measures, cuts, pads and cleans text for the terminal.
//
// Everything a flow, a trace or a file contains is untrusted: it may hold escape sequences, bidi controls, invisible
// characters and clusters on whose width terminals disagree. What leaves this package is text of which every cell is
// certain: valid UTF-8, no control or invisible characters, and a width on which a terminal that adds up code points
// (tmux, xterm) and one that adds up grapheme clusters (charmbracelet/x/ansi) agree.
//
// Here live: Sanitize and its kin for plain text, Builder for one styled line, Frame for a screen of lines, the
// functions for text that carries our own colours, and SafeWriter for the command line. Colours, glyphs and meaning
// do not live here (ui/tui/theme), nor does anything that knows a flow or a trace. Standard library only.
package cell

import "unicode/utf8"

// Charset says which characters may reach the screen.
type Charset uint8

const (
	// Unicode lets every character through whose width is certain.
	Unicode Charset = iota
	// ASCII lets only U+0020…U+007E through; everything else is written as an escape such as \u00e9 (for --ascii).
	ASCII
)

// Ellipsis is the one-cell sign for "there is more".
func (c Charset) Ellipsis() string {
	if c == ASCII {
		return "~"
	}
	return "…"
}

// Sanitize returns s in its safe form. Controls become pictures (ESC → ␛, newline → ⏎, tab → ⇥), invisible and
// bidi characters become escapes such as \u202e, invalid UTF-8 becomes U+FFFD, flags become ⚑DE, skin tones a raised
// digit, joined emoji their parts; a mark that terminals disagree about becomes ◌. The result is a fixed point.
func (c Charset) Sanitize(s string) string {
	if plainLen(s) == len(s) {
		return s
	}
	out, _ := c.append(make([]byte, 0, len(s)+16), s, unlimited)
	return string(out)
}

// Width is the number of cells that the safe form of s takes.
func (c Charset) Width(s string) int {
	n := plainLen(s)
	if n == len(s) {
		return n
	}
	// Clean text, which is nearly all there is, is measured without being written.
	if w, ok := c.measure(s); ok {
		return w
	}
	_, f := c.append(nil, s, unlimited)
	return f.cells
}

// Cut returns the longest start of the safe form of s that takes at most w cells. It reads only as much of s as it
// needs.
func (c Charset) Cut(s string, w int) string {
	head, _ := c.Clip(s, w)
	return head
}

// Clip is Cut that also says whether something was left out.
func (c Charset) Clip(s string, w int) (head string, cut bool) {
	if w <= 0 {
		return "", s != ""
	}
	if n := plainLen(s[:min(len(s), w+1)]); n > w || n == len(s) {
		return s[:min(n, w)], n > w
	}
	out, f := c.append(make([]byte, 0, w+16), s, w)
	return string(out), f.cut
}

// Fit returns the safe form of s in exactly w cells: padded with spaces, or cut with an ellipsis. w below one gives
// the empty string. It reads only as much of s as it needs.
func (c Charset) Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if len(s) == w && plainLen(s) == w {
		return s
	}
	return string(c.appendFit(make([]byte, 0, w+16), s, w))
}

// FitRight is Fit with the padding on the left, for numbers.
func (c Charset) FitRight(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return string(c.appendFitRight(make([]byte, 0, w+16), s, w))
}

// Middle returns the safe form of s in at most w cells; it reads all of s. When it is longer, its middle is left out, which suits hashes
// and paths, of which both ends are telling.
func (c Charset) Middle(s string, w int) string {
	if c.Width(s) <= w {
		return c.Sanitize(s)
	}
	if w <= 2 {
		return c.Fit(s, w)
	}
	safe := c.Sanitize(s)
	head := c.Cut(safe, w/2)
	return head + c.Ellipsis() + safe[tailStart(safe, w-1-c.Width(head)):]
}

// tailStart is where the longest end of a safe text begins that takes at most w cells and tears no mark from its base.
func tailStart(safe string, w int) int {
	start := len(safe)
	for i := len(safe); i > 0; {
		r, n := utf8.DecodeLastRuneInString(safe[:i])
		i -= n
		switch classOf(r) {
		case clsMark:
			continue
		case clsWide:
			w--
		}
		if w--; w < 0 {
			return start
		}
		start = i
	}
	return start
}

// Sanitize is Unicode.Sanitize.
func Sanitize(s string) string { return Unicode.Sanitize(s) }

// Width is Unicode.Width.
func Width(s string) int { return Unicode.Width(s) }

// Cut is Unicode.Cut.
func Cut(s string, w int) string { return Unicode.Cut(s, w) }

// Fit is Unicode.Fit.
func Fit(s string, w int) string { return Unicode.Fit(s, w) }

// FitRight is Unicode.FitRight.
func FitRight(s string, w int) string { return Unicode.FitRight(s, w) }

// plainLen is the length of the start of s that consists of printable ASCII.
func plainLen(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i]-0x20 > 0x5e {
			return i
		}
	}
	return len(s)
}
