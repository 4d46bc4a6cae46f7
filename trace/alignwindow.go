package trace

import "sort"

const (
	windowEvents  = 4096 // how far ahead the traces are looked at to find where they meet again
	segmentEvents = 256  // how much is aligned by kind at once, between two places where they meet
)

// pair is one step of an alignment: an event of each side, or of one (the other is -1). Places are in the windows.
type pair struct{ a, b int }

// window aligns the next few thousand events of both traces and passes over them up to the last place where they meet.
// When they meet nowhere, half of the window is settled by kind and agent.
func (d *differ) window() error {
	if err := d.a.fill(d, windowEvents); err != nil {
		return err
	}
	if err := d.b.fill(d, windowEvents); err != nil {
		return err
	}
	x, y := d.a.queue, d.b.queue
	anchors := patience(x, y)
	atEnd := d.a.ended && d.b.ended
	var pairs []pair
	i, j := 0, 0
	for _, p := range anchors {
		pairs = appendSegment(pairs, x, y, i, p.a, j, p.b)
		pairs = append(pairs, p)
		i, j = p.a+1, p.b+1
	}
	if atEnd || len(anchors) == 0 {
		pairs = appendSegment(pairs, x, y, i, len(x), j, len(y))
	}
	limitA, limitB := len(x), len(y)
	if !atEnd && len(anchors) == 0 {
		limitA, limitB = halfOf(len(x), d.a.ended), halfOf(len(y), d.b.ended)
	}
	usedA, usedB := 0, 0
	for k, p := range pairs {
		if p.a >= limitA || p.b >= limitB {
			break
		}
		if k%checkEvery == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if err := d.settle(x, y, p); err != nil {
			return err
		}
		usedA, usedB = max(usedA, p.a+1), max(usedB, p.b+1)
	}
	d.a.drop(usedA)
	d.b.drop(usedB)
	return nil
}

func halfOf(n int, ended bool) int {
	if ended {
		return n
	}
	return max(1, n/2)
}

// settle emits one aligned pair.
func (d *differ) settle(x, y []keyed, p pair) error {
	switch {
	case p.b < 0:
		d.settled = false
		d.emit(x[p.a].event, NoEvent, comparison{op: OpOnlyRecorded, count: 1})
		return nil
	case p.a < 0:
		d.settled = false
		d.emit(NoEvent, y[p.b].event, comparison{op: OpOnlyGot, count: 1})
		return nil
	}
	e, f := &x[p.a], &y[p.b]
	if !d.settled {
		// Events that only one side has may be whole steps: the step numbers behind them are off by as many.
		d.shift, d.settled = f.step-e.step, true
	}
	r, err := d.compare(e.event, f.event)
	if err != nil {
		return err
	}
	d.emit(e.event, f.event, r)
	return nil
}

// patience pairs the events that occur once on each side with the same content, as many as keep their order.
func patience(x, y []keyed) []pair {
	type count struct{ a, b, i, j int }
	counts := make(map[uint64]count, len(x))
	for i := range x {
		c := counts[x[i].full]
		c.a++
		c.i = i
		counts[x[i].full] = c
	}
	for j := range y {
		if c, ok := counts[y[j].full]; ok {
			c.b++
			c.j = j
			counts[y[j].full] = c
		}
	}
	var unique []pair
	for i := range x {
		if c := counts[x[i].full]; c.a == 1 && c.b == 1 {
			unique = append(unique, pair{i, c.j})
		}
	}
	return longestIncreasing(unique)
}

// longestIncreasing is the longest run of pairs (which ascend in a) that ascends in b.
func longestIncreasing(list []pair) []pair {
	var tops []int // tops[k]: the pair that ends the best run of length k+1
	prev := make([]int, len(list))
	for i, p := range list {
		k := sort.Search(len(tops), func(k int) bool { return list[tops[k]].b >= p.b })
		prev[i] = -1
		if k > 0 {
			prev[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, i)
		} else {
			tops[k] = i
		}
	}
	out := make([]pair, len(tops))
	if len(tops) == 0 {
		return out
	}
	for i, k := tops[len(tops)-1], len(tops)-1; k >= 0; i, k = prev[i], k-1 {
		out[k] = list[i]
	}
	return out
}

// appendSegment aligns x[i:iEnd] with y[j:jEnd], where no content is unique: equal ends first, then by score, a piece at
// a time.
func appendSegment(out []pair, x, y []keyed, i, iEnd, j, jEnd int) []pair {
	for i < iEnd && j < jEnd && x[i].full == y[j].full {
		out = append(out, pair{i, j})
		i, j = i+1, j+1
	}
	tail := 0
	for i < iEnd-tail && j < jEnd-tail && x[iEnd-tail-1].full == y[jEnd-tail-1].full {
		tail++
	}
	for i < iEnd-tail || j < jEnd-tail {
		n, m := min(segmentEvents, iEnd-tail-i), min(segmentEvents, jEnd-tail-j)
		out = scored(out, x[i:i+n], y[j:j+m], i, j)
		i, j = i+n, j+m
	}
	for ; tail > 0; tail-- {
		out = append(out, pair{iEnd - tail, jEnd - tail})
	}
	return out
}

// The scores of an aligned pair: the same content is worth more than two pairs of the same kind.
const (
	scoreSame  = 5
	scoreShape = 2
)

func score(a, b *keyed) uint16 {
	switch {
	case a.full == b.full:
		return scoreSame
	case a.shape == b.shape:
		return scoreShape
	}
	return 0
}

// scored aligns two short runs by the best total score (a longest common subsequence with two weights).
func scored(out []pair, x, y []keyed, i0, j0 int) []pair {
	n, m := len(x), len(y)
	best := make([]uint16, (n+1)*(m+1)) // best[i*(m+1)+j]: of x[i:] and y[j:]
	at := func(i, j int) *uint16 { return &best[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			v := max(*at(i+1, j), *at(i, j+1))
			if s := score(&x[i], &y[j]); s > 0 {
				v = max(v, s+*at(i+1, j+1))
			}
			*at(i, j) = v
		}
	}
	i, j := 0, 0
	for i < n && j < m {
		s := score(&x[i], &y[j])
		switch {
		case s > 0 && *at(i, j) == s+*at(i+1, j+1):
			out = append(out, pair{i0 + i, j0 + j})
			i, j = i+1, j+1
		case *at(i, j) == *at(i+1, j):
			out = append(out, pair{i0 + i, -1})
			i++
		default:
			out = append(out, pair{-1, j0 + j})
			j++
		}
	}
	for ; i < n; i++ {
		out = append(out, pair{i0 + i, -1})
	}
	for ; j < m; j++ {
		out = append(out, pair{-1, j0 + j})
	}
	return out
}
