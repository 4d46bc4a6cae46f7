package judge

import (
	"cmp"
	"math"
	"slices"
)

// Sort gives every point its 0-based Pareto rank. Points are vectors of one length M ≥ 1 to be minimised, all values
// finite. A point dominates another when it is nowhere worse and somewhere better, so equal vectors share a rank.
//
// violation is nil, or holds per point how far it breaks its constraints: 0 (or less) is feasible. A feasible point
// comes before every infeasible one; infeasible points are ordered by violation alone, equal violations share a rank,
// and NaN counts as infinite (constraint domination after Deb 2002).
//
// The method is ENS-SS (Zhang, Tian, Cheng, Jin 2015): points are taken in lexicographic order, so that only points
// already placed can dominate the next one, and each front is searched from its newest member.
func Sort(points [][]float64, violation []float64) []int {
	ranks := make([]int, len(points))
	var feasible, infeasible []int
	for i := range points {
		if violation == nil || violation[i] <= 0 {
			feasible = append(feasible, i)
		} else {
			infeasible = append(infeasible, i)
		}
	}
	next := sortFeasible(points, feasible, ranks)
	sortByViolation(violation, infeasible, ranks, next)
	return ranks
}

// sortFeasible writes the ranks of the points listed in idx and returns how many fronts there are.
func sortFeasible(points [][]float64, idx []int, ranks []int) int {
	if len(idx) == 0 {
		return 0
	}
	slices.SortFunc(idx, func(a, b int) int {
		if c := slices.Compare(points[a], points[b]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	var fronts ensFronts
	fronts.tail = len(points[idx[0]]) - 1
	for k, i := range idx {
		if k > 0 && slices.Equal(points[i], points[idx[k-1]]) {
			ranks[i] = ranks[idx[k-1]]
			continue
		}
		ranks[i] = fronts.place(points[i][1:])
	}
	return len(fronts.coords)
}

// ensFronts keeps, per front, the coordinates of its members without the first one: in lexicographic order an earlier
// distinct point dominates exactly when it is nowhere greater in the rest.
type ensFronts struct {
	tail   int // coordinates kept per member: M-1
	coords [][]float64
}

func (f *ensFronts) place(rest []float64) int {
	k := 0
	switch f.tail {
	case 0: // one objective: distinct values come in ascending order, each is a front
		k = len(f.coords)
	case 1: // members of a front descend in the second coordinate, so its newest member has the least
		k, _ = slices.BinarySearchFunc(f.coords, rest[0], func(front []float64, y float64) int {
			if front[len(front)-1] <= y {
				return -1
			}
			return 1
		})
	case 2:
		for k < len(f.coords) && dominated2(f.coords[k], rest[0], rest[1]) {
			k++
		}
	default:
		for k < len(f.coords) && f.dominated(f.coords[k], rest) {
			k++
		}
	}
	if k == len(f.coords) {
		f.coords = append(f.coords, nil)
	}
	f.coords[k] = append(f.coords[k], rest...)
	return k
}

func dominated2(front []float64, y, z float64) bool {
	for i := len(front) - 2; i >= 0; i -= 2 {
		if front[i] <= y && front[i+1] <= z {
			return true
		}
	}
	return false
}

func (f *ensFronts) dominated(front, rest []float64) bool {
	for i := len(front) - f.tail; i >= 0; i -= f.tail {
		if noneGreater(front[i:i+f.tail], rest) {
			return true
		}
	}
	return false
}

// noneGreater says whether a is nowhere greater than b.
func noneGreater(a, b []float64) bool {
	for i, v := range a {
		if v > b[i] {
			return false
		}
	}
	return true
}

// Dominates says whether a is nowhere worse and somewhere better than b, both to be minimised.
func Dominates(a, b []float64) bool {
	better := false
	for i, v := range a {
		if v > b[i] {
			return false
		}
		if v < b[i] {
			better = true
		}
	}
	return better
}

func sortByViolation(violation []float64, idx []int, ranks []int, next int) {
	size := func(i int) float64 {
		if math.IsNaN(violation[i]) {
			return math.Inf(1)
		}
		return violation[i]
	}
	slices.SortFunc(idx, func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	for k, i := range idx {
		if k > 0 && size(i) > size(idx[k-1]) {
			next++
		}
		ranks[i] = next
	}
}

// Crowding gives the crowding distance of each member of a front (indices into points, in the order that breaks
// ties), in the front's order. It is the sum over the objectives of the gap between a member's two neighbours, divided
// by the front's range in that objective; the first and the last member in any objective get +Inf. The sum is not
// divided by the number of objectives (Deb 2002, jMetal; DEAP and pymoo divide).
func Crowding(points [][]float64, front []int) []float64 {
	dist := make([]float64, len(front))
	if len(front) == 0 {
		return dist
	}
	order := make([]int, len(front))
	for m := range points[front[0]] {
		for k := range order {
			order[k] = k
		}
		at := func(k int) float64 { return points[front[order[k]]][m] }
		slices.SortFunc(order, func(a, b int) int {
			if c := cmp.Compare(points[front[a]][m], points[front[b]][m]); c != 0 {
				return c
			}
			return cmp.Compare(a, b)
		})
		last := len(order) - 1
		dist[order[0]], dist[order[last]] = math.Inf(1), math.Inf(1)
		span := at(last) - at(0)
		if span == 0 {
			continue
		}
		for k := 1; k < last; k++ {
			dist[order[k]] += (at(k+1) - at(k-1)) / span
		}
	}
	return dist
}
