package compat

import (
	"cmp"
	"slices"
	"strings"

	"flowdbg/trace/canon"
)

// Diff compares two versions of one schema whose instances travel in the given direction. The result is sorted by level
// (breaks first) and pointer; it is empty exactly when the texts are equal. It never fails: what cannot be read or followed
// is a finding of level break, so an answer without breaks is a proof.
func Diff(dir Direction, old, new canon.Value) []Finding {
	if old == new && isSchema(old) {
		return nil
	}
	for _, v := range [...]canon.Value{old, new} {
		if !isSchema(v) {
			return []Finding{{Level: LevelBreak, Letter: LetterMajor, Rule: ruleUnreadable, Part: dir.String(), Old: old, New: new,
				Who: who(dir, LevelBreak), Text: "a schema is an object or a boolean; this is " + v.Kind().String()}}
		}
	}
	return newDiffer(dir, old, new).run()
}

// differ puts the proof (what breaks) and the walk (what else changed) together.
type differ struct {
	e              *engine
	dir            Direction
	oldDoc, newDoc *document
	seen           map[string]bool
	misses         []miss
	out            []Finding
}

func newDiffer(dir Direction, old, new canon.Value) *differ {
	d := &differ{e: newEngine(dir), dir: dir, seen: map[string]bool{}}
	sideOfOld := 0
	if dir == Results {
		sideOfOld = 1
	}
	d.oldDoc, d.newDoc = newDocument(old, sideOfOld), newDocument(new, 1-sideOfOld)
	return d
}

func (d *differ) run() []Finding {
	old, new := term{d.e.node(d.oldDoc, d.oldDoc.root)}, term{d.e.node(d.newDoc, d.newDoc.root)}
	sender, receiver := old, new
	if d.dir == Results {
		sender, receiver = new, old
	}
	if d.e.refLoop(old[0]) || d.e.refLoop(new[0]) {
		// Nothing below may follow references then: expanding such a schema would not end.
		return []Finding{d.finding(miss{rule: ruleRefLoop, what: "is under a reference that leads back to itself; cannot follow it"})}
	}
	d.misses = d.e.includes(sender, receiver, &place{sender})
	for _, m := range d.misses {
		d.out = append(d.out, d.finding(m))
	}
	d.walk(old, new, "")
	d.respelled(sender, receiver)
	return tidy(d.out)
}

// respelled settles differences of spelling: when nothing but harmless changes of constraints were met (or nothing that
// has a name at all) and both schemas hold the same instances, only words changed.
func (d *differ) respelled(sender, receiver term) {
	for _, f := range d.out {
		if f.Rule != ruleSafe && f.Level > LevelDocs {
			return
		}
	}
	equal := len(d.e.includes(sender, receiver, nil)) == 0 && len(d.e.includes(receiver, sender, nil)) == 0
	if len(d.out) == 0 {
		f := Finding{Rule: ruleRespelled, Text: "the same instances, spelled otherwise"}
		if !equal {
			f = Finding{Rule: ruleSafe, Text: d.still("the alternatives")}
		}
		d.add(f)
		return
	}
	for i, f := range d.out {
		if equal && f.Rule == ruleSafe {
			f.Rule, f.Level, f.Letter = ruleRespelled, LevelDocs, LetterPatch
			f.Text = "spelled otherwise; the instances are the same"
			d.out[i] = f
		}
	}
}

// finding tells a miss in the words of the direction.
func (d *differ) finding(m miss) Finding {
	sends, takes, _ := strings.Cut(m.what, "; ")
	text := d.dir.sender() + " " + sends
	if takes != "" {
		text += "; " + d.dir.receiver() + " " + takes
	}
	f := Finding{Level: LevelBreak, Letter: LetterMajor, Rule: m.rule, Part: d.dir.String(), Pointer: m.ptr,
		Who: who(d.dir, LevelBreak), Text: text, subject: m.subject, Old: m.sent, New: m.taken}
	if d.dir == Results {
		f.Old, f.New = m.taken, m.sent
	}
	return f
}

