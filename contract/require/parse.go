package require

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Requirement is `NAME CONSTRAINTS`: every clause must hold (a comma means "and").
type Requirement struct {
	Name    string   // a tool ("iPL.place") or a component ("iPL"), see Negotiate
	Clauses []Clause // at least one
}

// Clause is one comparison with a version.
type Clause struct {
	Op      string // one of = != < <= > >= ~ ^
	Version *semver.Version
}

// Provided is one thing that a platform offers, `NAME @ VERSION`.
type Provided struct {
	Name    string `json:"name"`
	Version string `json:"version"` // as the platform stated it; Negotiate judges whether it is a semantic version
}

// ParseError says where in a requirement the reader stopped.
type ParseError struct {
	Text   string // the whole text
	Offset int    // bytes from its start
	What   string // what is there
	Want   string // what would be right
}

// Error is `col N: what; want`.
func (e *ParseError) Error() string {
	col := len([]rune(e.Text[:min(e.Offset, len(e.Text))])) + 1
	return fmt.Sprintf("col %d: %s; %s", col, e.What, e.Want)
}

// versionForm is Semantic Versioning 2.0.0 as that specification's own expression states it.
var versionForm = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
	`(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
	`(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_/-]*(\.[A-Za-z0-9_/-]+)*$`)

// maxText bounds a requirement in bytes, so that a hostile one costs nothing.
const maxText = 4096

// ParseVersion reads a strict Semantic Versioning 2.0.0 version: three numbers, no "v", no leading zeros.
func ParseVersion(s string) (*semver.Version, error) {
	if !versionForm.MatchString(s) {
		return nil, fmt.Errorf("%q is not a semantic version; write MAJOR.MINOR.PATCH%s", s, hint(s))
	}
	v, err := semver.StrictNewVersion(s)
	if err != nil {
		return nil, fmt.Errorf("version %q: %w", s, err)
	}
	return v, nil
}

// hint adds what is most likely meant by a version that is nearly one.
func hint(s string) string {
	for _, try := range []string{strings.TrimPrefix(s, "v"), s + ".0", s + ".0.0"} {
		if try != s && versionForm.MatchString(try) {
			return ", here " + try
		}
	}
	return ""
}

// Parse reads `NAME CONSTRAINTS`, such as "iPL.place >= 1.2.0, < 2.0.0". The error is a *ParseError.
func Parse(s string) (Requirement, error) {
	if len(s) > maxText {
		return Requirement{}, &ParseError{Text: s, What: "longer than 4096 bytes", Want: "shorten it"}
	}
	start := len(s) - len(strings.TrimLeft(s, " \t"))
	end := start
	for end < len(s) && !strings.ContainsRune(" \t<>=!~^@,", rune(s[end])) {
		end++
	}
	name := s[start:end]
	if err := checkName(s, start, name); err != nil {
		return Requirement{}, err
	}
	clauses, err := parseClauses(s, end)
	if err != nil {
		return Requirement{}, err
	}
	return Requirement{Name: name, Clauses: clauses}, nil
}

// ParsePair reads a requirement that comes as a name and its constraints, as in required_contracts of seed 000.
func ParsePair(name, constraints string) (Requirement, error) {
	if err := checkName(name, 0, name); err != nil {
		return Requirement{}, err
	}
	if len(constraints) > maxText {
		return Requirement{}, &ParseError{Text: constraints, What: "longer than 4096 bytes", Want: "shorten it"}
	}
	clauses, err := parseClauses(constraints, 0)
	if err != nil {
		return Requirement{}, err
	}
	return Requirement{Name: name, Clauses: clauses}, nil
}

// ParseProvided reads `NAME @ VERSION`, such as "iPL.place @ 1.3.1". The error is a *ParseError.
func ParseProvided(s string) (Provided, error) {
	name, version, ok := strings.Cut(s, "@")
	if !ok {
		return Provided{}, &ParseError{Text: s, Offset: len(s), What: "no @", Want: "write NAME @ VERSION"}
	}
	at := len(name) + 1
	off := len(name) - len(strings.TrimLeft(name, " \t"))
	name = strings.Trim(name, " \t")
	if err := checkName(s, off, name); err != nil {
		return Provided{}, err
	}
	trimmed := strings.Trim(version, " \t")
	if _, err := ParseVersion(trimmed); err != nil {
		at += len(version) - len(strings.TrimLeft(version, " \t"))
		return Provided{}, &ParseError{Text: s, Offset: at, What: err.Error(), Want: "write NAME @ VERSION"}
	}
	return Provided{Name: name, Version: trimmed}, nil
}

func checkName(text string, off int, name string) error {
	if name == "" {
		return &ParseError{Text: text, Offset: off, What: "no name", Want: "begin with a tool or component name"}
	}
	if !nameForm.MatchString(name) {
		return &ParseError{Text: text, Offset: off, What: fmt.Sprintf("%q is not a name", name),
			Want: "use letters, digits, _, -, / and dots between them"}
	}
	return nil
}

// parseClauses reads the clauses of text from byte off on.
func parseClauses(text string, off int) ([]Clause, error) {
	var clauses []Clause
	for i, part := range strings.Split(text[off:], ",") {
		c, err := parseClause(text, off, part)
		if err != nil {
			return nil, err
		}
		clauses = append(clauses, c)
		off += len(part) + 1
		if i >= 63 {
			return nil, &ParseError{Text: text, Offset: off, What: "more than 64 clauses", Want: "state a range"}
		}
	}
	return clauses, nil
}

func parseClause(text string, off int, part string) (Clause, error) {
	fail := func(skip int, what, want string) (Clause, error) {
		return Clause{}, &ParseError{Text: text, Offset: off + skip, What: what, Want: want}
	}
	skip := len(part) - len(strings.TrimLeft(part, " \t"))
	body := strings.TrimSpace(part)
	if body == "" {
		return fail(skip, "no constraint", "write one such as >= 1.2.0")
	}
	op := body[:len(body)-len(strings.TrimLeft(body, "<>=!~^"))]
	rest := strings.TrimLeft(body[len(op):], " \t")
	at := skip + len(body) - len(rest)
	switch op {
	case "", "=", "!=", "<", "<=", ">", ">=", "~", "^":
	case "==":
		op = "="
	default:
		return fail(skip, fmt.Sprintf("unknown operator %q", op), "use one of = != < <= > >= ~ ^")
	}
	if op == "" {
		op = "="
	}
	if strings.Contains(rest, "||") {
		return fail(at, "|| is not supported", "state one range; a comma means and")
	}
	if i := strings.IndexAny(rest, " \t<>=!~^"); i >= 0 {
		return fail(at+i, "more text after the version", "separate constraints by a comma")
	}
	v, err := ParseVersion(rest)
	if err != nil {
		return fail(at, err.Error(), "wildcards and partial versions are not read")
	}
	return Clause{Op: op, Version: v}, nil
}

// String writes the clause as it is read: ">=1.2.0".
func (c Clause) String() string { return c.Op + c.Version.Original() }

// Constraints writes all clauses: ">=1.2.0, <2.0.0".
func (r Requirement) Constraints() string {
	parts := make([]string, len(r.Clauses))
	for i, c := range r.Clauses {
		parts[i] = c.String()
	}
	return strings.Join(parts, ", ")
}

// String writes the requirement in the form that Parse reads.
func (r Requirement) String() string { return r.Name + " " + r.Constraints() }

// String writes `NAME @ VERSION`.
func (p Provided) String() string { return p.Name + " @ " + p.Version }
