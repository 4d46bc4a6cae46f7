package typed

import (
	"slices"
	"strconv"

	"flowdbg/contract"
	"flowdbg/contract/judge"
)

func itoa(n int) string { return strconv.Itoa(n) }

// rank judges and ranks everything measured so far, and notes who entered and left the front.
func (g *gatherer) rank(opt Options) {
	if len(g.set) == 0 {
		return
	}
	ro := judge.RankOptions{Objectives: opt.By}
	if !g.rules.IsAbsent() {
		rules, err := judge.ReadRules(document(g.rules))
		if err != nil {
			g.ex.Notes = append(g.ex.Notes, "the rules of the last request of judge cannot be read: "+err.Error())
			return
		}
		ro.Rules, ro.Reference, ro.Resolutions = rules.Rules, rules.Reference, rules.Resolutions
		if len(ro.Objectives) == 0 {
			ro.Objectives = rules.Objectives
		}
	}
	if len(ro.Objectives) == 0 {
		ro.Objectives = commonObjectives(g.set)
	}
	if len(ro.Objectives) == 0 {
		g.ex.Notes = append(g.ex.Notes, "there is nothing to rank by: the rules name no objectives, and no metric with a known direction is in every candidate")
		return
	}
	arrival := make([]string, len(g.set))
	for i := range g.set {
		arrival[i] = g.set[i].ID
	}
	ranking, err := judge.Rank(append([]judge.Candidate(nil), g.set...), ro)
	if err != nil {
		g.ex.Notes = append(g.ex.Notes, err.Error())
		return
	}
	g.ex.Ranking = ranking
	for i := range ranking.Entries {
		g.entry(&ranking.Entries[i])
	}
	for _, step := range ranking.History(arrival) {
		g.ex.History = append(g.ex.History, Front{g.x.first[step.ID], step})
	}
}

func (g *gatherer) entry(e *judge.Entry) {
	c := g.candidate(e.ID)
	c.Rank, c.Crowding, c.Alike = e.Rank, e.Crowding, e.NotResolved
	if e.Regret != nil {
		c.Regret = e.Regret.Scalar
	}
	if e.Gate != nil {
		c.Gate, c.Checks = e.Gate.Verdict, e.Gate.Checks
		if c.Why == "" {
			c.Why = e.Gate.Reason
		}
	}
	if len(e.Reasons) > 0 && c.Why == "" {
		c.Why = e.Reasons[0].Text
	}
}

// commonObjectives are the metrics that every candidate has and whose direction is known, by name.
func commonObjectives(set []judge.Candidate) []judge.Objective {
	count := map[string]int{}
	var names []string
	for _, c := range set {
		for _, m := range c.Metrics.All() {
			if m.Kind == judge.Number && judge.DirectionOf(m.Name) != "" {
				if count[m.Name]++; count[m.Name] == len(set) {
					names = append(names, m.Name)
				}
			}
		}
	}
	var list []judge.Objective
	for _, n := range names {
		list = append(list, judge.Objective{Objective: contract.Objective{Metric: n, Direction: judge.DirectionOf(n)}})
	}
	return list
}

// goals holds what proposals claim against what was measured.
func (g *gatherer) goals() {
	results := map[contract.SnapshotRef]*Candidate{}
	for i := range g.set {
		if snap := g.set[i].ResultSnap; snap != "" {
			results[snap] = g.candidate(g.set[i].ID)
		}
	}
	for i := range g.ex.Candidates {
		c := &g.ex.Candidates[i]
		if c.proposal == nil {
			continue
		}
		for _, metric := range sortedKeys(c.proposal.ExpectedMetrics) {
			c.Goals = append(c.Goals, c.goal(metric, c.proposal.ExpectedMetrics[metric], results[c.proposal.ParentSnap], g))
		}
	}
}

func (c *Candidate) goal(metric string, claim contract.MetricGoal, parent *Candidate, g *gatherer) Goal {
	out := Goal{Metric: metric, Claim: claim, Outcome: contract.GoalUndecidable}
	if after, ok := c.Metrics[metric]; ok {
		out.After = &after
	}
	if parent != nil {
		if before, ok := parent.Metrics[metric]; ok {
			out.Before = &before
		}
	}
	goal, err := contract.ParseGoal(claim)
	switch {
	case err != nil:
		out.Reason = err.Error()
	case out.After == nil:
		out.Reason = "not measured"
	case out.Before == nil && goal.Kind != contract.GoalCompare:
		out.Reason = "the parent snapshot was not measured"
	default:
		before := 0.0
		if out.Before != nil {
			before = *out.Before
		}
		res := goal.Evaluate(before, *out.After, g.direction(metric))
		out.Outcome, out.Reason = res.Outcome, res.Reason
	}
	return out
}

// direction is which way a metric gets better: as the objectives say, else by its name.
func (g *gatherer) direction(metric string) contract.Direction {
	if g.ex.Ranking != nil {
		for _, o := range g.ex.Ranking.Objectives {
			if o.Metric == metric {
				return o.Direction
			}
		}
	}
	return judge.DirectionOf(metric)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
