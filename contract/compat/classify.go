package compat

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract/meta"
	"flowdbg/trace/canon"
)

// Classify grades every tool of two lists by the levels of seed 003 and the letters of seed 000, and checks the process
// gates. It never calls a change compatible because something could not be read: what cannot be compared is a break.
func Classify(c Change) Report {
	if c.Keys.Versions == "" {
		c.Keys = meta.DefaultKeys()
	}
	if c.OldPackage == "" {
		c.OldPackage = c.Old.Package
	}
	if c.NewPackage == "" {
		c.NewPackage = c.New.Package
	}
	if c.OldContract == 0 {
		c.OldContract = c.Old.Contract
	}
	if c.NewContract == 0 {
		c.NewContract = c.New.Contract
	}
	r := Report{OldPackage: c.OldPackage, NewPackage: c.NewPackage, OldContract: c.OldContract, NewContract: c.NewContract,
		Today: c.Today.String(), Tools: []ToolChange{}, Notes: notes(c)}
	for _, name := range c.names() {
		row := c.tool(name)
		r.Tools = append(r.Tools, row)
		r.Letter = max(r.Letter, row.Letter)
		if !row.Met {
			r.Unmet++
		}
		if slices.ContainsFunc(row.Findings, func(f Finding) bool { return f.Level == LevelSemantic && !f.Bridged }) {
			r.Undecided++
		}
	}
	r.Gates = c.gates(r)
	for _, g := range r.Gates {
		if g.Status == Unmet {
			r.Unmet++
		}
	}
	r.OK = r.Unmet == 0
	return r
}

// names of both lists, sorted and once each.
func (c *Change) names() []string {
	seen := map[string]bool{}
	for _, l := range [...]*ToolList{c.Old, c.New} {
		for _, t := range l.Tools {
			seen[t.Name] = true
		}
	}
	return sortedKeys(seen)
}

func notes(c Change) []string {
	out := []string{}
	for i, l := range [...]*ToolList{c.Old, c.New} {
		for _, e := range l.Journal {
			out = append(out, [...]string{"old", "new"}[i]+" list: "+e.Text)
		}
	}
	return out
}

// tool makes one row.
func (c *Change) tool(name string) ToolChange {
	old, new := c.Old.Find(name), c.New.Find(name)
	row := ToolChange{Tool: name, Met: true, Demands: []string{}, Findings: []Finding{}}
	switch {
	case old == nil:
		c.added(&row, new)
	case new == nil:
		c.removed(&row, old)
	default:
		c.changed(&row, old, new)
	}
	row.Letter = max(row.Letter, WorstLetter(row.Findings))
	row.Who = whoBreaks(row.Findings)
	return row
}

// whoBreaks says who breaks for a whole row: what the rules bridge breaks nobody.
func whoBreaks(fs []Finding) string {
	fs = slices.DeleteFunc(slices.Clone(fs), func(f Finding) bool { return f.Bridged })
	var parts []string
	for _, candidate := range [...]string{WhoCallers, WhoReaders} {
		for _, f := range fs {
			if f.Level == LevelBreak && f.Who == candidate {
				parts = append(parts, candidate)
				break
			}
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, " and ")
	}
	if Worst(fs) == LevelSemantic {
		return WhoUndecided
	}
	return WhoNobody
}

// demand records something that is missing.
func (row *ToolChange) demand(format string, args ...any) {
	row.Met = false
	row.Demands = append(row.Demands, fmt.Sprintf(format, args...))
}

func (c *Change) added(row *ToolChange, t *Tool) {
	row.Level, row.NewV = Addition, c.versionOf(t, c.NewContract)
	row.Findings = append(row.Findings, toolFinding(ruleToolAdded, "", canon.Value{}, canon.Value{}, "the tool is new"))
	for _, e := range t.Journal {
		if e.Level == meta.LevelError {
			row.Findings = append(row.Findings, toolFinding(ruleMetaUnreadable, "/_meta", canon.Value{}, t.Raw.Get("_meta"), e.Text))
			row.demand("%s", e.Text)
		}
	}
	c.checkAhead(row, t)
}

// versionOf is the contract integer that a tool's schemas belong to: its own newest, else that of its list.
func (c *Change) versionOf(t *Tool, list int) int {
	if v := t.Newest(); v > 0 {
		return v
	}
	return list
}

