package typed

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func events(t testing.TB, text string) []trace.Event {
	t.Helper()
	tr, err := trace.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr.Events
}

func sent(t testing.TB, payload string) trace.Event {
	t.Helper()
	return trace.Event{Type: trace.SendEvent, Step: 1, Agent: "a", Port: "out", Message: trace.NewMessage("a", "t", parse(t, payload))}
}

const (
	proposalText = `{"id":"p1","intent_ref":"intent:x","expected_delta":` + deltaText + `,"expected_metrics":{"fmax":"+5%"},"parent_snap":"main"}`
	deltaText    = `{"moved_cells":[],"resized_cells":[],"new_nets":[],"timing_changes":[],"drc_changes":[],"summary":{"cells_affected":0,"nets_affected":0,"area_delta":0}}`
	timingText   = `{"wns":-0.1,"tns":-1,"critical_paths":[],"clock_domains":{}}`
	certText     = `{"id":"c1","proposal_id":"p1","gate_result":{"verdict":"PASS","checks":[]},"pareto_position":{"rank":0,"front_size":1,"candidates":1,"crowding":null,"objectives":[]},"regret":0,"signed_by":"E/v1.0.0","signed_at":"2026-01-31T12:00:00Z"}`
)

func describe(items []Item) string {
	var parts []string
	for _, it := range items {
		parts = append(parts, fmt.Sprintf("%s %s %s", it.Kind, it.Pointer, it.Of))
	}
	return strings.Join(parts, "; ")
}

func TestByFields(t *testing.T) {
	for _, c := range []struct{ payload, want string }{
		{proposalText, "Proposal /message/payload p1"},
		{deltaText, "DesignDelta /message/payload "},
		{certText, "Certificate /message/payload p1"},
		{timingText, "TimingReport /message/payload "},
		{`{"value":7,"elapsed_ms":3}`, "ToolResult /message/payload "},
		{`{"value":` + timingText + `,"elapsed_ms":3}`, "STAResult /message/payload ; TimingReport /message/payload/value "},
		{`{"candidates":[{"id":"a","metrics":{}}]}`, "CandidateSet /message/payload "},
		{`{"candidates":[{"id":"a"}]}`, ""},
		{`{"candidates":[]}`, ""},
		{`{"candidates":7}`, ""},
		{`{"proposal_id":"p9","result":{"value":1,"elapsed_ms":1},"delta":` + deltaText + `}`, "DesignDelta /message/payload/delta p9; ToolResult /message/payload/result p9"},
		{`[{"a/b":{"~":` + deltaText + `}}]`, "DesignDelta /message/payload/0/a~1b/~0 "},
		{`{"design_ref":"a@b"}`, ""},                        // one field is too little to tell a request by
		{`{"value":1,"elapsed_ms":1,` + timingText[1:], ""}, // two types fit: no answer
		{`"intent_ref"`, ""},
		{`{"id":"p1","intent_ref":"intent:x"}`, ""},
		{strings.Repeat(`[`, 9) + deltaText + strings.Repeat(`]`, 9), ""}, // too deep
	} {
		e := sent(t, c.payload)
		got := Recognise(4, &e)
		if d := describe(got); d != c.want {
			t.Errorf("%.80s\n  got  %s\n  want %s", c.payload, d, c.want)
		}
		for _, it := range got {
			if it.Event != 4 || it.Agent != "a" || it.Step != 1 || !strings.HasPrefix(it.How, "fields: ") {
				t.Errorf("%+v", it)
			}
		}
	}
}

// Every shape has the required fields of its type, so that a change of the contract is seen here.
func TestShapesAreTheContracts(t *testing.T) {
	if n := len(shapes()); n != 7 {
		t.Fatalf("%d shapes: a name is no type of the contract", n)
	}
	for _, s := range shapes() {
		found := false
		for _, f := range s.fields {
			found = found || f == s.key
		}
		if !found || len(s.fields) == 0 {
			t.Errorf("%s has no required field %q: %v", s.kind, s.key, s.fields)
		}
	}
	if _, err := contract.Members(string(STAResult)); err != nil {
		t.Error(err)
	}
}

