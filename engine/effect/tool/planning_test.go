package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"flowdbg/contract/meta"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/engine/effect/secret"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// serverBinary is the server of examples/contract-flow, built once.
var serverBinary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "flowdbg-tool")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	serverBinary = filepath.Join(dir, "server")
	build := exec.Command("go", "build", "-o", serverBinary, "flowdbg/examples/contract-flow/server")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the example's server: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// planningCase is one file of testdata/planning: a server, what the platform knows, and calls with what must arrive at the
// server and come back. Numbers below 30 are those of contract/translate's planning.md.
type planningCase struct {
	Case      int                            `json:"case"`
	About     string                         `json:"about"`
	Server    json.RawMessage                `json:"server"`
	Rules     []json.RawMessage              `json:"rules"`
	Contracts map[string]json.RawMessage     `json:"contracts"`
	Version   int                            `json:"version"`
	Pin       int                            `json:"pin"`
	Prefix    string                         `json:"prefix"`
	USD       float64                        `json:"usd"`
	Today     string                         `json:"today"`
	Tools     map[string]map[string]any      `json:"tools"`
	Lock      map[string]platform.LockedTool `json:"lock"`
	Opens     []string                       `json:"opens"` // what the diagnostics of opening say; no calls then
	Calls     []planningCall                 `json:"calls"`
}

type planningCall struct {
	Version   int             `json:"version"` // 0: the call carries none
	Arguments json.RawMessage `json:"arguments"`
	Arrives   *arrival        `json:"arrives"` // nil: the server never sees the call
	Answer    json.RawMessage `json:"answer"`
	Refusal   map[string]any  `json:"refusal"` // members of the refusal; the reason is a beginning
	Failure   string          `json:"failure"` // class
	Verdict   string          `json:"verdict"`
	Source    string          `json:"source"`
	Semver    string          `json:"semver"`
	Versions  []int           `json:"versions"`
	Journal   []string        `json:"journal"` // level code source
	Says      string          `json:"says"`    // part of the journal's texts
	Notes     []string        `json:"notes"`
	Tried     []int           `json:"tried"`
	Received  string          `json:"received"` // structured content as it came
	Steps     [][]string      `json:"steps"`    // side, step, direction, before, after
}

type arrival struct {
	Arguments json.RawMessage `json:"arguments"`
	Version   int             `json:"version"` // in `_meta`; 0: `_meta` has none
	Key       string          `json:"key"`
}

const testTool = "iPL.place"

