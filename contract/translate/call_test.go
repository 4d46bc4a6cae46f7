package translate

import (
	"errors"
	"strings"
	"testing"

	"flowdbg/contract"
)

// typedWorld is a tool whose schemas are known: density 0…1 became density_target 0…0.9 (a rule that fits the names but
// not every value), and the result's r1 became r2.
func typedWorld(t *testing.T, native ...int) *world {
	c := NewCatalog()
	lists := map[int]string{
		1: `[{"name":"iPL.place","inputSchema":{"type":"object","properties":{"density":{"type":"number","maximum":1}},"additionalProperties":false},
			"outputSchema":{"type":"object","properties":{"r1":{"type":"integer"},"gone":{}},"required":["r1"]}}]`,
		2: `[{"name":"iPL.place","inputSchema":{"type":"object","properties":{"density_target":{"type":"number","maximum":0.9}},"additionalProperties":false},
			"outputSchema":{"type":"object","properties":{"r2":{"type":"integer"}},"required":["r2"]}}]`,
	}
	for v, list := range lists {
		if err := c.AddToolList(v, []byte(list)); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, native)
	rules := `{"rules":1,"steps":[{"from":1,"to":2,"tool":"iPL.place","input":[{"op":"rename","path":"/density","to":"density_target"}],
		"output":[{"op":"rename","path":"/r1","to":"r2"},{"op":"drop","path":"/gone"}]}]}`
	rs, err := Load([]Source{{"r.json", []byte(rules)}}, c)
	if err != nil {
		t.Fatal(err)
	}
	w.platform.Rules, w.platform.Catalog = rs, c
	return w
}

func TestArgumentsAreCheckedBeforeTranslation(t *testing.T) {
	w := typedWorld(t, 2)
	r := w.refused(1, `{"density":"high"}`, CodeInvalidArguments, ReasonInvalid)
	if r.Path != "/density" || !strings.Contains(r.Reason, "agent's version") {
		t.Errorf("%+v", r)
	}
	w.refused(1, `{"density_target":0.5}`, CodeInvalidArguments, ReasonInvalid) // a name of the newer version
	w.goesTo(1, `{"density":0.50}`, 2, `{"density_target":0.50}`)
}

func TestArgumentsAreCheckedAfterTranslation(t *testing.T) {
	r := typedWorld(t, 2).refused(1, `{"density":0.95}`, contract.CodeTranslationFailed, ReasonInvalid)
	if r.Path != "/density_target" || r.Direction != "input" || !strings.Contains(r.Reason, "after translation") {
		t.Errorf("%+v", r)
	}
}

func TestArgumentsOfEqualVersionsAreChecked(t *testing.T) {
	typedWorld(t, 1).refused(1, `{"density":2}`, CodeInvalidArguments, ReasonInvalid)
}

