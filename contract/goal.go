package contract

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Kinds of Goal.
const (
	GoalPercent  = "percent"  // `[+-]N%`: change relative to the parent snapshot, in percent of |before|
	GoalAbsolute = "absolute" // `[+-]N`: change in the metric's unit
	GoalCompare  = "compare"  // `(<|<=|>|>=|==) N`: the value afterwards
)

// Goal is a MetricGoal read.
type Goal struct {
	Kind string
	Op   string // of GoalCompare
	N    float64
}

var (
	goalNumber = `(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
	goalChange = regexp.MustCompile(`^([+-]` + goalNumber + `)(%?)$`)
	goalLimit  = regexp.MustCompile(`^(<=|>=|==|<|>) *(-?` + goalNumber + `)$`)
)

// ParseGoal reads a MetricGoal. A change needs its sign, because "5%" says neither more nor less.
func ParseGoal(g MetricGoal) (Goal, error) {
	kind, op, number := "", "", ""
	if m := goalChange.FindStringSubmatch(string(g)); m != nil {
		kind, number = GoalAbsolute, m[1]
		if m[5] == "%" {
			kind = GoalPercent
		}
	} else if m := goalLimit.FindStringSubmatch(string(g)); m != nil {
		kind, op, number = GoalCompare, m[1], m[2]
	} else {
		return Goal{}, fmt.Errorf("%q is no metric goal; write a signed change (-5%%, +0.1) or a comparison (<= 0.5)", string(g))
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return Goal{}, fmt.Errorf("metric goal %q: the number is out of range", string(g))
	}
	return Goal{Kind: kind, Op: op, N: n}, nil
}

// Outcomes of a goal.
const (
	GoalMet         = "met"
	GoalMissed      = "missed"
	GoalUndecidable = "undecidable"
)

// GoalResult is a goal held against measurements.
type GoalResult struct {
	Outcome string  `json:"outcome"`
	Change  float64 `json:"change"` // percent, absolute change, or the value afterwards; 0 when undecidable
	Reason  string  `json:"reason"`
}

// goalTolerance absorbs the rounding of one subtraction and one division, relative to the numbers that went in.
const goalTolerance = 1e-9

// Evaluate holds the goal against the metric before (in the parent snapshot) and after. For a change the direction of the
// metric decides which side is good: where lower is better the change must be ≤ N, where higher is better ≥ N. So "-5%" of
// an area asks for a reduction, and "+2%" of it allows a growth. Undecidable: a percentage of 0, an unknown direction, and
// values that are not finite.
func (g Goal) Evaluate(before, after float64, dir Direction) GoalResult {
	undecidable := func(why string) GoalResult { return GoalResult{Outcome: GoalUndecidable, Reason: why} }
	if math.IsNaN(after) || math.IsInf(after, 0) {
		return undecidable("the value afterwards is not a finite number")
	}
	if g.Kind == GoalCompare {
		return g.compare(after)
	}
	if math.IsNaN(before) || math.IsInf(before, 0) {
		return undecidable("the value before is not a finite number")
	}
	if dir != LowerIsBetter && dir != HigherIsBetter {
		return undecidable("it is not known which way the metric gets better; declare its direction")
	}
	change, unit, scale := after-before, "", math.Max(math.Abs(before), math.Abs(after))
	if g.Kind == GoalPercent {
		if before == 0 {
			return undecidable("a percentage of 0 says nothing: the metric was 0 before")
		}
		change, unit, scale = 100*change/math.Abs(before), "%", 100*scale/math.Abs(before)
	}
	if math.IsInf(change, 0) {
		return undecidable("the change is not a finite number")
	}
	tol := goalTolerance * math.Max(scale, math.Abs(g.N))
	op, met := "<=", change <= g.N+tol
	if dir == HigherIsBetter {
		op, met = ">=", change >= g.N-tol
	}
	return outcome(met, change, fmt.Sprintf("change %s%s %s %s%s", signed(change), unit, op, signed(g.N), unit))
}

func (g Goal) compare(after float64) GoalResult {
	met := false
	switch g.Op {
	case "<":
		met = after < g.N
	case "<=":
		met = after <= g.N
	case ">":
		met = after > g.N
	case ">=":
		met = after >= g.N
	case "==":
		met = after == g.N
	}
	return outcome(met, after, fmt.Sprintf("value %s %s %s", number(after), g.Op, number(g.N)))
}

func outcome(met bool, change float64, what string) GoalResult {
	if met {
		return GoalResult{Outcome: GoalMet, Change: change, Reason: what}
	}
	return GoalResult{Outcome: GoalMissed, Change: change, Reason: what + " does not hold"}
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', 10, 64) }

func signed(f float64) string {
	if s := number(f); strings.HasPrefix(s, "-") {
		return s
	}
	return "+" + number(f)
}

// directions is the table of known metrics (ours). The keys are words that end a metric's name.
var directions = map[string]Direction{
	"area": LowerIsBetter, "hpwl": LowerIsBetter, "wirelength": LowerIsBetter, "wirelen": LowerIsBetter,
	"power": LowerIsBetter, "drc": LowerIsBetter,
	"ws": HigherIsBetter, "wns": HigherIsBetter, "tns": HigherIsBetter, "fmax": HigherIsBetter,
}

// DirectionOf says which way a metric gets better: first by what the caller declared, then by the table of known metrics,
// whose names match in any case, alone or as the last part of a name that is divided by ".", "/", ":" or "_"
// ("setup_wns", "timing__setup__ws"). The empty Direction means unknown: it must be declared, never guessed.
func DirectionOf(metric string, declared map[string]Direction) Direction {
	if d, ok := declared[metric]; ok {
		return d
	}
	name := strings.ToLower(metric)
	if i := strings.LastIndexAny(name, "./:_"); i >= 0 {
		name = name[i+1:]
	}
	return directions[name]
}
