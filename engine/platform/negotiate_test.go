package platform

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"flowdbg/contract/meta"
	"flowdbg/engine/effect/mcpx"
)

func day(t *testing.T, s string) meta.Date {
	t.Helper()
	d, err := meta.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// flowWith opens a platform with these servers ("a", "b") and contracts.
func flowWith(t *testing.T, servers, contracts string, more ...string) *Platform {
	t.Helper()
	text := `-- flow.json --
{ "version": 1, "id": "f", "agents": [{ "id": "x", "kind": "k", "contract_version": 1 }, { "id": "y", "kind": "k" }], "edges": [], "mcpServers": {` + servers + `}` + contracts + ` }
` + strings.Join(more, "")
	p, diags, _ := openArchive(t, txtar.Parse([]byte(text)))
	if p == nil {
		t.Fatal(diags)
	}
	return p
}

func listing(tools ...string) *mcpx.Listing {
	l := &mcpx.Listing{Protocol: mcpx.Protocol, Name: "srv", Version: "9", Initialize: []byte(`{"_meta":{"x":9007199254740993}}`)}
	for _, t := range tools {
		l.Tools = append(l.Tools, json.RawMessage(t))
	}
	return l
}

func tool(name, meta string) string {
	return `{"name":"` + name + `","inputSchema":{"type":"object"},"_meta":{` + meta + `}}`
}

const (
	oneServer = `"a": { "command": "x" }`
	place13   = `"ai-norm.com/contract_versions":[2,3],"flowdbg/version":"1.3.1"`
)

// What was seen once is remembered: a tool that stops saying its version is taken at the highest one ever seen, a tool that
// is gone stays known.
func TestLockRemembers(t *testing.T) {
	p := flowWith(t, oneServer, "")
	lists := func(tools ...string) map[string]*mcpx.Listing {
		return map[string]*mcpx.Listing{"a": listing(tools...)}
	}
	first, journal, err := p.Locked(lists(tool("iPL.place", place13), tool("old", "")), nil, day(t, "2026-03-01"))
	if err != nil {
		t.Fatal(err)
	}
	got := first.Tools["iPL.place"]
	if got.LastKnown != 3 || !got.Listed || !slices.Equal(got.Versions, []int{2, 3}) || got.Version != "1.3.1" || got.LastSeen != "2026-03-01" {
		t.Errorf("%+v", got)
	}
	if old := first.Tools["old"]; old.LastKnown != 0 || old.Source != "platform_current" || len(journal) != 1 {
		t.Errorf("%+v %v", old, journal)
	}
	second, journal, err := p.Locked(lists(tool("iPL.place", "")), first, day(t, "2026-04-01"))
	if err != nil {
		t.Fatal(err)
	}
	got = second.Tools["iPL.place"]
	if got.LastKnown != 3 || got.Source != "last_known" || !got.Listed || !slices.Equal(got.Versions, []int{3}) {
		t.Errorf("%+v", got)
	}
	var codes []string
	for _, e := range journal {
		codes = append(codes, e.Code)
	}
	if !slices.Equal(codes, []string{"versions_vanished", "configuration_error"}) {
		t.Errorf("journal %v", journal)
	}
	if old := second.Tools["old"]; old.Servers != nil || old.LastSeen != "2026-03-01" {
		t.Errorf("a tool that is gone: %+v", old)
	}
	third, _, err := p.Locked(lists(tool("iPL.place", `"ai-norm.com/contract_versions":[2]`)), second, day(t, "2026-05-01"))
	if err != nil || third.Tools["iPL.place"].LastKnown != 3 {
		t.Errorf("%v %+v", err, third.Tools["iPL.place"])
	}
}

func TestLockFile(t *testing.T) {
	p := flowWith(t, oneServer, "")
	lock, _, err := p.Locked(map[string]*mcpx.Listing{"a": listing(tool("t", `"k":9007199254740993,"s":"<&>"`))}, nil, day(t, "2026-03-01"))
	if err != nil {
		t.Fatal(err)
	}
	path := LockPath(filepath.Join(t.TempDir(), "my.flow.json"))
	if filepath.Base(filepath.Dir(path)) != "my.flow.dbg" {
		t.Errorf("the lock lies at %s", path)
	}
	if l, err := ReadLock(path); l != nil || err != nil {
		t.Errorf("no lock: %v %v", l, err)
	}
	text, err := lock.Text()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := WriteLock(path, text); err != nil {
			t.Fatal(err)
		}
	}
	again, err := ReadLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := again.Text(); err != nil || string(second) != string(text) {
		t.Errorf("read and written again:\n%s\nwas\n%s", second, text)
	}
	// Numbers and texts are as the server spelt them.
	for _, want := range []string{"9007199254740993", `"<&>"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%v beside the lock: %v", files, err)
	}
	for bad, want := range map[string]string{`{"lock":2}`: "form 1", `{"lock":1,"tols":{}}`: "tols", `[]`: "cannot unmarshal"} {
		if err := WriteLock(path, []byte(bad)); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLock(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func writeLock(t *testing.T, p *Platform, path string, lists map[string]*mcpx.Listing) {
	t.Helper()
	lock, _, err := p.Locked(lists, nil, day(t, "2026-02-01"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := lock.Text()
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteLock(path, text); err != nil {
		t.Fatal(err)
	}
}

func TestNegotiate(t *testing.T) {
	const needs = `, "contracts": { "requires": { "iPL": ">= 1.2.0, < 2.0.0" } }`
	a := func(tools ...string) map[string]*mcpx.Listing {
		return map[string]*mcpx.Listing{"a": listing(tools...)}
	}
	cases := map[string]struct {
		servers, contracts string
		lists              map[string]*mcpx.Listing // nil: no lock
		today              string
		verdict            string
		ok                 bool
		says               string // somewhere in the negotiation
		more               []string
	}{
		"connects":         {oneServer, needs, a(tool("iPL.place", place13)), "", Connects, true, "1.2.0 \\u003c= 1.3.1 \\u003c 2.0.0", nil},
		"too old":          {oneServer, needs, a(tool("iPL.place", `"flowdbg/version":"1.1.0"`)), "", DoesNotConnect, false, "unmet", nil},
		"one of two":       {oneServer, needs, a(tool("iPL.place", place13), tool("iPL.route", `"flowdbg/version":"2.0.0"`)), "", DoesNotConnect, false, "iPL.route @ 2.0.0", nil},
		"no version":       {oneServer, needs, a(tool("iPL.place", ``)), "", DoesNotConnect, false, "not_comparable", nil},
		"not there":        {oneServer, needs, a(tool("iSTA.analyze", place13)), "", DoesNotConnect, false, "missing", nil},
		"no lock":          {oneServer, needs, nil, "", NotNegotiated, false, "--live --save", nil},
		"a new server":     {oneServer + `, "b": { "command": "y" }`, needs, a(tool("iPL.place", place13)), "", NotNegotiated, false, "the server b", nil},
		"nothing required": {oneServer, "", a(tool("iPL.place", place13)), "", NothingRequired, true, "", nil},
		"nothing at all":   {oneServer, "", nil, "", NothingRequired, true, "", nil},
		"last day":         {oneServer, needs, a(tool("iPL.place", place13+`,"ai-norm.com/sunset":"2026-03-01"`)), "2026-03-01", Connects, true, "sunset_announced", nil},
		"day after":        {oneServer, needs, a(tool("iPL.place", place13+`,"ai-norm.com/sunset":"2026-03-01"`)), "2026-03-02", DoesNotConnect, false, "tool_excluded", nil},
		"no way":           {oneServer, needs, a(tool("iPL.place", place13)), "", Connects, true, "step 1-\\u003e2 is missing", nil},
		"two have it": {oneServer + `, "b": { "command": "y" }`, needs, map[string]*mcpx.Listing{"a": listing(tool("iPL.place", place13)), "b": listing(tool("iPL.place", place13))}, "",
			Connects, true, "several servers list iPL.place", nil},
		"declared place": {oneServer + `, "b": { "command": "y" }`, `, "contracts": { "requires": { "iPL": ">= 1.2.0, < 2.0.0" }, "platform": "p.json" }`,
			map[string]*mcpx.Listing{"a": listing(tool("iPL.place", `"flowdbg/version":"1.0.0"`)), "b": listing(tool("iPL.place", place13))}, "", Connects, true, `"server":"b"`,
			[]string{"-- p.json --\n{ \"platform\": 1, \"tools\": { \"iPL.place\": { \"server\": \"b\" } } }\n"}},
		"declared version": {oneServer, `, "contracts": { "requires": { "iPL": ">= 1.2.0, < 2.0.0" }, "platform": "p.json" }`, a(tool("iPL.place", "")), "", Connects, true, "1.5.0",
			[]string{"-- p.json --\n{ \"platform\": 1, \"tools\": { \"iPL.place\": { \"version\": \"1.5.0\" } } }\n"}},
		"platform without lock": {oneServer, `, "contracts": { "platform": "p.json" }`, nil, "", NotNegotiated, false, "", []string{"-- p.json --\n{ \"platform\": 1 }\n"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := flowWith(t, c.servers, c.contracts, c.more...)
			if c.today == "" {
				c.today = "2026-03-01"
			}
			path := LockPath(filepath.Join(t.TempDir(), "flow.json"))
			if c.lists != nil {
				writeLock(t, p, path, c.lists)
			}
			n, err := p.Negotiate(path, day(t, c.today))
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(n)
			if err != nil {
				t.Fatal(err)
			}
			if n.Verdict != c.verdict || n.OK != c.ok || !strings.Contains(string(text), c.says) {
				t.Errorf("%s, expected %s and %q", text, c.verdict, c.says)
			}
			if (n.Lock != "") != (c.lists != nil) {
				t.Errorf("lock %q", n.Lock)
			}
		})
	}
}

// A lock whose servers have changed settings since is told as such; one that was made under another prefix too.
func TestStaleLock(t *testing.T) {
	before := flowWith(t, oneServer, "")
	lock, _, err := before.Locked(map[string]*mcpx.Listing{"a": listing()}, nil, day(t, "2026-02-01"))
	if err != nil {
		t.Fatal(err)
	}
	after := flowWith(t, `"a": { "command": "z" }`, `, "contracts": { "prefix": "my.org" }`)
	n, err := after.NegotiateWith(lock, day(t, "2026-02-01"))
	if err != nil || len(n.Warnings) != 2 {
		t.Errorf("%v %+v", err, n)
	}
}

// Capabilities that cannot be used are configuration errors, and versions that a tool takes as an argument are found.
func TestDescribeFindings(t *testing.T) {
	p := flowWith(t, oneServer, "")
	raw := `{"name":"t","inputSchema":{"type":"object","properties":{"contract_version":{"type":"integer"}}},"_meta":{"flowdbg/capability":{"tool_name":"t"},"ai-norm.com/contract_versions":[1]}}`
	l := listing(raw)
	l.Initialize = []byte(`{"_meta":5}`)
	d, err := p.Describe("a", l, "t", nil, day(t, "2026-02-01"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range d.Versions.Journal {
		all = append(all, string(e.Source)+": "+e.Text)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"initialize_meta: _meta of the answer", "never in arguments", "flowdbg/capability"} {
		if !strings.Contains(text, want) {
			t.Errorf("journal %s does not say %q", text, want)
		}
	}
	if _, err := p.Describe("a", l, "u", nil, meta.Date{}); err == nil {
		t.Error("a tool that is not listed was described")
	}
}
