package meta

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestInteger(t *testing.T) {
	good := map[string]any{
		"float 2": 2.0, "number 2": json.Number("2"), "number 2.0": json.Number("2.0"), "number 2e0": json.Number("2e0"),
		"number 20e-1": json.Number("20e-1"), "int": 2, "int64": int64(2),
	}
	for name, v := range good {
		if n, err := Integer(v); err != nil || n != 2 {
			t.Errorf("%s: got %d, %v; want 2", name, n, err)
		}
	}
	bad := map[string]any{
		"2.5": 2.5, "number 2.5": json.Number("2.5"), "text": "2", "negative": -1.0, "zero": 0.0, "number -0": json.Number("-0"),
		"bool": true, "null": nil, "list": []any{2.0}, "object": map[string]any{}, "NaN": math.NaN(), "infinite": math.Inf(1),
		"huge": 1e300, "number 1e400": json.Number("1e400"), "tiny": json.Number("1e-999999999"), "int 0": 0, "int64 -3": int64(-3),
		"nearly 2": json.Number("2.0000000000000000001"),
	}
	for name, v := range bad {
		if n, err := Integer(v); err == nil {
			t.Errorf("%s: got %d, want an error", name, n)
		}
	}
}

func TestKeyGrammar(t *testing.T) {
	cases := []struct {
		key, protocol string
		ok            bool
	}{
		{"ai-norm.com/contract_version", Protocol2506, true},
		{"ai-norm.com/contract_version", Protocol2511, true},
		{"ai-norm.com/contract_version", Protocol2607, true},
		{"contract_version", "", true},
		{"a.b/", "", true},
		{"-norm.com/x", "", false},
		{"ai-.com/x", "", false},
		{"1a.com/x", "", false},
		{"a..b/x", "", false},
		{"/x", "", false},
		{"a.com/_x", "", false},
		{"a.com/x_", "", false},
		{"a.com/x/y", "", false},
		{"a.com/x y", "", false},
		{"-norm.com/x", Protocol2503, true}, // no grammar yet
		{"-norm.com/x", Protocol2024, true},
		{"com.mcp.tools/x", "", false},
		{"dev.mcp/x", Protocol2511, false},
		{"com.example.mcp/x", Protocol2511, true},
		{"mcp.dev/x", Protocol2511, true},
		{"mcp.dev/x", Protocol2506, false},
		{"api.modelcontextprotocol.org/x", Protocol2506, false},
		{"dev.mcp/x", Protocol2506, true}, // the last label
	}
	for _, c := range cases {
		if err := CheckKey(c.key, c.protocol); (err == nil) != c.ok {
			t.Errorf("%s in %q: %v, want ok %v", c.key, c.protocol, err, c.ok)
		}
	}
}

func TestNewKeys(t *testing.T) {
	k, err := NewKeys("tools.example.org/", "")
	if err != nil || k.Versions != "tools.example.org/contract_versions" || k.Sunset != "tools.example.org/sunset" {
		t.Errorf("%+v, %v", k, err)
	}
	for _, bad := range []string{"", "/", "io.mcp", "a b", "x/y"} {
		if _, err := NewKeys(bad, ""); err == nil {
			t.Errorf("prefix %q was accepted", bad)
		}
	}
}

// codes lists a journal as "level code source".
func codes(entries []Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Level+" "+e.Code+" "+string(e.Source))
	}
	return out
}

