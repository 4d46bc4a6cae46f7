package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"flowdbg/trace/canon"

	"github.com/google/go-cmp/cmp"
)

// goTypes pairs every object type of the schema with its Go type.
var goTypes = map[string]any{
	"CostBudget": CostBudget{}, "Position": Position{}, "BBox": BBox{}, "DirtySet": DirtySet{}, "DirtySetRef": DirtySetRef{},
	"ToolRequest": ToolRequest{}, "PlaceRequest": PlaceRequest{}, "Provenance": Provenance{}, "ToolResult": ToolResult{},
	"STAResult": STAResult{}, "TimingReport": TimingReport{}, "Path": Path{}, "ClockSummary": ClockSummary{},
	"Proposal": Proposal{}, "DesignDelta": DesignDelta{}, "DeltaSummary": DeltaSummary{}, "CellMove": CellMove{},
	"CellResize": CellResize{}, "NetChange": NetChange{}, "Slack": Slack{}, "TimingDelta": TimingDelta{}, "DRCDelta": DRCDelta{},
	"CellPlace": CellPlace{}, "CellUnplace": CellUnplace{}, "CellAdd": CellAdd{}, "CellRemove": CellRemove{}, "CellRename": CellRename{},
	"Certificate": Certificate{}, "RegretDetail": RegretDetail{}, "GateJudgment": GateJudgment{}, "GateCheck": GateCheck{},
	"ParetoRank": ParetoRank{}, "Objective": Objective{}, "ToolCapability": ToolCapability{},
	"InputConstraints": InputConstraints{}, "PerformanceProfile": PerformanceProfile{},
	"DesignRef": DesignRef(""), "IntentRef": IntentRef(""), "ScenarioRef": ScenarioRef(""), "SnapshotRef": SnapshotRef(""),
	"ResolvedSnapshot": SnapshotRef(""), "Hash": Hash(""), "Timestamp": Timestamp(""), "SemVer": "", "StableId": StableID(""),
	"MetricGoal": MetricGoal(""), "Schema": Schema{}, "Ratio": 0.0, "Count": int64(0), "Name": "",
}

func embeddedDefs(t testing.TB) map[string]any {
	t.Helper()
	return mustTree(schemaText).(map[string]any)["$defs"].(map[string]any)
}

// fieldsOf lists the JSON names of a struct; true = optional.
func fieldsOf(typ reflect.Type) map[string]bool {
	fields := map[string]bool{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			for name, optional := range fieldsOf(f.Type) {
				fields[name] = optional
			}
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[name] = strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	}
	return fields
}

// TestSchemaMatchesGoTypes compares names and optionality both ways: neither side may know a field that the other does not.
func TestSchemaMatchesGoTypes(t *testing.T) {
	docs := map[string]any{SchemaURL: mustTree(schemaText)}
	for name := range embeddedDefs(t) {
		t.Run(name, func(t *testing.T) {
			value, ok := goTypes[name]
			if !ok {
				t.Fatal("no Go type")
			}
			typ := reflect.TypeOf(value)
			if typ.Kind() != reflect.Struct || name == "DirtySetRef" {
				return
			}
			fields := fieldsOf(typ)
			known := declared(docs, SchemaURL+"#/$defs/"+name)
			for member := range known.names {
				if _, ok := fields[member]; !ok {
					t.Errorf("the schema's %q is no field of %s", member, typ)
				}
			}
			required := map[string]bool{}
			for _, member := range requiredOf(docs, name) {
				required[member] = true
			}
			for field, optional := range fields {
				if !known.has(field) {
					t.Errorf("field %q is not in the schema", field)
				}
				if optional == required[field] {
					t.Errorf("%q: optional in Go %v, required by the schema %v", field, optional, required[field])
				}
			}
		})
	}
	for name := range goTypes {
		if _, ok := embeddedDefs(t)[name]; !ok {
			t.Errorf("%s is not in the schema", name)
		}
	}
	for name := range rules {
		if _, ok := embeddedDefs(t)[name]; !ok {
			t.Errorf("a rule is kept for %s, which is no type", name)
		}
	}
}

func requiredOf(docs map[string]any, name string) []string {
	schema := lookup(docs, SchemaURL+"#/$defs/"+name).(map[string]any)
	var names []string
	list, _ := schema["required"].([]any)
	for _, r := range list {
		names = append(names, r.(string))
	}
	branches, _ := schema["allOf"].([]any)
	for _, branch := range branches {
		base, _ := refName(branch)
		names = append(names, requiredOf(docs, base)...)
	}
	return names
}

