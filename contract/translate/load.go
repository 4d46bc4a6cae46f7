package translate

import (
	"fmt"
	"strconv"
)

// ruleFile reads one rule file into the set.
func (l *loader) ruleFile(rs *RuleSet, root *node) {
	if root.kind != kindObject {
		l.bad(root.off, "", "", "a rule file is an object, not "+root.what())
		return
	}
	l.only(root, "", "a rule file", "rules", "steps", "note", "$schema")
	if v := root.get("rules"); v == nil || v.kind != kindNumber || !equal(v, intNode(1)) {
		l.bad(offOf(v, root), "/rules", "", `"rules" must be 1: the version of this file format`)
	}
	steps := root.get("steps")
	if steps == nil || steps.kind != kindArray {
		l.bad(offOf(steps, root), "/steps", "", `"steps" must be an array`)
		return
	}
	for i, s := range steps.elems {
		l.step(rs, s, "/steps/"+strconv.Itoa(i))
	}
}

func offOf(n, parent *node) int {
	if n == nil {
		return parent.off
	}
	return n.off
}

// only refuses members that nobody reads: a misspelt "outptu" must not become an empty list.
func (l *loader) only(n *node, ptr, what string, names ...string) {
	for _, m := range n.members {
		if !contains(names, m.name) {
			l.bad(m.val.off, ptr+pointer([]segment{{name: m.name}}, nil), m.name, fmt.Sprintf("%s has no member %q", what, m.name))
		}
	}
}

func (l *loader) step(rs *RuleSet, n *node, ptr string) {
	if n.kind != kindObject {
		l.bad(n.off, ptr, "", "a step is an object, not "+n.what())
		return
	}
	l.only(n, ptr, "a step", "from", "to", "tool", "input", "output", "unchanged", "note")
	from, okFrom := l.version(n, ptr, "from")
	to, okTo := l.version(n, ptr, "to")
	if okFrom && okTo && to != from+1 {
		l.bad(n.get("to").off, ptr+"/to", "", fmt.Sprintf("a step %d->%d is not between neighbours: steps lead from n to n+1", from, to))
		okTo = false
	}
	note := l.text(n, ptr, "note")
	step := &Step{From: from, To: to, Note: note, File: l.file, Pointer: ptr}
	step.Input = l.ops(n.get("input"), ptr+"/input")
	step.Output = l.ops(n.get("output"), ptr+"/output")
	tool := n.get("tool")
	unchanged := l.names(n.get("unchanged"), ptr+"/unchanged")
	switch {
	case tool == nil && n.get("unchanged") == nil:
		l.bad(n.off, ptr, "", `a step needs "tool" or "unchanged"`)
	case tool == nil && (n.get("input") != nil || n.get("output") != nil):
		l.bad(n.off, ptr, "", `a step with "input" or "output" needs "tool"`)
	case tool != nil:
		step.Tool = l.text(n, ptr, "tool")
		if tool.kind == kindString && step.Tool == "" {
			l.bad(tool.off, ptr+"/tool", "", `"tool" must not be empty: "*" means every tool`)
		}
	}
	if !okFrom || !okTo {
		return
	}
	rs.pairs[from] = true
	rs.highest = max(rs.highest, to)
	if step.Tool != "" {
		l.define(rs, step, tool.off)
	}
	for i, name := range unchanged {
		l.unchange(rs, step, name, n.get("unchanged").elems[i].off)
	}
}

// define enters a step, and refuses a second word about the same tool and pair, in this file or another.
func (l *loader) define(rs *RuleSet, step *Step, off int) {
	key := stepKey{step.From, step.Tool}
	if other := either(rs.steps[key], rs.unchanged[key]); other != nil {
		l.bad(off, step.Pointer, step.Tool, fmt.Sprintf("step %s for %q is defined already in %s%s", step.Name(), step.Tool, other.File, other.Pointer))
		return
	}
	rs.steps[key] = step
}

func (l *loader) unchange(rs *RuleSet, step *Step, tool string, off int) {
	key := stepKey{step.From, tool}
	if tool == EveryTool {
		l.bad(off, step.Pointer+"/unchanged", tool, `"unchanged" lists tools by name: for every tool give a step with empty lists`)
		return
	}
	if other := either(rs.steps[key], rs.unchanged[key]); other != nil {
		l.bad(off, step.Pointer+"/unchanged", tool, fmt.Sprintf("step %s for %q is defined already in %s%s", step.Name(), tool, other.File, other.Pointer))
		return
	}
	rs.unchanged[key] = step
}

func either(a, b *Step) *Step {
	if a != nil {
		return a
	}
	return b
}

// version reads a contract version: a whole number from 1, spelt in any way that has that value.
func (l *loader) version(n *node, ptr, name string) (int, bool) {
	v := n.get(name)
	bad := func(text string) (int, bool) {
		l.bad(offOf(v, n), ptr+"/"+name, "", fmt.Sprintf("%q must be a contract version, a whole number from 1%s", name, text))
		return 0, false
	}
	if v == nil {
		return bad("")
	}
	if v.kind != kindNumber {
		return bad(", not " + v.what())
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	if err != nil || f < 1 || f > maxVersion || f != float64(int(f)) {
		return bad(", not " + v.raw)
	}
	return int(f), true
}

// maxVersion bounds contract integers: a version grows by one a break, so a larger one is an error, and plans stay finite.
const maxVersion = 1_000_000

func (l *loader) text(n *node, ptr, name string) string {
	v := n.get(name)
	if v == nil {
		return ""
	}
	s, ok := v.str()
	if !ok {
		l.bad(v.off, ptr+"/"+name, "", fmt.Sprintf("%q must be a string, not %s", name, v.what()))
	}
	return s
}

func (l *loader) names(n *node, ptr string) []string {
	if n == nil {
		return nil
	}
	if n.kind != kindArray {
		l.bad(n.off, ptr, "", `"unchanged" must be an array of tool names, not `+n.what())
		return nil
	}
	var out []string
	for i, e := range n.elems {
		s, ok := e.str()
		if !ok || s == "" {
			l.bad(e.off, ptr+"/"+strconv.Itoa(i), "", "a tool name must be a non-empty string")
			return nil // so that names and elements stay aligned
		}
		out = append(out, s)
	}
	return out
}
