package script

import (
	"slices"
	"strings"
	"testing"
)

func TestWhere(t *testing.T) {
	b := load(t, `
base = 10
def act(msg, state, config):
    seen = []
    for n in [1, 2, 3, 4]:
        seen.append(n + base)
        if n > 2:
            late = n
    return result(state = seen)
`)
	rec, err := Record(b, call("x", "1"))
	if err != nil {
		t.Fatal(err)
	}
	line := func(n int) func(Statement) bool { return func(s Statement) bool { return s.Line == n } }
	for _, c := range []struct {
		expr string
		line int
		want int // hits, -1: an error
	}{
		{"True", 6, 4},
		{"n % 2 == 0", 6, 2},
		{"n + base > 12", 6, 2},
		{"len(seen) == n - 1", 6, 4},
		{"late == 3", 6, 1}, // set late: not true before
		{"config[\"limit\"] == 3 and msg.tag == \"x\"", 6, 4},
		{"nowhere", 6, -1},
		{"n.x", 6, -1},
		{"True", 4000, 0},
		{"(", 6, -1},
		{"[x for x in range(1000000000)]", 6, -1},
		{"seen.append(9)", 6, 0},
	} {
		hits, err := rec.Where(c.expr, line(c.line))
		if (err != nil) != (c.want < 0) || err == nil && len(hits) != c.want {
			t.Errorf("%s at line %d: %v %v, expected %d", c.expr, c.line, hits, err, c.want)
		}
		if !slices.IsSorted(hits) {
			t.Errorf("%s: %v", c.expr, hits)
		}
	}
	if got := rec.Result.State.Text(); got != "[11,12,13,14]" || rec.Err != nil {
		t.Errorf("a question changed the recording: %s %v", got, rec.Err)
	}
	if err := CheckExpr("x ="); err == nil || !strings.Contains(err.Error(), "no Starlark expression") {
		t.Error(err)
	}
}

// A docstring is no statement to stop at; another text alone is.
func TestDocstringsAreNoStatements(t *testing.T) {
	b := load(t, "def act(msg, state, config):\n    \"\"\"Says nothing.\"\"\"\n    x = 1\n    \"text\"\n    return result(state = x)\n")
	rec, err := Record(b, call("x", "1"))
	if err != nil || rec.Err != nil {
		t.Fatal(err, rec.Err)
	}
	var lines []int
	for _, s := range rec.Statements {
		lines = append(lines, s.Line)
	}
	if !slices.Equal(lines, []int{3, 4, 5}) {
		t.Errorf("lines %v", lines)
	}
}
