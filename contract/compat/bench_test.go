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

// ring makes definitions that refer to each other in one large circle with short cuts.
func ring(tb testing.TB, size int, scalar string) canon.Value {
	tb.Helper()
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/D0","$defs":{`)
	for i := range size {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"D%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/D%d"},"b":{"$ref":"#/$defs/D%d"},"v":{"type":%q}}}`,
			i, (i+1)%size, (i*7+3)%size, scalar)
	}
	b.WriteString(`}}`)
	return parse(tb, b.String())
}

// TestLargeSchemas: what is large but regular is followed to the end, not given up.
func TestLargeSchemas(t *testing.T) {
	dependencies := func(n int, more string) canon.Value {
		var deps []string
		for i := range n {
			deps = append(deps, fmt.Sprintf(`"a%d":["b%d"]`, i, i))
		}
		return parse(t, `{"type":"object","dependentRequired":{`+strings.Join(deps, ",")+`}`+more+`}`)
	}
	union := func(n int, scalar string) canon.Value {
		var alts []string
		for i := range n {
			alts = append(alts, fmt.Sprintf(`{"type":"object","properties":{"kind":{"const":"k%d"},"x":{"type":%q}},"required":["kind"]}`, i, scalar))
		}
		return parse(t, `{"oneOf":[`+strings.Join(alts, ",")+`]}`)
	}
	for _, c := range []struct {
		name     string
		old, new canon.Value
		want     Level
	}{
		{"ring widened", ring(t, 40, "integer"), ring(t, 40, "number"), LevelAddition},
		{"ring narrowed", ring(t, 40, "number"), ring(t, 40, "integer"), LevelBreak},
		{"dependencies kept", dependencies(14, ``), dependencies(14, `,"maxProperties":5`), LevelBreak},
		{"one dependency fewer", dependencies(14, ``), dependencies(13, ``), LevelAddition},
		{"union widened", union(60, "integer"), union(61, "number"), LevelAddition},
		{"union narrowed", union(60, "number"), union(60, "integer"), LevelBreak},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := Diff(Arguments, c.old, c.new)
			if Worst(found) != c.want || hasRule(found, ruleTooComplex) {
				t.Errorf("%s, want %s: %.300v", Worst(found), c.want, found)
			}
		})
	}
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
