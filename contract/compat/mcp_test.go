package compat

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/contract/meta"
)

// realLists reads the tool lists that .ci/capture-mcp.mjs captured, from the directory in FLOWDBG_MCP_LISTS.
func realLists(t *testing.T) map[string][]byte {
	t.Helper()
	dir := os.Getenv("FLOWDBG_MCP_LISTS")
	if dir == "" {
		t.Skip("FLOWDBG_MCP_LISTS is not set: no captured tool lists (see .ci/capture-mcp.mjs)")
	}
	lists := map[string][]byte{}
	for _, name := range []string{"everything", "filesystem", "memory", "sequential-thinking"} {
		data, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		lists[name] = data
	}
	return lists
}

// edit is a change to a real list as a person would make it, and what must come of it.
type edit struct {
	server, tool, from, to string
	level                  ChangeLevel
	letter                 Letter
	met                    bool
	rule                   string
}

var edits = []edit{
	{"everything", "get-annotated-message", `["error","success","debug"]`, `["error","success","debug","warning"]`, Addition, LetterMinor, true, ruleSafe},
	{"everything", "get-annotated-message", `["error","success","debug"]`, `["error","success"]`, SemanticBreak, LetterMajor, false, ruleEnum},
	{"everything", "get-annotated-message", `"default":false`, `"default":true`, Undecided, LetterMinor, true, ruleDefault},
	{"everything", "echo", `"required":["message"]`, `"required":[]`, Addition, LetterMinor, true, ruleSafe},
	{"everything", "echo", `"message":{`, `"text":{"type":"string"},"message":{`, Undecided, LetterMinor, true, ruleAddedNoDefault},
	{"filesystem", "read_text_file", `"required":["path"]`, `"required":["head","path"]`, SemanticBreak, LetterMajor, false, ruleRequired},
	{"filesystem", "read_text_file", `"content":{"type":"string"}`, `"content":{"type":"array"}`, SemanticBreak, LetterMajor, false, ruleType},
	{"filesystem", "read_text_file", `"title":"Read Text File"`, `"title":"Read a text file"`, DocsOnly, LetterPatch, true, ruleToolDocs},
	{"filesystem", "read_multiple_files", `"minItems":1`, `"minItems":2`, SemanticBreak, LetterMajor, false, ruleMinItems},
	{"filesystem", "read_multiple_files", `"minItems":1`, `"minItems":0`, Addition, LetterMinor, true, ruleSafe},
	{"memory", "create_entities", `"required":["entityType","name","observations"]`, `"required":["entityType","name","observations","source"]`, SemanticBreak, LetterMajor, false, ruleRequired},
	{"memory", "delete_entities", `"destructiveHint":true`, `"destructiveHint":false`, Undecided, LetterMinor, true, ruleToolHints},
	{"sequential-thinking", "sequentialthinking", `"minimum":1`, `"minimum":0`, Addition, LetterMinor, true, ruleSafe},
}

// TestRealServers takes four real MCP servers' lists: the snapshot reads back, a list does not differ from itself, and an
// edited copy gets the expected level, with every other tool unchanged.
func TestRealServers(t *testing.T) {
	lists := realLists(t)
	keys := meta.DefaultKeys()
	for name, data := range lists {
		l, err := ReadToolList(keys, data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		snap, err := l.Snapshot(keys)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadToolList(keys, snap)
		if err != nil {
			t.Fatal(err)
		}
		if second, _ := again.Snapshot(keys); !bytes.Equal(snap, second) {
			t.Errorf("%s: the snapshot does not read back as itself", name)
		}
		r := Classify(Change{Old: l, New: again, Keys: keys})
		for _, row := range r.Tools {
			if row.Level != Unchanged && row.Level != DocsOnly { // sorting a set is another spelling
				t.Errorf("%s %s differs from itself: %s", name, row.Tool, row.Level)
			}
		}
		t.Logf("%s %s: %d tools", name, l.Package, len(l.Tools))
	}
	for _, e := range edits {
		t.Run(e.tool+" "+e.to, func(t *testing.T) { e.check(t, keys, lists[e.server]) })
	}
}

func (e edit) check(t *testing.T, keys meta.Keys, data []byte) {
	old, err := ReadToolList(keys, data)
	if err != nil {
		t.Fatal(err)
	}
	tool := old.Find(e.tool)
	if tool == nil {
		t.Fatalf("the server has no tool %s", e.tool)
	}
	before := stable(tool.Raw, keys, false).Text()
	after := strings.Replace(before, e.from, e.to, 1)
	if before == after {
		t.Fatalf("%s is not in %s", e.from, before)
	}
	var texts []string
	for _, other := range old.Tools {
		if other.Name == e.tool {
			texts = append(texts, after)
		} else {
			texts = append(texts, other.Raw.Text())
		}
	}
	new, err := ReadToolList(keys, []byte("["+strings.Join(texts, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range Classify(Change{Old: old, New: new, Keys: keys}).Tools {
		if row.Tool != e.tool {
			if row.Level != Unchanged {
				t.Errorf("%s: %s", row.Tool, row.Level)
			}
			continue
		}
		if row.Level != e.level || row.Letter != e.letter || row.Met != e.met || !hasRule(row.Findings, e.rule) {
			t.Errorf("got %s %s met %t, want %s %s met %t with %s: %+v", row.Level, row.Letter, row.Met, e.level, e.letter, e.met, e.rule, row.Findings)
		}
	}
}
