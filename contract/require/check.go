package require

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Answer is one requirement checked against one version.
type Answer struct {
	OK     bool   `json:"ok"`
	Reason string `json:"reason"` // "1.2.0 <= 1.3.1 < 2.0.0", or what does not hold
	// Prerelease is set when the version is refused only because it is a prerelease that no clause names.
	Prerelease bool `json:"prerelease,omitempty"`
}

// Check decides whether a version satisfies every clause. A prerelease matches only when a clause names a prerelease; then
// every clause compares by precedence, so 2.0.0-rc.1 is below 2.0.0.
func (r Requirement) Check(v *semver.Version) Answer {
	pre := v.Prerelease() != "" && !r.namesPrerelease()
	var failed []string
	for _, c := range r.Clauses {
		if !c.holds(v) {
			failed = append(failed, fmt.Sprintf("%s is not %s", v.Original(), readable(c)))
		}
	}
	switch {
	case len(failed) > 0:
		return Answer{Reason: strings.Join(failed, ", ")}
	case pre:
		return Answer{Prerelease: true, Reason: fmt.Sprintf(
			"%s is a prerelease, and a prerelease matches only when the constraint names one (as in >=%s)",
			v.Original(), v.Original())}
	}
	return Answer{OK: true, Reason: r.chain(v)}
}

// holds compares by precedence, prereleases included; Check applies the prerelease rule to all clauses together.
func (c Clause) holds(v *semver.Version) bool {
	text := c.Op + c.Version.Original()
	if c.Op == "~" && c.Version.Major() == 0 && c.Version.Minor() == 0 {
		// The library reads ~0.0.0 as "anything"; the rule is the same patch range as for every other ~.
		text = fmt.Sprintf(">=%s, <0.1.0", c.Version.Original())
	}
	set, err := semver.NewConstraint(text)
	if err != nil {
		return false // unreachable for a parsed clause, and "no" is the safe answer for one built by hand
	}
	set.IncludePrerelease = true
	return set.Check(v)
}

func (r Requirement) namesPrerelease() bool {
	for _, c := range r.Clauses {
		if c.Version.Prerelease() != "" {
			return true
		}
	}
	return false
}

// readable writes a clause with a blank, as in seed 000: ">= 1.2.0".
func readable(c Clause) string { return c.Op + " " + c.Version.Original() }

// chain writes why a version fits as the seed does, `LOW <= VERSION < HIGH`, or clause by clause when it is no such range.
func (r Requirement) chain(v *semver.Version) string {
	var low, high, rest []string
	for _, c := range r.Clauses {
		w := c.Version.Original()
		switch c.Op {
		case ">=":
			low = append(low, w+" <= ")
		case ">":
			low = append(low, w+" < ")
		case "<", "<=":
			high = append(high, " "+c.Op+" "+w)
		case "~", "^":
			low = append(low, w+" <= ")
			high = append(high, " < "+c.ceiling().String())
		default:
			op := c.Op
			if op == "=" {
				op = "=="
			}
			rest = append(rest, v.Original()+" "+op+" "+w)
		}
	}
	if len(low) > 1 || len(high) > 1 {
		parts := make([]string, len(r.Clauses))
		for i, c := range r.Clauses {
			parts[i] = v.Original() + " " + readable(c)
		}
		return strings.Join(parts, ", ")
	}
	if len(low)+len(high) > 0 {
		rest = append([]string{strings.Join(low, "") + v.Original() + strings.Join(high, "")}, rest...)
	}
	return strings.Join(rest, ", ")
}

// ceiling is the version that a ~ or ^ clause stays below.
func (c Clause) ceiling() semver.Version {
	v := *semver.New(c.Version.Major(), c.Version.Minor(), c.Version.Patch(), "", "")
	switch {
	case c.Op == "~":
		return v.IncMinor()
	case v.Major() > 0:
		return v.IncMajor()
	case v.Minor() > 0:
		return v.IncMinor()
	}
	return v.IncPatch()
}

// Compatibility is seed 000's check of one dependency against one provided tool, in the seed's own words:
// "→ Compatible: 1.2.0 <= 1.3.1 < 2.0.0 ✓". The two texts are in the forms of Parse and ParseProvided.
func Compatibility(dependsOn, provides string) (line string, ok bool, err error) {
	r, err := Parse(dependsOn)
	if err != nil {
		return "", false, fmt.Errorf("requirement %q: %w", dependsOn, err)
	}
	p, err := ParseProvided(provides)
	if err != nil {
		return "", false, fmt.Errorf("provided %q: %w", provides, err)
	}
	verdict := judge(r, []Provided{p})
	if verdict.Verdict == Missing {
		return Answer{Reason: verdict.Reason}.Line(), false, nil
	}
	return verdict.Tools[0].Line(), verdict.Verdict == Satisfied, nil
}

// Line writes the answer as seed 000 does: "→ Compatible: 1.2.0 <= 1.3.1 < 2.0.0 ✓".
func (a Answer) Line() string {
	if a.OK {
		return "→ Compatible: " + a.Reason + " ✓"
	}
	return "→ Incompatible: " + a.Reason + " ✗"
}
