package compat

import (
	"fmt"
	"slices"

	"flowdbg/trace/canon"
)

// walk tells every difference that breaks nobody by form, place by place.
func (d *differ) walk(old, new term, ptr string) {
	key := old.key() + "|" + new.key()
	if d.seen[key] || d.e.same(old, new) {
		return
	}
	d.seen[key] = true
	o, n := d.e.gather(old), d.e.gather(new)
	d.types(old, new, ptr)
	d.keywords(o, n, ptr)
	d.logic(o, n, ptr)
	d.members(o, n, ptr)
	d.requirements(o, n, ptr)
	for _, text := range sortedKeys(o.patterns) {
		if other, ok := n.patterns[text]; ok {
			d.walk(o.patterns[text], other, ptr+"/patternProperties/"+escapeToken(text))
		}
	}
	d.presence(patternsValue(o), patternsValue(n), ptr+"/patternProperties")
	d.part(o.rest, n.rest, ptr+"/additionalProperties")
	d.part(o.names, n.names, ptr+"/propertyNames")
	d.part(o.contains, n.contains, ptr+"/contains")
	for i := range max(len(o.prefix), len(n.prefix)) {
		d.part(at(o.prefix, i), at(n.prefix, i), fmt.Sprintf("%s/prefixItems/%d", ptr, i))
	}
	d.part(o.items, n.items, ptr+"/items")
}

