package translate

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestSchemaSteps carries schemas through operations: one case a line of testdata/schema_steps.json. A problem with "!" is
// fatal.
func TestSchemaSteps(t *testing.T) {
	type fields struct {
		Name     string          `json:"n"`
		Side     Side            `json:"side"`
		Ops      json.RawMessage `json:"ops"`
		Schema   json.RawMessage `json:"schema"`
		Want     json.RawMessage `json:"want"`
		Problems []string        `json:"problems"`
	}
	for _, c := range readCases[fields](t, "testdata/schema_steps.json") {
		t.Run(c.Name, func(t *testing.T) {
			ops, err := ParseOps(c.Ops)
			if err != nil {
				t.Fatal(err)
			}
			got, problems := ApplyToSchema(ops, c.Side, c.Schema)
			if !Equal(got, c.Want) {
				t.Errorf("got  %s\nwant %s", got, c.Want)
			}
			var codes []string
			for _, p := range problems {
				code := p.Code
				if p.Fatal {
					code += "!"
				}
				codes = append(codes, code)
			}
			if !slices.Equal(codes, c.Problems) {
				t.Errorf("problems %v, want %v", problems, c.Problems)
			}
		})
	}
}

func TestSchemaThatIsNone(t *testing.T) {
	ops, err := ParseOps([]byte(`[{"op":"drop","path":"/a"}]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`3`, `{`, `"x"`, ``} {
		if _, problems := ApplyToSchema(ops, Input, []byte(text)); len(problems) != 1 || problems[0].Code != ProblemBadSchema || !problems[0].Fatal {
			t.Errorf("%q: %v", text, problems)
		}
	}
}
