package compat

import (
	"fmt"
	"strings"
	"testing"

	"flowdbg/contract/meta"
	"flowdbg/trace/canon"
)

// bigList makes a list of tools, each with some 25 fields over references, arrays and alternatives. Every tool of a later
// edition differs from the earlier one somewhere deep.
func bigList(tb testing.TB, tools, edition int) *ToolList {
	tb.Helper()
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range tools {
		if i > 0 {
			b.WriteByte(',')
		}
		var props strings.Builder
		for p := range 12 {
			fmt.Fprintf(&props, `,"p%d":{"type":["number","null"],"minimum":%d,"description":"field %d of tool %d"}`, p, p-edition, p, i)
		}
		fmt.Fprintf(&b, `{"name":"tool%03d","description":"does thing %d","inputSchema":{"type":"object","properties":{
			"kind":{"enum":["a","b","c"]},"cells":{"type":"array","items":{"$ref":"#/$defs/Cell"}},
			"mode":{"anyOf":[{"type":"string"},{"type":"object","properties":{"n":{"type":"integer","maximum":%d}},"required":["n"]}]}%s},
			"required":["kind","p0"],"additionalProperties":false,
			"$defs":{"Cell":{"type":"object","properties":{"id":{"type":"string"},"at":{"$ref":"#/$defs/Point"},"of":{"$ref":"#/$defs/Cell"}},"required":["id"]},
			"Point":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"]}}},
			"outputSchema":{"type":"object","properties":{"ok":{"type":"boolean"},"rows":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"number"}},"required":["k"]}}},"required":["ok"]},
			"_meta":{"ai-norm.com/contract_versions":[1]}}`, i, i, 10+edition, props.String())
	}
	b.WriteString(`]}`)
	l, err := ReadToolList(meta.DefaultKeys(), []byte(b.String()))
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// BenchmarkClassify200 grades 200 tools that all changed; the aim is 1 s.
func BenchmarkClassify200(b *testing.B) {
	old, new := bigList(b, 200, 0), bigList(b, 200, 1)
	b.ReportAllocs()
	for b.Loop() {
		if r := Classify(Change{Old: old, New: new}); len(r.Tools) != 200 || r.Tools[0].Level != Addition {
			b.Fatalf("%d rows, first %v", len(r.Tools), r.Tools[0])
		}
	}
}

// BenchmarkReadToolList reads a list of 200 tools.
func BenchmarkReadToolList(b *testing.B) {
	l := bigList(b, 200, 0)
	text, err := l.Snapshot(meta.DefaultKeys())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadToolList(meta.DefaultKeys(), text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDiffRecursive compares two recursive schemas with alternatives.
func BenchmarkDiffRecursive(b *testing.B) {
	make := func(max int) canon.Value {
		return parse(b, fmt.Sprintf(`{"$defs":{"E":{"oneOf":[{"type":"number","maximum":%d},{"type":"object","properties":{"op":{"const":"add"},"args":{"type":"array","items":{"$ref":"#/$defs/E"}}},"required":["op","args"]},
			{"type":"object","properties":{"op":{"const":"neg"},"arg":{"$ref":"#/$defs/E"}},"required":["op","arg"]}]}},"$ref":"#/$defs/E"}`, max))
	}
	old, new := make(10), make(11)
	b.ReportAllocs()
	for b.Loop() {
		if Worst(Diff(Arguments, old, new)) != LevelAddition {
			b.Fatal("not an addition")
		}
	}
}
