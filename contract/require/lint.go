package require

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
)

// Lint is advice about a requirement; it changes no verdict.
type Lint struct {
	Rule    string `json:"rule"` // stable: one of the Lint… constants
	Message string `json:"message"`
}

// Rules of Lint.
const (
	LintNoUpperBound = "no_upper_bound"
	LintEmptyRange   = "empty_range"
	LintZeroMajor    = "zero_major"
	LintBuild        = "build_ignored"
	LintPreCeiling   = "prerelease_of_ceiling"
)

// Lint lists what is unwise in a requirement: no upper bound, a range that no version can satisfy, a 0.x lower bound (where
// a MINOR step may break), build metadata (which has no precedence), and a named prerelease that lets in prereleases of the
// version it stays below.
func (r Requirement) Lint() []Lint {
	lints := []Lint{}
	add := func(rule, format string, args ...any) {
		lints = append(lints, Lint{Rule: rule, Message: fmt.Sprintf(format, args...)})
	}
	if _, ok := r.Smallest(); !ok {
		add(LintEmptyRange, "no version can satisfy %s", r.Constraints())
		return lints
	}
	low, bounded := r.low(), false
	for _, c := range r.Clauses {
		bounded = bounded || c.Op != ">=" && c.Op != ">" && c.Op != "!="
		if c.Version.Metadata() != "" {
			add(LintBuild, "%s: build metadata has no precedence and is ignored", c)
		}
		if c.Op == "<" && c.Version.Prerelease() == "" && r.namesPrerelease() {
			add(LintPreCeiling, "%s lets in prereleases such as %s-rc.1, because another clause names a prerelease", c, c.Version)
		}
	}
	if !bounded && low != nil {
		v := semver.New(low.Major(), low.Minor(), low.Patch(), "", "")
		add(LintNoUpperBound, "no upper bound: the next MAJOR would be accepted; add < %s", v.IncMajor())
	} else if !bounded {
		add(LintNoUpperBound, "no upper bound: every later MAJOR would be accepted")
	}
	if low != nil && low.Major() == 0 && r.Check(semver.New(0, low.Minor()+1, 0, "", "")).OK {
		add(LintZeroMajor, "below 1.0.0 a MINOR step may break, and 0.%d.0 would be accepted; bind the MINOR, as in ~0.%d.%d",
			low.Minor()+1, low.Minor(), low.Patch())
	}
	return lints
}

// low is the highest version that a clause sets as a lower bound, nil when none does.
func (r Requirement) low() *semver.Version {
	var low *semver.Version
	for _, c := range r.Clauses {
		switch c.Op {
		case ">=", ">", "=", "~", "^":
			if low == nil || c.Version.GreaterThan(low) {
				low = c.Version
			}
		}
	}
	return low
}

// Smallest is the lowest version that satisfies the requirement; false when none can.
func (r Requirement) Smallest() (*semver.Version, bool) {
	pre := r.namesPrerelease()
	v := r.low()
	if v == nil {
		v = semver.New(0, 0, 0, "", "")
		if pre {
			v = semver.New(0, 0, 0, "0", "") // nothing precedes 0.0.0-0
		}
	}
	// Above the highest lower bound at most one version per clause is taken out (by ">" or "!="), so this many steps do.
	for range len(r.Clauses) + 1 {
		if r.Check(v).OK {
			return v, true
		}
		v = next(v, pre)
	}
	return nil, false
}

// next is the version right after v: among all versions, or among releases only.
func next(v *semver.Version, pre bool) *semver.Version {
	switch {
	case !pre:
		return semver.New(v.Major(), v.Minor(), v.Patch()+1, "", "")
	case v.Prerelease() == "":
		return semver.New(v.Major(), v.Minor(), v.Patch()+1, "0", "")
	}
	return semver.New(v.Major(), v.Minor(), v.Patch(), v.Prerelease()+".0", "")
}
