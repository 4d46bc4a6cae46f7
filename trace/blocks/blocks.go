// Package blocks is a growing list whose copies share what they have in common. It stores elements in blocks: a copy costs
// one pointer per block and the last, partly filled one; a block that two lists share is never written by either.
package blocks

// Size is the number of elements in a block.
const Size = 64

// List is a list of values; the zero List is empty. It belongs to one goroutine at a time, and so do its copies until
// they were made: afterwards each list may be used on its own. Copy it with Prefix only.
type List[T any] struct {
	parts []*[Size]T
	n     int
	own   int // parts from here on belong to this list alone
}

// Len is the number of elements.
func (l *List[T]) Len() int { return l.n }

// At is the i-th element, 0 ≤ i < Len. It stays where it is, whatever is pushed, and must not be changed.
func (l *List[T]) At(i int) *T {
	if i >= l.n {
		panic("blocks: index out of range")
	}
	return &l.parts[i/Size][i%Size]
}

// Push appends v and gives its place.
func (l *List[T]) Push(v T) *T {
	c := l.n / Size
	switch {
	case c == len(l.parts):
		l.parts = append(l.parts, new([Size]T))
	case c < l.own:
		mine := *l.parts[c]
		l.parts, l.own = l.parts[:c+1], c
		l.parts[c] = &mine
	}
	at := &l.parts[c][l.n%Size]
	*at = v
	l.n++
	return at
}

// Cut keeps the first n elements, 0 ≤ n ≤ Len. What is cut off is overwritten by what is pushed next.
func (l *List[T]) Cut(n int) { l.n = n }

// Prefix is a list of the first n elements, 0 ≤ n ≤ Len, that goes its own way from there.
func (l *List[T]) Prefix(n int) List[T] {
	full := n / Size
	p := List[T]{parts: append(make([]*[Size]T, 0, full+1), l.parts[:full]...), n: n, own: full}
	if n%Size > 0 {
		mine := *l.parts[full]
		clear(mine[n%Size:])
		p.parts = append(p.parts, &mine)
	}
	l.own = max(l.own, full)
	return p
}
