package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"flowdbg/trace/canon"
)

// withMessages is a flow whose member "messages" is the given text.
func withMessages(t testing.TB, messages string) *Flow {
	t.Helper()
	return mustParse(t, `{"version": 1, "id": "f", "agents": [{"id": "a", "kind": "k"}], "edges": [], "messages": `+messages+`}`)
}

func parseValue(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCheckMessageWording(t *testing.T) {
	for _, c := range []struct{ schema, payload, want string }{
		{`true`, `1`, ""},
		{`false`, `1`, ": is not allowed at all"},
		{`{"type": "string"}`, `"x"`, ""},
		{`{"type": "string"}`, `1`, ": is number, not string"},
		{`{"type": ["string", "null"]}`, `{}`, ": is object, not null or string"},
		{`{"type": "integer"}`, `2.0`, ""},
		{`{"enum": [1, "two", null]}`, `{"a": [1]}`, `: is {"a":[1]}, not one of [1,"two",null]`},
		{`{"const": {"a": 1.0}}`, `{"a": 1}`, ""},
		{`{"const": {"a": 1}}`, `[]`, `: is [], not {"a":1}`},
		{`{"minLength": 2, "maxLength": 1}`, `"日"`, ": has 1 characters, fewer than 2"},
		{`{"maxLength": 1}`, `"日本"`, ": has 2 characters, more than 1"},
		{`{"pattern": "^a+$"}`, `"b\n"`, `: is "b\n", which does not match "^a+$"`},
		{`{"minimum": 0, "maximum": -1}`, `-0.5`, ": is -0.5, less than 0; : is -0.5, more than -1"},
		{`{"exclusiveMinimum": 1e21, "exclusiveMaximum": 5}`, `5`, ": is 5, not less than 5; : is 5, not more than 1e+21"},
		{`{"multipleOf": 0.01}`, `0.07`, ""},
		{`{"multipleOf": 0.01}`, `0.075`, ": is 0.075, no multiple of 0.01"},
		{`{"minItems": 2, "items": {"type": "number"}}`, `["x"]`, ": has 1 items, fewer than 2; /0: is string, not number"},
		{`{"maxItems": 0}`, `[1]`, ": has 1 items, more than 0"},
		{`{"uniqueItems": true}`, `[1, 2, 1.0]`, ": has equal items at 0 and 2"},
		{`{"contains": {"type": "null"}}`, `[1]`, ": has no item that fits contains"},
		{`{"required": ["b", "a"]}`, `{}`, `: lacks "a", "b"`},
		{`{"additionalProperties": false}`, `{"z": 1, "a": 2, "m": 3}`, `: has members that are not allowed: "a", "m", "z"`},
		{`{"unevaluatedProperties": false}`, `{"z": 1, "a": 2}`, `/a: is not allowed at all; /z: is not allowed at all`},
		{`{"propertyNames": {"pattern": "^x"}}`, `{"y": 1}`, `: has a member whose name is not allowed: "y"`},
		{`{"minProperties": 1}`, `{}`, ": has 0 members, fewer than 1"},
		{`{"maxProperties": 0}`, `{"a": 1}`, ": has 1 members, more than 0"},
		{`{"dependentRequired": {"a": ["c", "b"]}}`, `{"a": 1}`, `: has "a" but lacks "b", "c"`},
		{`{"not": {"type": "null"}}`, `null`, ": fits the schema that it must not fit"},
		{`{"anyOf": [{"type": "null"}, {"required": ["x"]}]}`, `{}`, `: fits none of the alternatives in anyOf (is object, not null; lacks "x")`},
		{`{"oneOf": [{"type": "null"}, {"properties": {"a": {"type": "string"}}}]}`, `{"a": 1}`,
			`: fits none of the alternatives in oneOf (is object, not null; /a is number, not string)`},
		{`{"oneOf": [{"minimum": 0}, {"maximum": 9}]}`, `5`, ": fits more than one of the alternatives in oneOf: 0, 1"},
		{`{"allOf": [{"required": ["x"]}, {"type": "array"}]}`, `{}`, `: is object, not array; : lacks "x"`},
		{`{"$ref": "#/$defs/s", "$defs": {"s": {"type": "string"}}}`, `1`, ": is number, not string"},
		{`{"properties": {"a/b": {"properties": {"~": {"type": "null"}}}}}`, `{"a/b": {"~": 1}}`, "/a~1b/~0: is number, not null"},
		{`{"$ref": "#"}`, `1`, ": cannot be checked: the schema refers to itself without going deeper"},
	} {
		f := withMessages(t, `{"t": {"schema": `+c.schema+`}}`)
		var got []string
		list, policy := f.CheckMessage("t", parseValue(t, c.payload))
		for _, p := range list {
			got = append(got, p.Pointer+": "+p.Why)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.schema, c.payload, diff)
		}
		if policy != PolicyWarn {
			t.Errorf("policy %q", policy)
		}
	}
}

// TestCheckMessageIsStable matters because the texts get into recorded events: Go's maps must not show through.
func TestCheckMessageIsStable(t *testing.T) {
	schema := `{"additionalProperties": false, "required": ["r1", "r2"], "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}},
		"patternProperties": {"^b": {"minimum": 5}, "b$": {"maximum": 0}}}`
	payload := `{"a": 1, "b": 2, "c": 3, "q": 1, "w": 2, "e": 3, "r": 4}`
	first := ""
	for i := range 50 {
		list, _ := withMessages(t, `{"t": `+schema+`}`).CheckMessage("t", parseValue(t, payload))
		if i == 0 {
			first = fmt.Sprint(list)
		}
		if got := fmt.Sprint(list); got != first {
			t.Fatalf("run %d:\n%s\n%s", i, first, got)
		}
	}
}

func TestMessageRules(t *testing.T) {
	f := withMessages(t, `{
		"bare": {"type": "string"},
		"wrapped": {"schema": {"type": "string"}, "policy": "error"},
		"default": {"schema": {"type": "string"}, "policy": null},
		"any": true,
		"off": null}`)
	var got []string
	for _, m := range f.Messages {
		got = append(got, m.Tag+" "+string(m.Policy)+" "+m.Schema.Text())
	}
	want := []string{`bare warn {"type":"string"}`, `wrapped error {"type":"string"}`, `default warn {"type":"string"}`, `any warn true`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	for tag, want := range map[string]Policy{"bare": PolicyWarn, "wrapped": PolicyError} {
		if list, policy := f.CheckMessage(tag, canon.Int(1)); len(list) != 1 || policy != want {
			t.Errorf("%s: %v %q", tag, list, policy)
		}
		if list, policy := f.CheckMessage(tag, canon.String("x")); len(list) != 0 || policy != want {
			t.Errorf("%s: %v %q", tag, list, policy)
		}
	}
	for _, tag := range []string{"off", "unheard of"} {
		if list, policy := f.CheckMessage(tag, canon.Int(1)); list != nil || policy != "" {
			t.Errorf("%s: %v %q", tag, list, policy)
		}
	}
}