func TestResultsAreChecked(t *testing.T) {
	w := typedWorld(t, 2)
	pr := w.sent(1, `{}`)
	w.comesBack(pr, `{"structuredContent":{"r2":5}}`, `{"structuredContent":{"r1":5}}`)
	cases := map[string]string{
		`{"structuredContent":{"r2":"5"}}`:      "in the tool's own version before it",
		`{"structuredContent":{"r2":5,"r1":5}}`: ReasonTargetExists,
		`{"structuredContent":[]}`:              ReasonPathType,
		`[]`:                                    ReasonNotJSON,
		`{"structuredContent":{"r2":5}`:         ReasonNotJSON,
	}
	for raw, want := range cases {
		_, err := w.platform.Finish(pr, []byte(raw))
		r, ok := AsRefusal(err)
		if !ok || r.Code != contract.CodeTranslationFailed || !strings.Contains(r.Reason, want) {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}

func TestResultOfEqualVersionsIsOnlyWarnedAbout(t *testing.T) {
	w := typedWorld(t, 1)
	raw := `{"structuredContent":{"r1":"five"}}`
	out, err := w.platform.Finish(w.sent(1, `{}`), []byte(raw))
	if err != nil || string(out.Result) != raw || len(out.Journal) != 1 || out.Journal[0].Code != CodeInvalidResult {
		t.Errorf("%v %v", out, err)
	}
}

func TestResultWithoutStructure(t *testing.T) {
	w := typedWorld(t, 2)
	raw := `{"content":[{"type":"text","text":"done"}]}`
	out, err := w.platform.Finish(w.sent(1, `{}`), []byte(raw))
	if err != nil || string(out.Result) != raw || len(out.Notes) != 1 || out.Notes[0].Kind != NoteNoStructure {
		t.Errorf("%v %v", out, err)
	}
}

// A result whose older version requires what the way back leaves out can never be delivered, so the call is not sent.
func TestUndeliverableResultIsRefusedBeforeTheCall(t *testing.T) {
	w := typedWorld(t, 2)
	list := `[{"name":"iPL.place","outputSchema":{"type":"object","properties":{"r1":{},"gone":{}},"required":["r1","gone"]}}]`
	if err := w.platform.Catalog.AddToolList(1, []byte(list)); err != nil {
		t.Fatal(err)
	}
	r := w.refused(1, `{}`, contract.CodeToolOutdated, ReasonNotInvertible)
	if r.Path != "/gone" || r.Rule != "r.json/steps/0/output/1" || r.Direction != "output" {
		t.Errorf("%+v", r)
	}
}

func TestCapabilityIsAskedInTheToolsVersion(t *testing.T) {
	w := typedWorld(t, 2)
	var asked string
	w.platform.Capable = func(_ string, args []byte) *contract.Refusal {
		asked = string(args)
		return &contract.Refusal{Path: "/effort", Reason: "fidelity_levels"}
	}
	r := w.refused(1, `{"density":0.5}`, contract.CodeNotCapable, "fidelity_levels")
	if asked != `{"density_target":0.5}` || r.Path != "/effort" {
		t.Errorf("asked with %s: %+v", asked, r)
	}
}

func TestUnreadableCalls(t *testing.T) {
	w := newWorld(t, []int{2})
	for _, c := range []Call{
		{Arguments: []byte(`[1]`)}, {Arguments: []byte(`{"a":1,"a":2}`)}, {Meta: []byte(`"x"`)}, {Arguments: []byte(`{"a":1e999}`)},
	} {
		_, _, err := w.platform.Prepare(c, w.tool())
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%s %s: %v", c.Arguments, c.Meta, err)
		}
	}
	for _, c := range []Call{{}, {Arguments: []byte(`null`), Meta: []byte(`null`)}} {
		if _, _, err := w.platform.Prepare(c, w.tool()); err != nil {
			t.Errorf("an absent part: %v", err)
		}
	}
}

func TestBadSchemaIsARefusalNotAPass(t *testing.T) {
	w := typedWorld(t, 1)
	list := `[{"name":"iPL.place","inputSchema":{"$ref":"https://example.org/x.json"}}]`
	if err := w.platform.Catalog.AddToolList(1, []byte(list)); err != nil {
		t.Fatal(err)
	}
	r := w.refused(1, `{}`, CodeInvalidArguments, ReasonInvalid)
	if !strings.Contains(r.Reason, "only local $ref") {
		t.Errorf("%s", r.Reason)
	}
}

func TestVersionsFarApartCostNothing(t *testing.T) {
	rs, err := Load([]Source{{"r", []byte(`{"rules":1,"steps":[{"from":999999,"to":1000000,"tool":"*"}]}`)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = rs.Plan(Question{Tool: "t", Agent: 1, Native: []int{1_000_000}})
	if r, ok := AsRefusal(err); !ok || r.Reason != ReasonNoRule {
		t.Errorf("%v", err)
	}
	var none *RuleSet
	for agent, native := range map[int][]int{0: {1}, 1: nil, -3: {2}} {
		if _, err := none.Plan(Question{Tool: "t", Agent: agent, Native: native}); err == nil {
			t.Errorf("agent %d, native %v: a plan", agent, native)
		}
	}
}

func TestCapableBy(t *testing.T) {
	declared := &contract.ToolCapability{ToolName: testTool, SupportedScenarios: []string{"placement"}, FidelityLevels: []string{"quick"}}
	capable := CapableBy(func(tool string) *contract.ToolCapability {
		if tool == testTool {
			return declared
		}
		return nil
	}, nil)
	if r := capable(testTool, []byte(`{"design_ref":"gcd@sky130","effort":"quick"}`)); r != nil {
		t.Errorf("%v", r)
	}
	r := capable(testTool, []byte(`{"design_ref":"gcd@sky130","scenario_ref":"sta","effort":"exhaustive"}`))
	if r == nil || r.Path != "/scenario_ref" || !strings.Contains(r.Reason, "exhaustive") {
		t.Errorf("%v", r)
	}
	if r := capable(testTool, []byte(`{"design_ref":7}`)); r == nil {
		t.Error("arguments that are no request were taken")
	}
	if r := capable("undeclared", nil); r != nil {
		t.Errorf("%v", r)
	}
}
