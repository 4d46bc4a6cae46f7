package rows

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"flowdbg/ui/tui/cell"

	"pgregory.net/rapid"
)

func ident(i int) int                  { return i }
func self(n int) func(int) (int, bool) { return func(k int) (int, bool) { return k, k < n } }

func draw(l *List[int], w, h int) string {
	return strings.Join(l.Render(w, h, Look{}, func(i int, selected bool, b *cell.Builder) {
		if selected {
			b.Put(">", "")
		} else {
			b.Put(" ", "")
		}
		b.Put(strconv.Itoa(i), "")
	}), "|")
}

func TestMoving(t *testing.T) {
	var l List[int]
	l.Update(10, ident, self(10))
	for _, c := range []struct {
		do   func()
		name string
		want string
	}{
		{func() {}, "start", ">0| 1| 2"},
		{func() { l.Move(1) }, "down", " 0|>1| 2"},
		{func() { l.Move(2) }, "scrolls at the edge", " 1| 2|>3"},
		{func() { l.Page(1) }, "page keeps a row", " 3| 4|>5"},
		{func() { l.Page(-1) }, "page back", " 1| 2|>3"},
		{func() { l.End() }, "end", " 7| 8|>9"},
		{func() { l.Move(math.MaxInt) }, "beyond the end", " 7| 8|>9"},
		{func() { l.Move(math.MinInt + 1) }, "beyond the start", ">0| 1| 2"},
		{func() { l.Center(5) }, "center", " 4|>5| 6"},
		{func() { l.Scroll(1) }, "wheel", ">5| 6| 7"},
		{func() { l.Scroll(2) }, "wheel takes the cursor along", ">7| 8| 9"},
		{func() { l.Scroll(-4) }, "wheel up", " 3| 4|>5"},
		{func() { l.Home() }, "home", ">0| 1| 2"},
		{func() { l.SetCursor(99) }, "clamped", " 7| 8|>9"},
	} {
		c.do()
		if got := draw(&l, 2, 3); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestShow: what is followed has rows around it, from wherever it came and however small the window is.
func TestShow(t *testing.T) {
	for _, c := range []struct {
		from, to, margin, h int
		want                string
	}{
		{0, 9, 1, 4, " 7| 8|>9|10"}, {19, 9, 1, 4, " 8|>9|10|11"}, {19, 9, 3, 3, " 8|>9|10"}, {19, 9, 3, 2, ">9|10"}, {19, 9, 3, 1, ">9"},
		{19, 1, 3, 7, " 0|>1| 2| 3| 4| 5| 6"}, {0, 18, 3, 5, "15|16|17|>18|19"}, {8, 9, 1, 4, " 7| 8|>9|10"},
	} {
		var l List[int]
		l.Update(20, ident, self(20))
		l.SetHeight(c.h)
		l.SetCursor(c.from)
		l.Show(c.to, c.margin)
		lines := l.Render(3, c.h, Look{}, func(i int, selected bool, b *cell.Builder) {
			b.Put(map[bool]string{true: ">"}[selected]+strconv.Itoa(i), "")
		})
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		if got := strings.Join(lines, "|"); got != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("from %d to %d in %d lines: %s, want %s", c.from, c.to, c.h, got, c.want)
		}
	}
	var l List[int]
	l.Show(3, 2)
	if _, ok := l.Key(); ok {
		t.Error("an empty list shows a row")
	}
}

func TestSizes(t *testing.T) {
	var l List[int]
	if got := draw(&l, 3, 2); got != "   |   " {
		t.Errorf("empty list: %q", got)
	}
	l.Update(2, ident, nil)
	if got := draw(&l, 3, 3); got != ">0 | 1 |   " {
		t.Errorf("short list: %q", got)
	}
	if got := draw(&l, 0, 0); got != "" {
		t.Errorf("no lines: %q", got)
	}
	if got := l.Render(3, -1, Look{}, nil); len(got) != 0 {
		t.Errorf("negative height: %q", got)
	}
}

func TestFollowsOnlyAtTheEnd(t *testing.T) {
	l := List[int]{Follow: true}
	l.Update(3, ident, self(3))
	draw(&l, 2, 2)
	l.Update(4, ident, self(4))
	if l.Cursor() != 0 {
		t.Errorf("followed from the start to %d", l.Cursor())
	}
	l.End()
	l.Update(6, ident, self(6))
	if l.Cursor() != 5 || !l.AtEnd() {
		t.Errorf("did not follow: %d", l.Cursor())
	}
	l.Follow = false
	l.Update(7, ident, self(7))
	if l.Cursor() != 5 {
		t.Errorf("followed although it must not: %d", l.Cursor())
	}
}

func TestCursorKeepsItsRow(t *testing.T) {
	names := func(s string) (func(int) string, func(string) (int, bool), int) {
		f := strings.Fields(s)
		return func(i int) string { return f[i] }, func(k string) (int, bool) {
			for i, x := range f {
				if x == k {
					return i, true
				}
			}
			return 0, false
		}, len(f)
	}
	var l List[string]
	update := func(s string) {
		key, find, n := names(s)
		l.Update(n, key, find)
	}
	update("a b c d e f")
	l.SetHeight(3)
	l.SetCursor(3)
	l.Move(-1) // c, on the second line of the window b c d
	for _, c := range []struct{ names, key, window string }{
		{"x y a b c d e f", "c", "b c d"}, // rows came before it: same row, same line
		{"c d e f", "c", "c d e"},
		{"a b x y z", "a", "a b x"}, // it is gone: the cursor keeps its place, which is row 0
		{"", "", ""},
		{"q r", "q", "q r"},
	} {
		update(c.names)
		from, to := l.Window()
		got := strings.Join(strings.Fields(c.names)[from:to], " ")
		if k, ok := l.Key(); k != c.key && ok || got != c.window {
			t.Errorf("%s: cursor on %q, window %q; want %q, %q", c.names, k, got, c.key, c.window)
		}
	}
}

// TestInvariants: whatever is done, the cursor is a row, it is visible, and the window is full when it can be.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := List[int]{Follow: rapid.Bool().Draw(t, "follow")}
		h := 0
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			d := rapid.IntRange(-20, 20).Draw(t, "d")
			switch rapid.IntRange(0, 8).Draw(t, "op") {
			case 0:
				l.Update(d, ident, self(max(d, 0)))
			case 1:
				l.Move(d)
			case 2:
				l.Page(d)
			case 3:
				l.Scroll(d)
			case 4:
				l.Center(d)
			case 5:
				l.Home()
			case 6:
				l.End()
			case 7:
				l.SetCursor(d)
			default:
				h = max(d, 0)
			}
			lines := l.Render(3, h, Look{}, func(i int, _ bool, b *cell.Builder) {
				if i < 0 || i >= l.Len() {
					t.Fatalf("row %d of %d is asked for", i, l.Len())
				}
			})
			from, to := l.Window()
			if len(lines) != h || l.Len() > 0 && (l.Cursor() < 0 || l.Cursor() >= l.Len()) {
				t.Fatalf("%d lines of %d, cursor %d of %d", len(lines), h, l.Cursor(), l.Len())
			}
			if h > 0 && l.Len() > 0 && (l.Cursor() < from || l.Cursor() >= to || to-from != min(h, l.Len())) {
				t.Fatalf("cursor %d, window %d to %d of %d in %d lines", l.Cursor(), from, to, l.Len(), h)
			}
			if k, ok := l.Key(); ok != (l.Len() > 0) || ok && k != l.Cursor() {
				t.Fatalf("key %d, %v at cursor %d", k, ok, l.Cursor())
			}
			a, b := l.Thumb()
			if a < 0 || b < a || b > h || l.Len() > h && h > 2 && (a == 0) != (from == 0) {
				t.Fatalf("thumb %d to %d in %d lines, window %d to %d of %d", a, b, h, from, to, l.Len())
			}
		}
	})
}

