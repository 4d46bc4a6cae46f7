package price

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

func read(t testing.TB, text string) (Table, []Problem) {
	t.Helper()
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Read(v)
}

func TestRead(t *testing.T) {
	table, problems := read(t, `{"m":{"input_per_mtok":2,"output_per_mtok":8},"n":{"input_per_mtok":1,"output_per_mtok":0,"cached_input_per_mtok":0.25}}`)
	if problems != nil || table["m"] != (Price{2, 8, 2}) || table["n"] != (Price{1, 0, 0.25}) {
		t.Fatalf("%v %v", table, problems)
	}
	if usd, ok := table.USD(Tokens{Input: 1e6, CachedInput: 4e5, Output: 3}, "unknown", "n"); !ok || usd != 0.6+0.1 {
		t.Fatalf("%v %v", usd, ok)
	}
	if _, ok := table.USD(Tokens{}, "unknown"); ok {
		t.Fatal("a price for an unknown model")
	}
	bad := map[string]string{
		`[]`:                          "|the price table is no object",
		`{"a/b":3}`:                   "/a~1b|the price is no object",
		`{"m":{"output_per_mtok":1}}`: "/m|the price has no \"input_per_mtok\"",
		`{"m":{"input_per_mtok":-1,"output_per_mtok":1}}`:         "/m/input_per_mtok|the price is no number of at least 0",
		`{"m":{"input_per_mtok":1,"output_per_mtok":"2"}}`:        "/m/output_per_mtok|the price is no number of at least 0",
		`{"m":{"input_per_mtok":1,"output_per_mtok":2,"in":"2"}}`: "/m/in|a price has no member \"in\"",
	}
	for text, want := range bad {
		table, problems := read(t, text)
		if len(problems) != 1 || table != nil || problems[0].Pointer+"|"+problems[0].What != want || !strings.Contains(problems[0].Want, "per million") {
			t.Errorf("%s: %v %v", text, table, problems)
		}
	}
}

func TestTokensValid(t *testing.T) {
	for tokens, want := range map[Tokens]bool{
		{}:                            true,
		{Input: 5, CachedInput: 5}:    true,
		{Input: 5, CachedInput: 6}:    false,
		{Input: -1}:                   false,
		{Output: 1.5}:                 false,
		{Output: 1 << 54}:             false,
		{Input: 1, Output: 1<<53 - 1}: true,
	} {
		if tokens.Valid() != want {
			t.Errorf("%+v", tokens)
		}
	}
}

// What is cached is never counted twice: with one price for both, caching changes nothing beyond rounding.
func TestCachedIsPartOfInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := float64(rapid.IntRange(0, 1e9).Draw(t, "in"))
		cached := float64(rapid.IntRange(0, int(in)).Draw(t, "cached"))
		p := Price{InputPerMTok: float64(rapid.IntRange(0, 100).Draw(t, "price")), OutputPerMTok: 3}
		p.CachedInputPerMTok = p.InputPerMTok
		a, b := p.USD(Tokens{Input: in, CachedInput: cached, Output: 7}), p.USD(Tokens{Input: in, Output: 7})
		if d := a - b; d > 1e-9*b || d < -1e-9*b {
			t.Fatalf("%v and %v", a, b)
		}
	})
}
