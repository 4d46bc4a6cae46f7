package compat

import (
	"fmt"
	"strings"

	"flowdbg/contract/require"
)

// gates checks what seed 003 demands of the change as a whole.
func (c *Change) gates(r Report) []Gate {
	changed, mechanical := false, 0
	for _, t := range r.Tools {
		changed = changed || t.Level != Unchanged
		if t.Level == MechanicalBreak {
			mechanical++
		}
	}
	changed = changed || c.Old.Defs != c.New.Defs
	gates := []Gate{c.raised(changed), c.letter(r.Letter), c.entry(changed), c.monotone(), c.step(mechanical)}
	return append(gates, c.needed(mechanical))
}

// raised: the package version grows with any change of the snapshot.
func (c *Change) raised(changed bool) Gate {
	g := Gate{ID: "package.raised"}
	o, errOld := require.ParseVersion(c.OldPackage)
	n, errNew := require.ParseVersion(c.NewPackage)
	switch {
	case c.OldPackage == "" || c.NewPackage == "":
		g.Status, g.Text = NotChecked, "the package version of both lists is needed"
	case errOld != nil:
		g.Status, g.Text = Unmet, errOld.Error()
	case errNew != nil:
		g.Status, g.Text = Unmet, errNew.Error()
	case n.LessThan(o):
		g.Status, g.Text = Unmet, fmt.Sprintf("the package version went from %s down to %s", o, n)
	case n.GreaterThan(o):
		g.Status, g.Text = Met, fmt.Sprintf("%s → %s", o, n)
	case changed:
		g.Status, g.Text = Unmet, fmt.Sprintf("the snapshot changed and the package version is still %s", n)
	default:
		g.Status, g.Text = NotNeeded, "the snapshot did not change"
	}
	return g
}

// letter tells how far the package was raised beside what seed 000's table would ask of a tool. Seed 003 asks only that it
// grows, so this is never unmet.
func (c *Change) letter(asked Letter) Gate {
	g := Gate{ID: "package.letter", Status: NotChecked, Text: "the table asks for " + asked.String()}
	o, errOld := require.ParseVersion(c.OldPackage)
	n, errNew := require.ParseVersion(c.NewPackage)
	if errOld != nil || errNew != nil {
		return g
	}
	got := raisedBy(o, n)
	g.Text = fmt.Sprintf("the table asks for %s, the package was raised by %s", asked, got)
	if g.Status = Met; got < asked {
		g.Status = Note
	}
	return g
}

func (c *Change) entry(changed bool) Gate {
	g := Gate{ID: "changelog.entry"}
	switch {
	case !changed:
		g.Status, g.Text = NotNeeded, "the snapshot did not change"
	case c.Changelog == nil:
		g.Status, g.Text = NotChecked, "the changelog is needed"
	case c.NewPackage == "":
		g.Status, g.Text = NotChecked, "the new package version is needed to find its entry"
	case c.NewPackage == c.OldPackage:
		g.Status, g.Text = Unmet, fmt.Sprintf("an entry for %s belongs to the release before this change", c.NewPackage)
	default:
		entry, found := changelogEntry(*c.Changelog, c.NewPackage)
		switch {
		case !found:
			g.Status, g.Text = Unmet, fmt.Sprintf("the changelog has no heading for %s", c.NewPackage)
		case strings.TrimSpace(body(entry)) == "":
			g.Status, g.Text = Unmet, fmt.Sprintf("the changelog's entry for %s is empty", c.NewPackage)
		default:
			g.Status, g.Text = Met, "the changelog has an entry for "+c.NewPackage
		}
	}
	return g
}

func body(entry string) string {
	_, rest, _ := strings.Cut(entry, "\n")
	return rest
}

// changelogEntry is the text from the heading that names a version to the next heading of the same or a higher rank.
// Headings are lines that begin with #.
func changelogEntry(text, version string) (entry string, found bool) {
	if version == "" {
		return "", false
	}
	rank := 0
	var b strings.Builder
	for line := range strings.Lines(text) {
		depth := len(line) - len(strings.TrimLeft(line, "#"))
		if rank > 0 && depth > 0 && depth <= rank {
			break
		}
		if rank == 0 && depth > 0 && namesVersion(line, version) {
			rank = depth
		}
		if rank > 0 {
			b.WriteString(line)
		}
	}
	return b.String(), rank > 0
}

// namesVersion finds the version as a word of its own: 1.2.0 is neither in 11.2.0 nor in 1.2.0-rc.1.
func namesVersion(line, version string) bool {
	isPart := func(b byte) bool {
		return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '.' || b == '-' || b == '+'
	}
	for from := 0; ; {
		i := strings.Index(line[from:], version)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(version)
		before := i == 0 || !isPart(line[i-1]) || line[i-1] == 'v' && (i == 1 || !isPart(line[i-2]))
		if before && (end == len(line) || !isPart(line[end])) {
			return true
		}
		from = i + 1
	}
}

// monotone: the contract integer never goes down.
func (c *Change) monotone() Gate {
	g := Gate{ID: "contract.monotone"}
	switch {
	case c.OldContract == 0 && c.NewContract == 0:
		g.Status, g.Text = NotChecked, "no contract version is stated"
	case c.NewContract == 0:
		g.Status, g.Text = Unmet, fmt.Sprintf("the contract was at %d and is not stated any more", c.OldContract)
	case c.NewContract < c.OldContract:
		g.Status, g.Text = Unmet, fmt.Sprintf("the contract went from %d down to %d", c.OldContract, c.NewContract)
	default:
		g.Status, g.Text = Met, fmt.Sprintf("%d → %d", c.OldContract, c.NewContract)
	}
	return g
}

// step: mechanical breaks raise the contract by exactly one, however many they are.
func (c *Change) step(mechanical int) Gate {
	g := Gate{ID: "contract.step"}
	switch {
	case mechanical == 0:
		g.Status, g.Text = NotNeeded, "no mechanical break"
	case c.NewContract == c.OldContract+1 && c.OldContract > 0:
		g.Status, g.Text = Met, fmt.Sprintf("%d → %d for %d mechanical break(s)", c.OldContract, c.NewContract, mechanical)
	default:
		g.Status, g.Text = Unmet, fmt.Sprintf("a mechanical break raises the contract by exactly 1, not from %d to %d", c.OldContract, c.NewContract)
	}
	return g
}

// needed: the contract integer grows only at a mechanical break.
func (c *Change) needed(mechanical int) Gate {
	g := Gate{ID: "contract.needed", Status: NotNeeded, Text: "the contract was not raised"}
	if c.OldContract == 0 || c.NewContract <= c.OldContract {
		return g
	}
	g.Status, g.Text = Met, "raised for a mechanical break"
	if mechanical == 0 {
		g.Status, g.Text = Unmet, fmt.Sprintf("the contract was raised from %d to %d, and no tool has a mechanical break", c.OldContract, c.NewContract)
	}
	return g
}
