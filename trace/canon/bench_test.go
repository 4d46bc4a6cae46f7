package canon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// payloads are documents as agents exchange and hold them; sizes are those of the canonical text.
var payloads = []string{"1k", "100k"}

// payload reads a document: as it was written, its value, and its Go tree.
func payload(b *testing.B, name string) (data []byte, v Value, goTree any) {
	b.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "payload_"+name+".json"))
	if err != nil {
		b.Fatal(err)
	}
	v, _, err = Parse(data, Options{})
	if err != nil {
		b.Fatal(err)
	}
	return data, v, v.ToGo()
}

// run measures f on each payload, in bytes of canonical text.
func run(b *testing.B, f func(b *testing.B, data []byte, v Value, goTree any)) {
	for _, name := range payloads {
		b.Run(name, func(b *testing.B) {
			data, v, goTree := payload(b, name)
			b.SetBytes(int64(v.Len()))
			b.ReportAllocs()
			b.ResetTimer()
			f(b, data, v, goTree)
		})
	}
}

// BenchmarkWriteTree: positioned tree to canonical bytes, the counterpart of BenchmarkJCSTransform.
func BenchmarkWriteTree(b *testing.B) {
	run(b, func(b *testing.B, data []byte, v Value, _ any) {
		d, errs := ParseDoc(data)
		if len(errs) > 0 {
			b.Fatal(errs)
		}
		dst := make([]byte, 0, 2*v.Len())
		b.ResetTimer()
		for b.Loop() {
			dst = AppendNode(dst[:0], d.Root)
		}
		if string(dst) != v.Text() {
			b.Fatal("wrong text")
		}
	})
}

// BenchmarkWriteGo: a tree of Go maps and slices to canonical bytes.
func BenchmarkWriteGo(b *testing.B) {
	run(b, func(b *testing.B, _ []byte, v Value, goTree any) {
		dst := make([]byte, 0, 2*v.Len())
		var err error
		for b.Loop() {
			if dst, err = AppendGo(dst[:0], goTree); err != nil {
				b.Fatal(err)
			}
		}
		if string(dst) != v.Text() {
			b.Fatal("wrong text")
		}
	})
}

// BenchmarkFromGo: the same, to a Value.
func BenchmarkFromGo(b *testing.B) {
	run(b, func(b *testing.B, _ []byte, _ Value, goTree any) {
		for b.Loop() {
			if _, err := FromGo(goTree); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkParse: the document as it was written (keys in another order, spaces) to a Value.
func BenchmarkParse(b *testing.B) {
	run(b, func(b *testing.B, data []byte, _ Value, _ any) {
		for b.Loop() {
			if _, _, err := Parse(data, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkParseCanonical: a text that is canonical already, checked and shared.
func BenchmarkParseCanonical(b *testing.B) {
	run(b, func(b *testing.B, _ []byte, v Value, _ any) {
		for b.Loop() {
			if _, _, err := ParseString(v.Text(), Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkParseDoc: the document as it was written to a tree with positions.
func BenchmarkParseDoc(b *testing.B) {
	run(b, func(b *testing.B, data []byte, _ Value, _ any) {
		for b.Loop() {
			if _, errs := ParseDoc(data); len(errs) > 0 {
				b.Fatal(errs)
			}
		}
	})
}

// BenchmarkJCSTransform: the oracle on the document as it was written.
func BenchmarkJCSTransform(b *testing.B) {
	run(b, func(b *testing.B, data []byte, _ Value, _ any) {
		for b.Loop() {
			if _, err := jcs.Transform(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkJCSFromGo: the oracle from a Go tree, by way of encoding/json.
func BenchmarkJCSFromGo(b *testing.B) {
	run(b, func(b *testing.B, _ []byte, _ Value, goTree any) {
		for b.Loop() {
			data, err := json.Marshal(goTree)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := jcs.Transform(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkJSONTextCanonicalize: jsontext on the document as it was written.
func BenchmarkJSONTextCanonicalize(b *testing.B) {
	run(b, func(b *testing.B, data []byte, _ Value, _ any) {
		var buf jsontext.Value
		for b.Loop() {
			buf = append(buf[:0], data...)
			if err := buf.Canonicalize(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkGet: one member deep in a message.
func BenchmarkGet(b *testing.B) {
	_, v, _ := payload(b, "1k")
	b.ReportAllocs()
	for b.Loop() {
		if v.Get("payload").Get("usage").Get("usd").IsAbsent() {
			b.Fatal("not found")
		}
	}
}

// BenchmarkMembers: all members of a message and of its payload.
func BenchmarkMembers(b *testing.B) {
	_, v, _ := payload(b, "1k")
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, m := range v.Members() {
			n++
			for range m.Members() {
				n++
			}
		}
		if n != 9 {
			b.Fatal(n)
		}
	}
}

// BenchmarkObject: a message from its parts.
func BenchmarkObject(b *testing.B) {
	_, v, _ := payload(b, "1k")
	from, body, tag := v.Get("from"), v.Get("payload"), v.Get("tag")
	b.SetBytes(int64(v.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if Object(Member{"from", from}, Member{"payload", body}, Member{"tag", tag}).Len() != v.Len() {
			b.Fatal("wrong text")
		}
	}
}

// BenchmarkHash: sha256 of the canonical text.
func BenchmarkHash(b *testing.B) {
	run(b, func(b *testing.B, _ []byte, v Value, _ any) {
		for b.Loop() {
			_ = v.Hash()
		}
	})
}
