package judge

import (
	"math"
	"slices"

	"flowdbg/contract"
)

// Resolution says which differences of a metric mean nothing. Uncertainty is a fraction of the larger of the two values
// (of Period, where that is given: a slack near 0 has no scale of its own). Spread is a difference in the metric's unit
// that another random seed makes by itself. Zeros mean that every difference counts.
type Resolution struct {
	Uncertainty float64 `json:"uncertainty,omitempty"` // 0 to 1
	Spread      float64 `json:"spread,omitempty"`      // in the metric's unit
	Period      float64 `json:"period,omitempty"`      // clock period in the metric's unit, for slacks
}

// Outcome is how one value compares with another.
type Outcome string

// The outcomes of a comparison.
const (
	Better      Outcome = "better"
	Worse       Outcome = "worse"
	Equal       Outcome = "equal"
	NotResolved Outcome = "not_resolved" // they differ, but by less than can be told apart
)

// Threshold is the difference below which a and b are not told apart.
func (r Resolution) Threshold(a, b float64) float64 {
	scale := math.Max(math.Abs(a), math.Abs(b))
	if r.Period > 0 {
		scale = r.Period
	}
	return math.Max(r.Uncertainty*scale, r.Spread)
}

// Compare says how a stands against b.
func (r Resolution) Compare(a, b float64, better contract.Direction) Outcome {
	switch {
	case a == b:
		return Equal
	case math.Abs(a-b) < r.Threshold(a, b):
		return NotResolved
	case (a < b) == (better == contract.LowerIsBetter):
		return Better
	}
	return Worse
}

// SeedSpread is how much a metric varies between runs that differ only in their random seed: the pooled sample standard
// deviation over the groups of the candidates, in the metric's unit. ok is false when no group has two usable runs.
func SeedSpread(candidates []Candidate, o Objective) (spread float64, ok bool) {
	groups := map[string][]float64{}
	var names []string
	for i := range candidates {
		c := &candidates[i]
		if c.Group == "" {
			continue
		}
		point, bad := Sane(c.Metrics, []Objective{o})
		if bad != nil {
			continue
		}
		if groups[c.Group] == nil {
			names = append(names, c.Group)
		}
		groups[c.Group] = append(groups[c.Group], point[0])
	}
	slices.Sort(names) // sums in a fixed order
	squares, free := 0.0, 0
	for _, name := range names {
		values := groups[name]
		mean := 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for _, v := range values {
			squares += (v - mean) * (v - mean)
		}
		free += len(values) - 1
	}
	if free == 0 {
		return 0, false
	}
	return math.Sqrt(squares / float64(free)), true
}
