package judge

import (
	"cmp"
	"math"
	"slices"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// RankOptions says what to rank by. Rules nil means that there is no gate and every sane candidate is feasible; Rules
// without an entry judge nothing, so nothing passes. Reference is per metric, in the objective's unit; an objective
// without one gets the worst value plus a tenth of the range. Contributions asks for the volume that each member of the
// first front adds to that front (up to maxContributions members).
type RankOptions struct {
	Objectives    []Objective
	Rules         []Rule
	Reference     map[string]float64
	Resolutions   map[string]Resolution
	Contributions bool
}

const maxContributions = 2000

// Ranking is a judged candidate set. Entries are in the order of the candidates' ids.
type Ranking struct {
	Objectives      []Objective `json:"objectives"`
	Gated           bool        `json:"gated"`
	CandidateSet    string      `json:"candidate_set"`
	Feasible        int         `json:"feasible"`
	Unrankable      int         `json:"unrankable"`
	Front           []string    `json:"front"`     // ids of rank 0
	Reference       []float64   `json:"reference"` // of the hypervolume, per objective, in the metric's own sense; null when nothing can be ranked
	Hypervolume     *float64    `json:"hypervolume"`
	HypervolumeNote string      `json:"hypervolume_note,omitempty"` // why it is null
	Constant        []string    `json:"constant,omitempty"`         // objectives on which no two candidates differ
	Entries         []Entry     `json:"candidates"`
}

// Entry is one candidate in a ranking. Rank is nil when it is infeasible or not rankable. Values are the objectives in
// their own sense and unit, nil when not rankable. Crowding is nil on the boundary of its front, and without a rank.
// Contribution is nil unless it is on the first front and was asked for. NotResolved names members of the first front
// that it cannot be told apart from (at most maxNotResolved).
type Entry struct {
	ID           string                 `json:"id"`
	Rank         *int                   `json:"rank"`
	FrontSize    int                    `json:"front_size"`
	Crowding     *float64               `json:"crowding"`
	Feasible     bool                   `json:"feasible"`
	Values       []float64              `json:"values"`
	Gate         *Judgment              `json:"gate,omitempty"`
	Reasons      []Reason               `json:"reasons,omitempty"`
	Regret       *contract.RegretDetail `json:"regret"`
	Contribution *float64               `json:"contribution,omitempty"`
	NotResolved  []string               `json:"not_resolved,omitempty"`

	point []float64 // to be minimised; nil when not rankable
}

const maxNotResolved = 8

// Rank judges and ranks a candidate set, which it brings into the order of the ids. The error is for objectives that
// cannot be ranked by, or candidates that share an id.
func Rank(candidates []Candidate, opt RankOptions) (*Ranking, error) {
	objectives, err := Resolve(opt.Objectives)
	if err != nil {
		return nil, err
	}
	if err := SortCandidates(candidates); err != nil {
		return nil, err
	}
	adoptUnits(objectives, candidates)
	r := &Ranking{Objectives: objectives, Gated: opt.Rules != nil, Front: []string{}, Entries: make([]Entry, len(candidates))}
	for i := range candidates {
		r.Entries[i] = judgeCandidate(&candidates[i], objectives, opt.Rules)
	}
	r.CandidateSet = string(candidateSetHash(candidates, r.Entries))
	s := r.sortable()
	s.assignRanks(r)
	r.addRegrets(s)
	r.addHypervolume(s, opt)
	r.addNotResolved(opt.Resolutions)
	return r, nil
}

func judgeCandidate(c *Candidate, objectives []Objective, rules []Rule) Entry {
	e := Entry{ID: c.ID}
	e.point, e.Reasons = Sane(c.Metrics, objectives)
	e.Feasible = e.Reasons == nil
	if rules != nil {
		gate := Judge(c.Metrics, rules)
		e.Gate = &gate
		e.Feasible = e.Feasible && gate.Verdict == contract.GatePass
	}
	if e.point != nil {
		e.Values = make([]float64, len(objectives))
		for i := range objectives {
			e.Values[i] = objectives[i].minimised(e.point[i])
		}
	}
	return e
}

// sorted is the rankable part of a ranking: entry numbers, their points, and what the sort made of them.
type sorted struct {
	entry   []int
	points  [][]float64
	passing []bool
	ranks   []int
}

func (r *Ranking) sortable() *sorted {
	s := &sorted{}
	var violation []float64
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.point == nil {
			r.Unrankable++
			continue
		}
		v := 0.0
		if !e.Feasible {
			v = e.Gate.Violation // an entry with a point fails only by its gate
		} else {
			r.Feasible++
		}
		s.entry = append(s.entry, i)
		s.points = append(s.points, e.point)
		s.passing = append(s.passing, e.Feasible)
		violation = append(violation, v)
	}
	s.ranks = Sort(s.points, violation)
	return s
}

