package contract

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Statuses of an Aspect, and of a Suitability as a whole; the worst aspect decides, in this order.
const (
	StatusFits         = "fits"
	StatusWarning      = "warning"       // fits, but the prediction is over the budget
	StatusNotCheckable = "not_checkable" // nothing speaks against it, but not everything could be decided; never a pass
	StatusUnfit        = "unfit"
)

var statusOrder = []string{StatusFits, StatusWarning, StatusNotCheckable, StatusUnfit}

// Wish is what a tool is sought for. Empty members are not asked for.
type Wish struct {
	Scenario   string
	Tech       string
	Effort     string
	Cells      *int64 // number of cells of the design; nil = not known
	Budget     *CostBudget
	NoSnapshot bool // no snapshot can be handed to the tool
	NoDirtySet bool // no dirty set can be handed to the tool
}

// Aspect is one question put to a tool.
type Aspect struct {
	Name   string `json:"name"` // the capability's field
	Status string `json:"status"`
	Reason string `json:"reason"`
}

// Suitability is the answer of one tool.
type Suitability struct {
	Tool        string   `json:"tool"`
	Version     string   `json:"version"`
	Status      string   `json:"status"`
	Aspects     []Aspect `json:"aspects"`
	Limitations []string `json:"known_limitations"` // in the tool's own words; a person has to judge them
}

// Suit says of every tool whether it suits a wish, before any call (seed 000). The best come first, equal ones by name.
func Suit(tools []ToolCapability, wish Wish) []Suitability {
	answers := make([]Suitability, 0, len(tools))
	for i := range tools {
		answers = append(answers, suit(&tools[i], wish))
	}
	return sortSuitable(answers)
}

func sortSuitable(answers []Suitability) []Suitability {
	slices.SortStableFunc(answers, func(a, b Suitability) int {
		if d := slices.Index(statusOrder, a.Status) - slices.Index(statusOrder, b.Status); d != 0 {
			return d
		}
		return strings.Compare(a.Tool+" "+a.Version, b.Tool+" "+b.Version)
	})
	return answers
}

func suit(tool *ToolCapability, wish Wish) Suitability {
	in := tool.InputConstraints
	var aspects []Aspect
	member := func(field, want string, among []string) {
		if want == "" {
			return
		}
		a := Aspect{field, StatusFits, want}
		if !slices.Contains(among, want) {
			a.Status, a.Reason = StatusUnfit, fmt.Sprintf("%s is not among %s", want, names(among))
		}
		aspects = append(aspects, a)
	}
	member("supported_scenarios", wish.Scenario, tool.SupportedScenarios)
	member("fidelity_levels", wish.Effort, tool.FidelityLevels)
	if in.SupportedTechs == nil && wish.Tech != "" {
		aspects = append(aspects, Aspect{"supported_techs", StatusFits, "all"})
	} else {
		member("supported_techs", wish.Tech, in.SupportedTechs)
	}
	if wish.NoSnapshot && in.RequiresSnapshot {
		aspects = append(aspects, Aspect{"requires_snapshot", StatusUnfit, "the tool requires a snapshot"})
	}
	if wish.NoDirtySet && in.RequiresDirtySet {
		aspects = append(aspects, Aspect{"requires_dirty_set", StatusUnfit, "the tool requires a dirty set"})
	}
	if a, asked := cellsAspect(in.MaxDesignCells, wish.Cells); asked {
		aspects = append(aspects, a)
	}
	aspects = append(aspects, profileAspects(tool, wish.Cells, wish.Budget)...)
	s := Suitability{Tool: tool.ToolName, Version: tool.Version, Status: StatusFits, Aspects: aspects, Limitations: tool.KnownLimitations}
	if s.Aspects == nil {
		s.Aspects = []Aspect{}
	}
	for _, a := range aspects {
		if slices.Index(statusOrder, a.Status) > slices.Index(statusOrder, s.Status) {
			s.Status = a.Status
		}
	}
	return s
}

