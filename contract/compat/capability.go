package compat

import (
	"fmt"
	"slices"

	"flowdbg/trace/canon"
)

// capabilityDiff collects the differences of two ToolCapability documents, graded by seed 000: a fidelity level removed is
// MAJOR, one added MINOR, the performance profile PATCH; the other members follow from what a request that was accepted
// before meets now (ours).
type capabilityDiff struct{ out []Finding }

const partCapability = "capability"

func (c *capabilityDiff) add(rule, ptr string, old, new canon.Value, format string, args ...any) {
	f := Finding{Level: levelOfRule[rule], Letter: letterOfRule(rule), Rule: rule, Part: partCapability, Pointer: ptr,
		Old: old, New: new, Who: who(Arguments, levelOfRule[rule]), Text: fmt.Sprintf(format, args...)}
	if rule == ruleCapLimit {
		f.Letter = LetterPatch // words about behaviour
	}
	c.out = append(c.out, f)
}

func diffCapability(old, new canon.Value) []Finding {
	c := &capabilityDiff{}
	switch {
	case old == new:
		return nil
	case old.IsAbsent():
		c.add(ruleCapStated, "", old, new, "the capability is stated now")
		return c.out
	case new.IsAbsent():
		c.add(ruleCapGone, "", old, new, "the capability is no longer stated: nothing is checked before a call")
		return c.out
	}
	for _, k := range unionKeys(old, new) {
		if o, n := old.Get(k), new.Get(k); o != n {
			c.member(k, o, n)
		}
	}
	if len(c.out) == 0 { // not two objects
		c.add(ruleCapUnknown, "", old, new, "the capability is no object that can be compared")
	}
	return c.out
}

func (c *capabilityDiff) member(k string, old, new canon.Value) {
	ptr := canon.AppendPointer("", k)
	switch k {
	case "tool_name":
		c.add(ruleCapName, ptr, old, new, "the capability is about %s now", brief(new))
	case "version":
		c.add(ruleCapOrder, ptr, old, new, "the stated version changed")
	case "supported_scenarios":
		c.lists(ptr, old, new, ruleCapScenarioGo, ruleCapScenarioNew, "scenario")
	case "fidelity_levels":
		c.lists(ptr, old, new, ruleCapEffortGo, ruleCapEffortNew, "fidelity level")
	case "input_constraints":
		c.constraints(old, new)
	case "output_schema":
		if old.IsAbsent() || new.IsAbsent() {
			c.schemaPresence(ptr, old, new)
			return
		}
		for _, f := range Diff(Results, old, new) {
			f.Part, f.Pointer = partCapability, ptr+f.Pointer
			c.out = append(c.out, f)
		}
	case "known_limitations":
		c.add(ruleCapLimit, ptr, old, new, "the known limitations changed: do calls still get what they got?")
	case "performance_profile":
		c.add(ruleCapProfile, ptr, old, new, "the performance profile changed")
	default:
		c.add(ruleCapUnknown, ptr, old, new, "the member %q changed and has no rule", k)
	}
}

func (c *capabilityDiff) schemaPresence(ptr string, old, new canon.Value) {
	rule, text := ruleSchemaAdded, "the form of the value is stated now"
	if new.IsAbsent() {
		rule, text = ruleSchemaRemoved, "the form of the value is no longer stated"
	}
	c.add(rule, ptr, old, new, "%s", text)
	if rule == ruleSchemaRemoved {
		c.out[len(c.out)-1].Who = WhoReaders
	}
}

// lists compares two lists as sets of what is supported.
func (c *capabilityDiff) lists(ptr string, old, new canon.Value, gone, added, what string) {
	before, after := elems(old), elems(new)
	any := false
	for _, v := range before {
		if !slices.Contains(after, v) {
			any = true
			c.add(gone, ptr, old, new, "the %s %s is no longer supported: calls that ask for it are refused", what, brief(v))
		}
	}
	for _, v := range after {
		if !slices.Contains(before, v) {
			any = true
			c.add(added, ptr, old, new, "the %s %s is supported now", what, brief(v))
		}
	}
	if !any {
		c.add(ruleCapOrder, ptr, old, new, "the order changed")
	}
}

func (c *capabilityDiff) constraints(old, new canon.Value) {
	for _, k := range unionKeys(old, new) {
		o, n := old.Get(k), new.Get(k)
		ptr := canon.AppendPointer("/input_constraints", k)
		switch {
		case o == n:
		case k == "requires_snapshot" || k == "requires_dirty_set":
			c.demand(ptr, k, o, n)
		case k == "max_design_cells":
			c.ceiling(ptr, o, n)
		case k == "supported_techs":
			c.techs(ptr, o, n)
		default:
			c.add(ruleCapUnknown, ptr, o, n, "the constraint %q changed and has no rule", k)
		}
	}
}

func (c *capabilityDiff) demand(ptr, k string, old, new canon.Value) {
	was, _ := old.Bool()
	is, _ := new.Bool()
	switch {
	case is && !was:
		c.add(ruleCapNarrowed, ptr, old, new, "%s holds now: calls without it are refused", k)
	case was && !is:
		c.add(ruleCapWidened, ptr, old, new, "%s no longer holds", k)
	default:
		c.add(ruleCapOrder, ptr, old, new, "false is spelled otherwise")
	}
}

func (c *capabilityDiff) ceiling(ptr string, old, new canon.Value) {
	before, hadOne := old.Float()
	after, hasOne := new.Float()
	switch {
	case !hadOne && !hasOne:
		c.add(ruleCapOrder, ptr, old, new, "no limit, spelled otherwise")
	case !hasOne || hadOne && after > before:
		c.add(ruleCapWidened, ptr, old, new, "larger designs are taken now")
	default:
		c.add(ruleCapNarrowed, ptr, old, new, "designs with more than %s cells are refused now", brief(new))
	}
}

// techs compares supported libraries, of which null or absent means all.
func (c *capabilityDiff) techs(ptr string, old, new canon.Value) {
	all := func(v canon.Value) bool { return v.IsAbsent() || v.IsNull() }
	switch {
	case all(old) && all(new):
		c.add(ruleCapOrder, ptr, old, new, "all libraries, spelled otherwise")
	case all(old):
		c.add(ruleCapNarrowed, ptr, old, new, "only some technology libraries are supported now: calls with others are refused")
	case all(new):
		c.add(ruleCapWidened, ptr, old, new, "all technology libraries are supported now")
	default:
		c.lists(ptr, old, new, ruleCapNarrowed, ruleCapWidened, "technology library")
	}
}
