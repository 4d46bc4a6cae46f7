// Package plot draws points and curves with characters: a scatter in braille, and a line of blocks. It is pure, knows no
// colour and imports nothing of the project; callers colour the cells that it gives them.
package plot

import (
	"fmt"
	"strconv"
	"strings"
)

// Scatter draws points in braille, 2×4 dots per character. Marked points are a character of their own instead of a dot, so
// that they can be told apart without colour.
type Scatter struct {
	Width, Height int // of the field, in characters
	XName, YName  string
	Points        []Point
	Number        func(float64) string // how bounds are written; nil: six significant digits
}

// Point is one point; Mark 0 is a dot.
type Point struct {
	X, Y float64
	Mark rune
}

// Cell is one character of the field and the first of its points (an index into Points), -1 when it is empty.
type Cell struct {
	Rune  rune
	Point int
}

// Field is the drawing without its axes, Height rows of Width cells; nil when there is nothing to draw. A mark wins over
// dots, and of two marks the first.
func (s *Scatter) Field() [][]Cell {
	if len(s.Points) == 0 || s.Width < 1 || s.Height < 1 {
		return nil
	}
	loX, hiX, loY, hiY := s.Bounds()
	field := make([][]Cell, s.Height)
	for i := range field {
		field[i] = make([]Cell, s.Width)
		for k := range field[i] {
			field[i][k] = Cell{' ', -1}
		}
	}
	for i, p := range s.Points {
		x := scale(p.X, loX, hiX, 2*s.Width-1)
		y := 4*s.Height - 1 - scale(p.Y, loY, hiY, 4*s.Height-1)
		c := &field[y/4][x/2]
		dotted := c.Rune == ' ' || c.Rune >= braille && c.Rune < braille+256
		switch {
		case p.Mark != 0 && dotted:
			*c = Cell{p.Mark, i}
		case p.Mark == 0 && c.Rune == ' ':
			*c = Cell{braille + dot(x%2, y%4), i}
		case p.Mark == 0 && dotted:
			c.Rune |= dot(x%2, y%4)
		}
	}
	return field
}

// braille is the empty pattern; the dots are bits above it.
const braille = 0x2800

// Draw is the field with its axes: y upwards, x to the right, both as measured. Nothing to draw gives nil.
func (s *Scatter) Draw() []string {
	field := s.Field()
	if field == nil {
		return nil
	}
	number := s.Number
	if number == nil {
		number = func(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
	}
	loX, hiX, loY, hiY := s.Bounds()
	var lines []string
	for _, row := range field {
		var b strings.Builder
		for _, c := range row {
			b.WriteRune(c.Rune)
		}
		lines = append(lines, "│"+strings.TrimRight(b.String(), " "))
	}
	lines[0] += fmt.Sprintf("   %s up to %s", s.YName, number(hiY))
	left, right := fmt.Sprintf("%s from %s", s.XName, number(loX)), "to "+number(hiX)
	lines = append(lines, "└"+strings.Repeat("─", s.Width)+fmt.Sprintf("  %s from %s", s.YName, number(loY)))
	gap := max(1, s.Width-len(left)-len(right))
	return append(lines, " "+left+strings.Repeat(" ", gap)+right)
}

// Bounds are the least and greatest values of the points.
func (s *Scatter) Bounds() (loX, hiX, loY, hiY float64) {
	for i, p := range s.Points {
		if i == 0 {
			loX, hiX, loY, hiY = p.X, p.X, p.Y, p.Y
		}
		loX, hiX = min(loX, p.X), max(hiX, p.X)
		loY, hiY = min(loY, p.Y), max(hiY, p.Y)
	}
	return loX, hiX, loY, hiY
}

// scale is where a value lies between two others, from 0 to most; in the middle when they are equal.
func scale(v, lo, hi float64, most int) int {
	if hi == lo {
		return most / 2
	}
	return max(0, min(most, int((v-lo)/(hi-lo)*float64(most)+0.5)))
}

// dot is the bit of a dot, counted from the top left; Unicode numbers the lowest row after the upper three.
func dot(x, y int) rune {
	if y == 3 {
		return 0x40 << x
	}
	return 1 << (y + 3*x)
}

// FrontMark is the mark of the i-th of n members of a front: letters as far as they go.
func FrontMark(i, n int) rune {
	if n > 26 {
		return '●'
	}
	return 'a' + rune(i)
}

// RankMark is the mark of a rank: ⓪, the front, to ⑨, then •; ASCII has the digits, then +. The number is the rank as
// tables and JSON have it.
func RankMark(rank int, ascii bool) rune {
	switch {
	case ascii && rank < 10:
		return '0' + rune(rank)
	case ascii:
		return '+'
	case rank == 0:
		return '⓪'
	case rank < 10:
		return '①' + rune(rank-1)
	}
	return '•'
}

// Spark is a line of blocks for a series, one per value, scaled between its least and greatest; ASCII has signs that
// are no digits, which would read as a value. Without values it is empty.
func Spark(values []float64, ascii bool) string {
	var b strings.Builder
	if len(values) == 0 {
		return ""
	}
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	for _, v := range values {
		level := rune(scale(v, lo, hi, 7))
		if ascii {
			b.WriteByte("_..--==#"[level])
		} else {
			b.WriteRune('▁' + level)
		}
	}
	return b.String()
}
