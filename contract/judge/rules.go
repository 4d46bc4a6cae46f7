package judge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"flowdbg/contract"
)

// Rule is one line of a gate: the metric must stand in relation Op (< <= > >= ==) to the limit. A limit that is text,
// such as a netlist hash, is in Text and can only be compared with ==. Unit is what Limit is given in; empty = the
// metric's own.
type Rule struct {
	Metric string
	Op     string
	Limit  float64
	Text   *string
	Level  string // contract.LevelError or contract.LevelWarning
	Unit   string
}

// Rules is a gate, and optionally what the candidates are ranked by. Hash is that of the file's bytes.
type Rules struct {
	Rules       []Rule
	Objectives  []Objective
	Reference   map[string]float64    // metric → the hypervolume's reference value, in the objective's unit
	Resolutions map[string]Resolution // metric → what differences mean nothing
	Hash        contract.Hash
}

// HashBytes is the hash of a file as it is: sha256:<hex>.
func HashBytes(data []byte) contract.Hash {
	sum := sha256.Sum256(data)
	return contract.Hash("sha256:" + hex.EncodeToString(sum[:]))
}

// ReadRules reads a gate. Four forms, told apart by their content:
//
//	{"rules": [{"metric", "op", "limit", "level"?, "unit"?}, …], "objectives"?: […], "reference"?: {metric: number},
//	 "resolution"?: {metric: {"uncertainty"?, "spread"?, "period"?}}}
//	{"rules": [{"field", "value", "compare"}, …]}             OpenROAD-flow-scripts, before 2021
//	{metric: {"value", "compare", "level"?}, …}               OpenROAD-flow-scripts rules-base.json
//	{"DRT::drv": "0", …}                                      OpenROAD .metrics_limits; the comparison belongs to the metric
//
// The error (a *canon.Error, with line and column) names the first thing that is wrong; a key that occurs twice is
// wrong, because nobody could say which limit holds.
func ReadRules(data []byte) (*Rules, error) {
	doc, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	if doc.kind != jsonObject {
		return nil, failAt(data, doc.off, "rules are not an object", `{"rules": [{"metric", "op", "limit"}, …]}`)
	}
	r := rulesReader{data: data, out: &Rules{Hash: HashBytes(data)}}
	if err := r.noTwins(doc); err != nil {
		return nil, err
	}
	list, _ := doc.get("rules")
	switch {
	case list != nil && list.kind == jsonArray:
		err = r.readOwn(doc)
	case len(doc.members) > 0 && doc.members[0].value.kind == jsonObject:
		err = r.readORFS(doc)
	case len(doc.members) > 0:
		err = r.readLimits(doc)
	default:
		err = r.fail(doc.off, "no rules", "at least one rule")
	}
	if err != nil {
		return nil, err
	}
	return r.out, nil
}

type rulesReader struct {
	data []byte
	out  *Rules
}

func (r *rulesReader) fail(off int, what, want string) error { return failAt(r.data, off, what, want) }