func at(list []term, i int) term {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// patternsValue lists the patterns, for telling that one came or went.
func patternsValue(g *gathered) canon.Value {
	var vals []canon.Value
	for _, text := range sortedKeys(g.patterns) {
		vals = append(vals, canon.String(text))
	}
	return shown(vals)
}

// part compares a subschema that either side may lack.
func (d *differ) part(old, new term, ptr string) {
	if len(old) > 0 && len(new) > 0 {
		d.walk(old, new, ptr)
		if ob, nb := old[0].kind, new[0].kind; ob == canon.KindBool || nb == canon.KindBool {
			d.presence(termValue(old), termValue(new), ptr)
		}
		return
	}
	d.presence(termValue(old), termValue(new), ptr)
}

// presence tells a keyword that came, went or changed harmlessly.
func (d *differ) presence(old, new canon.Value, ptr string) {
	if old == new || d.covered(ptr) {
		return
	}
	d.add(Finding{Rule: ruleSafe, Pointer: ptr, Old: old, New: new, Text: d.still("this")})
}

func (d *differ) still(what string) string {
	return fmt.Sprintf("%s changed; %s still suits %s", what, d.dir.sender(), d.dir.receiver())
}

// types tells a change of type that breaks nobody; for seed 000 it is MAJOR all the same.
func (d *differ) types(old, new term, ptr string) {
	o, n := d.e.typesOf(old), d.e.typesOf(new)
	if o == n || o == 0 || n == 0 || d.covered(ptr+"/type") {
		return
	}
	d.add(Finding{Rule: ruleSafeType, Pointer: ptr + "/type", Old: o.value(), New: n.value(),
		Text: fmt.Sprintf("%s became %s; %s still suits %s", o, n, d.dir.sender(), d.dir.receiver())})
}

func (d *differ) keywords(o, n *gathered, ptr string) {
	keys := map[string]bool{}
	for k := range o.values {
		keys[k] = true
	}
	for k := range n.values {
		keys[k] = true
	}
	for _, k := range sortedKeys(keys) {
		if slices.Equal(o.values[k], n.values[k]) {
			continue
		}
		f := Finding{Rule: ruleSafe, Pointer: ptr + "/" + escapeToken(k), Old: shown(o.values[k]), New: shown(n.values[k])}
		switch {
		case k == "default":
			f.Rule, f.Text = ruleDefault, defaultText(f.Old, f.New)
		case k == "readOnly" || k == "writeOnly":
			f.Rule, f.Text = ruleAccess, k+" changed"
		case k == "description":
			f.Rule, f.Text = wordsRule(f.Old, f.New)
		case isAnnotation(k) && k != "minContains" && k != "maxContains":
			f.Rule, f.Text = ruleDocs, k+" changed"
		default:
			if d.covered(f.Pointer) {
				continue
			}
			f.Text = d.still(k)
		}
		d.add(f)
	}
}

func defaultText(old, new canon.Value) string {
	switch {
	case old.IsAbsent():
		return fmt.Sprintf("declares the default %s now; must equal the old behaviour", brief(new))
	case new.IsAbsent():
		return fmt.Sprintf("no longer declares the default %s", brief(old))
	}
	return fmt.Sprintf("the default %s became %s: who leaves it out gets other behaviour", brief(old), brief(new))
}

func (d *differ) logic(o, n *gathered, ptr string) {
	for _, k := range [...]string{"not", "if", "dependentRequired", "dependentSchemas"} {
		if !slices.Equal(o.logic[k], n.logic[k]) && !d.covered(ptr+"/"+k) && !d.covered(ptr) {
			d.add(Finding{Rule: ruleSafe, Pointer: ptr + "/" + k, Text: d.still(k)})
		}
	}
}

// members tells fields that came and went, and goes into those that stayed.
func (d *differ) members(o, n *gathered, ptr string) {
	for _, name := range sortedKeys(n.props) {
		at := ptr + "/properties/" + escapeToken(name)
		if old, ok := o.props[name]; ok {
			d.walk(old, n.props[name], at)
		} else if !n.props[name][0].isFalse() && !d.covered(at) && !d.needed(ptr, name) {
			d.added(o, n, ptr, name)
		}
	}
	for _, name := range sortedKeys(o.props) {
		at := ptr + "/properties/" + escapeToken(name)
		if _, ok := n.props[name]; ok || d.covered(at) {
			continue
		}
		f := Finding{Rule: ruleSafe, Pointer: at, Old: termValue(o.props[name]),
			Text: fmt.Sprintf("the field %q belonged to an alternative that is no longer sent", name)}
		if d.dir == Arguments {
			f.Rule = rulePropertyRemoved
			f.Text = fmt.Sprintf("the argument %q is no longer declared; calls that give it are taken, and it has no effect", name)
		}
		d.add(f)
	}
}

// needed says that a member's absence was told as a break of its own.
func (d *differ) needed(ptr, name string) bool {
	for _, m := range d.misses {
		if m.rule == ruleRequired && m.ptr == ptr+"/required" && m.subject == name {
			return true
		}
	}
	return false
}

func (d *differ) added(o, n *gathered, ptr, name string) {
	f := Finding{Rule: ruleAdded, Pointer: ptr + "/properties/" + escapeToken(name), New: termValue(n.props[name])}
	declared := d.e.gather(n.props[name]).values["default"]
	switch {
	case d.dir == Results:
		f.Text = fmt.Sprintf("the field %q is new", name)
	case o.open || len(o.props) == 0 && ptr != "" && len(o.rest) == 0:
		f.Rule = ruleAddedClaims
		f.Text = fmt.Sprintf("the argument %q is new in an object that took free members: old calls may use the name already", name)
	case len(declared) == 0:
		f.Rule = ruleAddedNoDefault
		f.Text = fmt.Sprintf("the optional argument %q is new and declares no default: does leaving it out behave as before?", name)
	default:
		f.Text = fmt.Sprintf("the optional argument %q is new; its default %s must equal the old behaviour", name, brief(shown(declared)))
	}
	d.add(f)
}

// requirements tells members that stayed and whose being required changed harmlessly.
func (d *differ) requirements(o, n *gathered, ptr string) {
	for name := range union(o.required, n.required) {
		_, was := o.props[name]
		_, is := n.props[name]
		if o.required[name] == n.required[name] || was != is || d.needed(ptr, name) || d.covered(ptr) && ptr != "" {
			continue
		}
		text := fmt.Sprintf("%q is required now", name)
		if o.required[name] {
			text = fmt.Sprintf("%q is optional now", name)
		}
		d.add(Finding{Rule: ruleSafe, Pointer: ptr + "/required", Old: namesValue(o.required), New: namesValue(n.required), Text: text})
	}
}
