package judge

import (
	"fmt"
	"math"

	"flowdbg/contract"
)

// Check is one rule judged. LimitText and ActualText are set for a rule on text, whose Limit is 0 and Actual nil.
type Check struct {
	contract.GateCheck
	LimitText  *string `json:"limit_text,omitempty"`
	ActualText *string `json:"actual_text,omitempty"`
}

// Judgment is what a gate says about one run. Violation is how far the error-level rules are missed, for constraint
// domination: the sum over them of |margin| / max(|limit|, 1), infinite when one cannot be measured; 0 when the
// verdict is PASS.
type Judgment struct {
	Verdict   string  `json:"verdict"` // contract.GatePass, GateFail, GateInconclusive or GateError
	Checks    []Check `json:"checks"`
	Reason    string  `json:"reason,omitempty"` // why ERROR or INCONCLUSIVE
	Violation float64 `json:"-"`
}

// Contract is the judgment in the contract's form.
func (j *Judgment) Contract() contract.GateJudgment {
	out := contract.GateJudgment{Verdict: j.Verdict, Checks: make([]contract.GateCheck, len(j.Checks))}
	for i, c := range j.Checks {
		out.Checks[i] = c.GateCheck
		if c.LimitText != nil && c.Reason == "" {
			out.Checks[i].Reason = fmt.Sprintf("text compared: %q with %q", clip(*c.ActualText), clip(*c.LimitText))
		}
	}
	return out
}

// Judge applies every rule to what a run reported; it never stops at the first that fails.
//
// A rule whose metric is missing counts as failed at level error. A metric that is there but is no result (NaN, a
// sentinel, a denormal, text against a number) is not comparable, which makes an otherwise passing gate INCONCLUSIVE,
// as does a gate without a single comparison: a green check that checked nothing is none. A run that did not end well
// is ERROR whatever its numbers say. A metric that the file repeats is not comparable, except in OpenROAD's own files,
// which repeat a metric once per stage: there the last value counts, as OpenROAD itself does it. A number in quotes is
// read as a number, as both OpenROAD and OpenROAD-flow-scripts do.
func Judge(m *Metrics, rules []Rule) Judgment {
	j := Judgment{Checks: make([]Check, 0, len(rules))}
	failed, unclear, compared := 0, 0, 0
	for i := range rules {
		c := judgeRule(m, &rules[i])
		j.Checks = append(j.Checks, c)
		hard := c.Level == contract.LevelError
		switch c.Verdict {
		case contract.CheckPass, contract.CheckWarn:
			compared++
		case contract.CheckFail:
			compared++
			failed++
			j.Violation += math.Abs(*orZero(c.Margin)) / math.Max(math.Abs(c.Limit), 1)
		case contract.CheckMissing:
			if hard {
				failed++
				j.Violation = math.Inf(1)
			}
		case contract.CheckNotComparable:
			if hard {
				unclear++
			}
		}
	}
	switch {
	case !m.OK():
		j.Verdict, j.Reason = contract.GateError, fmt.Sprintf("the run did not end well: status %q", m.Status)
	case failed > 0:
		j.Verdict = contract.GateFail
	case unclear > 0:
		j.Verdict, j.Reason = contract.GateInconclusive, fmt.Sprintf("%d of %d rules could not be compared", unclear, len(rules))
	case compared == 0:
		j.Verdict, j.Reason = contract.GateInconclusive, "no rule compared anything"
	default:
		j.Verdict = contract.GatePass
	}
	if j.Verdict == contract.GateError || j.Verdict == contract.GateInconclusive {
		j.Violation = math.Inf(1)
	}
	if j.Verdict == contract.GateFail && j.Violation == 0 { // a strict limit met exactly, or unequal text
		j.Violation = math.SmallestNonzeroFloat64
	}
	return j
}

func orZero(v *float64) *float64 {
	if v == nil {
		return new(float64)
	}
	return v
}

func judgeRule(m *Metrics, r *Rule) Check {
	c := Check{GateCheck: contract.GateCheck{Metric: r.Metric, Op: r.Op, Limit: r.Limit, Level: r.Level}, LimitText: r.Text}
	x, ok := m.Get(r.Metric)
	if !ok {
		c.Verdict, c.Reason = contract.CheckMissing, missingText(m, r.Metric)
		return c
	}
	if r.Text != nil {
		return judgeText(c, &x, *r.Text)
	}
	code, why := unusable(&x)
	actual := x.Value
	if code == "" {
		if actual, code = convert(x.Value, x.Unit, r.Unit); code != "" {
			why = fmt.Sprintf("unit %q against %q", clip(x.Unit), r.Unit)
		}
	}
	if code != "" {
		c.Verdict, c.Reason = contract.CheckNotComparable, why
		return c
	}
	if x.Count > 1 {
		c.Reason = fmt.Sprintf("given %d times, the last value counts", x.Count)
		if m.Format != FormatOpenROAD {
			c.Verdict, c.Reason = contract.CheckNotComparable, fmt.Sprintf("given %d times: %s", x.Count, clip(fmt.Sprint(x.All)))
			return c
		}
	}
	margin, met := compare(actual, r.Op, r.Limit)
	c.Actual, c.Margin = &actual, &margin
	c.Verdict = verdict(met, r.Level)
	return c
}

func judgeText(c Check, x *Metric, want string) Check {
	if x.Kind != Text && x.Kind != NumberText {
		c.Verdict, c.Reason = contract.CheckNotComparable, fmt.Sprintf("text wanted, but it is %s", clip(x.Raw))
		return c
	}
	c.ActualText = &x.Raw
	c.Verdict = verdict(x.Raw == want, c.Level)
	return c
}

func verdict(met bool, level string) string {
	switch {
	case met:
		return contract.CheckPass
	case level == contract.LevelWarning:
		return contract.CheckWarn
	}
	return contract.CheckFail
}

// compare gives how far inside (≥ 0) or outside (< 0) of the limit a value is, and whether it meets it. A strict limit
// met exactly has margin 0 and fails.
func compare(actual float64, op string, limit float64) (margin float64, met bool) {
	switch op {
	case "<":
		return limit - actual, actual < limit
	case "<=":
		return limit - actual, actual <= limit
	case ">":
		return actual - limit, actual > limit
	case ">=":
		return actual - limit, actual >= limit
	}
	if actual == limit {
		return 0, true
	}
	return -math.Abs(actual - limit), false
}
