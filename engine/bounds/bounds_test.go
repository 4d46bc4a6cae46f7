package bounds

import (
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

func TestRange(t *testing.T) {
	env := starlark.StringDict{"range": Range(1000)}
	for src, want := range map[string]string{
		`len(range(1000))`: "1000", `list(range(3))`: "[0, 1, 2]", `list(range(5, 1, -2))`: "[5, 3]", `len(range(0))`: "0",
		`range(1001)`: "too many steps", `max(range(100000000000))`: "too many steps", `range(0, -5000, -1)`: "too many steps",
		`range(-9000000000000000000, 9000000000000000000, 3)`: "too many steps", `range()`: "got 0", `range("a")`: "want int",
	} {
		v, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "x", src, env)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = v.String()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s; want %s", src, got, want)
		}
	}
}

func TestRepeats(t *testing.T) {
	for src, want := range map[string]bool{
		`[0] * 1000000000`: true, `1000000000 * [0]`: true, `("a") * n`: true, `[x for x in y] * n`: true, `("a" * 1000) * n`: true,
		`[1] + ("a" * 1000) * 1000 * n`: true, `"a" * 3 == text`: false, `2 * spent > 3`: false, `payload.n * 1000000000`: false, `"*" in text`: false,
	} {
		e, err := (&syntax.FileOptions{}).ParseExpr("x", src, 0)
		if err != nil {
			t.Fatal(err)
		}
		at, got := Repeats(e)
		if got != want || got && at.Col < 2 {
			t.Errorf("%s: %v at column %d", src, got, at.Col)
		}
	}
}
