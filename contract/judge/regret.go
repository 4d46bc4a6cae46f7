package judge

import (
	"math"

	"flowdbg/contract"
)

// regrets measures how far candidates are from the best one that passes the gate, on objectives normalised to the range
// of the whole candidate set (0 where the range is 0). All four measures are our own definition.
type regrets struct {
	scalarW, chebyW []float64 // weights: the first sum to 1, the second average 1
	lo, span        []float64
	best            []float64 // per objective, the least normalised value of a passing candidate
	bestScalar      float64
	bestCheby       float64
	front           [][]float64 // normalised first front of the passing candidates
	any             bool
}

// regretOf is what a candidate loses. Scalar: Σ wᵢzᵢ above the least one. Chebyshev: max wᵢzᵢ above the least one.
// PerMetric: zᵢ above the least one, per objective. Pareto: the smallest ε ≥ 0 such that z − ε is not dominated.
// Scalar, Chebyshev and PerMetric are below 0 when an infeasible candidate is better than every passing one.
type regretOf struct {
	Scalar, Chebyshev, Pareto float64
	PerMetric                 []float64
}

func newRegrets(points [][]float64, passing []bool, ranks []int, objectives []Objective) *regrets {
	m := len(objectives)
	r := &regrets{lo: make([]float64, m), span: make([]float64, m), best: make([]float64, m), bestScalar: math.Inf(1), bestCheby: math.Inf(1)}
	total := 0.0
	for _, o := range objectives {
		total += o.Weight
	}
	for i, o := range objectives {
		r.scalarW = append(r.scalarW, o.Weight/total)
		r.chebyW = append(r.chebyW, o.Weight/total*float64(m))
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, p := range points {
			lo, hi = min(lo, p[i]), max(hi, p[i])
		}
		r.lo[i], r.span[i], r.best[i] = lo, hi-lo, math.Inf(1)
	}
	z := make([]float64, m)
	for k, p := range points {
		if !passing[k] {
			continue
		}
		r.any = true
		r.normalise(z, p)
		s, c := r.scores(z)
		r.bestScalar, r.bestCheby = min(r.bestScalar, s), min(r.bestCheby, c)
		for i, v := range z {
			r.best[i] = min(r.best[i], v)
		}
		if ranks[k] == 0 {
			r.front = append(r.front, append([]float64(nil), z...))
		}
	}
	return r
}

func (r *regrets) normalise(z, p []float64) {
	for i, v := range p {
		z[i] = 0
		if r.span[i] > 0 {
			z[i] = (v - r.lo[i]) / r.span[i]
		}
	}
}

func (r *regrets) scores(z []float64) (scalar, cheby float64) {
	for i, v := range z {
		scalar += r.scalarW[i] * v
		cheby = max(cheby, r.chebyW[i]*v)
	}
	return scalar, cheby
}

// of needs at least one passing candidate. onFront saves the search where the answer is 0 by definition.
func (r *regrets) of(p []float64, onFront bool) regretOf {
	z := make([]float64, len(p))
	r.normalise(z, p)
	s, c := r.scores(z)
	out := regretOf{Scalar: s - r.bestScalar, Chebyshev: c - r.bestCheby}
	if !onFront {
		// Dominated by y until ε exceeds the least lead of y, and whoever leads most is on the first front.
		for _, y := range r.front {
			lead := math.Inf(1)
			for i, v := range z {
				lead = min(lead, v-y[i])
			}
			out.Pareto = max(out.Pareto, lead)
		}
	}
	for i := range z {
		z[i] -= r.best[i]
	}
	out.PerMetric = z
	return out
}

// contract is the regret in the contract's form; a nil regret has only nulls.
func (r *regretOf) contract(objectives []Objective) *contract.RegretDetail {
	d := &contract.RegretDetail{PerMetric: make(map[string]*float64, len(objectives))}
	for i, o := range objectives {
		d.PerMetric[o.Metric] = nil
		if r != nil {
			d.PerMetric[o.Metric] = &r.PerMetric[i]
		}
	}
	if r != nil {
		d.Scalar, d.Chebyshev, d.Pareto = &r.Scalar, &r.Chebyshev, &r.Pareto
	}
	return d
}
