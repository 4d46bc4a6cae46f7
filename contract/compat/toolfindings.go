package compat

import (
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"

	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/contract/require"
	"flowdbg/trace/canon"
)

const partTool = "tool"

// toolDiff collects the differences between two entries of the same name.
type toolDiff struct {
	keys     meta.Keys
	today    meta.Date
	old, new *Tool
	out      []Finding
}

func (d *toolDiff) add(rule, ptr string, old, new canon.Value, format string, args ...any) {
	d.out = append(d.out, toolFinding(rule, ptr, old, new, fmt.Sprintf(format, args...)))
}

// processRules are broken by the publisher, not by what an agent meets: they demand something and break nobody yet.
var processRules = map[string]bool{ruleMetaUnreadable: true, ruleAhead: true, ruleWentBack: true, ruleVersionLowered: true,
	ruleVersionTooSmall: true, ruleOrphan: true}

func toolFinding(rule, ptr string, old, new canon.Value, text string) Finding {
	level := levelOfRule[rule]
	f := Finding{Level: level, Letter: letterOfRule(rule), Rule: rule, Part: partTool, Pointer: ptr, Old: old, New: new,
		Who: who(Arguments, level), Text: text}
	if processRules[rule] {
		f.Who, f.Letter = WhoNobody, LetterPatch
	}
	return f
}

// entryFindings lists what changed about a tool besides its schemas.
func (d *toolDiff) entryFindings() []Finding {
	for _, k := range unionKeys(d.old.Raw, d.new.Raw) {
		o, n := d.old.Raw.Get(k), d.new.Raw.Get(k)
		ptr := canon.AppendPointer("", k)
		switch {
		case k == "_meta":
			// Read even when equal: what is announced may have come into force since.
		case o == n || k == "inputSchema" || k == "outputSchema":
			continue
		case k == "description":
			rule, text := wordsRule(o, n)
			if rule == ruleDocs {
				rule = ruleToolDocs
			}
			d.add(rule, ptr, o, n, "%s", text)
			continue
		case k == "title" || k == "icons":
			d.add(ruleToolDocs, ptr, o, n, "%s changed", k)
			continue
		case k == "annotations" || k == "execution":
			d.hints(ptr, o, n)
			continue
		default:
			d.add(ruleToolField, ptr, o, n, "the member %q changed and has no rule", k)
			continue
		}
	}
	d.metaFindings()
	return d.out
}

// hints compares the annotations and execution objects member by member; a title there is words.
func (d *toolDiff) hints(ptr string, old, new canon.Value) {
	if old.Get("title") != new.Get("title") {
		d.add(ruleToolDocs, ptr+"/title", old.Get("title"), new.Get("title"), "title changed")
	}
	for _, k := range unionKeys(old, new) {
		if o, n := old.Get(k), new.Get(k); o != n && k != "title" {
			d.add(ruleToolHints, canon.AppendPointer(ptr, k), o, n, "%s went from %s to %s: do agents still use the tool rightly?", k, said(o), said(n))
		}
	}
}

func said(v canon.Value) string {
	if v.IsAbsent() {
		return "unstated"
	}
	return brief(v)
}

func (d *toolDiff) metaFindings() {
	o, n := d.old.Raw.Get("_meta"), d.new.Raw.Get("_meta")
	known := []string{d.keys.Sunset, contract.MetaCapability} // told by their own rules
	for _, e := range d.new.Journal {
		if e.Level == meta.LevelError {
			d.add(ruleMetaUnreadable, "/_meta", canon.Value{}, n, "%s", e.Text)
		}
	}
	if _, was := d.old.Meta[d.keys.Versions]; was {
		if _, is := d.new.Meta[d.keys.Versions]; !is {
			known = append(known, d.keys.Versions)
			d.add(ruleVersionsVanished, d.pointer(d.keys.Versions), o.Get(d.keys.Versions), canon.Value{},
				"%s was listed before and is gone", d.keys.Versions)
		}
	}
	if d.new.Newest() > 0 && d.new.Newest() < d.old.Newest() {
		d.add(ruleWentBack, d.pointer(d.keys.Versions), o.Get(d.keys.Versions), n.Get(d.keys.Versions),
			"the newest contract version went from %d to %d", d.old.Newest(), d.new.Newest())
	}
	d.sunset()
	d.out = append(d.out, diffCapability(d.old.Capability, d.new.Capability)...)
	for _, k := range unionKeys(o, n) {
		if !slices.Contains(known, k) && o.Get(k) != n.Get(k) {
			d.add(ruleToolMeta, d.pointer(k), o.Get(k), n.Get(k), "%s went from %s to %s", k, said(o.Get(k)), said(n.Get(k)))
		}
	}
}