func cellsAspect(limit, cells *int64) (Aspect, bool) {
	const field = "max_design_cells"
	switch {
	case limit == nil && cells == nil:
		return Aspect{}, false
	case limit == nil:
		return Aspect{field, StatusFits, "no limit is declared"}, true
	case cells == nil:
		return Aspect{field, StatusNotCheckable, fmt.Sprintf("at most %d cells, and the number of cells is not known", *limit)}, true
	case *cells > *limit:
		return Aspect{field, StatusUnfit, fmt.Sprintf("%d cells are above %d", *cells, *limit)}, true
	}
	return Aspect{field, StatusFits, fmt.Sprintf("%d of at most %d cells", *cells, *limit)}, true
}

// profileAspects holds the performance profile against a budget. A prediction over the budget is a warning, no refusal: it
// is a prediction. Money, tokens and steps are not in a profile and are not asked.
func profileAspects(tool *ToolCapability, cells *int64, budget *CostBudget) []Aspect {
	var aspects []Aspect
	if budget == nil {
		return aspects
	}
	if limit := budget.WallMS; limit != nil {
		aspects = append(aspects, latencyAspect(tool.PerformanceProfile, cells, *limit))
	}
	if limit := budget.PeakMemoryMB; limit != nil {
		a := Aspect{"peak_memory_mb", StatusFits, fmt.Sprintf("peak memory %d MB of at most %d MB", tool.PerformanceProfile.PeakMemoryMB, *limit)}
		if tool.PerformanceProfile.PeakMemoryMB > *limit {
			a.Status, a.Reason = StatusWarning, fmt.Sprintf("peak memory %d MB is over the budget of %d MB", tool.PerformanceProfile.PeakMemoryMB, *limit)
		}
		aspects = append(aspects, a)
	}
	return aspects
}

func latencyAspect(p PerformanceProfile, cells *int64, limit int64) Aspect {
	const field = "typical_latency_ms"
	predicted, why := PredictLatencyMS(p, cells)
	switch {
	case why == "" && predicted > float64(limit):
		return Aspect{field, StatusWarning, fmt.Sprintf("predicted latency %.0f ms is over the budget of %d ms", predicted, limit)}
	case why == "":
		return Aspect{field, StatusFits, fmt.Sprintf("predicted latency %.0f ms of at most %d ms", predicted, limit)}
	case p.TypicalLatencyMS > limit:
		return Aspect{field, StatusWarning, fmt.Sprintf("typical latency %d ms is over the budget of %d ms (not scaled: %s)", p.TypicalLatencyMS, limit, why)}
	}
	return Aspect{field, StatusNotCheckable, fmt.Sprintf("typical latency %d ms of at most %d ms cannot be scaled to this design: %s", p.TypicalLatencyMS, limit, why)}
}

// PredictLatencyMS scales the typical latency to a design of so many cells by the declared scaling; why is empty when it
// could. The seed's profile does not say for which size its latency is typical, so nothing is predicted without the
// optional reference_cells (ours), without a number of cells, or with an unknown word for the scaling.
func PredictLatencyMS(p PerformanceProfile, cells *int64) (ms float64, why string) {
	switch {
	case cells == nil:
		return 0, "the number of cells is not known"
	case p.ReferenceCells == nil || *p.ReferenceCells < 1:
		return 0, "the profile does not state its reference_cells"
	case *cells < 0:
		return 0, "the number of cells is negative"
	}
	n, ref := float64(*cells), float64(*p.ReferenceCells)
	factor := n / ref
	switch p.Scaling {
	case ScalingLinear:
	case ScalingNLogN:
		// The logarithm of 2 and more, so that designs of one cell or none do not divide by 0.
		factor *= math.Log2(math.Max(n, 2)) / math.Log2(math.Max(ref, 2))
	case ScalingQuadratic:
		factor *= factor
	default:
		return 0, fmt.Sprintf("scaling %q is none of linear, nlogn, quadratic", p.Scaling)
	}
	return float64(p.TypicalLatencyMS) * factor, ""
}
