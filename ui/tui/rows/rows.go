// Package rows is a list of any length of which only the visible rows cost anything: cursor, scrolling, following the
// end, and drawing through a callback. It knows nothing of what the rows are; their content comes from the caller.
package rows

import (
	"math"

	"flowdbg/ui/tui/cell"
)

// List is the cursor and the window of a list whose rows are told apart by a key K (an event index, a name, a JSON
// Pointer). The zero List is empty. Every method is O(1) but Update, which asks find once, and Render, which asks for
// the visible rows.
type List[K comparable] struct {
	// Follow lets the cursor go with the end when rows are added while it stands there (and only then).
	Follow bool

	n      int
	cursor int
	top    int // first visible row
	h      int // rows of the last Render or SetHeight
	key    func(int) K
	at     K // key of the row under the cursor
	valid  bool
}

// Update says that the rows are now n, what their keys are, and where a key stands (find may be nil when keys never
// move). The cursor stays on the row it was on and that row stays on its line of the screen; when the row is gone,
// the cursor keeps its place. A negative n counts as zero.
func (l *List[K]) Update(n int, key func(i int) K, find func(K) (int, bool)) {
	n = max(n, 0)
	atEnd := l.Follow && l.n > 0 && l.cursor == l.n-1 && n > l.n
	line := l.cursor - l.top
	l.n, l.key = n, key
	switch {
	case n == 0:
		l.cursor, l.top, l.valid = 0, 0, false
		return
	case atEnd:
		l.place(n - 1)
		return
	}
	to := l.cursor
	if l.valid && find != nil {
		if i, ok := find(l.at); ok {
			to = i
		}
	}
	l.top = to - line
	l.place(to)
}

// place puts the cursor on row i, or the nearest there is, and moves the window just so far that it shows it.
func (l *List[K]) place(i int) {
	if l.n == 0 {
		return
	}
	l.cursor = min(max(i, 0), l.n-1)
	if l.key != nil {
		l.at, l.valid = l.key(l.cursor), true
	}
	l.show()
}

// show keeps the window inside the list and the cursor inside the window.
func (l *List[K]) show() {
	h := max(l.h, 1)
	l.top = min(l.top, l.cursor, max(l.n-h, 0))
	l.top = max(l.top, l.cursor-h+1, 0)
}

// Len is the number of rows.
func (l *List[K]) Len() int { return l.n }

// Cursor is the row of the cursor, 0 when there are none.
func (l *List[K]) Cursor() int { return l.cursor }

// Key is the key of the row under the cursor; ok is false when there is no row.
func (l *List[K]) Key() (k K, ok bool) { return l.at, l.valid }

// AtEnd says that the cursor stands on the last row, which is where Follow works.
func (l *List[K]) AtEnd() bool { return l.n == 0 || l.cursor == l.n-1 }

// SetCursor goes to row i, or to the nearest there is.
func (l *List[K]) SetCursor(i int) { l.place(i) }

// Center goes to row i and puts it in the middle of the window, for jumps.
func (l *List[K]) Center(i int) {
	if l.n == 0 {
		return
	}
	l.top = min(max(i, 0), l.n-1) - l.h/2
	l.place(i)
}

// Show goes to row i and keeps up to margin rows above and below it in the window, for a cursor that follows something.
// A window too small for both margins has the cursor in its middle.
func (l *List[K]) Show(i, margin int) {
	margin = min(margin, max(l.h-1, 0)/2)
	i = min(max(i, 0), max(l.n-1, 0))
	l.place(i - margin)
	l.place(i + margin)
	l.place(i)
}

// Move goes by rows, down for a positive d; it stops at the ends, also for the greatest d.
func (l *List[K]) Move(d int) {
	if d > 0 && l.cursor > math.MaxInt-d {
		d = math.MaxInt - l.cursor
	}
	l.place(l.cursor + d)
}

// Page goes by windows, less one row so that the eye keeps its place.
func (l *List[K]) Page(d int) {
	step := max(l.h-1, 1)
	l.top = min(max(l.top+d*step, 0), max(l.n-max(l.h, 1), 0))
	l.Move(d * step)
}

// Home goes to the first row.
func (l *List[K]) Home() { l.place(0) }

// End goes to the last row.
func (l *List[K]) End() { l.place(l.n - 1) }

// Scroll moves the window by rows and takes the cursor along only as far as it must, for the wheel.
func (l *List[K]) Scroll(d int) {
	h := max(l.h, 1)
	l.top = min(max(l.top+d, 0), max(l.n-h, 0))
	l.place(min(max(l.cursor, l.top), l.top+h-1))
}

// SetHeight says how many rows the window has, for paging before the first Render.
func (l *List[K]) SetHeight(h int) {
	l.h = max(h, 0)
	if l.n > 0 {
		l.show()
	}
}

// RowAt is the row on line y of the window, for the mouse.
func (l *List[K]) RowAt(y int) (i int, ok bool) {
	i = l.top + y
	return i, y >= 0 && y < l.h && i < l.n
}

// Window is the range of visible rows: from included, to not included.
func (l *List[K]) Window() (from, to int) { return l.top, min(l.top+l.h, l.n) }

// Thumb is the part of a scroll bar of h lines that stands for the window: from included, to not included. Both are
// zero when everything is visible. The ends are touched at the ends only.
func (l *List[K]) Thumb() (from, to int) {
	if l.h <= 1 || l.n <= l.h {
		return 0, 0
	}
	size := max(l.h*l.h/l.n, 1)
	if over := math.MaxInt / l.h; l.n > over {
		size = 1
	}
	free, last := l.h-size, l.n-l.h
	from = int(float64(l.top) / float64(last) * float64(free))
	switch {
	case l.top > 0 && from == 0 && free > 1:
		from = 1
	case l.top < last && from == free && free > 1:
		from = free - 1
	}
	return from, from + size
}

// Look is how rows are drawn.
type Look struct {
	Charset cell.Charset
	Select  cell.Style // under the row of the cursor; empty draws no selection
}

// Row draws row i into b, which is as wide as the window and begun on the right base style.
type Row func(i int, selected bool, b *cell.Builder)

// Render draws the window in h lines of w cells, asking for the visible rows only. Lines without a row are blank.
func (l *List[K]) Render(w, h int, look Look, row Row) []string {
	l.SetHeight(h)
	lines := make([]string, 0, l.h)
	var b cell.Builder
	for i := l.top; len(lines) < l.h; i++ {
		if i >= l.n {
			lines = append(lines, cell.Blank(w))
			continue
		}
		var base cell.Style
		if i == l.cursor {
			base = look.Select
		}
		b.Start(look.Charset, w, base)
		row(i, i == l.cursor, &b)
		lines = append(lines, b.Line())
	}
	return lines
}
