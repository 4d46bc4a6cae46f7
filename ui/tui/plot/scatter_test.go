package plot

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestScatter(t *testing.T) {
	s := Scatter{Width: 4, Height: 2, XName: "x", YName: "y", Points: []Point{
		{X: 0, Y: 0}, {X: 7, Y: 7, Mark: 'a'}, {X: 7, Y: 0}, {X: 6, Y: 1}, {X: 0, Y: 7}, {X: 7, Y: 6.9},
	}}
	want := []string{"│⠁  a   y up to 7", "│⡀  ⢄", "└────  y from 0", " x from 0 to 7"}
	if got := s.Draw(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	field := s.Field()
	if field[0][3].Point != 1 || field[1][3].Point != 2 || field[0][1].Point != -1 {
		t.Errorf("%v", field)
	}
	if (&Scatter{Width: 3, Height: 3}).Draw() != nil || (&Scatter{Points: s.Points}).Draw() != nil {
		t.Error("nothing to draw")
	}
	one := Scatter{Width: 3, Height: 1, Points: []Point{{X: 5, Y: 5, Mark: 'z'}}}
	if f := one.Field(); f[0][1].Rune != 'z' {
		t.Errorf("a single point is in the middle: %v", f)
	}
}

func TestMarks(t *testing.T) {
	if Spark([]float64{0, 1, 7, 7, 3.4}, false) != "▁▂██▄" || Spark([]float64{0, 7}, true) != "_#" || Spark(nil, true) != "" || Spark([]float64{2}, false) != "▄" {
		t.Error(Spark([]float64{0, 1, 7, 7, 3.4}, false), Spark([]float64{2}, false))
	}
	if RankMark(0, false) != '⓪' || RankMark(1, false) != '①' || RankMark(9, false) != '⑨' || RankMark(10, false) != '•' || RankMark(0, true) != '0' || RankMark(9, true) != '9' || RankMark(20, true) != '+' {
		t.Error("marks of ranks")
	}
	if FrontMark(0, 26) != 'a' || FrontMark(25, 26) != 'z' || FrontMark(0, 27) != '●' {
		t.Error("marks of a front")
	}
}

// Whatever the points: the field has its size, and every mark that is not covered by another is in it.
func TestAnyScatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Scatter{Width: rapid.IntRange(1, 40).Draw(t, "w"), Height: rapid.IntRange(1, 12).Draw(t, "h")}
		for range rapid.IntRange(1, 50).Draw(t, "n") {
			s.Points = append(s.Points, Point{X: rapid.Float64Range(-1e300, 1e300).Draw(t, "x"), Y: rapid.Float64Range(-1, 1).Draw(t, "y")})
		}
		s.Points[0].Mark = '@'
		seen := 0
		for _, row := range s.Field() {
			if len(row) != s.Width {
				t.Fatal("a row has another width")
			}
			for _, c := range row {
				if c.Rune == '@' {
					seen++
				}
				if (c.Point < 0) != (c.Rune == ' ') {
					t.Fatal("a cell with a sign has a point, and no other")
				}
			}
		}
		if seen != 1 {
			t.Fatalf("the mark is there %d times", seen)
		}
		for _, l := range s.Draw() {
			if !utf8.ValidString(l) {
				t.Fatal("not UTF-8")
			}
		}
	})
	s := Scatter{Width: 3, Height: 3, Points: []Point{{X: -math.MaxFloat64, Y: 0}, {X: math.MaxFloat64, Y: 1}}}
	if s.Field() == nil {
		t.Error("the widest range")
	}
}

// TestTwoAtOnePlace draws five points: two of the first front, one of them twice, and dots in three corners.
func TestTwoAtOnePlace(t *testing.T) {
	s := Scatter{Width: 6, Height: 3, XName: "x", YName: "y", Points: []Point{
		{X: 0, Y: 0, Mark: 'a'}, {X: 0, Y: 0, Mark: 'b'},
		{X: 10, Y: 10}, {X: 0, Y: 10}, {X: 10, Y: 0},
	}}
	want := []string{
		"│⠁    ⠈   y up to 10",
		"│",
		"│a    ⢀",
		"└──────  y from 0",
		" x from 0 to 10",
	}
	if got := s.Draw(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := (&Scatter{Width: 6, Height: 3}).Draw(); got != nil {
		t.Errorf("no points give %q", got)
	}
}
