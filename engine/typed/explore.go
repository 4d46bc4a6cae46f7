package typed

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/trace/canon"
)

// Status is how far a candidate has come.
type Status string

// The statuses, in order.
const (
	Proposed Status = "proposed" // there is a proposal, and nothing measured
	Measured Status = "measured" // a tool has said what it is worth
	Judged   Status = "judged"   // it has a certificate
	Failed   Status = "failed"   // its run, or its judging, was refused or did not end well
)

// Candidate is what is known of one candidate at a position.
type Candidate struct {
	ID       string             `json:"id"`
	Status   Status             `json:"status"`
	Why      string             `json:"why,omitempty"`     // it failed, or cannot be ranked
	Intent   string             `json:"intent,omitempty"`  // of the proposal
	Goals    []Goal             `json:"goals,omitempty"`   // what the proposal claims, against what was measured
	Metrics  map[string]float64 `json:"metrics,omitempty"` // measured, numbers only, as they were given
	Rank     *int               `json:"rank"`              // among the candidates known now; null when it has none
	Crowding *float64           `json:"crowding"`          // null on the boundary of its front, and without a rank
	Regret   *float64           `json:"regret"`            // scalar
	Gate     string             `json:"gate,omitempty"`
	Checks   []judge.Check      `json:"checks,omitempty"` // the gate, rule by rule
	Alike    []string           `json:"not_resolved,omitempty"`
	// Certificate is the last one, with its own rank: what was known when it was signed.
	Certificate *contract.Certificate `json:"certificate,omitempty"`
	Claimed     *contract.DesignDelta `json:"claimed_delta,omitempty"`
	Delta       *contract.DesignDelta `json:"measured_delta,omitempty"`
	Items       []Item                `json:"items"` // everything that was said of it, in order

	proposal *contract.Proposal
}

// Snapshots are what the candidate was made from, by its first proposal that says so, and what came of it, by its certificate. ok is false
// unless both are named by their hashes and differ.
func (c *Candidate) Snapshots() (before, after contract.SnapshotRef, ok bool) {
	for i := range c.Items {
		if it := &c.Items[i]; it.Kind == Proposal && before == "" {
			if ref, _ := it.Value.Get("parent_snap").Str(); strings.HasPrefix(ref, "sha256:") {
				before = contract.SnapshotRef(ref)
			}
		}
	}
	if c.Certificate != nil {
		after = c.Certificate.ResultSnap
	}
	return before, after, before != "" && after != "" && before != after
}

// Goal is one expected metric of a proposal. Before is the metric of the candidate whose result is the proposal's parent.
type Goal struct {
	Metric  string              `json:"metric"`
	Claim   contract.MetricGoal `json:"claim"`
	Before  *float64            `json:"before"`
	After   *float64            `json:"after"`
	Outcome string              `json:"outcome"` // contract.GoalMet, GoalMissed or GoalUndecidable
	Reason  string              `json:"reason,omitempty"`
}

// Front is what one arrival did to the first front, and when.
type Front struct {
	Event int `json:"event"`
	judge.Step
}

// Exploration is everything typed that is known at a position.
type Exploration struct {
	Position   int            `json:"position"`
	Candidates []Candidate    `json:"candidates"` // in the order in which they were first named
	Ranking    *judge.Ranking `json:"ranking,omitempty"`
	History    []Front        `json:"front_history,omitempty"`
	Deltas     []Item         `json:"deltas,omitempty"` // design deltas, whether they belong to a candidate or not
	Items      []Item         `json:"items"`
	Notes      []string       `json:"notes,omitempty"` // why there is no ranking
}

// Options choose what the candidates are ranked by. Empty: the rules of the last request of judge, or the metrics that
// all measured candidates have and whose direction is known.
type Options struct {
	By []judge.Objective
}

type cacheKey struct {
	items int
	by    string
}

// At gathers what is known at a position. The answer is kept until the position passes another payload, and must not be
// changed.
func (x *Index) At(pos int, opt Options) *Exploration {
	items := x.Items(pos)
	by, _ := json.Marshal(opt.By)
	key := cacheKey{len(items), string(by)}
	if x.cached != nil && x.key == key {
		if x.cached.Position == pos {
			return x.cached
		}
		again := *x.cached
		again.Position = pos
		x.cached = &again
		return x.cached
	}
	g := &gatherer{x: x, pos: pos, ex: &Exploration{Position: pos, Candidates: []Candidate{}, Items: items}, at: map[string]int{}}
	for i := range items {
		g.take(&items[i])
	}
	g.measure()
	g.rank(opt)
	g.goals()
	x.cached, x.key = g.ex, key
	return g.ex
}

