package require

import (
	"fmt"
	"sort"
	"strings"
)

// Verdicts of one requirement.
const (
	Satisfied     = "satisfied"
	Unmet         = "unmet"          // provided, but a version does not satisfy the constraint
	Missing       = "missing"        // nothing of that name is provided
	Prerelease    = "prerelease"     // refused only because no clause names a prerelease
	NotComparable = "not_comparable" // the platform states no semantic version for it
)

// ToolAnswer is a requirement checked against one provided tool.
type ToolAnswer struct {
	Provided
	Answer
}

// Verdict is what became of one requirement.
type Verdict struct {
	Name        string       `json:"name"`
	Constraints string       `json:"constraints"`
	Verdict     string       `json:"verdict"`
	Reason      string       `json:"reason"`
	Tools       []ToolAnswer `json:"tools"` // what was compared; one entry for an exact name, all NAME.* for a component
	Lints       []Lint       `json:"lints"`
}

// Report is the outcome of a negotiation. Connecting fails unless every requirement is satisfied (seed 000).
type Report struct {
	Connects bool      `json:"connects"`
	Verdicts []Verdict `json:"verdicts"` // in the order of the requirements, all of them
	// Duplicates holds names that the platform provides more than once; every version of them must satisfy.
	Duplicates []string `json:"duplicates,omitempty"`
}

// Negotiate judges every requirement, never only the first that fails. A name is looked up exactly first; else it is a
// component, and every provided `NAME.*` (at least one) must satisfy (rule: ours). No requirements: the answer is yes.
func Negotiate(required []Requirement, provided []Provided) Report {
	report := Report{Connects: true, Verdicts: make([]Verdict, 0, len(required))}
	seen := map[string]int{}
	for _, p := range provided {
		if seen[p.Name]++; seen[p.Name] == 2 {
			report.Duplicates = append(report.Duplicates, p.Name)
		}
	}
	sort.Strings(report.Duplicates)
	for _, r := range required {
		v := judge(r, provided)
		v.Lints = r.Lint()
		report.Connects = report.Connects && v.Verdict == Satisfied
		report.Verdicts = append(report.Verdicts, v)
	}
	return report
}

// Unmet counts the requirements that are not satisfied.
func (r Report) Unmet() int {
	n := 0
	for _, v := range r.Verdicts {
		if v.Verdict != Satisfied {
			n++
		}
	}
	return n
}

func judge(r Requirement, provided []Provided) Verdict {
	v := Verdict{Name: r.Name, Constraints: r.Constraints(), Verdict: Satisfied, Tools: []ToolAnswer{}, Lints: []Lint{}}
	matches := match(r.Name, provided)
	if len(matches) == 0 {
		v.Verdict = Missing
		v.Reason = fmt.Sprintf("the platform provides neither %s nor any %s.*", r.Name, r.Name)
		return v
	}
	for _, p := range matches {
		v.Tools = append(v.Tools, answer(r, p, &v))
	}
	v.Reason = reasonOf(v)
	return v
}

// answer checks one tool and worsens the verdict. A tool that fails its comparison outranks one that cannot be compared,
// which outranks a prerelease, because the first two stay when the constraint names a prerelease.
func answer(r Requirement, p Provided, v *Verdict) ToolAnswer {
	version, err := ParseVersion(p.Version)
	if err != nil {
		if v.Verdict != Unmet {
			v.Verdict = NotComparable
		}
		reason := err.Error()
		if p.Version == "" {
			reason = "the platform states no version"
		}
		return ToolAnswer{p, Answer{Reason: reason}}
	}
	a := r.Check(version)
	switch {
	case a.OK:
	case !a.Prerelease:
		v.Verdict = Unmet
	case v.Verdict == Satisfied:
		v.Verdict = Prerelease
	}
	return ToolAnswer{p, a}
}

// match finds the exact name, or else the tools of the component, by name.
func match(name string, provided []Provided) []Provided {
	var exact, parts []Provided
	for _, p := range provided {
		if p.Name == name {
			exact = append(exact, p)
		} else if strings.HasPrefix(p.Name, name+".") {
			parts = append(parts, p)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].Name < parts[j].Name })
	return parts
}

func reasonOf(v Verdict) string {
	var parts []string
	for _, t := range v.Tools {
		if v.Verdict == Satisfied || !t.OK {
			parts = append(parts, t.Provided.String()+": "+t.Reason)
		}
	}
	return strings.Join(parts, "; ")
}