func TestRowAt(t *testing.T) {
	var l List[int]
	l.Update(5, ident, nil)
	l.SetHeight(3)
	l.End()
	if i, ok := l.RowAt(1); i != 3 || !ok {
		t.Errorf("RowAt(1) = %d, %v", i, ok)
	}
	if _, ok := l.RowAt(3); ok {
		t.Error("a line outside the window has a row")
	}
}

func TestSelectionStyle(t *testing.T) {
	var l List[int]
	l.Update(1, ident, nil)
	got := l.Render(3, 2, Look{Select: "7"}, func(_ int, _ bool, b *cell.Builder) { b.Put("x", "") })
	if got[0] != "\x1b[7mx  \x1b[m" || got[1] != "   " {
		t.Errorf("got %q", got)
	}
}

// BenchmarkRender draws 57 rows out of a million, jumping about.
func BenchmarkRender(b *testing.B) {
	const n = 1_000_000
	var l List[int]
	l.Update(n, ident, self(n))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.SetCursor(i * 7919 % n)
		l.Render(90, 57, Look{Select: "7"}, func(i int, _ bool, b *cell.Builder) {
			b.FieldRight(strconv.Itoa(i), 8, "2")
			b.Put(" researcher → critic  ", "")
			b.Put(`{"text":"Interaction nets are a graph rewriting formalism"}`, "2")
		})
	}
}

// BenchmarkUpdate appends a row to a million while following.
func BenchmarkUpdate(b *testing.B) {
	l := List[int]{Follow: true}
	l.Update(1_000_000, ident, self(1_000_000))
	l.End()
	n := 1_000_000
	b.ReportAllocs()
	for b.Loop() {
		n++
		l.Update(n, ident, self(n))
	}
}
