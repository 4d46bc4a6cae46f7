package compat

import (
	"fmt"
	"slices"

	"flowdbg/contract/translate"
	"flowdbg/trace/canon"
)

// bridging is what the step rules make of a tool's old schemas.
type bridging struct {
	from     int
	known    bool // a rule says something about the tool between these versions
	ops      int
	after    []Finding // what is left between the translated old schemas and the new ones
	problems []string  // fatal problems of the dry run
}

// bridge applies the step from the old version to its neighbour to the old schemas and compares again.
func (c *Change) bridge(old, new *Tool, from int) bridging {
	b := bridging{from: from}
	step, ok := c.Rules.Step(old.Name, from)
	if !ok {
		return b
	}
	b.known, b.ops = true, len(step.Input)+len(step.Output)
	in := b.apply(step.Input, translate.Input, old.Input)
	out := b.apply(step.Output, translate.Output, old.Output)
	b.after = schemaFindings(in, new.Input, out, new.Output)
	return b
}

func (b *bridging) apply(ops translate.Ops, side translate.Side, schema canon.Value) canon.Value {
	if len(ops) == 0 || schema.IsAbsent() {
		return schema
	}
	text, problems := translate.ApplyToSchema(ops, side, []byte(schema.Text()))
	for _, p := range problems {
		if p.Fatal {
			b.problems = append(b.problems, fmt.Sprintf("the rules for the %s, %s", side, p))
		}
	}
	out, _, err := canon.Parse(text, canon.Options{Integers: canon.IntegersAccept})
	if err != nil {
		b.problems = append(b.problems, fmt.Sprintf("the rules for the %s: %v", side, err))
		return canon.Value{}
	}
	return out
}

// holds says that the rules leave nothing broken.
func (b *bridging) holds() bool {
	return b.known && b.ops > 0 && len(b.problems) == 0 && Worst(b.after) < LevelBreak
}

// helps says that rules exist and make a change smaller that breaks nobody by form: the rename of an optional argument of an
// open object is one, because what is given under the old name would be ignored.
func (b *bridging) helps(before []Finding) bool {
	return b.holds() && count(b.after, LevelSemantic) < count(before, LevelSemantic)
}

func count(fs []Finding, level Level) int {
	n := 0
	for _, f := range fs {
		if f.Level == level {
			n++
		}
	}
	return n
}

// broken grades a tool whose schemas break old agents.
func (c *Change) broken(row *ToolChange, old, new *Tool, schemas []Finding, b bridging) {
	if !b.holds() || capabilityBreaks(row.Findings) {
		row.Level = SemanticBreak
		why := "no step rule is known for this tool"
		switch {
		case len(b.problems) > 0:
			why = b.problems[0]
		case b.holds():
			why = "the capability was narrowed and rules cannot bridge that"
		case b.known && b.ops == 0:
			why = fmt.Sprintf("the step %s leaves this tool as it is, and its schemas differ", translate.StepName(row.OldV))
		case b.known:
			why = fmt.Sprintf("after the rules %s there is left: %s", translate.StepName(row.OldV), firstBreak(b.after))
		}
		c.inPlace(row, why)
		if row.OldV == 0 {
			row.Advice += "; rules cannot bridge anything while the contract version of the old list is unknown"
		} else if !b.known {
			row.Advice += fmt.Sprintf("; or, if the meaning is the same, raise the contract to %d and give the step %s", row.OldV+1, translate.StepName(row.OldV))
		}
		return
	}
	row.Level = MechanicalBreak
	row.Advice = fmt.Sprintf("the step %s bridges it", translate.StepName(row.OldV))
	if row.NewV != row.OldV+1 {
		row.demand("a mechanical break raises the contract by exactly 1: from %d to %d, not to %d", row.OldV, row.OldV+1, row.NewV)
	}
	if Worst(schemas) == LevelBreak && row.NewV > row.OldV && slices.Contains(new.Versions, row.OldV) {
		f := toolFinding(ruleFalseClaim, canon.AppendPointer("/_meta", c.Keys.Versions), canon.Value{}, new.Raw.Get("_meta").Get(c.Keys.Versions),
			fmt.Sprintf("still lists version %d as native, and the schema breaks it: calls of that version would not be translated", row.OldV))
		row.Findings = append(row.Findings, f)
	}
	translated := row.NewV == row.OldV+1 && !slices.Contains(new.Versions, row.OldV) // else no call goes through the rules
	for i, f := range row.Findings {
		row.Findings[i].Bridged = translated && f.Level >= LevelSemantic && (f.Part == Arguments.String() || f.Part == Results.String())
	}
	for _, f := range b.after {
		if f.Level == LevelSemantic {
			f.Text = "after the rules: " + f.Text
			row.Findings = append(row.Findings, f)
		}
	}
}

func firstBreak(fs []Finding) string {
	for _, f := range fs {
		if f.Level == LevelBreak {
			return f.Part + " " + f.Pointer + ": " + f.Text
		}
	}
	return "nothing"
}

// rulesSpoil tells rules that break a tool which was compatible without them: a step for every tool may reach too far.
func (c *Change) rulesSpoil(row *ToolChange, schemas []Finding, b bridging) {
	if Worst(schemas) == LevelBreak || !b.known || b.ops == 0 || row.NewV != row.OldV+1 {
		return
	}
	why := ""
	if len(b.problems) > 0 {
		why = b.problems[0]
	} else if Worst(b.after) == LevelBreak {
		why = firstBreak(b.after)
	}
	if why != "" {
		row.Findings = append(row.Findings, toolFinding(ruleRuleProblem, "", canon.Value{}, canon.Value{},
			fmt.Sprintf("the step %s breaks what was compatible without it: %s", translate.StepName(row.OldV), why)))
	}
}
