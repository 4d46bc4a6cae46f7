package contract

import (
	"math"

	"flowdbg/trace/canon"
)

func checkTimestamp(c *checker, v canon.Value, ptr string) {
	s, ok := v.Str()
	if !ok || len(s) < len("2006-01-02T15:04:05Z") || s[len(s)-1] != 'Z' {
		return // the schema's pattern has told it
	}
	if _, err := Timestamp(s).Time(); err != nil {
		c.fail(ptr, RuleTime, "%v", err)
	}
}

func checkMetricGoal(c *checker, v canon.Value, ptr string) {
	s, ok := v.Str()
	if !ok || !goalChange.MatchString(s) && !goalLimit.MatchString(s) {
		return
	}
	if _, err := ParseGoal(MetricGoal(s)); err != nil {
		c.fail(ptr, RuleNumber, "%v", err)
	}
}

func checkSchemaValue(c *checker, v canon.Value, ptr string) {
	if kind := v.Kind(); kind != canon.KindObject && kind != canon.KindBool {
		return
	}
	if err := CheckSchema(v); err != nil {
		c.fail(ptr, RuleSchema, "%v", err)
	}
}

func checkBBox(c *checker, v canon.Value, ptr string) {
	for _, axis := range []string{"x", "y"} {
		low, ok := num(v, axis+"_min")
		high, ok2 := num(v, axis+"_max")
		if ok && ok2 && low > high {
			c.fail(ptr+"/"+axis+"_max", RuleOrder, "is %s, below %s_min %s", number(high), axis, number(low))
		}
	}
}

func checkDirtySet(c *checker, v canon.Value, ptr string) {
	last := ""
	for i, cell := range list(v, "cells") {
		name, ok := cell.Str()
		if !ok {
			continue
		}
		at := canon.AppendPointer(ptr+"/cells", number(float64(i)))
		switch {
		case i > 0 && name == last:
			c.fail(at, RuleOrder, "repeats %q; cells are unique", name)
		case i > 0 && name < last:
			c.fail(at, RuleOrder, "%q stands after %q; cells are sorted by bytes", name, last)
		}
		last = name
	}
}

func checkTimingReport(c *checker, v canon.Value, ptr string) {
	checkSlackPair(c, v, ptr, "wns", "tns")
}

func checkClockSummary(c *checker, v canon.Value, ptr string) {
	checkSlackPair(c, v, ptr, "setup_wns", "setup_tns")
	checkSlackPair(c, v, ptr, "hold_wns", "hold_tns")
}

// checkSlackPair holds a worst and a total negative slack against each other. A total counts violations only, so it is
// never above 0 and never above the worst; tools round, so these are warnings, but a clipped WNS above 0 is a contradiction.
func checkSlackPair(c *checker, v canon.Value, ptr, wnsName, tnsName string) {
	wns, ok := num(v, wnsName)
	if !ok {
		return
	}
	if clipped, said := v.Get("clipped").Bool(); said && clipped && wns > 0 {
		c.fail(ptr+"/"+wnsName, RuleConsistency, "is %s, but clipped says that it is at most 0", number(wns))
	}
	tns, ok := num(v, tnsName)
	if !ok {
		return
	}
	switch {
	case tns > 0:
		c.warn(ptr+"/"+tnsName, RuleConsistency, "is %s; a sum of negative slacks is at most 0", number(tns))
	case wns < 0 && tns > wns+roundingNS:
		c.warn(ptr+"/"+tnsName, RuleConsistency, "is %s, above %s %s: the worst path alone makes it lower", number(tns), wnsName, number(wns))
	case wns >= 0 && tns < -roundingNS:
		c.warn(ptr+"/"+tnsName, RuleConsistency, "is %s although %s %s says that nothing is violated", number(tns), wnsName, number(wns))
	}
}

// roundingNS is what three printed digits of nanoseconds can be off, twice.
const roundingNS = 2e-3

func checkPath(c *checker, v canon.Value, ptr string) {
	arrival, ok1 := num(v, "arrival")
	required, ok2 := num(v, "required")
	slack, ok3 := num(v, "slack")
	if !ok1 || !ok2 || !ok3 {
		return
	}
	want, form := required-arrival, "required − arrival"
	switch text(v, "path_type") {
	case PathMax:
	case PathMin:
		want, form = -want, "arrival − required"
	default:
		return
	}
	if math.Abs(slack-want) > roundingNS+1e-6*math.Max(math.Abs(arrival), math.Abs(required)) {
		c.warn(ptr+"/slack", RuleDifference, "is %s, but %s is %s", number(slack), form, number(want))
	}
}

func checkProposal(c *checker, v canon.Value, ptr string) {
	goals := v.Get("expected_metrics")
	if v.Kind() != canon.KindObject || goals.Kind() != canon.KindObject {
		return
	}
	for metric, goal := range goals.Members() {
		s, _ := goal.Str()
		if g, err := ParseGoal(MetricGoal(s)); err == nil && g.Kind != GoalCompare && DirectionOf(metric, nil) == "" {
			c.warn(canon.AppendPointer(ptr+"/expected_metrics", metric), RuleUnstated,
				"it is not known which way %q gets better; the goal can be decided only with a declared direction", metric)
		}
	}
}

func checkCapabilityLists(c *checker, v canon.Value, ptr string) {
	for _, member := range []string{"supported_scenarios", "fidelity_levels"} {
		seen := map[string]bool{}
		elements := list(v, member)
		for i, e := range elements {
			name, ok := e.Str()
			if ok && seen[name] {
				c.warn(canon.AppendPointer(ptr+"/"+member, number(float64(i))), RuleOrder, "repeats %q", name)
			}
			seen[name] = true
		}
		if v.Kind() == canon.KindObject && v.Get(member).Kind() == canon.KindArray && len(elements) == 0 {
			c.warn(ptr+"/"+member, RuleUnstated, "is empty: no request that names one fits")
		}
	}
}

func checkInputConstraints(c *checker, v canon.Value, ptr string) {
	if v.Kind() == canon.KindObject && v.Get("supported_techs") == canon.EmptyArray {
		c.warn(ptr+"/supported_techs", RuleUnstated, "is empty: no technology fits; leave it out (or null) for all")
	}
}

func checkProfile(c *checker, v canon.Value, ptr string) {
	switch s := text(v, "scaling"); s {
	case "", ScalingLinear, ScalingNLogN, ScalingQuadratic:
	default:
		c.warn(ptr+"/scaling", RuleUnstated, "%q is none of linear, nlogn, quadratic: latency cannot be predicted", s)
	}
}