func TestEmbeddedSchemaIsASchema(t *testing.T) {
	v, _, err := canon.Parse(schemaText, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckSchema(v); err != nil {
		t.Fatal(err)
	}
}

func readJSON(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestGolden: every golden document is valid without a warning, every type has one, and what the Go type makes of it is the
// same canonical document.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), ".json")
		name, _, _ := strings.Cut(base, ".")
		seen[name] = true
		t.Run(base, func(t *testing.T) {
			data := readJSON(t, file)
			findings, err := Validate(name, data)
			if err != nil || len(findings) > 0 {
				t.Fatal(findings, err)
			}
			before, _, err := canon.Parse(data, canon.Options{})
			if err != nil {
				t.Fatal(err)
			}
			target := reflect.New(reflect.TypeOf(goTypes[name]))
			if err := json.Unmarshal([]byte(before.Text()), target.Interface()); err != nil {
				t.Fatal(err)
			}
			after, err := canon.FromGo(goValue(t, target.Interface()))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(withoutEmpty(before), withoutEmpty(after)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
	for name := range embeddedDefs(t) {
		if !seen[name] {
			t.Errorf("no golden document of %s", name)
		}
	}
}

func goValue(t testing.TB, v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// withoutEmpty drops what Go may drop: an optional empty list, and supported_techs null.
func withoutEmpty(v canon.Value) any {
	object, ok := v.ToGo().(map[string]any)
	if !ok {
		return v.ToGo()
	}
	for _, name := range []string{"warnings", "not_measured"} {
		if list, ok := object[name].([]any); ok && len(list) == 0 {
			delete(object, name)
		}
	}
	if constraints, ok := object["input_constraints"].(map[string]any); ok && constraints["supported_techs"] == nil {
		delete(constraints, "supported_techs")
	}
	return object
}

// TestInvalid: one document per field of every type, with exactly the errors that the table says.
func TestInvalid(t *testing.T) {
	covered := map[string]bool{}
	for line := range strings.Lines(string(readJSON(t, "testdata/invalid/table.txt"))) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
		covered[name] = true
		t.Run(name, func(t *testing.T) {
			typ, _, _ := strings.Cut(name, "/")
			findings, err := Validate(typ, readJSON(t, "testdata/invalid/"+name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings {
				if f.Severity == SeverityError {
					got = append(got, fmt.Sprintf("%s %s", map[bool]string{true: "-", false: f.Pointer}[f.Pointer == ""], f.Rule))
				}
				if f.Message == "" {
					t.Errorf("no message: %+v", f)
				}
			}
			if strings.Join(got, ", ") != want {
				t.Fatalf("got  %s\nwant %s\n%v", strings.Join(got, ", "), want, findings)
			}
			if findings.Valid() || findings.Err() == nil {
				t.Fatal("an invalid document counts as valid")
			}
		})
	}
	docs := map[string]any{SchemaURL: mustTree(schemaText)}
	for typ := range embeddedDefs(t) {
		known := declared(docs, SchemaURL+"#/$defs/"+typ).names
		if len(known) == 0 || typ == "DirtySetRef" {
			known = map[string]any{"value": true}
		}
		for field := range known {
			if !covered[typ+"/"+field] {
				t.Errorf("no invalid document for %s/%s", typ, field)
			}
		}
	}
}

// TestAllErrorsAtOnce: nothing stops at the first error, and the order is that of the pointers.
func TestAllErrorsAtOnce(t *testing.T) {
	doc := `{"design_ref":"a@b@c","effort":"","max_iterations":-1,"timing_weight":2,"desnity_target":0.5,"budget":{"usd":-1,"wall":3},
		"dirty_hint":{"snap":"main","cells":["b","a","7"],"bbox":{"x_min":2,"y_min":0,"x_max":1,"y_max":0}}}`
	findings, err := Validate("PlaceRequest", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range findings {
		got = append(got, f.Pointer+" "+f.Rule)
	}
	want := []string{
		"/budget/usd minimum", "/budget/wall unknown", "/design_ref pattern", "/desnity_target unknown",
		"/dirty_hint/bbox/x_max order", "/dirty_hint/cells/1 order", "/dirty_hint/cells/2 order", "/dirty_hint/cells/2 pattern",
		"/effort minLength", "/max_iterations minimum", "/timing_weight maximum",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if i := slices.IndexFunc(findings, func(f Finding) bool { return f.Pointer == "/desnity_target" }); !strings.Contains(findings[i].Message, `did you mean "density_target"?`) {
		t.Error(findings[i].Message)
	}
	if lines := strings.Count(findings.Err().Error(), "\n") + 1; lines != len(want) {
		t.Errorf("the error has %d lines", lines)
	}
}

func TestStrictJSON(t *testing.T) {
	for name, doc := range map[string]string{
		"duplicate key": `{"design_ref":"a@b","design_ref":"c@d"}`,
		"trailing data": `{"design_ref":"a@b"} {}`,
		"big integer":   `{"design_ref":"a@b","budget":{"tokens":9007199254740993}}`,
		"not JSON":      `{design_ref: "a@b"}`,
		"nothing":       ``,
	} {
		t.Run(name, func(t *testing.T) {
			if findings, err := Validate("ToolRequest", []byte(doc)); err == nil {
				t.Fatal("accepted", findings)
			}
		})
	}
	if _, err := Validate("NoSuchType", []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "NoSuchType") {
		t.Fatal(err)
	}
}

func BenchmarkValidateRequest(b *testing.B) {
	data := readJSON(b, "testdata/golden/PlaceRequest.json")
	r := NewRegistry()
	b.ReportAllocs()
	for b.Loop() {
		if findings, err := r.Validate("PlaceRequest", data); err != nil || len(findings) > 0 {
			b.Fatal(findings, err)
		}
	}
}