// assignRanks gives ranks, front sizes and crowding to the passing candidates.
func (s *sorted) assignRanks(r *Ranking) {
	var fronts [][]int // members as indices into s, in the order of the ids
	for k, rank := range s.ranks {
		if !s.passing[k] {
			continue
		}
		for len(fronts) <= rank {
			fronts = append(fronts, nil)
		}
		fronts[rank] = append(fronts[rank], k)
	}
	for rank, front := range fronts {
		for i, d := range Crowding(s.points, front) {
			e := &r.Entries[s.entry[front[i]]]
			e.Rank, e.FrontSize = &rank, len(front)
			if !math.IsInf(d, 1) {
				e.Crowding = &d
			}
		}
	}
	if len(fronts) == 0 {
		return
	}
	for _, k := range fronts[0] {
		r.Front = append(r.Front, r.Entries[s.entry[k]].ID)
	}
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Rank == nil {
			e.FrontSize = len(fronts[0])
		}
	}
}

func (r *Ranking) addRegrets(s *sorted) {
	reg := newRegrets(s.points, s.passing, s.ranks, r.Objectives)
	if len(s.points) > 1 {
		for i, o := range r.Objectives {
			if reg.span[i] == 0 {
				r.Constant = append(r.Constant, o.Metric)
			}
		}
	}
	for i := range r.Entries {
		r.Entries[i].Regret = (*regretOf)(nil).contract(r.Objectives)
	}
	if !reg.any {
		return
	}
	for k, i := range s.entry {
		of := reg.of(s.points[k], s.passing[k] && s.ranks[k] == 0)
		r.Entries[i].Regret = of.contract(r.Objectives)
	}
}

func (r *Ranking) addHypervolume(s *sorted, opt RankOptions) {
	if len(s.points) == 0 {
		r.HypervolumeNote = "not computed: nothing can be ranked"
		return
	}
	ref := referencePoint(s.points, r.Objectives, opt.Reference)
	r.Reference = make([]float64, len(ref))
	for i := range ref {
		r.Reference[i] = r.Objectives[i].minimised(ref[i])
	}
	var front [][]float64
	var entries []int
	for k, rank := range s.ranks {
		if rank == 0 && s.passing[k] {
			front = append(front, s.points[k])
			entries = append(entries, s.entry[k])
		}
	}
	hv, err := Hypervolume(front, ref)
	switch {
	case err != nil:
		r.HypervolumeNote = err.Error()
		return
	case math.IsInf(hv, 0):
		r.HypervolumeNote = "not computed: the reference point is too far away for a double"
		return
	}
	r.Hypervolume = &hv
	if !opt.Contributions || len(front) > maxContributions {
		return
	}
	each, _ := Contributions(front, ref) // the number of objectives was checked above
	for i, v := range each {
		r.Entries[entries[i]].Contribution = &v
	}
}

// referencePoint is to be minimised like the points.
func referencePoint(points [][]float64, objectives []Objective, given map[string]float64) []float64 {
	ref := make([]float64, len(objectives))
	for i := range objectives {
		if v, ok := given[objectives[i].Metric]; ok {
			ref[i] = objectives[i].minimised(v)
			continue
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, p := range points {
			lo, hi = min(lo, p[i]), max(hi, p[i])
		}
		margin := (hi - lo) / 10
		if margin == 0 { // one value only: any box will do, but it must not be empty
			margin = cmp.Or(math.Abs(hi)/10, 1)
		}
		ref[i] = hi + margin
	}
	return ref
}

func (r *Ranking) addNotResolved(resolutions map[string]Resolution) {
	if len(resolutions) == 0 {
		return
	}
	var front []*Entry
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Rank != nil && *e.Rank == 0 {
			front = append(front, e)
		}
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.Values == nil {
			continue
		}
		for _, other := range front {
			if other != e && len(e.NotResolved) < maxNotResolved && r.alike(e, other, resolutions) {
				e.NotResolved = append(e.NotResolved, other.ID)
			}
		}
	}
}

// alike says whether no objective tells two entries apart.
func (r *Ranking) alike(a, b *Entry, resolutions map[string]Resolution) bool {
	for i, o := range r.Objectives {
		switch resolutions[o.Metric].Compare(a.Values[i], b.Values[i], o.Direction) {
		case Better, Worse:
			return false
		}
	}
	return true
}

// Order is the order in which entries are shown: by rank, then the infeasible by their violation, then what cannot be
// ranked; ties by id. The numbers index Entries.
func (r *Ranking) Order() []int {
	order := make([]int, len(r.Entries))
	for i := range order {
		order[i] = i
	}
	key := func(e *Entry) (int, float64) {
		switch {
		case e.Rank != nil:
			return 0, float64(*e.Rank)
		case e.point != nil && e.Gate != nil:
			return 1, e.Gate.Violation
		}
		return 2, 0
	}
	slices.SortStableFunc(order, func(a, b int) int {
		ca, va := key(&r.Entries[a])
		cb, vb := key(&r.Entries[b])
		return cmp.Or(cmp.Compare(ca, cb), cmp.Compare(va, vb), canon.CompareKeys(r.Entries[a].ID, r.Entries[b].ID))
	})
	return order
}

// Entry finds the entry of a candidate.
func (r *Ranking) Entry(id string) (*Entry, bool) {
	i, ok := slices.BinarySearchFunc(r.Entries, id, func(e Entry, id string) int { return canon.CompareKeys(e.ID, id) })
	if !ok {
		return nil, false
	}
	return &r.Entries[i], true
}
