package translate

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawSchema makes schemas of every keyword that is proven, and of some that are not, over a few names and small values.
func drawSchema(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]string{`true`, `false`, `{}`, `{"type":"string"}`, `{"type":["integer","null"]}`}).Draw(t, "schema")
	}
	var members []string
	add := func(chance int, key, text string) {
		if rapid.IntRange(0, chance).Draw(t, key) == 0 {
			members = append(members, fmt.Sprintf("%q:%s", key, text))
		}
	}
	number := func(label string) string {
		return rapid.SampledFrom([]string{"0", "1", "-1", "2", "0.5", "1e2", "1e40", "3.0"}).Draw(t, label)
	}
	small := func(label string) string { return fmt.Sprint(rapid.IntRange(0, 3).Draw(t, label)) }
	add(1, "type", rapid.SampledFrom([]string{`"object"`, `"object"`, `"number"`, `"integer"`, `"string"`, `"array"`, `["string","number"]`, `["integer","number"]`, `"null"`,
		`"boolean"`}).Draw(t, "types"))
	add(1, "properties", `{"a":`+drawSchema(t, depth-1)+`,"b":`+drawSchema(t, depth-1)+`}`)
	add(3, "additionalProperties", drawSchema(t, depth-1))
	add(3, "required", `["a"]`)
	add(3, "items", drawSchema(t, depth-1))
	for _, key := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		add(4, key, number(key+" value"))
	}
	for _, key := range []string{"minItems", "maxItems", "minLength", "maxLength"} {
		add(4, key, small(key+" value"))
	}
	add(6, "pattern", rapid.SampledFrom([]string{`"^x"`, `"é"`}).Draw(t, "regexp"))
	add(6, "enum", `["x","éx",1]`)
	add(8, "const", rapid.SampledFrom([]string{`"x"`, `1`, `{"a":1}`}).Draw(t, "only"))
	add(12, "minProperties", small("few"))
	add(12, "not", drawSchema(t, 0))
	add(12, "uniqueItems", "true")
	add(12, "multipleOf", "2")
	add(12, "patternProperties", `{"^a":{"type":"string"}}`)
	add(12, "dependentRequired", `{"a":["b"]}`)
	add(9, "description", `"of no weight"`)
	return "{" + strings.Join(members, ",") + "}"
}

func drawDoc(t *rapid.T, depth int) string {
	if depth > 0 {
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 0:
			var members []string
			for _, name := range []string{"a", "b", "c"} {
				if rapid.Bool().Draw(t, name) {
					members = append(members, fmt.Sprintf("%q:%s", name, drawDoc(t, depth-1)))
				}
			}
			return "{" + strings.Join(members, ",") + "}"
		case 1:
			elems := make([]string, rapid.IntRange(0, 3).Draw(t, "elements"))
			for i := range elems {
				elems[i] = drawDoc(t, depth-1)
			}
			return "[" + strings.Join(elems, ",") + "]"
		}
	}
	return rapid.SampledFrom([]string{`"x"`, `"éx"`, `""`, `"xxxx"`, `0`, `-0`, `1`, `1.0`, `0.5`, `-1`, `2.5`, `0.49999999999`, `100`, `1e2`, `99999999999999999999`, `1e-320`,
		`null`, `true`, `false`}).Draw(t, "scalar")
}

// What is proven to fit, fits: the validator has nothing against it. Over the run both happen, else nothing was shown.
func TestProofAgainstValidator(t *testing.T) {
	proven, left := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		schema, err := parseTree([]byte(drawSchema(t, 3)))
		if err != nil {
			t.Fatal(err)
		}
		s, err := compileSchema(schema)
		if err != nil {
			t.Fatalf("%s: %v", schema.append(nil), err)
		}
		p := newProof(s)
		for range 8 {
			doc, err := parseTree([]byte(drawDoc(t, 3)))
			if err != nil {
				t.Fatal(err)
			}
			bad := check(s, doc)
			if !p.fits(doc) {
				left++
				continue
			}
			proven++
			if bad != nil {
				t.Fatalf("%s is said to fit %s, but %v", doc.append(nil), schema.append(nil), bad)
			}
		}
	})
	if proven == 0 || left == 0 {
		t.Errorf("%d documents proven, %d left", proven, left)
	}
}

// A schema whose meaning needs a keyword that is not known here is left to the validator whole.
func TestUnknownKeywordsProveNothing(t *testing.T) {
	for _, text := range []string{
		`{"$ref":"#/$defs/x","$defs":{"x":{"type":"string"}}}`, `{"allOf":[{"type":"string"}]}`, `{"if":{},"then":false}`, `{"unevaluatedProperties":false}`,
		`{"prefixItems":[false]}`, `{"contains":{"type":"string"}}`, `{"propertyNames":{"maxLength":1}}`, `{"dependentSchemas":{"a":false}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[false]}`, `{"contentMediaType":"application/json","not":{}}`,
	} {
		schema, err := parseTree([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := compileSchema(schema)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range []string{`{}`, `[]`, `"x"`, `1`} {
			n, err := parseTree([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			if newProof(s).fits(n) {
				t.Errorf("%s is proven to fit %s", doc, text)
			}
		}
	}
}

// The example's calls are proven, so the four checks of a call cost next to nothing.
func TestProofOfUsualSchema(t *testing.T) {
	schema, err := parseTree([]byte(`{"type":"object","properties":{"design_ref":{"type":"string"},"density":{"type":"number","minimum":0,"maximum":1},
		"max_iterations":{"type":"integer","minimum":1}},"required":["design_ref"],"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := compileSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	for doc, want := range map[string]bool{
		`{"design_ref":"gcd@sky130","density":0.6,"max_iterations":100}`: true,
		`{"design_ref":"gcd@sky130","density":1.1}`:                      false,
		`{"design_ref":"gcd@sky130","max_iterations":0}`:                 false,
		`{"density":0.5}`:                  false,
		`{"design_ref":"x","density":"1"}`: false,
		`{"design_ref":"x","more":1}`:      false,
	} {
		n, err := parseTree([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if got := newProof(s).fits(n); got != want {
			t.Errorf("%s: %v", doc, got)
		}
	}
}
