package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"flowdbg/contract/meta"
	"flowdbg/trace/canon"
)

func readList(t *testing.T, pages ...string) *ToolList {
	t.Helper()
	var data [][]byte
	for _, p := range pages {
		data = append(data, []byte(p))
	}
	l, err := ReadToolList(meta.DefaultKeys(), data...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestReadToolListForms(t *testing.T) {
	const tools = `[{"name":"b","inputSchema":{}},{"name":"a","inputSchema":{}}]`
	for name, text := range map[string]string{
		"bare list":     tools,
		"answer":        `{"tools":` + tools + `}`,
		"JSON-RPC":      `{"jsonrpc":"2.0","id":2,"result":{"tools":` + tools + `}}`,
		"last page":     `{"tools":` + tools + `,"nextCursor":null}`,
		"with the head": `{"serverInfo":{"name":"s","version":"1.0.0"},"tools":` + tools + `}`,
	} {
		l := readList(t, text)
		if len(l.Tools) != 2 || l.Tools[0].Name != "a" || l.Find("b") == nil || l.Find("c") != nil {
			t.Errorf("%s: %+v", name, l.Tools)
		}
	}
	l := readList(t, `{"tools":[{"name":"z"}],"nextCursor":"2"}`, `{"tools":[{"name":"a"}]}`)
	if len(l.Tools) != 2 {
		t.Errorf("two pages: %d tools", len(l.Tools))
	}
}

func TestReadToolListRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"tools":[{"name":"a"},{"name":"a"}]}`:      `two tools have the name "a"`,
		`{"tools":[{"title":"a"}]}`:                  "/tools/0 has no name",
		`{"tools":[{"name":"a"}],"nextCursor":"p2"}`: "nextCursor",
		`{"tool":[]}`:            "no tools/list answer",
		`"x"`:                    "no tools/list answer",
		`{"tools":[}`:            "1:11",
		`{"tools":[],"tools":1}`: "tools",
	} {
		_, err := ReadToolList(meta.DefaultKeys(), []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	_, err := ReadToolList(meta.DefaultKeys(), []byte(`{"tools":[}`))
	var at *canon.Error
	if !errors.As(err, &at) {
		t.Errorf("a syntax error carries no position: %v", err)
	}
}

func TestVersionsOfList(t *testing.T) {
	for text, want := range map[string]int{
		`{"tools":[{"name":"a","_meta":{"ai-norm.com/contract_versions":[1,3.0]}},{"name":"b"}]}`:                             3,
		`{"_meta":{"ai-norm.com/contract_version":2},"tools":[{"name":"a","_meta":{"ai-norm.com/contract_versions":[1]}}]}`:   2,
		`{"_meta":{"ai-norm.com/contract_version":2.5},"tools":[{"name":"a","_meta":{"ai-norm.com/contract_versions":[1]}}]}`: 1,
		`{"tools":[{"name":"a","_meta":{"ai-norm.com/contract_versions":[1,"2"]}}]}`:                                          0,
		`{"tools":[{"name":"a"}]}`: 0,
	} {
		if got := readList(t, text).Contract; got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if l := readList(t, `{"tools":[{"name":"a","inputSchema":{"maximum":18446744073709551615}}]}`); len(l.Journal) != 1 {
		t.Errorf("a rounded number is not told: %v", l.Journal)
	}
}

// TestSnapshot: order is no difference, sets are sorted, names that look like keywords are left alone, and the snapshot
// reads back as itself.
func TestSnapshot(t *testing.T) {
	a := readList(t, `{"nextCursor":null,"serverInfo":{"version":"1.0.0","name":"s"},"tools":[
		{"name":"b","inputSchema":{"required":["y","x"],"type":["string","null"],"enum":["z","a"]}},
		{"name":"a","inputSchema":{"properties":{"required":{"default":["y","x"],"type":"array"}}},"_meta":{"ai-norm.com/contract_versions":[10,9]}}]}`)
	b := readList(t, `{"tools":[
		{"_meta":{"ai-norm.com/contract_versions":[9,10]},"inputSchema":{"properties":{"required":{"type":"array","default":["y","x"]}}},"name":"a"},
		{"inputSchema":{"enum":["z","a"],"type":["null","string"],"required":["x","y"]},"name":"b"}],"serverInfo":{"name":"s","version":"1.0.0"}}`)
	first, err := a.Snapshot(meta.DefaultKeys())
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.Snapshot(meta.DefaultKeys())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Errorf("order makes a difference:\n%s\n%s", first, second)
	}
	for _, want := range []string{`"x",` + "\n" + `          "y"`, `"null",`, `"z",` + "\n" + `          "a"`, `"y",` + "\n" + `              "x"`, `9,` + "\n" + `          10`} {
		if !strings.Contains(string(first), want) {
			t.Errorf("%q is not in the snapshot\n%s", want, first)
		}
	}
	again := readList(t, string(first))
	third, err := again.Snapshot(meta.DefaultKeys())
	if err != nil || !bytes.Equal(first, third) {
		t.Errorf("the snapshot does not read back as itself: %v", err)
	}
	if !json.Valid(first) || first[len(first)-1] != '\n' {
		t.Error("not a JSON file with a final newline")
	}
}

// TestRulesTable: ids are unique, every rule has a meaning, and levels and letters fit seed 000.
func TestRulesTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || r.Means == "" || r.Level == LevelNone {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
		if r.Level == LevelBreak && letterOfRule(r.ID) != LetterMajor || r.Level == LevelDocs && letterOfRule(r.ID) != LetterPatch {
			t.Errorf("%s: level %s with letter %s", r.ID, r.Level, letterOfRule(r.ID))
		}
	}
}

func TestLevelsAsText(t *testing.T) {
	for l := LevelNone; l <= LevelBreak; l++ {
		text, _ := l.MarshalText()
		var back Level
		if err := back.UnmarshalText(text); err != nil || back != l {
			t.Errorf("%s: %v %v", text, back, err)
		}
	}
	var l Letter
	if err := l.UnmarshalText([]byte("HUGE")); err == nil {
		t.Error("HUGE is a letter")
	}
}