func TestByPlace(t *testing.T) {
	for _, c := range []struct{ event, want string }{
		{`{"type":"effect","step":2,"agent":"e","request":{"op":"judge","input":{"candidates":{"candidates":[]},"rules":{},"id":"x"}},"response":{"certificate":` + certText + `},"usage":{}}`,
			"CandidateSet /effect/input/candidates ; Certificate /response/certificate p1"},
		{`{"type":"effect","step":2,"agent":"e","request":{"op":"judge","input":{"candidates":[],"rules":{},"id":"x"}},"response":{"refusal":"no"},"usage":{}}`,
			"CandidateSet /effect/input/candidates ; Refusal /response x"},
		{`{"type":"effect","step":2,"agent":"e","request":{"op":"tool","input":{"tool":"iPL.place","arguments":{"design_ref":"a@b","proposal_id":"p3"}}},"response":{"structuredContent":{"value":{"hpwl":3,"delta":` + deltaText + `},"elapsed_ms":1}},"usage":{}}`,
			"ToolRequest /effect/input/arguments p3; ToolResult /response/structuredContent p3; DesignDelta /response/structuredContent/value/delta p3"},
		{`{"type":"effect","step":2,"agent":"e","request":{"op":"tool","input":{"tool":"iSTA.analyze","arguments":{}}},"response":{"structuredContent":{"value":` + timingText + `}},"usage":{}}`,
			"ToolRequest /effect/input/arguments ; STAResult /response/structuredContent ; TimingReport /response/structuredContent/value "},
		{`{"type":"effect","step":2,"agent":"e","request":{"op":"tool","input":{"tool":"x","proposal_id":"p2","arguments":{}}},"response":{"isError":true,"structuredContent":{"code":"not_capable","reason":"too large"}},"usage":{}}`,
			"ToolRequest /effect/input/arguments p2; Refusal /response p2"},
		{`{"type":"effect","step":2,"agent":"e","request":{"op":"llm","input":{"messages":[]}},"response":{"text":"","json":` + proposalText + `},"usage":{}}`,
			"Proposal /response/json p1"},
		{`{"type":"receive","step":1,"agent":"e","message":{"tag":"t","payload":` + proposalText + `}}`, "Proposal /message/payload p1"},
		{`{"type":"receive","step":1,"agent":"e","message":{"tag":"t","from":"b","payload":` + proposalText + `}}`, ""},
		{`{"type":"act","step":1,"agent":"e","state":` + proposalText + `,"send":[]}`, ""},
	} {
		list := events(t, "["+c.event+"]")
		if got := describe(Recognise(0, &list[0])); got != c.want {
			t.Errorf("%.100s\n  got  %s\n  want %s", c.event, got, c.want)
		}
	}
}

func exploration(t testing.TB) []trace.Event {
	t.Helper()
	data, err := os.ReadFile("../../examples/exploration/trace.json")
	if err != nil {
		t.Fatal(err)
	}
	return events(t, string(data))
}

// As of every position: candidates appear with their proposal, get metrics, a certificate and a rank, and are gone again
// when one steps back. One index for all positions says what a fresh one says.
func TestAsOfAPosition(t *testing.T) {
	list := exploration(t)
	var x Index
	for !x.Advance(trace.MemLog(list), 7) {
	}
	seen := map[int]string{}
	summary := func(ex *Exploration) string {
		var b strings.Builder
		for _, c := range ex.Candidates {
			rank := "-"
			if c.Rank != nil {
				rank = fmt.Sprint(*c.Rank)
			}
			fmt.Fprintf(&b, "%s %s %s %d; ", c.ID, c.Status, rank, len(c.Items))
		}
		return b.String()
	}
	last, judged := 0, 0
	for pos := range len(list) + 1 {
		ex := x.At(pos, Options{})
		seen[pos] = summary(ex)
		if len(ex.Candidates) < last {
			t.Fatalf("at %d a candidate is gone", pos)
		}
		last = len(ex.Candidates)
		if n := len(ex.History); n < judged {
			t.Fatalf("at %d the history is shorter", pos)
		} else {
			judged = n
		}
	}
	if last != 10 || judged != 10 || seen[0] != "" {
		t.Fatalf("%d candidates, %d judged at the end; %q at the start", last, judged, seen[0])
	}
	for pos := len(list); pos >= 0; pos -= 3 {
		if got := summary(x.At(pos, Options{})); got != seen[pos] {
			t.Fatalf("stepping back to %d: %s, before %s", pos, got, seen[pos])
		}
		var fresh Index
		fresh.Advance(trace.MemLog(list[:pos]), 0)
		if got := summary(fresh.At(pos, Options{})); got != seen[pos] {
			t.Fatalf("a fresh index at %d: %s, expected %s", pos, got, seen[pos])
		}
	}
}