// world is a flow's folder with a provider over it.
type world struct {
	provider *Provider
	wire     string
	keys     meta.Keys
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// open writes the case's files and opens the platform over them.
func (c *planningCase) open(t *testing.T, dir string) (*platform.Platform, []flow.Diagnostic) {
	t.Helper()
	wire, as := filepath.Join(dir, "wire.log"), filepath.Join(dir, "server.json")
	write(t, as, c.Server)
	srv := map[string]any{"command": serverBinary, "args": []string{"-as", as, "-log", wire}}
	if c.Pin > 0 {
		srv["contract_version"] = c.Pin
	}
	file := map[string]any{"platform": 1, "servers": map[string]any{"srv": srv}}
	if c.Version > 0 {
		file["version"] = c.Version
	}
	tools := c.Tools
	if c.USD > 0 {
		tools = map[string]map[string]any{testTool: {"usd": c.USD}}
	}
	if tools != nil {
		file["tools"] = tools
	}
	names := map[string]string{}
	for v, list := range c.Contracts {
		names[v] = "contract-" + v + ".json"
		write(t, filepath.Join(dir, names[v]), list)
	}
	file["contracts"] = names
	write(t, filepath.Join(dir, "platform.json"), marshal(t, file))
	for i, r := range c.Rules {
		write(t, filepath.Join(dir, "rules", fmt.Sprintf("r%d.json", i)), r)
	}
	contracts := map[string]any{"platform": "platform.json"}
	if len(c.Rules) > 0 {
		contracts["rules"] = "rules/"
	}
	if c.Prefix != "" {
		contracts["prefix"] = c.Prefix
	}
	text := marshal(t, map[string]any{"version": 1, "id": "f", "agents": []any{map[string]any{"id": "a", "kind": "k"}}, "edges": []any{}, "contracts": contracts})
	f, diags := flow.Parse(filepath.Join(dir, "flow.json"), text, flow.Options{})
	if f == nil {
		t.Fatal(diags)
	}
	return platform.Open(f, dir)
}

func (c *planningCase) world(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	p, diags := c.open(t, dir)
	if p == nil {
		t.Fatal(diags)
	}
	today := c.Today
	if today == "" {
		today = "2026-03-01"
	}
	day, err := time.Parse(time.DateOnly, today)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{keys: p.Keys, wire: filepath.Join(dir, "wire.log")}
	w.provider = &Provider{Platform: p, Pool: mcpx.NewPool(p.Servers, secret.NewVault(nil)), Now: func() time.Time { return day }}
	if c.Lock != nil {
		w.provider.Lock = &platform.Lock{Form: 1, Tools: c.Lock}
	}
	t.Cleanup(func() {
		if err := w.provider.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// request is the call as the engine makes it.
func (w *world) request(call *planningCall) *trace.Request {
	text := fmt.Sprintf(`{"tool":%q,"arguments":%s`, testTool, call.Arguments)
	if call.Version > 0 {
		text += fmt.Sprintf(`,"_meta":{%q:%d}`, w.keys.Version, call.Version)
	}
	v, _, err := canon.ParseString(text+"}", canon.Options{Integers: canon.IntegersAccept})
	if err != nil {
		panic(err)
	}
	return trace.NewRequest(op, v)
}

// arrived lists the params of every tools/call that the server read, as they came over the wire.
func (w *world) arrived(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(w.wire)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(data)) {
		var m struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if text, ok := strings.CutPrefix(line, "read: "); ok && json.Unmarshal([]byte(text), &m) == nil && m.Method == "tools/call" {
			list = append(list, string(m.Params))
		}
	}
	return list
}

func TestPlanningThroughServer(t *testing.T) {
	files, err := filepath.Glob("testdata/planning/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	seen := map[int]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c planningCase
		dec := json.NewDecoder(strings.NewReader(string(data)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		seen[c.Case] = true
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json")+" "+c.About, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
	lines, err := os.ReadFile("../../../contract/translate/testdata/planning.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(\d+)\. `).FindAllStringSubmatch(string(lines), -1) {
		var n int
		if _, err := fmt.Sscan(m[1], &n); err != nil || !seen[n] {
			t.Errorf("planning.md has case %s, testdata/planning has not", m[1])
		}
	}
}

func (c *planningCase) run(t *testing.T) {
	if c.Opens != nil {
		p, diags := c.open(t, t.TempDir())
		for _, want := range c.Opens {
			if p != nil || !strings.Contains(fmt.Sprint(diags), want) {
				t.Errorf("diagnostics %v, expected %q", diags, want)
			}
		}
		return
	}
	w := c.world(t)
	if len(c.Calls) == 0 {
		t.Fatal("the case calls nothing")
	}
	var want []*arrival
	for i := range c.Calls {
		call := &c.Calls[i]
		req := w.request(call)
		a, err := w.provider.Do(context.Background(), effect.Call{Agent: "a", Step: i + 1, Request: req})
		call.check(t, c, req, a, err)
		if call.Arrives != nil {
			want = append(want, call.Arrives)
		}
	}
	got := w.arrived(t)
	if len(got) != len(want) {
		t.Fatalf("%d calls arrived at the server, expected %d: %s", len(got), len(want), got)
	}
	for i, params := range got {
		want[i].check(t, w.keys, params)
	}
}
