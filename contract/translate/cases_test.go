package translate

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dataCase is one case of testdata/translation*.json. Side is input when absent; notes absent = not checked; at is not
// checked for bad_rule.
type dataCase struct {
	Name  string          `json:"n"`
	Ops   json.RawMessage `json:"ops"`
	Up    bool            `json:"up"`
	Side  Side            `json:"side"`
	In    json.RawMessage `json:"in"`
	Want  json.RawMessage `json:"want"`
	Err   string          `json:"err"`
	At    string          `json:"at"`
	Notes *[]string       `json:"notes"`
}

// readCases reads a file that holds a list of cases.
func readCases[T any](t *testing.T, file string) []T {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []T
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, %v", file, len(cases), err)
	}
	return cases
}

func TestDataCases(t *testing.T) {
	files, err := filepath.Glob("testdata/translation*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	for _, file := range files {
		for _, c := range readCases[dataCase](t, file) {
			t.Run(c.Name, func(t *testing.T) { c.run(t) })
		}
	}
}

func (c dataCase) run(t *testing.T) {
	if c.Side == "" {
		c.Side = Input
	}
	before := string(c.In)
	out, notes, err := c.apply()
	if string(c.In) != before {
		t.Errorf("the input was modified: %s", c.In)
	}
	if c.Err != "" {
		code, at := errorCode(err)
		if code != c.Err || c.Err != ReasonBadRule && at != c.At {
			t.Fatalf("got %v (code %q at %q), want %s at %q", err, code, at, c.Err, c.At)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if !Equal(out, c.Want) {
		t.Errorf("got %s, want %s", out, c.Want)
	}
	if c.Notes != nil {
		got := make([]string, len(notes))
		for i, n := range notes {
			got[i] = n.String()
		}
		if strings.Join(got, " ") != strings.Join(*c.Notes, " ") {
			t.Errorf("notes %v, want %v", got, *c.Notes)
		}
	}
}

func (c dataCase) apply() ([]byte, []Note, error) {
	ops, err := ParseOps(c.Ops)
	if err != nil {
		return nil, nil, err
	}
	return Apply(ops, Direction(c.Up), c.Side, c.In)
}

func errorCode(err error) (code, at string) {
	var op *OpError
	if errors.As(err, &op) {
		return op.Code, op.At
	}
	var bad RuleErrors
	if errors.As(err, &bad) {
		return ReasonBadRule, bad[0].At
	}
	return "", ""
}