// The rank shown is recounted; the certificate keeps the one it was signed with.
func TestRecountBesideTheCertificate(t *testing.T) {
	list := exploration(t)
	var x Index
	x.Advance(trace.MemLog(list), 0)
	ex := x.At(len(list), Options{})
	differ := 0
	for _, c := range ex.Candidates {
		if c.Status != Judged {
			t.Errorf("%s is %s", c.ID, c.Status)
		}
		if p := c.Certificate.ParetoPosition.Rank; (p == nil) != (c.Rank == nil) || p != nil && int(*p) != *c.Rank {
			differ++
		}
		if g := c.Goals[0]; c.ID == "gcd.heap.s1" && (g.Outcome != contract.GoalUndecidable || g.Reason != "the parent snapshot was not measured") ||
			c.ID == "gcd.heap.s4" && (g.Outcome != contract.GoalMet || *g.Before != 628 || *g.After != 600) {
			t.Errorf("%s: %+v", c.ID, g)
		}
	}
	if differ == 0 {
		t.Error("no certificate was overtaken: the test shows nothing")
	}
	by := []judge.Objective{{Objective: contract.Objective{Metric: "wirelen", Direction: contract.LowerIsBetter}}}
	if got := x.At(len(list), Options{By: by}); len(got.Ranking.Objectives) != 1 || len(got.Ranking.Front) != 1 {
		t.Errorf("by another objective: %+v", got.Ranking)
	}
	if again := x.At(len(list), Options{}); len(again.Ranking.Objectives) != 3 {
		t.Error("the objectives of the flow come back")
	}
}