func TestResolve(t *testing.T) {
	k := DefaultKeys()
	list := func(vs ...any) map[string]any { return map[string]any{k.Versions: vs} }
	one := func(v any) map[string]any { return map[string]any{k.Version: v} }
	const config = "error configuration_error "
	cases := []struct {
		name    string
		sources Sources
		want    []int
		source  Origin
		journal []string
		text    string // part of the first entry
	}{
		{"the tool's list", Sources{Tool: list(2.0, 3.0), Pinned: 1}, []int{2, 3}, SourceTool, nil, ""},
		{"empty list (planning 8)", Sources{Tool: list(), Initialize: one(2.0)}, []int{2}, SourceInitialize, []string{config + "tool_meta"}, "empty"},
		{"bad element (9)", Sources{Tool: list(2.0, "3"), Pinned: 1}, []int{1}, SourcePinned, []string{config + "tool_meta"}, "element 1"},
		{"repetition (10)", Sources{Tool: list(3.0, 2.0, 2.0)}, []int{2, 3}, SourceTool, []string{"warning duplicate_version tool_meta"}, ""},
		{"zero (11)", Sources{Tool: list(0.0), Pinned: 1}, []int{1}, SourcePinned, []string{config + "tool_meta"}, ""},
		{"negative (11)", Sources{Tool: list(2.0, -1.0), Pinned: 1}, []int{1}, SourcePinned, []string{config + "tool_meta"}, ""},
		{"a number where a list belongs", Sources{Tool: map[string]any{k.Versions: 2.0}, Pinned: 1}, []int{1}, SourcePinned, []string{config + "tool_meta"}, "want a list"},
		{"initialize (12)", Sources{Initialize: one(json.Number("2.0"))}, []int{2}, SourceInitialize, nil, ""},
		{"bad initialize", Sources{Initialize: one("2"), Pinned: 1}, []int{1}, SourcePinned, []string{config + "initialize_meta"}, ""},
		{"pinned (13)", Sources{Pinned: 1, LastKnown: 3}, []int{1}, SourcePinned, nil, ""},
		{"bad pin", Sources{Pinned: -1, LastKnown: 3}, []int{3}, SourceLastKnown, []string{config + "pinned", config + "last_known"}, ""},
		{"last known (14)", Sources{LastKnown: 3, Current: 4}, []int{3}, SourceLastKnown, []string{config + "last_known"}, "last known"},
		{"never seen", Sources{Current: 4}, []int{4}, SourceCurrent, []string{config + "platform_current"}, ""},
		{"nothing at all", Sources{}, nil, SourceCurrent, []string{config + "platform_current"}, ""},
		{"disagree (15)", Sources{Tool: list(2.0), Initialize: one(3.0)}, []int{2}, SourceTool, []string{"warning versions_disagree initialize_meta"}, ""},
		{"agree", Sources{Tool: list(2.0, 3.0), Initialize: one(3.0)}, []int{2, 3}, SourceTool, nil, ""},
		{"vanished", Sources{Listed: true, Initialize: one(2.0)}, []int{2}, SourceInitialize, []string{"warning versions_vanished tool_meta"}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := Resolve(k, "iPL.place", c.sources)
			if !slices.Equal(r.Versions, c.want) || r.Source != c.source {
				t.Errorf("got %v from %s, want %v from %s", r.Versions, r.Source, c.want, c.source)
			}
			if got := codes(r.Journal); !slices.Equal(got, c.journal) {
				t.Errorf("journal %q, want %q", got, c.journal)
			}
			if c.text != "" && !strings.Contains(r.Journal[0].Text, c.text) {
				t.Errorf("%q does not say %q", r.Journal[0].Text, c.text)
			}
		})
	}
}

func TestSunset(t *testing.T) {
	k := DefaultKeys()
	today, err := ParseDate("2026-03-01")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		value    any
		excluded bool
		date     string
		codes    []string
	}{
		{"2026-02-28", true, "2026-02-28", []string{"warning tool_excluded tool_meta"}},
		{"2026-03-01", false, "2026-03-01", []string{"warning sunset_announced tool_meta"}},
		{"2026-03-02", false, "2026-03-02", []string{"warning sunset_announced tool_meta"}},
		{"2026-02-30", false, "", []string{"error configuration_error tool_meta"}},
		{"2026-03-01T00:00:00Z", false, "", []string{"error configuration_error tool_meta"}},
		{"2026-3-1", false, "", []string{"error configuration_error tool_meta"}},
		{"", false, "", []string{"error configuration_error tool_meta"}},
		{20260301.0, false, "", []string{"error configuration_error tool_meta"}},
		{nil, false, "", []string{"error configuration_error tool_meta"}},
	}
	for _, c := range cases {
		s, entries := ReadSunset(k, "t", map[string]any{k.Sunset: c.value}, today)
		if s.Excluded != c.excluded || s.Date.String() != c.date || !slices.Equal(codes(entries), c.codes) {
			t.Errorf("%v: %+v %q", c.value, s, codes(entries))
		}
	}
	if s, entries := ReadSunset(k, "t", map[string]any{}, today); s.Excluded || !s.Date.IsZero() || entries != nil {
		t.Errorf("no sunset: %+v %v", s, entries)
	}
	if s, _ := ReadSunset(k, "t", map[string]any{k.Sunset: "2020-01-01"}, Date{}); s.Excluded {
		t.Error("excluded without a day to judge by")
	}
}

