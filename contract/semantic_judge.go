package contract

import (
	"strconv"

	"flowdbg/trace/canon"
)

// holds evaluates `actual op limit`.
func holds(actual float64, op string, limit float64) (result, known bool) {
	switch op {
	case "<":
		return actual < limit, true
	case "<=":
		return actual <= limit, true
	case ">":
		return actual > limit, true
	case ">=":
		return actual >= limit, true
	case "==":
		return actual == limit, true
	}
	return false, false
}

func checkGateCheck(c *checker, v canon.Value, ptr string) {
	verdict, level := text(v, "verdict"), text(v, "level")
	decided := verdict == CheckPass || verdict == CheckFail || verdict == CheckWarn
	actual, measured := num(v, "actual")
	limit, limited := num(v, "limit")
	switch {
	case decided && v.Get("actual").IsNull() && text(v, "reason") == "":
		// A rule on text has no number; then the reason holds what was compared.
		c.fail(ptr+"/verdict", RuleConsistency, "is %s without an actual value or a reason", verdict)
	case verdict == CheckMissing && measured:
		c.fail(ptr+"/verdict", RuleConsistency, "is missing although the actual value is %s", number(actual))
	case verdict == CheckWarn && level == LevelError:
		c.fail(ptr+"/verdict", RuleConsistency, "is warn, but a rule of level error passes or fails")
	case verdict == CheckFail && level == LevelWarning:
		c.fail(ptr+"/verdict", RuleConsistency, "is fail, but a rule of level warning passes or warns")
	}
	if !decided || !measured || !limited {
		return
	}
	if ok, known := holds(actual, text(v, "op"), limit); known && ok != (verdict == CheckPass) {
		c.fail(ptr+"/verdict", RuleConsistency, "is %s, but %s %s %s is %t", verdict, number(actual), text(v, "op"), number(limit), ok)
	}
}

func checkGateJudgment(c *checker, v canon.Value, ptr string) {
	failing := 0
	for i, check := range list(v, "checks") {
		verdict := text(check, "verdict")
		if text(check, "level") != LevelError || verdict == CheckPass || verdict == "" {
			continue
		}
		failing++
		if text(v, "verdict") == GatePass {
			c.fail(ptr+"/verdict", RuleConsistency, "is PASS, but check %d (%s) of level error is %s", i, text(check, "metric"), verdict)
		}
	}
	if text(v, "verdict") == GateFail && failing == 0 {
		c.warn(ptr+"/verdict", RuleConsistency, "is FAIL, but no check of level error fails")
	}
}

func checkParetoRank(c *checker, v canon.Value, ptr string) {
	candidates, ok := num(v, "candidates")
	if !ok {
		return
	}
	if front, ok := num(v, "front_size"); ok && front > candidates {
		c.fail(ptr+"/front_size", RuleConsistency, "is %s of %s candidates", number(front), number(candidates))
	}
	rank, ranked := num(v, "rank")
	if ranked && rank >= candidates {
		c.fail(ptr+"/rank", RuleConsistency, "is %s of %s candidates; ranks count from 0", number(rank), number(candidates))
	}
	if _, crowded := num(v, "crowding"); crowded && v.Get("rank").IsNull() {
		c.fail(ptr+"/crowding", RuleConsistency, "is given without a rank")
	}
	seen := map[string]bool{}
	for i, o := range list(v, "objectives") {
		metric := text(o, "metric")
		if metric != "" && seen[metric] {
			c.fail(ptr+"/objectives/"+strconv.Itoa(i)+"/metric", RuleConsistency, "%q is an objective twice", metric)
		}
		seen[metric] = true
	}
}

// checkCertificate holds the parts against each other: what fails the gate has no rank, and what passes has both a rank and
// a regret that is not negative, because regret is measured against the candidates that pass.
func checkCertificate(c *checker, v canon.Value, ptr string) {
	if v.Kind() != canon.KindObject {
		return
	}
	rank := canon.Value{}
	if position := v.Get("pareto_position"); position.Kind() == canon.KindObject {
		rank = position.Get("rank")
	}
	switch text(v.Get("gate_result"), "verdict") {
	case GatePass:
		if rank.IsNull() {
			c.fail(ptr+"/pareto_position/rank", RuleConsistency, "is null although the gate passes")
		}
		if v.Get("regret").IsNull() {
			c.fail(ptr+"/regret", RuleConsistency, "is null although a candidate passes the gate: this one")
		}
		if regret, ok := num(v, "regret"); ok && regret < 0 {
			c.fail(ptr+"/regret", RuleConsistency, "is %s; a candidate that passes cannot be better than the best that passes", number(regret))
		}
	case GateFail:
		if _, ranked := rank.Float(); ranked {
			c.fail(ptr+"/pareto_position/rank", RuleConsistency, "is given although the gate fails; it must be null")
		}
	}
}
