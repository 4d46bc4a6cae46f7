package flow

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzParseFlow: no text makes the reader panic, positions are inside the text, what is read without error can be laid out
// without changing its hash, and Format accepts exactly what can be read as a document.
func FuzzParseFlow(f *testing.F) {
	f.Add(example(f))
	names, err := os.ReadDir("testdata/diag")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile("testdata/diag/" + name.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(a.Files[0].Data)
	}
	kinds := func(kind string) bool { return kind != "unknown" }
	f.Fuzz(func(t *testing.T, data []byte) {
		flow, ds := Parse("f.json", data, Options{KnownKind: kinds, KindNames: []string{"echo", "k"}})
		if (flow == nil) != HasErrors(ds) {
			t.Fatalf("flow is nil: %v, diagnostics %v", flow == nil, ds)
		}
		readable := true
		for _, d := range ds {
			if strings.HasPrefix(source(data, d.Line, d.Col), "NO SUCH") {
				t.Errorf("%s is nowhere in the text", d)
			}
			switch d.Code {
			case CodeSyntax, CodeTrailingData, CodeBOM, CodeBadUTF8, CodeDuplicateKey, CodeBigInteger, CodeNumberRange, CodeNesting:
				readable = false
			}
		}
		out, err := Format(data)
		if (err == nil) != readable && !(readable && flow == nil) {
			t.Fatalf("Format says %v, Parse %v", err, ds)
		}
		if err == nil {
			checkFormatted(t, data, out)
		}
		if flow != nil {
			again, ds := Parse("f.json", out, Options{KnownKind: kinds})
			if again == nil || again.SHA256() != flow.SHA256() {
				t.Fatalf("the formatted flow is another: %v", ds)
			}
		}
	})
}

// bigFlow is a flow of n agents in a ring, each with a config and a side edge.
func bigFlow(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"version": 1, "id": "big", "agents": [`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `  { "id": "agent-%06d", "kind": "echo", "config": { "tag": "note", "n": %d, "text": "é" } }`, i, i)
	}
	b.WriteString("\n], \"edges\": [\n")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `  { "from": "agent-%06d", "port": "out", "to": "agent-%06d" }`, i, (i+1)%n)
		fmt.Fprintf(&b, `, { "from": "agent-%06d", "port": "side", "to": "agent-%06d" }`, i, i*7%n)
	}
	b.WriteString(`], "budget": { "steps": 1000 }, "input": { "to": "agent-000000", "tag": "note", "payload": 1 } }`)
	return []byte(b.String())
}

func BenchmarkParse1000Agents(b *testing.B) {
	data := bigFlow(1000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if f, ds := Parse("big.json", data, Options{}); f == nil {
			b.Fatal(ds)
		}
	}
}

func BenchmarkFormat1000Agents(b *testing.B) {
	data := bigFlow(1000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Format(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseSeedExample(b *testing.B) {
	data := example(b)
	b.ReportAllocs()
	for b.Loop() {
		Parse("flow.json", data, Options{})
	}
}
