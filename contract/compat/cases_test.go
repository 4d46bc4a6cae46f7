package compat

import (
	"encoding/json"
	"os"
	"testing"

	"flowdbg/trace/canon"
)

// parse reads a JSON text that a test wrote.
func parse(tb testing.TB, text string) canon.Value {
	tb.Helper()
	v, _, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestSchemaCases runs the project's data cases: "ok" and "ok?" are anything below a break, the others are exact.
func TestSchemaCases(t *testing.T) {
	type schemaCase struct {
		ID, Dir, Want string
		Old, New      canon.Value
	}
	var cases []schemaCase
	for file, least := range map[string]int{"testdata/schema.json": 28, "testdata/schema_more.json": 90} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []schemaCase
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		if len(list) < least {
			t.Fatalf("%s: only %d cases", file, len(list))
		}
		cases = append(cases, list...)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			dir := Arguments
			if c.Dir == "out" {
				dir = Results
			}
			found := Diff(dir, c.Old, c.New)
			got := Worst(found)
			ok := false
			switch c.Want {
			case "ok", "ok?":
				ok = got < LevelBreak
			case "semantic":
				ok = got == LevelSemantic
			case "break":
				ok = got == LevelBreak
			}
			if !ok {
				t.Errorf("worst is %s, want %s", got, c.Want)
			}
			for _, f := range found {
				t.Logf("%s %s %s %s: %s", f.Level, f.Letter, f.Rule, f.Pointer, f.Text)
			}
		})
	}
}