// The ends of the calendar are days like any other.
func TestSunsetFarAway(t *testing.T) {
	k := DefaultKeys()
	today, err := ParseDate("2026-06-29")
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[any]string{
		"2026-06-30":          "the tool is served until 2026-06-30, 1 more day",
		"9999-12-31":          "the tool is served until 9999-12-31, 2912263 more days",
		"0001-01-01":          "the sunset 0001-01-01 has passed: the tool is excluded since 0001-01-02",
		"0000-12-31":          `ai-norm.com/sunset: "0000-12-31" is no calendar date: want YYYY-MM-DD; the tool is served`,
		"2100-02-29":          `ai-norm.com/sunset: "2100-02-29" is no calendar date: want YYYY-MM-DD; the tool is served`,
		json.Number("202606"): "ai-norm.com/sunset: want a date YYYY-MM-DD, not the number 202606; the tool is served",
	} {
		_, entries := ReadSunset(k, "t", map[string]any{k.Sunset: value}, today)
		if len(entries) != 1 || entries[0].Text != want {
			t.Errorf("%v: %+v, want %q", value, entries, want)
		}
	}
	list := map[string]any{k.Sunset: []any{"2026-06-30"}}
	if s, entries := ReadSunset(k, "t", list, today); !s.Date.IsZero() || !strings.Contains(entries[0].Text, "not a list;") {
		t.Errorf("a list: %+v %+v", s, entries)
	}
}

func TestDateOfIsUTC(t *testing.T) {
	zone := time.FixedZone("east", 9*3600)
	if got := DateOf(time.Date(2026, 3, 2, 3, 0, 0, 0, zone)).String(); got != "2026-03-01" {
		t.Errorf("got %s", got)
	}
	a, _ := ParseDate("2026-02-28")
	b, _ := ParseDate("2026-03-02")
	if a.DaysUntil(b) != 2 || b.DaysUntil(a) != -2 {
		t.Errorf("%d %d", a.DaysUntil(b), b.DaysUntil(a))
	}
}

func TestCallVersion(t *testing.T) {
	k := DefaultKeys()
	if v, e := CallVersion(k, "t", map[string]any{k.Version: 2.0}); v != 2 || e != nil {
		t.Errorf("%d %v", v, e)
	}
	if v, e := CallVersion(k, "t", nil); v != 0 || codes(e)[0] != "warning call_without_version call_meta" {
		t.Errorf("%d %v", v, e)
	}
	if v, e := CallVersion(k, "t", map[string]any{k.Version: "2"}); v != 0 || codes(e)[0] != "error configuration_error call_meta" {
		t.Errorf("%d %v", v, e)
	}
}

func TestArgumentKey(t *testing.T) {
	k := DefaultKeys()
	for _, name := range []string{"contract_version", "contract_versions", k.Version, k.Versions} {
		if got := ArgumentKey(k, slices.Values([]string{"density", name})); got != name {
			t.Errorf("%s was not found", name)
		}
		if SchemaFinding(k, "t", slices.Values([]string{name})) == nil {
			t.Errorf("%s in a schema is no finding", name)
		}
	}
	if got := ArgumentKey(k, slices.Values([]string{"contract_version_note", "other.com/contract_version"})); got != "" {
		t.Errorf("%q was taken for a version", got)
	}
}

func TestParse(t *testing.T) {
	m, err := Parse([]byte(`{"ai-norm.com/contract_version":2.0}`))
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := CallVersion(DefaultKeys(), "t", m); v != 2 {
		t.Errorf("got %d", v)
	}
	for _, bad := range []string{`[]`, `{"a":1,"a":2}`, `{`, `{} x`} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	for _, none := range []string{"", "null", " "} {
		if m, err := Parse([]byte(none)); m != nil || err != nil {
			t.Errorf("%q: %v, %v", none, m, err)
		}
	}
}
