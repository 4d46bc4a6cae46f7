package judge

import (
	"cmp"
	"errors"
	"slices"
)

// MaxHypervolumeObjectives is the largest number of objectives that hypervolume is computed for; beyond it the cost
// grows too fast for a figure that nobody can picture.
const MaxHypervolumeObjectives = 4

// ErrTooManyObjectives says that hypervolume was not computed because there are more than MaxHypervolumeObjectives.
var ErrTooManyObjectives = errors.New("not computed: hypervolume needs at most 4 objectives")

// Hypervolume is the volume that the points (to be minimised) dominate inside the box that ends at ref. Points that do
// not lie strictly below ref in every objective add nothing; dominated and equal points change nothing. The error is
// ErrTooManyObjectives.
func Hypervolume(points [][]float64, ref []float64) (float64, error) {
	if len(ref) > MaxHypervolumeObjectives {
		return 0, ErrTooManyObjectives
	}
	return volume(inside(points, ref), ref), nil
}

// Contributions gives for each point the volume that it alone dominates: what the hypervolume of the given points would
// lose without it.
// Dominated points and points with an equal twin contribute 0. The error is ErrTooManyObjectives.
func Contributions(points [][]float64, ref []float64) ([]float64, error) {
	if len(ref) > MaxHypervolumeObjectives {
		return nil, ErrTooManyObjectives
	}
	out := make([]float64, len(points))
	ranks := Sort(points, nil)
	var members []int
	for i, p := range points {
		if ranks[i] == 0 && below(p, ref) {
			members = append(members, i)
		}
	}
	others := make([][]float64, 0, len(points))
	for _, i := range members {
		others = others[:0]
		for j, q := range points { // dominated points too: without i they may dominate a part of its volume
			if j != i && below(q, ref) {
				others = append(others, q)
			}
		}
		out[i] = exclusive(points[i], others, ref)
	}
	return out, nil
}

func below(p, ref []float64) bool {
	for i, v := range p {
		if !(v < ref[i]) {
			return false
		}
	}
	return true
}

func inside(points [][]float64, ref []float64) [][]float64 {
	in := make([][]float64, 0, len(points))
	for _, p := range points {
		if below(p, ref) {
			in = append(in, p)
		}
	}
	return in
}

func box(p, ref []float64) float64 {
	v := 1.0
	for i := range p {
		v *= ref[i] - p[i]
	}
	return v
}

// exclusive is the volume that p dominates and no point of others does (WFG, While, Bradstreet, Barone 2012): p's own
// box without the volume of the others pushed into that box.
func exclusive(p []float64, others [][]float64, ref []float64) float64 {
	flat := make([]float64, 0, len(others)*len(p))
	limited := make([][]float64, 0, len(others))
	for _, q := range others {
		from := len(flat)
		for i, v := range q {
			flat = append(flat, max(v, p[i]))
		}
		limited = append(limited, flat[from:])
	}
	left := box(p, ref) - volume(limited, ref)
	return max(left, 0) // rounding may leave a hair below nothing
}

// volume is the hypervolume of points that all lie below ref. It reorders its argument.
func volume(points [][]float64, ref []float64) float64 {
	if len(points) == 0 {
		return 0
	}
	last := len(ref) - 1
	switch last {
	case 0:
		least := slices.MinFunc(points, func(a, b []float64) int { return cmp.Compare(a[0], b[0]) })
		return ref[0] - least[0]
	case 1:
		return volume2(points, ref)
	case 2:
		return volume3(points, ref)
	}
	// Worst first in the last objective: every later point reaches at least as deep there, so what a point adds is a
	// prism over what it adds in one dimension less.
	slices.SortFunc(points, func(a, b []float64) int {
		return cmp.Or(cmp.Compare(b[last], a[last]), slices.Compare(a, b))
	})
	sum := 0.0
	for i, p := range points {
		rest := make([][]float64, 0, len(points)-i-1)
		for _, q := range points[i+1:] {
			rest = append(rest, q[:last])
		}
		sum += (ref[last] - p[last]) * exclusive(p[:last], rest, ref[:last])
	}
	return sum
}

func volume2(points [][]float64, ref []float64) float64 {
	slices.SortFunc(points, func(a, b []float64) int { return slices.Compare(a, b) })
	sum, floor := 0.0, ref[1]
	for _, p := range points {
		if p[1] < floor {
			sum += (ref[0] - p[0]) * (floor - p[1])
			floor = p[1]
		}
	}
	return sum
}

// volume3 sweeps along the third objective and keeps the area that the points seen so far dominate in the first two.
func volume3(points [][]float64, ref []float64) float64 {
	slices.SortFunc(points, func(a, b []float64) int { return cmp.Compare(a[2], b[2]) })
	var s staircase
	s.refX, s.refY = ref[0], ref[1]
	sum, depth := 0.0, points[0][2]
	for _, p := range points {
		sum += s.area * (p[2] - depth)
		depth = p[2]
		s.add(p[0], p[1])
	}
	return sum + s.area*(ref[2]-depth)
}

// staircase is a 2-D front, x ascending and y descending, with the area it dominates below (refX, refY).
type staircase struct {
	refX, refY float64
	steps      []step
	area       float64
}

type step struct{ x, y float64 }

func (s *staircase) add(x, y float64) {
	// at is the first step with a greater x; the one before it, if any, is the lowest step at or left of x.
	at, _ := slices.BinarySearchFunc(s.steps, x, func(st step, x float64) int {
		if st.x <= x {
			return -1
		}
		return 1
	})
	floor := s.refY
	if at > 0 {
		floor = s.steps[at-1].y
	}
	if floor <= y {
		return
	}
	from := at
	if at > 0 && s.steps[at-1].x == x { // same x, higher y: covered by the new step
		from = at - 1
	}
	to, left := at, x
	for to < len(s.steps) && s.steps[to].y >= y {
		s.area += (s.steps[to].x - left) * (floor - y)
		left, floor = s.steps[to].x, s.steps[to].y
		to++
	}
	right := s.refX
	if to < len(s.steps) {
		right = s.steps[to].x
	}
	s.area += (right - left) * (floor - y)
	s.steps = slices.Replace(s.steps, from, to, step{x, y})
}
