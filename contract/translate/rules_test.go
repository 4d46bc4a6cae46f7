package translate

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestBadRules loads what must be refused, one case a line: a file, or one operation in an otherwise good file. Every
// wanted text must be in the error.
func TestBadRules(t *testing.T) {
	data, err := os.ReadFile("testdata/bad_rules.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name string   `json:"n"`
		File string   `json:"file"`
		Op   string   `json:"op"`
		Want []string `json:"want"`
		// BeyondShape marks what the schema of rule files cannot say, so that only the loader refuses it.
		BeyondShape bool `json:"beyond_shape"`
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	compiled, err := compileSchema(mustTree(t, string(RuleSchema())))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			text := c.File
			if c.Op != "" {
				text = `{"rules":1,"steps":[{"from":1,"to":2,"tool":"t","output":[` + c.Op + `]}]}`
			}
			rs, err := Load([]Source{{Name: "r.json", Data: []byte(text)}}, nil)
			if err == nil {
				t.Fatal("was loaded")
			}
			if rs != nil {
				t.Error("a rule set beside the error")
			}
			for _, want := range c.Want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\ndoes not say %q", err, want)
				}
			}
			if tree, err := parseTree([]byte(text)); err == nil && (check(compiled, tree) == nil) != c.BeyondShape {
				t.Errorf("the schema of rule files passes it: %v, want %v", !c.BeyondShape, c.BeyondShape)
			}
		})
	}
}

