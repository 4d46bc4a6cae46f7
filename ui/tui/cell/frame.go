package cell

import (
	"slices"
	"strings"
)

// Frame is a screen of exactly h lines of exactly w cells, put together from blocks of finished lines. Blocks may lie
// over others (a palette over the panes); the later one is on top. Whatever is put there, the screen keeps its size:
// every line is measured once, and one that is not as wide as it claims is cut or padded.
type Frame struct {
	cs   Charset
	w, h int
	rows [][]piece
}

// piece is w cells of a row from column x on.
type piece struct {
	x, w int
	text string
}

// NewFrame makes an empty screen of w by h cells; sizes below zero count as zero.
func NewFrame(c Charset, w, h int) *Frame {
	f := new(Frame)
	f.Start(c, w, h)
	return f
}

// Start empties the frame and gives it a size, keeping its memory for the next screen.
func (f *Frame) Start(c Charset, w, h int) {
	f.cs, f.w, f.h = c, max(w, 0), max(h, 0)
	f.rows = slices.Grow(f.rows[:0], f.h)[:f.h]
	for y := range f.rows {
		f.rows[y] = f.rows[y][:0]
	}
}

// Put places lines of w cells with their upper left corner at column x, row y. What lies outside the screen is left
// out.
func (f *Frame) Put(x, y, w int, lines ...string) {
	if w <= 0 {
		return
	}
	for i, line := range lines {
		if row := y + i; row >= 0 && row < f.h {
			if !f.cs.fits(line, w) {
				line = f.cs.FitStyled(line, w)
			}
			f.put(row, piece{x, w, line})
		}
	}
}

func (f *Frame) put(row int, p piece) {
	if cut := f.cut(p, 0, f.w); cut.w != p.w {
		if p = cut; p.w <= 0 {
			return
		}
	}
	old := f.rows[row]
	// Blocks mostly come from left to right, so that the row stays in order without any work.
	if n := len(old); n == 0 || old[n-1].x+old[n-1].w <= p.x {
		f.rows[row] = append(old, p)
		return
	}
	row2 := make([]piece, 0, len(old)+2)
	for _, q := range old {
		if q.x+q.w <= p.x || q.x >= p.x+p.w {
			row2 = append(row2, q)
			continue
		}
		if left := f.cut(q, 0, p.x); left.w > 0 {
			row2 = append(row2, left)
		}
		if right := f.cut(q, p.x+p.w, f.w); right.w > 0 {
			row2 = append(row2, right)
		}
	}
	row2 = append(row2, p)
	slices.SortFunc(row2, func(a, b piece) int { return a.x - b.x })
	f.rows[row] = row2
}

// cut is the part of p between the columns from and to of the screen.
func (f *Frame) cut(p piece, from, to int) piece {
	x, end := max(p.x, from), min(p.x+p.w, to)
	if end <= x {
		return piece{}
	}
	if x == p.x && end == p.x+p.w {
		return p
	}
	return piece{x, end - x, f.cs.SliceStyled(p.text, x-p.x, end-p.x)}
}

// String is the screen: h lines joined by newlines, without one at the end.
func (f *Frame) String() string {
	size := 0
	for _, row := range f.rows {
		size += f.w + 1
		for _, p := range row {
			size += len(p.text)
		}
	}
	var b strings.Builder
	b.Grow(size)
	for y, row := range f.rows {
		if y > 0 {
			b.WriteByte('\n')
		}
		x := 0
		for _, p := range row {
			writeSpaces(&b, p.x-x)
			b.WriteString(p.text)
			x = p.x + p.w
		}
		writeSpaces(&b, f.w-x)
	}
	return b.String()
}

func writeSpaces(b *strings.Builder, n int) {
	for ; n > 0; n -= len(blank) {
		b.WriteString(blank[:min(n, len(blank))])
	}
}