// checkAhead wants no tool to list a version beyond the contract's own.
func (c *Change) checkAhead(row *ToolChange, t *Tool) {
	if c.NewContract > 0 && t.Newest() > c.NewContract {
		f := toolFinding(ruleAhead, "/_meta", canon.Value{}, t.Raw.Get("_meta").Get(c.Keys.Versions),
			fmt.Sprintf("lists contract version %d, the contract is at %d", t.Newest(), c.NewContract))
		row.Findings = append(row.Findings, f)
		row.demand("%s", f.Text)
	}
}

func (c *Change) changed(row *ToolChange, old, new *Tool) {
	row.OldV, row.NewV = c.versionOf(old, c.OldContract), c.versionOf(new, c.NewContract)
	schemas := schemaFindings(old.Input, new.Input, old.Output, new.Output)
	d := &toolDiff{keys: c.Keys, today: c.Today, old: old, new: new}
	entry := d.entryFindings()
	row.Findings = append(append(row.Findings, schemas...), entry...)
	row.Findings = append(row.Findings, ownVersion(old, new, WorstLetter(row.Findings))...)

	bridged := c.bridge(old, new, row.OldV)
	switch {
	case Worst(schemas) == LevelBreak || bridged.helps(schemas):
		c.broken(row, old, new, schemas, bridged)
		if heir := c.heir(new); row.Met && heir != "" && old.Sunset.IsZero() && !new.Sunset.IsZero() {
			row.Heir = heir
			row.Advice += fmt.Sprintf("; %s seems to take over, served until %s", heir, new.Sunset)
		}
	case Worst(entry) == LevelBreak && capabilityBreaks(entry):
		row.Level = SemanticBreak
		c.inPlace(row, "the capability was narrowed and rules cannot bridge that")
	case !new.Sunset.IsZero() && old.Sunset.IsZero():
		c.retired(row, new)
	default:
		row.Level = levelOf(row.Findings)
	}
	c.rulesSpoil(row, schemas, bridged)
	for _, f := range row.Findings {
		if f.Level == LevelBreak && f.Part == partTool {
			row.demand("%s", f.Text)
		}
	}
	c.checkAhead(row, new)
	if row.Level == Undecided {
		row.Advice = "a person decides whether the meaning is the same; if not, " + adviceNewName(row.Tool)
	}
	row.Findings = tidy(row.Findings)
}

// levelOf is the level of a tool that breaks nobody; findings about the process have demands of their own.
func levelOf(fs []Finding) ChangeLevel {
	worst := LevelNone
	for _, f := range fs {
		if f.Level < LevelBreak {
			worst = max(worst, f.Level)
		} else {
			worst = max(worst, LevelDocs)
		}
	}
	return [...]ChangeLevel{Unchanged, DocsOnly, Addition, Undecided}[worst]
}

func capabilityBreaks(fs []Finding) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Level == LevelBreak && f.Part == partCapability })
}

// retired is the proper form of a semantic break: the old tool stays as it is, with a sunset, and a new name takes over.
func (c *Change) retired(row *ToolChange, new *Tool) {
	row.Level, row.Heir = SemanticBreak, c.heir(new)
	if row.Heir == "" {
		row.Level = Undecided
		row.Advice = "a sunset without a new tool in the same list: is the removal meant, or is the new name missing?"
		return
	}
	row.Advice = fmt.Sprintf("%s seems to take over; served until %s", row.Heir, new.Sunset)
}

// heir guesses which added tool takes over, by the likeness of names and of argument names.
func (c *Change) heir(t *Tool) string {
	best, heir := 0.0, ""
	for _, candidate := range c.New.Tools {
		if c.Old.Find(candidate.Name) != nil {
			continue
		}
		if score := likeness(t, candidate); score > best {
			best, heir = score, candidate.Name
		}
	}
	return heir
}

func likeness(a, b *Tool) float64 {
	shared, all := 0, 0
	for name := range a.Input.Get("properties").Members() {
		all++
		if !b.Input.Get("properties").Get(name).IsAbsent() {
			shared++
		}
	}
	prefix := 0
	for prefix < min(len(a.Name), len(b.Name)) && a.Name[prefix] == b.Name[prefix] {
		prefix++
	}
	return 0.01 + float64(shared)/float64(max(all, 1)) + float64(prefix)/float64(max(len(a.Name), len(b.Name)))
}

func (c *Change) inPlace(row *ToolChange, why string) {
	row.demand("a semantic break in place: %s", why)
	row.Advice = adviceNewName(row.Tool)
}

func adviceNewName(tool string) string {
	return fmt.Sprintf("publish it under a new name, keep %s as it was and set a sunset on it", tool)
}
