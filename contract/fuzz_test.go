package contract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/trace/canon"
)

// FuzzValidate: no document makes validation fail or panic, every finding points into the document (a missing member: into
// the object that lacks it), and the answer does not depend on the order in which members are visited.
func FuzzValidate(f *testing.F) {
	names := TypeNames()
	files, _ := filepath.Glob("testdata/*/*/*.json")
	golden, _ := filepath.Glob("testdata/golden/*.json")
	for _, file := range append(files, golden...) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i, name := range names {
			if strings.Contains(file, "/"+name+"/") || strings.Contains(file, "/"+name+".") {
				f.Add(uint8(i), data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		typ := names[int(which)%len(names)]
		v, _, err := canon.Parse(data, canon.Options{})
		if err != nil {
			return
		}
		first, err := ValidateValue(typ, v)
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range first {
			parent := finding.Pointer
			if i := strings.LastIndexByte(parent, '/'); i >= 0 {
				parent = parent[:i]
			}
			if _, err := v.Pointer(parent); err != nil {
				t.Fatalf("%s: %v points nowhere: %v", typ, finding, err)
			}
		}
		second, err := ValidateValue(typ, v)
		if err != nil || len(first) != len(second) {
			t.Fatalf("%v\nthen %v, %v", first, second, err)
		}
		for i := range first {
			if first[i] != second[i] {
				t.Fatalf("%v\nthen %v", first[i], second[i])
			}
		}
	})
}

// FuzzRegister: a schema of a foreign tool is taken or refused, whatever it holds.
func FuzzRegister(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`, `{"design_ref":"a@b","a":"x"}`)
	f.Add(`{"$id":"https://example.com/s","properties":{"a":{"$ref":"s#/properties/b"},"b":{}}}`, `{"a":1}`)
	f.Add(`{"$ref":"#"}`, `{}`)
	f.Add(`{"allOf":[{"$ref":"#"}]}`, `{}`)
	f.Add(`{"additionalProperties":{"type":"number"}}`, `{"x":"y"}`)
	f.Fuzz(func(t *testing.T, schema, doc string) {
		r := NewRegistry()
		if err := r.RegisterRequest("X", Schema(schema)); err != nil {
			return
		}
		if _, err := r.TypeSchema("X"); err != nil {
			t.Fatal(err)
		}
		v, _, err := canon.ParseString(doc, canon.Options{})
		if err != nil {
			return
		}
		if _, err := r.ValidateValue("X", v); err != nil {
			t.Fatal(err)
		}
	})
}