// unionKeys are the member names of both objects, sorted.
func unionKeys(a, b canon.Value) []string {
	keys := map[string]bool{}
	for _, side := range [...]canon.Value{a, b} {
		for k := range side.Members() {
			keys[k] = true
		}
	}
	return sortedKeys(keys)
}

func (d *toolDiff) pointer(key string) string { return canon.AppendPointer("/_meta", key) }

func (d *toolDiff) sunset() {
	was, is := d.old.Sunset, d.new.Sunset
	ptr := d.pointer(d.keys.Sunset)
	o, n := d.old.Raw.Get("_meta").Get(d.keys.Sunset), d.new.Raw.Get("_meta").Get(d.keys.Sunset)
	if was == is {
		return
	}
	switch {
	case is.IsZero():
		d.add(ruleSunsetWithdrawn, ptr, o, n, "the sunset %s was withdrawn", was)
	case !d.today.IsZero() && d.today.DaysUntil(is) < 0:
		d.add(ruleSunsetPassed, ptr, o, n, "the sunset %s lies before %s: the tool is excluded at once", is, d.today)
	case was.IsZero():
		d.add(ruleSunsetSet, ptr, o, n, "the tool is served until %s", is)
	case was.DaysUntil(is) < 0:
		d.add(ruleSunsetEarlier, ptr, o, n, "the sunset was moved from %s to the earlier %s", was, is)
	default:
		d.add(ruleSunsetLater, ptr, o, n, "the sunset was moved from %s to %s", was, is)
	}
}

// schemaFindings compares the two schemas of a tool, or of a tool as the rules made it look.
func schemaFindings(oldIn, newIn, oldOut, newOut canon.Value) []Finding {
	var out []Finding
	if oldIn.IsAbsent() && newIn.IsAbsent() {
		// An MCP tool has an input schema; without one on either side nothing is promised.
	} else {
		out = append(out, Diff(Arguments, oldIn, newIn)...)
	}
	switch {
	case oldOut == newOut:
	case oldOut.IsAbsent():
		out = append(out, Finding{Level: LevelAddition, Letter: LetterMinor, Rule: ruleSchemaAdded, Part: Results.String(),
			New: newOut, Who: WhoNobody, Text: "the result has a declared form now"})
	case newOut.IsAbsent():
		out = append(out, Finding{Level: LevelBreak, Letter: LetterMajor, Rule: ruleSchemaRemoved, Part: Results.String(),
			Old: oldOut, Who: WhoReaders, Text: "the result has no declared form any more: nothing that an old agent reads is promised"})
	default:
		out = append(out, Diff(Results, oldOut, newOut)...)
	}
	return out
}

// ownVersion holds the tool's stated semantic version against the letter of its change. Below 1.0.0 a raised minor number
// carries a MAJOR change (SemVer 2.0.0 §4 leaves it open; ours). Nothing stated on either side is nothing to hold.
func ownVersion(old, new *Tool, letter Letter) []Finding {
	if old.Version == "" || new.Version == "" {
		return nil
	}
	o, errOld := require.ParseVersion(old.Version)
	n, errNew := require.ParseVersion(new.Version)
	ptr := canon.AppendPointer("/_meta", contract.MetaVersion)
	ov, nv := canon.String(old.Version), canon.String(new.Version)
	switch {
	case errNew != nil:
		return []Finding{toolFinding(ruleMetaUnreadable, ptr, ov, nv, errNew.Error())}
	case errOld != nil:
		return nil
	case n.LessThan(o):
		return []Finding{toolFinding(ruleVersionLowered, ptr, ov, nv, fmt.Sprintf("went from %s down to %s", o, n))}
	}
	if raised := raisedBy(o, n); raised < letter {
		f := toolFinding(ruleVersionTooSmall, ptr, ov, nv, fmt.Sprintf("the change asks for %s, the tool's version went from %s to %s", letter, o, n))
		f.Letter = letter
		return []Finding{f}
	}
	return nil
}

// raisedBy is the letter that the step from one version to a later one stands for.
func raisedBy(o, n *semver.Version) Letter {
	switch {
	case n.Major() > o.Major(), o.Major() == 0 && n.Minor() > o.Minor():
		return LetterMajor
	case n.Minor() > o.Minor():
		return LetterMinor
	case n.GreaterThan(o):
		return LetterPatch
	}
	return LetterNone
}