// gatherer builds an exploration.
type gatherer struct {
	x     *Index
	pos   int
	ex    *Exploration
	at    map[string]int // candidate → index
	sets  []*Item        // candidate sets, in order
	rules canon.Value    // the last ones
	set   []judge.Candidate
}

func (g *gatherer) candidate(id string) *Candidate {
	i, ok := g.at[id]
	if !ok {
		i = len(g.ex.Candidates)
		g.at[id] = i
		g.ex.Candidates = append(g.ex.Candidates, Candidate{ID: id, Status: Proposed, Items: []Item{}})
	}
	return &g.ex.Candidates[i]
}

func (g *gatherer) take(it *Item) {
	switch it.Kind {
	case CandidateSet:
		g.sets = append(g.sets, it)
		if !it.Rules.IsAbsent() {
			g.rules = it.Rules
		}
		return
	case DesignDelta:
		g.ex.Deltas = append(g.ex.Deltas, *it)
	}
	if it.Of == "" {
		return
	}
	c := g.candidate(it.Of)
	c.Items = append(c.Items, *it)
	switch it.Kind {
	case Proposal:
		var p contract.Proposal
		if json.Unmarshal([]byte(it.Value.Text()), &p) == nil {
			c.proposal, c.Intent, c.Claimed = &p, string(p.IntentRef), &p.ExpectedDelta
		}
	case DesignDelta:
		var d contract.DesignDelta
		if json.Unmarshal([]byte(it.Value.Text()), &d) == nil {
			c.Delta = &d
		}
	case Certificate:
		var cert contract.Certificate
		if json.Unmarshal([]byte(it.Value.Text()), &cert) == nil {
			c.Certificate, c.Status, c.Gate = &cert, Judged, cert.GateResult.Verdict
		}
	case ToolResult, STAResult:
		c.result(it.Value)
	case Refusal:
		c.Status, c.Why = Failed, refusalText(it.Value)
	}
}

// result takes the numbers of a tool's result.
func (c *Candidate) result(v canon.Value) {
	if c.Metrics == nil {
		c.Metrics = map[string]float64{}
	}
	for name, m := range v.Get("value").Members() {
		if f, ok := m.Float(); ok {
			c.Metrics[name] = f
		}
	}
	if c.Status == Proposed || c.Status == Failed {
		c.Status, c.Why = Measured, ""
	}
}

// refusalText is the sentence of a refusal.
func refusalText(v canon.Value) string {
	if s, ok := v.Get("refusal").Str(); ok {
		return s
	}
	content := v.Get("structuredContent")
	code, _ := content.Get("code").Str()
	reason, _ := content.Get("reason").Str()
	for _, c := range v.Get("content").Elems() {
		if s, ok := c.Get("text").Str(); ok && reason == "" {
			reason = s
		}
	}
	return strings.Trim(code+": "+reason, ": ")
}

// measure reads the candidate sets, the last first, until every candidate that was ever in one is known.
func (g *gatherer) measure() {
	missing := map[string]bool{}
	for id, event := range g.x.first {
		if event < g.pos {
			missing[id] = true
		}
	}
	for i := len(g.sets) - 1; i >= 0 && len(missing) > 0; i-- {
		list, err := judge.ReadCandidates(document(g.sets[i].Value), judge.ListOptions{})
		if err != nil {
			g.ex.Notes = append(g.ex.Notes, "the candidate set of event "+itoa(g.sets[i].Event)+" cannot be read: "+err.Error())
			continue
		}
		for _, c := range list {
			if missing[c.ID] {
				delete(missing, c.ID)
				g.set = append(g.set, c)
			}
		}
	}
	slices.SortFunc(g.set, func(a, b judge.Candidate) int {
		if d := g.x.first[a.ID] - g.x.first[b.ID]; d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	for i := range g.set {
		g.take1(&g.set[i])
	}
}

func (g *gatherer) take1(m *judge.Candidate) {
	c := g.candidate(m.ID)
	c.Metrics = map[string]float64{}
	for _, x := range m.Metrics.All() {
		if x.Kind == judge.Number && !math.IsNaN(x.Value) {
			c.Metrics[x.Name] = x.Value
		}
	}
	if c.Status == Proposed {
		c.Status = Measured
	}
	if !m.Metrics.OK() {
		c.Status, c.Why = Failed, "the run did not end well: "+m.Metrics.Status
	}
}

// document is the bytes of a document that is given as a value or as its text; a list alone is a candidate set too.
func document(v canon.Value) []byte {
	if s, ok := v.Str(); ok {
		return []byte(s)
	}
	if v.Kind() == canon.KindArray {
		v = canon.Object(canon.Member{Key: "candidates", Value: v})
	}
	return []byte(v.Text())
}
