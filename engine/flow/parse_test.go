package flow

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"flowdbg/trace/canon"
)

// example is the seed's own flow.
func example(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../examples/research-pipeline.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// mustParse reads a flow that has no error.
func mustParse(t testing.TB, data string) *Flow {
	t.Helper()
	f, ds := Parse("flow.json", []byte(data), Options{})
	if f == nil {
		t.Fatalf("errors: %v", ds)
	}
	return f
}

func TestParseSeedExample(t *testing.T) {
	f, ds := Parse("flow.json", example(t), Options{Strict: true})
	if f == nil || len(ds) > 0 {
		t.Fatalf("diagnostics: %v", ds)
	}
	if f.Version != 1 || f.ID != "research-pipeline" || f.File() != "flow.json" {
		t.Errorf("got version %d, id %q, file %q", f.Version, f.ID, f.File())
	}
	wantAgents := []Agent{
		{ID: "researcher", Kind: "researcher", Config: canon.Raw(`{"model":"mock-fast"}`)},
		{ID: "critic", Kind: "critic", Config: canon.Raw(`{"model":"mock-strong"}`)},
		{ID: "writer", Kind: "writer", Config: canon.Raw(`{"model":"mock-fast"}`)},
	}
	byText := cmp.Comparer(func(a, b canon.Value) bool { return a == b })
	if diff := cmp.Diff(wantAgents, f.Agents, byText); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	usd, tokens := 0.1, int64(10000)
	if diff := cmp.Diff(&Budget{USD: &usd, Tokens: &tokens, Steps: 100}, f.Budget); diff != "" {
		t.Errorf("budget (-want +got):\n%s", diff)
	}
	wantInput := &Input{To: "researcher", Tag: "task",
		Payload: canon.Raw(`{"question":"How do interaction nets help multi-agent systems?"}`)}
	if diff := cmp.Diff(wantInput, f.Input, byText); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
	const message = `{"payload":{"question":"How do interaction nets help multi-agent systems?"},"tag":"task"}`
	if got := f.Input.Message().Text().Text(); got != message {
		t.Errorf("input message %s, want %s", got, message)
	}
	// Computed with Python's json (sort_keys, no spaces) and hashlib.
	const sha = "89657614681a8079686b171a78f5f1112239cf5e8b20872334ca0d3708fa9760"
	if f.SHA256() != sha {
		t.Errorf("sha256 %s, want %s", f.SHA256(), sha)
	}
}

func TestParseOptionalFields(t *testing.T) {
	f := mustParse(t, `{"version": 1.0, "id": "f",
		"agents": [{"id": "a", "kind": "k", "ports": ["log"], "contract_version": 2.0}, {"id": "c", "kind": "k"}],
		"edges": [], "budget": {"usd": 0, "tokens": 0, "allow_unmetered": true},
		"input": {"to": "a", "tag": "t"},
		"effects": {"llm": {"b": 1, "a": 2.50}, "search": null},
		"mcpServers": {"s": {"command": "x"}},
		"contracts": {"requires": {"iPL": ">=1", "iDB": "<2"}, "rules": ["r.json"], "prefix": "p", "version": 3, "platform": "p.json"}}`)
	a, ok := f.Agent("a")
	if !ok || !a.Config.IsNull() || a.ContractVersion != 2 || !a.DeclaresTerminal("log") || a.DeclaresTerminal("out") {
		t.Errorf("agent %+v", a)
	}
	if _, ok := f.Agent("b"); ok {
		t.Error("there is no agent b")
	}
	if b := f.Budget; b.USD == nil || *b.USD != 0 || b.Tokens == nil || *b.Tokens != 0 || b.Steps != 0 || !b.AllowUnmetered {
		t.Errorf("budget %+v", b)
	}
	if !f.Input.Payload.IsNull() || f.Input.Message().Text().Text() != `{"payload":null,"tag":"t"}` {
		t.Errorf("input %+v", f.Input)
	}
	if len(f.Effects) != 1 || f.Effects["llm"].Text() != `{"a":2.5,"b":1}` {
		t.Errorf("effects %v", f.Effects)
	}
	if f.MCPServers["s"].Text() != `{"command":"x"}` {
		t.Errorf("servers %v", f.MCPServers)
	}
	if f.ContractVersion("a") != 2 || f.ContractVersion("c") != 3 || f.ContractVersion("nobody") != 3 {
		t.Error("an agent's own contract version goes before the flow's")
	}
	if f := mustParse(t, `{"version": 1, "id": "f", "agents": [{"id": "a", "kind": "k"}], "edges": [], "contracts": {"rules": "r/"}}`); f.ContractVersion("a") != 0 || !slices.Equal(f.Contracts.Rules, []string{"r/"}) {
		t.Errorf("contracts %+v", f.Contracts)
	}
	want := &Contracts{Requires: []Requirement{{"iPL", ">=1"}, {"iDB", "<2"}}, Rules: []string{"r.json"}, Prefix: "p", Version: 3, Platform: "p.json"}
	if diff := cmp.Diff(want, f.Contracts); diff != "" {
		t.Errorf("contracts (-want +got):\n%s", diff)
	}
	bare := mustParse(t, `{"version": 1, "id": "f", "agents": [{"id": "a", "kind": "k"}], "edges": []}`)
	if bare.Budget != nil || bare.Input != nil || bare.Effects != nil || bare.MCPServers != nil || bare.Contracts != nil || bare.Messages != nil {
		t.Errorf("absent fields are there: %+v", bare)
	}
}

func TestWiring(t *testing.T) {
	// "Z" < "a" < "é" < "日" < "😀" by UTF-8 bytes; UTF-16 would put "😀" before "ﬁ" (U+FB01).
	f := mustParse(t, `{"version": 1, "id": "f", "agents": [
		{"id": "😀", "kind": "k1"}, {"id": "ﬁ", "kind": "k2"}, {"id": "a", "kind": "k3"}, {"id": "Z", "kind": "k4"}, {"id": "é", "kind": "k5"}],
		"edges": [
			{"from": "a", "port": "z", "to": "é"}, {"from": "a", "port": "b", "to": "Z"},
			{"from": "a", "port": "z", "to": "Z"}, {"from": "a", "port": "z", "to": "a"}, {"from": "Z", "port": "z", "to": "a"}]}`)
	var order []string
	for _, i := range f.Order() {
		order = append(order, f.Agents[i].ID)
	}
	if want := []string{"Z", "a", "é", "ﬁ", "😀"}; !slices.Equal(order, want) {
		t.Errorf("order %q, want %q", order, want)
	}
	if got, want := f.Targets("a", "z"), []string{"é", "Z", "a"}; !slices.Equal(got, want) {
		t.Errorf("targets %q, want %q", got, want)
	}
	if got := f.Targets("a", "out"); got != nil {
		t.Errorf("an unwired port has targets %q", got)
	}
	if got, want := f.WiredPorts("a"), []string{"b", "z"}; !slices.Equal(got, want) {
		t.Errorf("ports %q, want %q", got, want)
	}
	if got, want := f.PortsValue("a").Text(), `{"b":["Z"],"z":["é","Z","a"]}`; got != want {
		t.Errorf("ports value %s, want %s", got, want)
	}
	if got := f.PortsValue("é").Text(); got != "{}" {
		t.Errorf("ports value of a sink %s", got)
	}
	if got := f.Kinds(); len(got) != 5 || got["ﬁ"] != "k2" {
		t.Errorf("kinds %v", got)
	}
}

func TestHashIgnoresLayoutAndSpelling(t *testing.T) {
	a := mustParse(t, `{"version":1,"id":"f","agents":[{"id":"a","kind":"k","config":{"x":1,"y":0.1}}],"edges":[],"extra":[2]}`)
	b := mustParse(t, `{ "edges" : [ ], "extra": [2.0], "id": "\u0066",
		"agents": [{"config": {"y": 1e-1, "x": 1.0}, "kind": "k", "id": "a"}], "version": 1e0 }`)
	if a.SHA256() != b.SHA256() || a.Canonical() != b.Canonical() {
		t.Errorf("hashes differ:\n%s\n%s", a.Canonical(), b.Canonical())
	}
	c := mustParse(t, `{"version":1,"id":"f","agents":[{"id":"a","kind":"k","config":{"x":1,"y":0.1}}],"edges":[],"extra":[3]}`)
	if a.SHA256() == c.SHA256() {
		t.Error("an unknown field is not part of the hash")
	}
}

func TestPosAndDiagnose(t *testing.T) {
	f := mustParse(t, "{\"version\": 1, \"id\": \"é\", \"agents\": [\n  {\"id\": \"日本\", \"kind\": \"k\", \"config\": {\"a/b\": {\"~\": 7}}}], \"edges\": []}")
	for ptr, want := range map[string]string{
		"":                           "1:1",
		"/id":                        "1:22",
		"/agents/0/kind":             "2:24",
		"/agents/0/config/a~1b/~0":   "2:53",
		"/agents/0/config/a~1b/none": "2:47", // the deepest value on the way
		"/agents/7":                  "1:37",
		"no pointer":                 "1:1",
	} {
		line, col := f.Pos(ptr)
		if got := fmt.Sprintf("%d:%d", line, col); got != want {
			t.Errorf("%q is at %s, want %s", ptr, got, want)
		}
	}
	d := f.Diagnose(Warning, "own_code", f.AgentPointer("日本", "/config"), "what", "want")
	if got, want := d.String(), `flow.json:2:39: warning: /agents/0/config: what; want [own_code]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if f.AgentPointer("nobody", "/config") != "" {
		t.Error("a pointer to nobody")
	}
}

// TestDiagnosticsPrintNothingRaw feeds escape sequences and bidi controls through every place that repeats the file's text.
func TestDiagnosticsPrintNothingRaw(t *testing.T) {
	const evil = `\u001b[31m\u202e\u0007`
	_, ds := Parse("a\x1b[1m.json", []byte(`{"version": 1, "id": "f", "`+evil+`": 1,
		"agents": [{"id": "`+evil+`", "kind": "`+evil+`"}],
		"edges": [{"from": "x`+evil+`", "port": "`+evil+`", "to": "`+evil+`"}],
		"messages": {"`+evil+`": {"schema": {"`+evil+`": 1, "type": "`+evil+`"}, "policy": "`+evil+`"}},
		"input": {"to": "a`+evil+`", "tag": "t`+evil+`"}}`),
		Options{KnownKind: func(string) bool { return false }, KindNames: []string{"echo"}})
	if len(ds) < 8 {
		t.Fatalf("only %d diagnostics", len(ds))
	}
	for _, d := range ds {
		if i := strings.IndexFunc(d.String(), func(r rune) bool { return r < ' ' || r == '\u202e' }); i >= 0 {
			t.Errorf("raw text in %q", d)
		}
	}
}