func (r *rulesReader) noTwins(v *jsonNode) error {
	seen := make(map[string]bool, len(v.members))
	for _, m := range v.members {
		if seen[m.key] {
			return r.fail(m.keyOff, fmt.Sprintf("%q occurs twice", clip(m.key)), "each name once")
		}
		seen[m.key] = true
		if err := r.noTwins(m.value); err != nil {
			return err
		}
	}
	for _, e := range v.elems {
		if err := r.noTwins(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *rulesReader) readORFS(doc *jsonNode) error {
	for _, m := range doc.members {
		if m.value.kind != jsonObject {
			return r.fail(m.value.off, fmt.Sprintf("rule %q is no object", clip(m.key)), `{"value": 0, "compare": "<="}`)
		}
		rule, err := r.rule(m.value, Rule{Metric: m.key}, ruleNames{limit: "value", op: "compare"})
		if err != nil {
			return err
		}
		r.out.Rules = append(r.out.Rules, rule)
	}
	return nil
}

// limitOps is how OpenROAD compares its flow metrics with their limits (its flow_metrics.tcl): a limit file holds only
// the numbers.
var limitOps = map[string]string{
	"IFP::instance_count": "<", "DPL::design_area": "<", "DPL::utilization": "<",
	"RSZ::repair_design_buffer_count": "<=", "RSZ::hold_buffer_count": "<=",
	"RSZ::max_slew_slack": ">=", "RSZ::max_capacitance_slack": ">=", "RSZ::max_fanout_slack": ">=",
	"RSZ::worst_slack_min": ">", "RSZ::worst_slack_max": ">", "RSZ::tns_max": ">",
	"GRT::ANT::errors": "<=", "DRT::ANT::errors": "<=", "DRT::drv": "<=", "DRT::clock_skew": "<=", "DRT::clock_period": "<=",
	"DRT::worst_slack_min": ">", "DRT::worst_slack_max": ">", "DRT::tns_max": ">",
	"DRT::max_slew_slack": ">=", "DRT::max_capacitance_slack": ">=", "DRT::max_fanout_slack": ">=",
}

func (r *rulesReader) readLimits(doc *jsonNode) error {
	for _, m := range doc.members {
		rule := Rule{Metric: m.key, Op: limitOps[m.key], Level: contract.LevelError}
		if rule.Op == "" {
			return r.fail(m.keyOff, fmt.Sprintf("it is not known how %q compares with its limit", clip(m.key)),
				"a metric of OpenROAD's flow tests, or rules that state their comparison")
		}
		if err := r.limit(m.value, &rule); err != nil {
			return err
		}
		if rule.Text != nil {
			return r.fail(m.value.off, "a limit that is no number", "a number")
		}
		r.out.Rules = append(r.out.Rules, rule)
	}
	return nil
}

func (r *rulesReader) readOwn(doc *jsonNode) error {
	for _, m := range doc.members {
		var err error
		switch m.key {
		case "comment":
		case "rules":
			err = r.readRuleList(m.value)
		case "objectives":
			err = r.readObjectives(m.value)
		case "reference":
			r.out.Reference = map[string]float64{}
			err = r.numbers(m.value, func(name string, v float64) error { r.out.Reference[name] = v; return nil })
		case "resolution":
			err = r.readResolutions(m.value)
		default:
			err = r.fail(m.keyOff, fmt.Sprintf("unknown member %q", clip(m.key)), `"rules", "objectives", "reference", "resolution" or "comment"`)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ruleNames are the member names of a rule, which differ between the forms.
type ruleNames struct{ metric, op, limit string }

func (r *rulesReader) readRuleList(list *jsonNode) error {
	for _, e := range list.elems {
		names := ruleNames{"metric", "op", "limit"}
		if _, n := e.get("field"); n > 0 {
			names = ruleNames{"field", "compare", "value"}
		}
		if e.kind != jsonObject {
			return r.fail(e.off, "a rule that is no object", `{"metric", "op", "limit"}`)
		}
		rule, err := r.rule(e, Rule{}, names)
		if err != nil {
			return err
		}
		r.out.Rules = append(r.out.Rules, rule)
	}
	return nil
}

func (r *rulesReader) rule(e *jsonNode, rule Rule, names ruleNames) (Rule, error) {
	hasLimit := false
	for _, m := range e.members {
		var err error
		switch m.key {
		case names.limit:
			hasLimit = true
			err = r.limit(m.value, &rule)
		case "comment":
		case names.metric, names.op, "level", "unit":
			target := map[string]*string{names.metric: &rule.Metric, names.op: &rule.Op, "level": &rule.Level, "unit": &rule.Unit}[m.key]
			*target, err = r.text(m.value)
		default:
			err = r.fail(m.keyOff, fmt.Sprintf("a rule has no member %q", clip(m.key)), "metric, op, limit, level, unit or comment")
		}
		if err != nil {
			return rule, err
		}
	}
	rule.Level = cmp.Or(rule.Level, contract.LevelError)
	return rule, r.check(e, rule, hasLimit)
}

func (r *rulesReader) check(e *jsonNode, rule Rule, hasLimit bool) error {
	switch rule.Op {
	case "<", "<=", ">", ">=", "==":
	default:
		return r.fail(e.off, fmt.Sprintf("rule for %q: comparison %q", clip(rule.Metric), clip(rule.Op)), "< <= > >= or ==")
	}
	switch {
	case rule.Metric == "":
		return r.fail(e.off, "a rule without metric", "the name of a metric")
	case !hasLimit:
		return r.fail(e.off, fmt.Sprintf("rule for %q: no limit", clip(rule.Metric)), "a number")
	case rule.Text != nil && rule.Op != "==":
		return r.fail(e.off, fmt.Sprintf("rule for %q: text compared with %s", clip(rule.Metric), rule.Op), "==, or a number")
	case rule.Level != contract.LevelError && rule.Level != contract.LevelWarning:
		return r.fail(e.off, fmt.Sprintf("rule for %q: level %q", clip(rule.Metric), clip(rule.Level)), "error or warning")
	}
	if _, code := convert(0, rule.Unit, rule.Unit); code != "" {
		return r.fail(e.off, fmt.Sprintf("rule for %q: unit %q is not known", clip(rule.Metric), clip(rule.Unit)), "a unit such as ns, um, MHz")
	}
	return nil
}

// limit reads a number, a number in quotes (OpenROAD writes them so), or text.
func (r *rulesReader) limit(v *jsonNode, rule *Rule) error {
	if v.kind != jsonNumber && v.kind != jsonString {
		return r.fail(v.off, fmt.Sprintf("rule for %q: the limit is neither a number nor text", clip(rule.Metric)), "a number")
	}
	number, code := parseNumber(v.text)
	switch {
	case code == "":
		rule.Limit = number
	case code == NotANumber && v.kind == jsonString:
		text := v.text
		rule.Text = &text
	default:
		return r.fail(v.off, fmt.Sprintf("rule for %q: the limit %s is no usable number (%s)", clip(rule.Metric), clip(v.text), code), "a finite number")
	}
	return nil
}
