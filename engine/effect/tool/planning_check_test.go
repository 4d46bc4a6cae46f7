package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"flowdbg/contract/meta"
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// check holds the bytes that the server read against what must arrive: arguments without a version, and `_meta` with it.
func (a *arrival) check(t *testing.T, keys meta.Keys, params string) {
	t.Helper()
	key := a.Key
	if key == "" {
		key = keys.Version
	}
	v := parse(t, params)
	if got := v.Get("arguments"); got != parse(t, string(a.Arguments)) {
		t.Errorf("arguments %s arrived, expected %s", got, a.Arguments)
	}
	if v.Get("name").Text() != `"`+testTool+`"` {
		t.Errorf("the call was for %s", v.Get("name"))
	}
	m := v.Get("_meta")
	if got := m.Get(key); a.Version == 0 && !got.IsAbsent() || a.Version > 0 && got.Text() != fmt.Sprint(a.Version) {
		t.Errorf("_meta %s arrived, expected version %d", m, a.Version)
	}
	for name := range m.Members() {
		if name != key {
			t.Errorf("_meta carries %s too", name)
		}
	}
}

func parse(t *testing.T, text string) canon.Value {
	t.Helper()
	v, _, err := canon.ParseString(text, canon.Options{Integers: canon.IntegersAccept})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func (call *planningCall) check(t *testing.T, c *planningCase, req *trace.Request, a effect.Answer, err error) {
	t.Helper()
	if call.Failure != "" {
		var f *effect.Failure
		if !errors.As(err, &f) || f.Class != call.Failure {
			t.Errorf("got %v, expected a failure of class %s", err, call.Failure)
		}
		return
	}
	if err != nil {
		var f *effect.Failure
		if errors.As(err, &f) {
			t.Fatalf("%v %s", err, f.Side)
		}
		t.Fatal(err)
	}
	ev := trace.Event{Type: trace.EffectEvent, Step: 1, Agent: "a", Effect: req, Response: a.Output, Usage: a.Usage, Side: a.Side}
	d, ok := CallDetails(&ev)
	if !ok {
		t.Fatalf("no details in %s", a.Side)
	}
	call.checkAnswer(t, c, a, d)
	// The record is written member by member; it is what encoding/json would make of the type.
	recorded := a.Side.Get(SideKey)
	var again Details
	if err := json.Unmarshal([]byte(recorded.Text()), &again); err != nil || parse(t, string(marshal(t, again))) != recorded {
		t.Errorf("%v: %s is not %s", err, recorded, marshal(t, again))
	}
	call.checkDetails(t, d)
	if d.Today == "" || d.Server != "srv" || d.Tool != testTool || d.AgentVersion != call.Version {
		t.Errorf("details %+v", d)
	}
}

func (call *planningCall) checkAnswer(t *testing.T, c *planningCase, a effect.Answer, d *Details) {
	t.Helper()
	wantUSD := 0.0
	if call.Arrives != nil {
		wantUSD = c.USD
	}
	if a.Usage != (trace.Usage{USD: wantUSD}) || d.USD != wantUSD {
		t.Errorf("usage %+v, expected %v dollars", a.Usage, wantUSD)
	}
	if call.Refusal == nil {
		if a.Output != parse(t, string(call.Answer)) {
			t.Errorf("answer %s, expected %s", a.Output, call.Answer)
		}
		return
	}
	if a.Output.Get("isError") != canon.True || d.Refusal == nil || a.Output.Get("content").At(0).Get("type").Text() != `"text"` {
		t.Fatalf("%s is no refusal", a.Output)
	}
	got := a.Output.Get("structuredContent")
	for key, want := range call.Refusal {
		text := got.Get(key).Text()
		if s, ok := want.(string); ok && key == "reason" {
			if said, _ := got.Get(key).Str(); !strings.HasPrefix(said, s) {
				t.Errorf("the reason is %q, expected %q…", said, s)
			}
		} else if v, err := canon.FromGo(want); err != nil || text != v.Text() {
			t.Errorf("%s of the refusal is %s, expected %v", key, text, want)
		}
	}
	if d.Verdict() != got.Get("code").ToGo() {
		t.Errorf("verdict %s", d.Verdict())
	}
}

func (call *planningCall) checkDetails(t *testing.T, d *Details) {
	t.Helper()
	same := func(what, got, want string) {
		t.Helper()
		if want != "" && got != want {
			t.Errorf("%s is %q, expected %q", what, got, want)
		}
	}
	same("verdict", d.Verdict(), call.Verdict)
	same("source", d.Source, call.Source)
	same("semver", d.Semver, call.Semver)
	if call.Versions != nil && !slices.Equal(d.ToolVersions, call.Versions) {
		t.Errorf("the tool implements %v, expected %v", d.ToolVersions, call.Versions)
	}
	var journal, texts []string
	for _, e := range d.Journal {
		journal, texts = append(journal, e.Level+" "+e.Code+" "+string(e.Source)), append(texts, e.Text)
	}
	if call.Journal != nil && !slices.Equal(journal, call.Journal) {
		t.Errorf("journal %q, expected %q", journal, call.Journal)
	}
	if !strings.Contains(strings.Join(texts, "\n"), call.Says) {
		t.Errorf("journal %q does not say %q", texts, call.Says)
	}
	var notes []string
	for _, n := range d.Notes {
		if n.Kind != "not_checked" {
			notes = append(notes, n.String())
		}
	}
	if call.Notes != nil && !slices.Equal(notes, call.Notes) {
		t.Errorf("notes %q, expected %q", notes, call.Notes)
	}
	var tried []int
	for _, x := range d.Tried {
		tried = append(tried, x.Version)
	}
	if call.Tried != nil && !slices.Equal(tried, call.Tried) {
		t.Errorf("tried %v, expected %v", tried, call.Tried)
	}
	if call.Received != "" && member(d.Received, "structuredContent") != call.Received {
		t.Errorf("received %s, expected %s", d.Received, call.Received)
	}
	for i, want := range call.Steps {
		if i >= len(d.Steps) {
			t.Fatalf("%d steps, expected %d", len(d.Steps), len(call.Steps))
		}
		s := d.Steps[i]
		if got := []string{s.Side, s.Step, s.Dir, s.Before, s.After}; !slices.Equal(got, want) {
			t.Errorf("step %d is %q, expected %q", i, got, want)
		}
	}
}