// Faults and lacks are told, and nothing is ranked by guesses.
func TestWhatIsNotKnown(t *testing.T) {
	effect := func(input, response string) string {
		return `{"type":"effect","step":1,"agent":"e","request":{"op":"judge","input":` + input + `},"response":` + response + `,"usage":{}}`
	}
	for name, c := range map[string]struct {
		events []string
		check  func(*Exploration) bool
	}{
		"no objectives": {[]string{effect(`{"candidates":{"candidates":[{"id":"a","metrics":{"strange":1}}]}}`, `{"refusal":"no rules"}`)}, func(ex *Exploration) bool {
			return ex.Ranking == nil && strings.Contains(ex.Notes[0], "nothing to rank by") && ex.Candidates[0].Metrics["strange"] == 1
		}},
		"known directions": {[]string{effect(`{"candidates":{"candidates":[{"id":"a","metrics":{"hpwl":1,"fmax":2}},{"id":"b","metrics":{"hpwl":2}}]}}`, `{"refusal":"no rules"}`)}, func(ex *Exploration) bool {
			return len(ex.Ranking.Objectives) == 1 && *ex.Candidates[1].Rank == 1
		}},
		"unreadable candidates": {[]string{effect(`{"candidates":{"candidates":[{"id":"a","nonsense":1}]},"rules":{}}`, `{"refusal":"x"}`)}, func(ex *Exploration) bool {
			return len(ex.Candidates) == 0 && strings.Contains(ex.Notes[0], "event 0 cannot be read")
		}},
		"unreadable rules": {[]string{effect(`{"candidates":{"candidates":[{"id":"a","metrics":{"hpwl":1}}]},"rules":[]}`, `{"refusal":"x"}`)}, func(ex *Exploration) bool {
			return ex.Ranking == nil && strings.Contains(ex.Notes[0], "rules of the last request")
		}},
		"a run that failed": {[]string{effect(`{"candidates":{"candidates":[{"id":"a","status":"killed","metrics":{"hpwl":1}}]},"rules":{"rules":[],"objectives":[{"metric":"hpwl"}]}}`, `{"refusal":"x"}`)}, func(ex *Exploration) bool {
			return ex.Candidates[0].Status == Failed && strings.Contains(ex.Candidates[0].Why, "killed") && ex.Candidates[0].Rank == nil
		}},
		"as text": {[]string{effect(`{"candidates":"{\"candidates\":[{\"id\":\"a\",\"metrics\":{\"hpwl\":1}}]}","rules":"{\"rules\":[],\"objectives\":[{\"metric\":\"hpwl\"}]}"}`, `{"refusal":"x"}`)}, func(ex *Exploration) bool {
			return len(ex.Candidates) == 1 && ex.Candidates[0].Metrics["hpwl"] == 1
		}},
		"left out later": {[]string{
			effect(`{"candidates":[{"id":"a","metrics":{"hpwl":1}}],"rules":{"rules":[],"objectives":[{"metric":"hpwl"}]}}`, `{}`),
			effect(`{"candidates":[{"id":"b","metrics":{"hpwl":2}}],"rules":{"rules":[],"objectives":[{"metric":"hpwl"}]}}`, `{}`)}, func(ex *Exploration) bool {
			return len(ex.Candidates) == 2 && ex.Candidates[0].ID == "a" && ex.History[1].Event == 1
		}},
		"a refused tool": {[]string{
			`{"type":"effect","step":1,"agent":"e","request":{"op":"tool","input":{"tool":"x","arguments":{"proposal_id":"p"}}},"response":{"isError":true,"content":[{"type":"text","text":"killed"}]},"usage":{}}`}, func(ex *Exploration) bool {
			return ex.Candidates[0].Status == Failed && ex.Candidates[0].Why == "killed"
		}},
		"a tool's numbers": {[]string{
			`{"type":"effect","step":1,"agent":"e","request":{"op":"tool","input":{"tool":"x","arguments":{"proposal_id":"p"}}},"response":{"structuredContent":{"value":{"hpwl":7,"name":"n"},"elapsed_ms":1}},"usage":{}}`}, func(ex *Exploration) bool {
			return ex.Candidates[0].Status == Measured && len(ex.Candidates[0].Metrics) == 1 && ex.Candidates[0].Metrics["hpwl"] == 7
		}},
	} {
		t.Run(name, func(t *testing.T) {
			list := events(t, "["+strings.Join(c.events, ",")+"]")
			var x Index
			x.Advance(trace.MemLog(list), 0)
			ex := x.At(len(list), Options{})
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%v: %+v", p, ex)
				}
			}()
			if !c.check(ex) {
				t.Errorf("%+v", ex)
			}
		})
	}
}

// FuzzRecognise: whatever a trace holds, it is looked at without a fault.
func FuzzRecognise(f *testing.F) {
	for _, s := range []string{proposalText, deltaText, certText, `{"candidates":[{"id":"a","metrics":{}}]}`, `{"value":` + timingText + `,"elapsed_ms":3}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, _, err := canon.Parse([]byte(text), canon.Options{})
		if err != nil {
			return
		}
		list := []trace.Event{{Type: trace.SendEvent, Agent: "a", Message: trace.NewMessage("a", "t", v)},
			{Type: trace.EffectEvent, Agent: "a", Effect: trace.NewRequest("judge", v), Response: v},
			{Type: trace.EffectEvent, Agent: "a", Effect: trace.NewRequest("tool", v), Response: v}}
		var x Index
		x.Advance(trace.MemLog(list), 0)
		x.At(3, Options{})
	})
}

func BenchmarkAdvance(b *testing.B) {
	list := exploration(b)
	b.ReportAllocs()
	for b.Loop() {
		var x Index
		x.Advance(trace.MemLog(list), 0)
	}
}

// BenchmarkAt gathers ten candidates at a position that is not kept.
func BenchmarkAt(b *testing.B) {
	list := exploration(b)
	var x Index
	x.Advance(trace.MemLog(list), 0)
	b.ReportAllocs()
	for b.Loop() {
		x.cached = nil
		x.At(len(list), Options{})
	}
}
