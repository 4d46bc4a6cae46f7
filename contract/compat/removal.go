package compat

import (
	"fmt"
	"path"
	"strings"

	"github.com/Masterminds/semver/v3"

	"flowdbg/contract/require"
	"flowdbg/trace/canon"
)

// Marks of a removal in a title or a changelog entry: the seed's own, and our alias in ASCII. Case does not matter.
var removalMarks = []string{"[удаление]", "[removal]"}

// firstStable is the package version from which on a removal needs a sunset that has passed (seed 003).
var firstStable = semver.New(1, 0, 0, "", "")

// removed grades a tool that is gone (seed 003, Удаление).
func (c *Change) removed(row *ToolChange, old *Tool) {
	row.Level, row.OldV = Removal, c.versionOf(old, c.OldContract)
	row.Findings = append(row.Findings, toolFinding(ruleToolRemoved, "", canon.Value{}, canon.Value{}, "the tool is gone"))
	if !c.marked() {
		row.demand("a removal needs the mark %s (or %s) in the commit or pull request title or in the changelog entry", removalMarks[0], removalMarks[1])
	}
	young := false
	if v, err := require.ParseVersion(c.NewPackage); err == nil {
		young = v.LessThan(firstStable)
	}
	switch {
	case young:
	case old.Sunset.IsZero():
		row.demand("%s had no sunset, and the package is not below 1.0.0 (%s)", row.Tool, orUnknown(c.NewPackage))
	case c.Today.IsZero():
		row.demand("whether the sunset %s has passed is not known without a date", old.Sunset)
	case c.Today.DaysUntil(old.Sunset) >= 0:
		row.demand("the sunset %s has not passed on %s (the tool is served through that day), and the package is not below 1.0.0 (%s)",
			old.Sunset, c.Today, orUnknown(c.NewPackage))
	}
	for _, o := range c.orphans(row.Tool, old) {
		f := toolFinding(ruleOrphan, "", canon.Value{}, canon.Value{}, o+" served only this tool and is still there")
		f.Letter = LetterNone
		row.Findings = append(row.Findings, f)
		row.demand("%s must go with the tool", o)
	}
	row.Heir = c.heir(old)
	if row.Heir != "" && c.New.Find(row.Heir).Input == old.Input && c.New.Find(row.Heir).Output == old.Output {
		row.Advice = fmt.Sprintf("%s has the same schemas: a tool cannot be renamed, keep the old name with a sunset", row.Heir)
	} else {
		row.Heir = ""
	}
	if !row.Met && row.Advice == "" {
		row.Advice = fmt.Sprintf("keep %s with a sunset until it has passed, then remove it with the mark %s", row.Tool, removalMarks[0])
	}
}

func orUnknown(version string) string {
	if version == "" {
		return "its version is unknown"
	}
	return version
}

// marked says that the title or the changelog entry of the new package version carries the mark.
func (c *Change) marked() bool {
	texts := []string{c.Title}
	if c.Changelog != nil {
		entry, _ := changelogEntry(*c.Changelog, c.NewPackage)
		texts = append(texts, entry)
	}
	for _, t := range texts {
		for _, mark := range removalMarks {
			if strings.Contains(strings.ToLower(t), mark) {
				return true
			}
		}
	}
	return false
}

// orphans lists what served only a removed tool and is still there: shared definitions, rule steps, fixtures.
func (c *Change) orphans(name string, old *Tool) []string {
	var out []string
	used := map[string]bool{}
	for _, t := range c.New.Tools {
		reachable(t.Raw, c.New.Defs, used)
	}
	mine := map[string]bool{}
	reachable(old.Raw, c.Old.Defs, mine)
	for _, def := range sortedKeys(mine) {
		if !used[def] && !c.New.Defs.Get(def).IsAbsent() {
			out = append(out, "the definition /$defs/"+escapeToken(def))
		}
	}
	for _, s := range c.Rules.Steps() {
		if s.Tool == name {
			out = append(out, fmt.Sprintf("the rule step %s for %s (%s%s)", s.Name(), name, s.File, s.Pointer))
		}
	}
	for _, f := range c.Fixtures {
		if c.servesOnly(f, name) {
			out = append(out, "the fixture "+f)
		}
	}
	return out
}

// reachable gathers the shared definitions that a value refers to, directly or through others.
func reachable(v, defs canon.Value, into map[string]bool) {
	for _, e := range v.Elems() {
		reachable(e, defs, into)
	}
	for k, m := range v.Members() {
		ref, ok := m.Str()
		if k != "$ref" || !ok || !strings.HasPrefix(ref, "#/$defs/") {
			reachable(m, defs, into)
			continue
		}
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.SplitN(strings.TrimPrefix(ref, "#/$defs/"), "/", 2)[0])
		if target := defs.Get(name); !target.IsAbsent() && !into[name] {
			into[name] = true
			reachable(target, defs, into)
		}
	}
}

// servesOnly says that a fixture's path names the removed tool: one of its parts is the tool's name, or begins with it and
// one of ". - _". A part that fits the name of a tool that is still there as well belongs to the longer name.
func (c *Change) servesOnly(file, tool string) bool {
	for part := range strings.SplitSeq(path.Clean(strings.ReplaceAll(file, "\\", "/")), "/") {
		if !fits(part, tool) {
			continue
		}
		longer := false
		for _, t := range c.New.Tools {
			longer = longer || len(t.Name) > len(tool) && fits(part, t.Name)
		}
		if !longer {
			return true
		}
	}
	return false
}

func fits(part, tool string) bool {
	rest, ok := strings.CutPrefix(part, tool)
	return ok && (rest == "" || strings.ContainsRune(".-_", rune(rest[0])))
}
