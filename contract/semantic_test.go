package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConsistency: rules that no schema can express, errors and warnings.
func TestConsistency(t *testing.T) {
	var cases []struct {
		Name, Type string
		Want       []string // `severity pointer rule`
		Document   json.RawMessage
	}
	if err := json.Unmarshal(readJSON(t, "testdata/consistency/cases.json"), &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			findings, err := Validate(c.Type, c.Document)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, f := range findings {
				got = append(got, f.Severity+" "+f.Pointer+" "+f.Rule)
			}
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Fatalf("%s%v", diff, findings)
			}
		})
	}
}

const routeSchema = `{
	"$schema": "http://json-schema.org/draft-07/schema#",
	"type": "object",
	"properties": {"layers": {"$ref": "#/definitions/layers"}, "guides": {"type": "boolean"}},
	"required": ["layers"],
	"additionalProperties": false,
	"definitions": {"layers": {"type": "array", "items": {"type": "string"}, "minItems": 1}}
}`

func TestRegisterRequest(t *testing.T) {
	r := NewRegistry()
	if err := r.RegisterRequest("RouteRequest", Schema(routeSchema)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		doc  string
		want []string
	}{
		"both kinds of fields": {`{"design_ref":"a@b","effort":"quick","layers":["m1"],"guides":true}`, nil},
		"own field missing":    {`{"design_ref":"a@b"}`, []string{"/layers required"}},
		"standard field wrong": {`{"design_ref":"a","layers":["m1"]}`, []string{"/design_ref pattern"}},
		"unknown":              {`{"design_ref":"a@b","layers":["m1"],"layer":1}`, []string{"/layer unknown"}},
		"unknown among errors": {`{"design_ref":"a","layers":[],"zzz":1}`, []string{"/design_ref pattern", "/layers minItems", "/zzz unknown"}},
		"semantic":             {`{"design_ref":"a@b","layers":["m1"],"dirty_hint":{"snap":"main","cells":["b","a"]}}`, []string{"/dirty_hint/cells/1 order"}},
	} {
		t.Run(name, func(t *testing.T) {
			findings, err := r.Validate("RouteRequest", []byte(c.doc))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings {
				got = append(got, f.Pointer+" "+f.Rule)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Fatalf("%s%v", diff, findings)
			}
		})
	}
	if err := r.RegisterRequest("RouteRequest", Schema(`{}`)); err == nil {
		t.Error("a name was taken twice")
	}
	if _, err := Validate("RouteRequest", []byte(`{}`)); err == nil {
		t.Error("an extension leaked into the contract's own types")
	}
}