// add completes a finding of the walk and keeps it.
func (d *differ) add(f Finding) {
	f.Level, f.Letter, f.Part = levelOfRule[f.Rule], letterOfRule(f.Rule), d.dir.String()
	f.Who = who(d.dir, f.Level)
	d.out = append(d.out, f)
}

func who(dir Direction, level Level) string {
	switch {
	case level == LevelBreak && dir == Arguments:
		return WhoCallers
	case level == LevelBreak:
		return WhoReaders
	case level == LevelSemantic:
		return WhoUndecided
	}
	return WhoNobody
}

// tidy sorts findings and drops repetitions.
func tidy(fs []Finding) []Finding {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Level, a.Level), strings.Compare(a.Part, b.Part), strings.Compare(a.Pointer, b.Pointer),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Text, b.Text))
	})
	return slices.Compact(fs)
}

// covered says that a break at this place (or around it) was told already, so that a harmless sounding line about the same
// keyword would mislead. The two spellings of a bound count as one keyword.
func (d *differ) covered(ptr string) bool {
	for _, m := range d.misses {
		at := oneKeyword(m.ptr)
		if p := oneKeyword(ptr); p == at || strings.HasPrefix(p, at+"/") {
			return true
		}
	}
	return false
}

func oneKeyword(ptr string) string {
	for from, to := range map[string]string{"/exclusiveMinimum": "/minimum", "/exclusiveMaximum": "/maximum", "/const": "/enum"} {
		if strings.HasSuffix(ptr, from) {
			return strings.TrimSuffix(ptr, from) + to
		}
	}
	return ptr
}

// refLoop says that some schema below n is defined by itself without entering the instance.
func (e *engine) refLoop(n *node) bool {
	const onPath, finished = 1, 2
	state := map[*node]int{}
	todo := []*node{n}
	var visit func(n *node) bool
	visit = func(n *node) bool {
		if state[n] != 0 {
			return state[n] == onPath
		}
		state[n] = onPath
		for _, next := range e.sameInstance(n, true) {
			if visit(next) {
				return true
			}
		}
		state[n] = finished
		todo = append(todo, e.subSchemas(n)...)
		return false
	}
	for len(todo) > 0 {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if visit(next) {
			return true
		}
	}
	return false
}

// sameInstance lists the schemas that a node applies to the instance itself; negated ones on demand.
func (e *engine) sameInstance(n *node, negated bool) []*node {
	var out []*node
	for _, k := range n.keys {
		v := n.kw[k]
		switch k {
		case "$ref", "$dynamicRef", "$recursiveRef":
			ref, _ := v.Str()
			if target, err := n.doc.resolve(ref); err == nil {
				out = append(out, e.node(n.doc, target))
			}
		case "allOf", "anyOf", "oneOf":
			out = append(out, e.parts(n.doc, v)...)
		case "dependentSchemas":
			for _, m := range v.Members() {
				out = append(out, e.node(n.doc, m))
			}
		case "if", "then", "else":
			if has(n.kw, "if") {
				out = append(out, e.node(n.doc, v))
			}
		case "not":
			if negated {
				out = append(out, e.node(n.doc, v))
			}
		}
	}
	return out
}

// subSchemas lists the schemas that a node applies to parts of the instance.
func (e *engine) subSchemas(n *node) []*node {
	var out []*node
	for _, k := range n.keys {
		v := n.kw[k]
		switch k {
		case "properties", "patternProperties":
			for _, m := range v.Members() {
				out = append(out, e.node(n.doc, m))
			}
		case "prefixItems":
			out = append(out, e.parts(n.doc, v)...)
		case "items", "additionalProperties", "propertyNames", "contains", "unevaluatedProperties", "unevaluatedItems":
			if isSchema(v) {
				out = append(out, e.node(n.doc, v))
			}
		}
	}
	return out
}
