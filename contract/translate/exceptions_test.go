package translate

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestLawExceptions holds each stated exception of the translation laws: what happens up, what comes back down, and which
// notes announce it.
func TestLawExceptions(t *testing.T) {
	type fields struct {
		Name      string          `json:"n"`
		Side      Side            `json:"side"`
		Ops       json.RawMessage `json:"ops"`
		In        json.RawMessage `json:"in"`
		Up        json.RawMessage `json:"up"`
		Down      json.RawMessage `json:"down"`
		UpNotes   []string        `json:"up_notes"`
		DownNotes []string        `json:"down_notes"`
	}
	for _, c := range readCases[fields](t, "testdata/laws_exceptions.json") {
		t.Run(c.Name, func(t *testing.T) {
			ops, err := ParseOps(c.Ops)
			if err != nil {
				t.Fatal(err)
			}
			step := func(dir Direction, in, want json.RawMessage, wantNotes []string) {
				t.Helper()
				out, notes, err := Apply(ops, dir, c.Side, in)
				if err != nil {
					t.Fatal(err)
				}
				if !Equal(out, want) || fmt.Sprint(notes) != fmt.Sprint(wantNotes) {
					t.Errorf("%s: got %s %v, want %s %v", dir, out, notes, want, wantNotes)
				}
			}
			step(Up, c.In, c.Up, c.UpNotes)
			step(Down, c.Up, c.Down, c.DownNotes)
		})
	}
}

// Numbers, strings and members that no operation touches are written as they were read.
func TestSpellingIsKept(t *testing.T) {
	ops, err := ParseOps([]byte(`[{"op":"rename","path":"/a","to":"b"}]`))
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := Apply(ops, Up, Input, []byte(`{ "z":1.50, "a" : 10E+1 ,"n":9007199254740993,"s":"\u0041\/","\u0062b":-0.0}`))
	want := `{"z":1.50,"b":10E+1,"n":9007199254740993,"s":"\u0041\/","\u0062b":-0.0}`
	if err != nil || string(out) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, out, want)
	}
}

func TestStrictReading(t *testing.T) {
	for _, bad := range []string{"", " ", "{", `{"a":1,"a":2}`, `{"a":1}x`, `[1,]`, "{\"a\":\"\xff\"}", `"\ud800"`, "1e400", "-1E999", "nul",
		`{1:2}`, `{"a" 1}`, "\ufeff{}", deep(maxDepth + 1)} {
		if _, err := parseTree([]byte(bad)); err == nil {
			t.Errorf("%.40q was read", bad)
		}
	}
	for _, good := range []string{"0", "-0", "1e-400", `"\ud83d\ude00"`, deep(maxDepth)} {
		n, err := parseTree([]byte(good))
		if err != nil || string(n.append(nil)) != good {
			t.Errorf("%.40q: %v", good, err)
		}
	}
}

func deep(n int) string {
	b := make([]byte, 0, 2*n)
	for range n {
		b = append(b, '[')
	}
	for range n {
		b = append(b, ']')
	}
	return string(b)
}

func TestPosition(t *testing.T) {
	_, err := parseTree([]byte("{\n \"é\": [1,\n  \"ü\", x]}"))
	if err == nil || err.Error() != `3:8 /é/2: invalid character 'x' at start of value` {
		t.Errorf("%v", err)
	}
}
