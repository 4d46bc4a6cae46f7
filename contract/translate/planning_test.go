package translate

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"flowdbg/contract"
	"flowdbg/contract/meta"
)

// TestPlanning has a subtest for every numbered line of testdata/planning.md; a line without one fails.
func TestPlanning(t *testing.T) {
	data, err := os.ReadFile("testdata/planning.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^(\d+)\. (.*)$`).FindAllStringSubmatch(string(data), -1)
	if len(lines) == 0 {
		t.Fatal("no cases in planning.md")
	}
	for _, line := range lines {
		n, _ := strconv.Atoi(line[1])
		t.Run(line[1]+" "+line[2], func(t *testing.T) {
			check, ok := planning[n]
			if !ok {
				t.Fatal("no test for this case")
			}
			check(t)
		})
	}
}

// world is a platform, one tool, and what the test says about it.
type world struct {
	t        *testing.T
	platform Platform
	sources  meta.Sources
	today    string
}

const testTool = "iPL.place"

// chainRules renames the argument v1 → v2 → v3 … and the result r1 → r2 → r3 … between the given pairs.
func chainRules(pairs ...int) string {
	var steps []string
	for _, n := range pairs {
		steps = append(steps, fmt.Sprintf(`{"from":%d,"to":%d,"tool":%q,"input":[{"op":"rename","path":"/v%d","to":"v%d"}],"output":[{"op":"rename","path":"/r%d","to":"r%d"}]}`,
			n, n+1, testTool, n, n+1, n, n+1))
	}
	return `{"rules":1,"steps":[` + strings.Join(steps, ",") + `]}`
}

func newWorld(t *testing.T, native []int, rules ...string) *world {
	t.Helper()
	w := &world{t: t}
	var sources []Source
	for i, r := range rules {
		sources = append(sources, Source{Name: fmt.Sprintf("r%d.json", i), Data: []byte(r)})
	}
	rs, err := Load(sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.platform = Platform{Rules: rs}
	if native != nil {
		var list []any
		for _, v := range native {
			list = append(list, float64(v))
		}
		w.sources.Tool = map[string]any{meta.DefaultKeys().Versions: list}
	}
	return w
}

func (w *world) tool() Tool {
	today, err := meta.ParseDate(w.today)
	if w.today != "" && err != nil {
		w.t.Fatal(err)
	}
	return Describe(w.platform.Keys, testTool, w.sources, today)
}

// prepare calls with a version (0 = none) and arguments.
func (w *world) prepare(version int, args string) (*Prepared, []meta.Entry, error) {
	call := Call{Arguments: []byte(args)}
	if version != 0 {
		call.Meta = fmt.Appendf(nil, `{"progressToken":7,"ai-norm.com/contract_version":%d}`, version)
	}
	return w.platform.Prepare(call, w.tool())
}

func (w *world) refused(version int, args, code, reason string) *contract.Refusal {
	w.t.Helper()
	_, _, err := w.prepare(version, args)
	r, ok := AsRefusal(err)
	if !ok || r.Code != code || r.Reason != reason && !strings.HasPrefix(r.Reason, reason+":") && !strings.HasPrefix(r.Reason, reason+" ") {
		w.t.Fatalf("got %v, want %s, %s", err, code, reason)
	}
	if r.Tool != testTool || r.AgentVersion != int64(version) {
		w.t.Errorf("refusal names %q, version %d", r.Tool, r.AgentVersion)
	}
	return r
}

func (w *world) sent(version int, args string) *Prepared {
	w.t.Helper()
	pr, _, err := w.prepare(version, args)
	if err != nil {
		w.t.Fatal(err)
	}
	return pr
}

// goesTo checks what is forwarded: the arguments, and the version in `_meta`.
func (w *world) goesTo(version int, args string, toolVersion int, want string) *Prepared {
	w.t.Helper()
	pr := w.sent(version, args)
	if string(pr.Arguments) != want {
		w.t.Errorf("arguments %s, want %s", pr.Arguments, want)
	}
	wantMeta := fmt.Sprintf(`{"progressToken":7,"ai-norm.com/contract_version":%d}`, toolVersion)
	if string(pr.Meta) != wantMeta {
		w.t.Errorf("_meta %s, want %s", pr.Meta, wantMeta)
	}
	return pr
}

func (w *world) comesBack(pr *Prepared, raw, want string) {
	w.t.Helper()
	out, err := w.platform.Finish(pr, []byte(raw))
	if err != nil {
		w.t.Fatal(err)
	}
	if string(out.Result) != want {
		w.t.Errorf("result %s, want %s", out.Result, want)
	}
}

// resolves checks the versions of the tool and its journal's first code.
func (w *world) resolves(want string, code string) {
	w.t.Helper()
	tool := w.tool()
	got := fmt.Sprint(tool.Versions.Versions)
	if got != want {
		w.t.Errorf("versions %s, want %s", got, want)
	}
	first := ""
	if j := tool.Versions.Journal; len(j) > 0 {
		first = j[0].Code
	}
	if first != code {
		w.t.Errorf("journal %v, want %q first", tool.Versions.Journal, code)
	}
}

const unwrapOutput = `{"rules":1,"steps":[{"from":2,"to":3,"tool":"iPL.place","output":[{"op":"move","from":"/d/t","to":"/d"}]}]}`

var planning = map[int]func(*testing.T){
	1: func(t *testing.T) {
		w := newWorld(t, []int{2, 3}, chainRules(1, 2))
		args := `{ "v2" : 1.0, "k":[ ] }`
		pr := w.goesTo(2, args, 2, args)
		raw := `{"structuredContent": {"r2": 1.50}}`
		w.comesBack(pr, raw, raw)
	},
	2: func(t *testing.T) {
		w := newWorld(t, []int{3}, chainRules(1, 2))
		pr := w.goesTo(1, `{"v1":1.0}`, 3, `{"v3":1.0}`)
		w.comesBack(pr, `{"structuredContent":{"r3":5},"_meta":{"ai-norm.com/contract_version":3}}`,
			`{"structuredContent":{"r1":5},"_meta":{"ai-norm.com/contract_version":1}}`)
	},
	3: func(t *testing.T) {
		w := newWorld(t, []int{3}, chainRules(1))
		if r := w.refused(1, `{}`, contract.CodeToolOutdated, ReasonNoRule); r.MissingStep != "2->3" {
			t.Errorf("missing step %q", r.MissingStep)
		}
	},
	4: func(t *testing.T) {
		w := newWorld(t, []int{1}, chainRules(1, 2))
		pr := w.goesTo(3, `{"v3":0}`, 1, `{"v1":0}`)
		w.comesBack(pr, `{"structuredContent":{"r1":5}}`, `{"structuredContent":{"r3":5}}`)
	},
	5: func(t *testing.T) {
		newWorld(t, []int{1, 3}, chainRules(1, 2)).goesTo(2, `{"v2":0}`, 3, `{"v3":0}`)
	},
	6: func(t *testing.T) {
		w := newWorld(t, []int{1, 3}, chainRules(1), unwrapOutput)
		pr := w.goesTo(2, `{"v2":0}`, 1, `{"v1":0}`)
		if len(pr.Plan.Tried) != 1 || pr.Plan.Tried[0].Version != 3 || pr.Plan.Tried[0].Why.Reason != ReasonNotInvertible {
			t.Errorf("tried %v", pr.Plan.Tried)
		}
		only3 := newWorld(t, []int{3}, unwrapOutput)
		r := only3.refused(2, `{}`, contract.CodeToolOutdated, ReasonNotInvertible)
		if r.Step != "2->3" || r.Direction != "output" || r.Rule != "r0.json/steps/0/output/0" {
			t.Errorf("%+v", r)
		}
	},
	7: func(t *testing.T) {
		newWorld(t, []int{3}, chainRules(1, 2)).refused(9, `{}`, contract.CodeToolOutdated, ReasonUnknownVersion)
	},
	8: func(t *testing.T) {
		w := newWorld(t, []int{})
		w.sources.Tool[meta.DefaultKeys().Versions] = []any{}
		w.sources.Initialize = map[string]any{meta.DefaultKeys().Version: 2.0}
		w.resolves("[2]", meta.CodeConfiguration)
	},
	9: func(t *testing.T) {
		w := newWorld(t, []int{})
		w.sources.Tool[meta.DefaultKeys().Versions] = []any{2.0, "3"}
		w.sources.Pinned = 1
		w.resolves("[1]", meta.CodeConfiguration)
		if text := w.tool().Versions.Journal[0].Text; !strings.Contains(text, `element 1`) || !strings.Contains(text, `"3"`) {
			t.Errorf("%q does not name the element", text)
		}
	},
	10: func(t *testing.T) { newWorld(t, []int{3, 2, 2}).resolves("[2 3]", meta.CodeDuplicate) },
	11: func(t *testing.T) {
		for _, v := range []int{0, -1} {
			w := newWorld(t, []int{2, v})
			w.sources.Pinned = 4
			w.resolves("[4]", meta.CodeConfiguration)
		}
	},
	12: func(t *testing.T) {
		w := newWorld(t, nil)
		w.sources.Initialize = map[string]any{meta.DefaultKeys().Version: 2.0}
		w.resolves("[2]", "")
	},
	13: func(t *testing.T) {
		w := newWorld(t, nil)
		w.sources.Pinned, w.sources.LastKnown = 1, 5
		w.resolves("[1]", "")
	},
	14: func(t *testing.T) {
		w := newWorld(t, nil)
		w.sources.LastKnown = 5
		w.resolves("[5]", meta.CodeConfiguration)
		w.goesTo(5, `{}`, 5, `{}`)
	},
	15: func(t *testing.T) {
		w := newWorld(t, []int{2})
		w.sources.Initialize = map[string]any{meta.DefaultKeys().Version: 3.0}
		w.resolves("[2]", meta.CodeDisagree)
	},
	16: func(t *testing.T) {
		w := newWorld(t, []int{3}, chainRules(1, 2))
		pr := w.sent(0, `{"v1":1}`)
		if string(pr.Arguments) != `{"v1":1}` || pr.Plan != nil || pr.Journal[0].Level != meta.LevelWarning || pr.Journal[0].Code != meta.CodeNoVersion {
			t.Errorf("%s %v", pr.Arguments, pr.Journal)
		}
		w.comesBack(pr, `{"structuredContent":{"r3":5}}`, `{"structuredContent":{"r3":5}}`)
	},
	17: func(t *testing.T) {
		w := newWorld(t, []int{2})
		for _, key := range []string{"contract_version", "contract_versions", "ai-norm.com/contract_version", "ai-norm.com/contract_versions"} {
			w.refused(2, fmt.Sprintf(`{%q:2}`, key), CodeInvalidArguments, ReasonInArguments)
			w.refused(0, fmt.Sprintf(`{%q:2}`, key), CodeInvalidArguments, ReasonInArguments)
		}
		w.goesTo(2, `{"deep":{"contract_version":2}}`, 2, `{"deep":{"contract_version":2}}`)
	},
	18: func(t *testing.T) {
		w := newWorld(t, []int{2})
		w.today = "2026-03-01"
		sunset := func(v any) { w.sources.Tool[meta.DefaultKeys().Sunset] = v }
		sunset("2026-02-28")
		w.refused(2, `{}`, contract.CodeToolExcluded, ReasonSunset)
		sunset("2026-03-01")
		w.resolves("[2]", meta.CodeSunset)
		w.goesTo(2, `{}`, 2, `{}`)
		for _, bad := range []string{"2026-02-30", "2026-02-28T00:00:00Z"} {
			sunset(bad)
			w.resolves("[2]", meta.CodeConfiguration)
			w.goesTo(2, `{}`, 2, `{}`)
		}
	},
	19: func(t *testing.T) {
		w := newWorld(t, []int{2}, `{"rules":1,"steps":[{"from":1,"to":2,"tool":"other","input":[{"op":"drop","path":"/a"}],"unchanged":["iPL.place"]}]}`)
		pr := w.goesTo(1, `{"a":1.0}`, 2, `{"a":1.0}`)
		w.comesBack(pr, `{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":1}}`)
	},
	20: func(t *testing.T) {
		c := NewCatalog()
		for v, field := range map[int]string{1: "a", 2: "b"} {
			list := fmt.Sprintf(`{"tools":[{"name":"left.out","inputSchema":{"properties":{%q:{}}}},{"name":"same","inputSchema":{"properties":{"a":{}}}}]}`, field)
			if err := c.AddToolList(v, []byte(list)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Load([]Source{{Name: "r.json", Data: []byte(chainRules(1))}}, c)
		if code, at := errorCode(err); code != ReasonBadRule || at != "left.out" || strings.Contains(err.Error(), "same") {
			t.Errorf("got %v", err)
		}
	},
	21: func(t *testing.T) {
		w := newWorld(t, []int{3}, chainRules(1, 2))
		raw := `{"isError":true, "structuredContent":{"r3":5}}`
		w.comesBack(w.sent(1, `{}`), raw, raw)
	},
	22: func(t *testing.T) {
		w := newWorld(t, []int{2}, chainRules(1))
		pr := w.sent(1, `{}`)
		out, err := w.platform.Finish(pr, []byte(`{"content":[{"type":"text","text":"{ \"r2\": 5.0 }"},{"type":"text","text":"five"},{"type":"image","data":"AA=="}],"structuredContent":{"r2":5}}`))
		if err != nil {
			t.Fatal(err)
		}
		want := `{"content":[{"type":"text","text":"{\"r1\":5}"},{"type":"text","text":"five"},{"type":"image","data":"AA=="}],"structuredContent":{"r1":5}}`
		if string(out.Result) != want {
			t.Errorf("got %s", out.Result)
		}
		if len(out.Notes) != 2 || out.Notes[1].String() != "text_left:/content/1" {
			t.Errorf("notes %v", out.Notes)
		}
	},
	23: func(t *testing.T) {
		c := NewCatalog()
		if err := c.AddToolList(1, []byte(`[{"name":"iPL.place","outputSchema":{"properties":{"r1":{"type":"string"}}}}]`)); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, []int{2}, chainRules(1))
		w.platform.Catalog = c
		raw := []byte(`{"structuredContent":{"r2":5}}`)
		_, err := w.platform.Finish(w.sent(1, `{}`), raw)
		r, ok := AsRefusal(err)
		if !ok || r.Code != contract.CodeTranslationFailed || r.Path != "/r1" || r.Direction != "output" {
			t.Fatalf("got %v", err)
		}
		if string(raw) != `{"structuredContent":{"r2":5}}` {
			t.Error("the raw answer was modified")
		}
	},
	24: func(t *testing.T) {
		_, err := Load([]Source{{"a.json", []byte(chainRules(1))}, {"b.json", []byte(chainRules(1))}}, nil)
		if code, _ := errorCode(err); code != ReasonBadRule || !strings.Contains(err.Error(), "b.json:1:") || !strings.Contains(err.Error(), "a.json") {
			t.Errorf("got %v", err)
		}
	},
	25: func(t *testing.T) {
		_, err := Load([]Source{{"a.json", []byte(`{"rules":1,"steps":[{"from":1,"to":3,"tool":"x"}]}`)}}, nil)
		if code, _ := errorCode(err); code != ReasonBadRule || !strings.Contains(err.Error(), "neighbours") {
			t.Errorf("got %v", err)
		}
	},
}

func TestAnswer(t *testing.T) {
	w := newWorld(t, []int{3}, chainRules(1))
	_, _, err := w.prepare(1, `{}`)
	answer, ok := AnswerFor(fmt.Errorf("call 4: %w", err))
	if !ok {
		t.Fatalf("%v is no refusal", err)
	}
	var got struct {
		IsError    bool              `json:"isError"`
		Structured contract.Refusal  `json:"structuredContent"`
		Content    []json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	if !got.IsError || got.Structured.Code != contract.CodeToolOutdated || got.Structured.MissingStep != "2->3" || len(got.Content) != 1 {
		t.Errorf("%s", answer)
	}
	if _, ok := AnswerFor(os.ErrNotExist); ok {
		t.Error("an ordinary error became an answer")
	}
}
