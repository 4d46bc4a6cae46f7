package contractcmd

import (
	"fmt"
	"strings"
)

// scatter draws points in braille, 2×4 dots per character. Members of the first front are letters instead of dots, so
// that they can be told apart without colour; more than 26 of them are "●".
type scatter struct {
	width, height int // characters
	xName, yName  string
	points        []scatterPoint
}

type scatterPoint struct {
	x, y  float64
	front bool
	label rune // of a front member
}

// draw gives the lines of the plot: y upwards, x to the right, both as measured. Nothing to draw gives nil.
func (s *scatter) draw() []string {
	if len(s.points) == 0 {
		return nil
	}
	loX, hiX, loY, hiY := s.bounds()
	dots := make([][]rune, s.height)
	for i := range dots {
		dots[i] = make([]rune, s.width)
	}
	marks := map[[2]int]rune{}
	for _, p := range s.points {
		x := scatterScale(p.x, loX, hiX, 2*s.width-1)
		y := 4*s.height - 1 - scatterScale(p.y, loY, hiY, 4*s.height-1)
		if !p.front {
			dots[y/4][x/2] |= brailleDot(x%2, y%4)
			continue
		}
		at := [2]int{y / 4, x / 2}
		if _, taken := marks[at]; !taken {
			marks[at] = p.label
		}
	}
	var lines []string
	for row := range dots {
		var b strings.Builder
		for col, d := range dots[row] {
			switch mark, ok := marks[[2]int{row, col}]; {
			case ok:
				b.WriteRune(mark)
			case d == 0:
				b.WriteByte(' ')
			default:
				b.WriteRune(0x2800 + d)
			}
		}
		lines = append(lines, "│"+strings.TrimRight(b.String(), " "))
	}
	lines[0] += fmt.Sprintf("   %s up to %s", s.yName, judgeNumber(hiY))
	left, right := fmt.Sprintf("%s from %s", s.xName, judgeNumber(loX)), "to "+judgeNumber(hiX)
	lines = append(lines, "└"+strings.Repeat("─", s.width)+fmt.Sprintf("  %s from %s", s.yName, judgeNumber(loY)))
	gap := max(1, s.width-len(left)-len(right))
	return append(lines, " "+left+strings.Repeat(" ", gap)+right)
}

func (s *scatter) bounds() (loX, hiX, loY, hiY float64) {
	loX, hiX, loY, hiY = s.points[0].x, s.points[0].x, s.points[0].y, s.points[0].y
	for _, p := range s.points {
		loX, hiX = min(loX, p.x), max(hiX, p.x)
		loY, hiY = min(loY, p.y), max(hiY, p.y)
	}
	return loX, hiX, loY, hiY
}

func scatterScale(v, lo, hi float64, most int) int {
	if hi == lo {
		return most / 2
	}
	return int((v-lo)/(hi-lo)*float64(most) + 0.5)
}

// brailleDot is the bit of a dot, counted from the top left; Unicode numbers the lowest row after the upper three.
func brailleDot(x, y int) rune {
	if y == 3 {
		return 0x40 << x
	}
	return 1 << (y + 3*x)
}

func frontLabel(i, n int) rune {
	if n > 26 {
		return '●'
	}
	return 'a' + rune(i)
}