func mustTree(t *testing.T, text string) *node {
	t.Helper()
	n, err := parseTree([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const everyForm = `{
  "rules": 1.0, "note": "all forms", "$schema": "x",
  "steps": [
    {"from": 1, "to": 2, "tool": "*", "input": [{"op": "rename", "path": "/a", "to": "b~1c", "note": "why"}]},
    {"from": 1, "to": 2, "tool": "own", "output": [{"op": "drop", "path": "/x/*/y", "restore": null}], "unchanged": ["still"]},
    {"from": 2, "to": 3, "unchanged": ["own", "still"], "note": "nothing"},
    {"from": 3, "to": 4, "tool": "own", "input": [{"op": "move", "from": "/a/*/x", "to": "/a/*/p/x"}, {"op": "default", "path": "/n", "value": 1.50}]}
  ]
}`

func TestGoodRules(t *testing.T) {
	rs, err := Load([]Source{{"r.json", []byte(everyForm)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := compileSchema(mustTree(t, string(RuleSchema())))
	if err != nil {
		t.Fatal(err)
	}
	if bad := check(compiled, mustTree(t, everyForm)); bad != nil {
		t.Errorf("the schema refuses what the loader takes: %v", bad)
	}
	cases := []struct {
		tool string
		from int
		want string // input and output operations; "-" = no rule
	}{
		{"any", 1, "rename /a → /b~1c |"},
		{"own", 1, "| drop /x/*/y, restore null"},
		{"still", 1, "|"},
		{"any", 2, "-"},
		{"own", 2, "|"},
		{"own", 3, "move /a/*/x → /a/*/p/x, default /n = 1.50 |"},
		{"still", 3, "-"},
		{"own", 4, "-"},
	}
	for _, c := range cases {
		got := "-"
		if s, ok := rs.Step(c.tool, c.from); ok {
			got = strings.TrimSpace(join(s.Input) + " | " + join(s.Output))
		}
		if got != c.want {
			t.Errorf("%s from %d: %q, want %q", c.tool, c.from, got, c.want)
		}
	}
	if rs.Highest() != 4 || len(rs.Steps()) != 3 {
		t.Errorf("highest %d, %d steps", rs.Highest(), len(rs.Steps()))
	}
}

func join(ops Ops) string {
	var out []string
	for _, o := range ops {
		out = append(out, o.String())
	}
	return strings.Join(out, ", ")
}

func TestRuleHash(t *testing.T) {
	load := func(texts ...string) *RuleSet {
		var src []Source
		for _, text := range texts {
			src = append(src, Source{"r", []byte(text)})
		}
		rs, err := Load(src, nil)
		if err != nil {
			t.Fatal(err)
		}
		return rs
	}
	one, two := chainRules(1), chainRules(2)
	same := load(one, two).Hash()
	if load(two, one).Hash() != same || load(chainRules(1, 2)).Hash() != same || load(chainRules(2, 1)).Hash() != same {
		t.Error("the hash depends on files or their order")
	}
	if load(one).Hash() == same || load(strings.ReplaceAll(one, "/v1", "/w1")).Hash() == load(one).Hash() {
		t.Error("other rules, same hash")
	}
	if !strings.HasPrefix(same, "sha256:") || len(same) != 71 {
		t.Errorf("hash %q", same)
	}
	var none *RuleSet
	if none.Hash() != Empty().Hash() || none.Highest() != 0 || none.Steps() != nil || none.Warnings() != nil {
		t.Error("nil is not the empty set")
	}
}

func TestUnchangedAgainstSchemas(t *testing.T) {
	c := NewCatalog()
	lists := map[int]string{
		1: `[{"name":"t","inputSchema":{"properties":{"a":{"description":"old words"}}}},{"name":"u","inputSchema":{"properties":{"a":{}}}}]`,
		2: `[{"name":"t","inputSchema":{"properties":{"a":{"description":"new words"}}}},{"name":"u","inputSchema":{"properties":{"a":{},"title":{}}}}]`,
	}
	for v, list := range lists {
		if err := c.AddToolList(v, []byte(list)); err != nil {
			t.Fatal(err)
		}
	}
	rs, err := Load([]Source{{"r.json", []byte(`{"rules":1,"steps":[{"from":1,"to":2,"unchanged":["u"]}]}`)}}, c)
	if err != nil {
		t.Fatal(err)
	}
	if w := rs.Warnings(); len(w) != 1 || w[0].At != "u" {
		t.Errorf("warnings %v", w)
	}
	if s, ok := rs.Step("t", 1); !ok || len(s.Input)+len(s.Output) != 0 {
		t.Error("a tool with equal schemas that the pair leaves out is not carried as it is")
	}
	if _, ok := rs.Step("unseen", 1); ok {
		t.Error("a tool that no snapshot lists was taken as unchanged")
	}
}

func TestToolLists(t *testing.T) {
	c := NewCatalog()
	for _, good := range []string{`{"tools":[{"name":"a"}]}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, `[]`} {
		if err := c.AddToolList(1, []byte(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{`{}`, `3`, `[{}]`, `[{"name":""}]`, `[{"name":"a"},{"name":"a"}]`, `{`} {
		if err := c.AddToolList(1, []byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	if c.AddToolList(0, []byte(`[]`)) == nil {
		t.Error("version 0 was taken")
	}
}

// Which schemas of two versions count as the same, and so may be left out of a step: the order of sets and the words are
// nothing, a member that happens to be called like a word is something.
func TestSameSchemas(t *testing.T) {
	for _, c := range []struct {
		name, one, two string
		same           bool
	}{
		{"order of required", `{"required":["a","b"]}`, `{"required":["b","a"]}`, true},
		{"order of types and values", `{"properties":{"a":{"type":["string","null"],"enum":["x",null]}}}`,
			`{"properties":{"a":{"enum":[null,"x"],"type":["null","string"]}}}`, true},
		{"order of a tuple", `{"prefixItems":[{"type":"string"},{"type":"null"}]}`, `{"prefixItems":[{"type":"null"},{"type":"string"}]}`, false},
		{"words", `{"title":"x","description":"y"}`, `{}`, true},
		{"a property called title", `{"properties":{"title":{"type":"string"}}}`, `{"properties":{"title":{"type":"number"}}}`, false},
		{"a dependency on title", `{"dependentRequired":{"title":["a"]}}`, `{"dependentRequired":{"title":["b"]}}`, false},
		{"a default", `{"properties":{"a":{"default":1}}}`, `{"properties":{"a":{"default":2}}}`, false},
		{"words inside a default", `{"default":{"title":"x"}}`, `{"default":{"title":"y"}}`, false},
		{"one type as a list", `{"type":"string"}`, `{"type":["string"]}`, false}, // a false alarm costs a rule, not a call
	} {
		catalog := NewCatalog()
		for v, schema := range map[int]string{1: c.one, 2: c.two} {
			if err := catalog.AddToolList(v, []byte(`[{"name":"t","inputSchema":`+schema+`}]`)); err != nil {
				t.Fatal(err)
			}
		}
		if same, known := catalog.sameSchemas("t", 1, 2); same != c.same || !known {
			t.Errorf("%s: same %v, known %v; want %v", c.name, same, known, c.same)
		}
	}
}