func TestRegisterOpenSchemas(t *testing.T) {
	r := NewRegistry()
	for name, schema := range map[string]string{
		"Any": `true`, "Open": `{"additionalProperties":true}`, "Numbers": `{"additionalProperties":{"type":"number"}}`,
		"Pattern": `{"patternProperties":{"^w_":{"type":"number"}},"additionalProperties":false}`, "iPL/place v2": `{"properties":{"w":{}}}`,
	} {
		if err := r.RegisterRequest(name, Schema(schema)); err != nil {
			t.Fatal(name, err)
		}
	}
	for _, c := range []struct {
		typ, doc string
		valid    bool
	}{
		{"Any", `{"design_ref":"a@b","w":"x"}`, true},
		{"Any", `{"w":"x"}`, false},
		{"Open", `{"design_ref":"a@b","w":"x"}`, true},
		{"Numbers", `{"design_ref":"a@b","w":1}`, true},
		{"Numbers", `{"design_ref":"a@b","w":"x"}`, false},
		{"Pattern", `{"design_ref":"a@b","w_1":1}`, true},
		{"Pattern", `{"design_ref":"a@b","v_1":1}`, false},
		{"iPL/place v2", `{"design_ref":"a@b","w":1}`, true},
		{"iPL/place v2", `{"design_ref":"a@b","v":1}`, false},
	} {
		findings, err := r.Validate(c.typ, []byte(c.doc))
		if err != nil || findings.Valid() != c.valid {
			t.Errorf("%s %s: %v %v", c.typ, c.doc, findings, err)
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"remote reference": {`{"$ref":"https://example.com/x.json"}`, "must be complete in itself"},
		"file":             {`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "must be complete in itself"},
		"not an object":    {`{"type":"array"}`, "parameters are an object"},
		"broken":           {`{"type":"thing"}`, "schema of X"},
		"not JSON":         {`{`, "schema of X"},
		"dangling":         {`{"$ref":"#/$defs/none"}`, "schema of X"},
		"a number":         {`5`, "schema of X"},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewRegistry()
			if err := r.RegisterRequest("X", Schema(c.schema)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatal(err)
			}
			if err := r.RegisterRequest("X", Schema(`{}`)); err != nil {
				t.Fatal("a refused schema left its name behind:", err)
			}
		})
	}
}

func TestRegisterResult(t *testing.T) {
	r := NewRegistry()
	if err := r.RegisterResult("RouteResult", Schema(`{"type":"object","required":["wirelength"],"properties":{"wirelength":{"type":"number"}}}`)); err != nil {
		t.Fatal(err)
	}
	for doc, want := range map[string]string{
		`{"value":{"wirelength":1},"elapsed_ms":0}`:              "",
		`{"value":{"wirelength":"1"},"elapsed_ms":0}`:            "/value/wirelength type",
		`{"value":{},"elapsed_ms":-1}`:                           "/elapsed_ms minimum, /value/wirelength required",
		`{"value":{"wirelength":1},"elapsed_ms":0,"vias":12}`:    "/vias unknown",
		`{"value":{"wirelength":1},"elapsed_ms":0,"coverage":2}`: "/coverage maximum",
	} {
		findings, err := r.Validate("RouteResult", []byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range findings {
			got = append(got, f.Pointer+" "+f.Rule)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %v", doc, findings)
		}
	}
}

// TestTypeSchemaStandsAlone: what `schema TYPE` prints validates the same documents without the rest of the file.
func TestTypeSchemaStandsAlone(t *testing.T) {
	r := NewRegistry()
	if err := r.RegisterRequest("RouteRequest", Schema(routeSchema)); err != nil {
		t.Fatal(err)
	}
	for _, name := range r.TypeNames() {
		t.Run(name, func(t *testing.T) {
			schema, err := r.TypeSchema(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckSchema(schema); err != nil {
				t.Fatal(err)
			}
			alone := NewRegistry()
			alone.docs["urn:alone"] = schema.ToGo()
			compiled, err := alone.compile("urn:alone")
			if err != nil {
				t.Fatal(err)
			}
			if name == "RouteRequest" {
				for doc, ok := range map[string]bool{`{"design_ref":"a@b","layers":["m1"]}`: true, `{"design_ref":"a@b","layers":[]}`: false} {
					if err := compiled.Validate(parse(t, doc)); (err == nil) != ok {
						t.Fatal(doc, err)
					}
				}
				return
			}
			if err := compiled.Validate(parse(t, string(readJSON(t, "testdata/golden/"+name+".json")))); err != nil {
				t.Fatal(err)
			}
		})
	}
	if _, err := r.TypeSchema("Nothing"); err == nil {
		t.Error("a schema of no type")
	}
}

func parse(t testing.TB, doc string) any {
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	r := NewRegistry()
	done := make(chan error)
	for range 4 {
		go func() {
			var last error
			for _, name := range r.TypeNames() {
				_, last = r.Validate(name, []byte(`{"x":[1]}`))
			}
			done <- last
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A sign in a value is shown as it is written.
func TestFindingShowsTheValue(t *testing.T) {
	findings, err := Validate("MetricGoal", []byte(`"<= 5%"`))
	if err != nil || len(findings) != 1 || !strings.Contains(findings[0].Message, `is "<= 5%"; must be`) {
		t.Errorf("%+v, %v", findings, err)
	}
}
