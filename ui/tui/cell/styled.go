package cell

import (
	"strings"
	"unicode/utf8"
)

// sgrLen is the length of the colour sequence (ESC [ digits, semicolons and colons m) that s begins with, or 0.
// Anything else that begins with ESC is text, and is made visible like all text.
func sgrLen(s string) int {
	if len(s) < 3 || s[0] != 0x1b || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch b := s[i]; {
		case b == 'm':
			return i + 1
		case b < '0' || b > ';':
			return 0
		}
	}
	return 0
}

// WidthStyled is the number of cells of text that may contain colour sequences (those of a Builder or of lipgloss).
func (c Charset) WidthStyled(s string) int {
	w := 0
	for len(s) > 0 {
		if n := sgrLen(s); n > 0 {
			s = s[n:]
			continue
		}
		n := textLen(s)
		w += c.Width(s[:n])
		s = s[n:]
	}
	return w
}

// fits says that styled text takes w cells as it stands: its text is safe already. Text of which only the safe form
// takes w cells does not fit.
func (c Charset) fits(s string, w int) bool {
	for len(s) > 0 {
		if n := sgrLen(s); n > 0 {
			s = s[n:]
			continue
		}
		n := textLen(s)
		if plain := plainLen(s[:n]); plain == n {
			w -= n
		} else if cells, clean := c.measure(s[:n]); clean && utf8.ValidString(s[:n]) {
			w -= cells
		} else {
			return false
		}
		s = s[n:]
	}
	return w == 0
}

// textLen is the length of the start of s, at least 1, up to the next colour sequence.
func textLen(s string) int {
	for i := 1; i < len(s); i++ {
		j := strings.IndexByte(s[i:], 0x1b)
		if j < 0 {
			return len(s)
		}
		if i += j; sgrLen(s[i:]) > 0 {
			return i
		}
	}
	return len(s)
}

// FitStyled returns text that may contain colour sequences in exactly w cells, cut without an ellipsis; whatever else
// it contains is made safe. Use it for what bubbles and lipgloss render (a text input); own lines come from a Builder and need it not.
func (c Charset) FitStyled(s string, w int) string { return c.SliceStyled(s, 0, w) }

// SliceStyled returns the cells from (included) to to (not included) of a styled text, in exactly to-from cells: what
// is missing is blank, and half of a wide character is a blank. Colours in force at from are in force in the result,
// and none at its end.
func (c Charset) SliceStyled(s string, from, to int) string {
	from = max(from, 0)
	if to <= from {
		return ""
	}
	o := slicer{cs: c, from: from, to: to, out: make([]byte, 0, len(s)+8)}
	for len(s) > 0 && o.x < to {
		if n := sgrLen(s); n > 0 {
			o.color(s[:n])
			s = s[n:]
			continue
		}
		n := textLen(s)
		o.text(s[:n])
		s = s[n:]
	}
	if o.on {
		o.out = append(o.out, reset...)
	}
	return string(appendSpaces(o.out, to-max(o.x, from)))
}

// slicer walks a styled text and keeps what lies between two columns.
type slicer struct {
	cs       Charset
	from, to int
	x        int
	out      []byte
	pending  []string // colour sequences since the last reset that are not written yet
	on       bool     // some colour is switched on in out
}

func (o *slicer) color(seq string) {
	if seq == "\x1b[m" || seq == "\x1b[0m" {
		o.pending = o.pending[:0]
		if o.on {
			o.out = append(o.out, reset...)
			o.on = false
		}
		return
	}
	o.pending = append(o.pending, seq)
}

func (o *slicer) text(s string) {
	if o.x < o.from {
		s = o.skip(s)
	}
	room := o.to - max(o.x, o.from)
	if o.x < o.from || s == "" || room <= 0 {
		return
	}
	for _, seq := range o.pending {
		o.out = append(o.out, seq...)
		o.on = true
	}
	o.pending = o.pending[:0]
	out, f := o.cs.append(o.out, s, room)
	o.out = out
	o.x += f.cells
	if f.cut { // a wide character or an escape across the border: blanks take its place
		o.out = appendSpaces(o.out, room-f.cells)
		o.x = o.to
	}
}

// skip drops the start of s up to column from and returns what is left of its safe form.
func (o *slicer) skip(s string) string {
	need := o.from - o.x
	safe := o.cs.Sanitize(s)
	if w := o.cs.Width(safe); w <= need {
		o.x += w
		return ""
	}
	head, f := o.cs.append(nil, safe, need)
	rest := safe[len(head):]
	o.x += f.cells
	if o.x == o.from {
		return rest
	}
	// A wide character lies across the border: its right half is a blank.
	next := o.cs.Cut(rest, 2)
	o.x = o.from
	return " " + rest[len(next):]
}
