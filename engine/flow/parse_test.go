package flow

import (
	"bytes"
	"os"
	"testing"
)

// example is the seed's own flow.
func example(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../examples/research-pipeline.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseSeedExample(t *testing.T) {
	f, ds := Parse("flow.json", example(t), Options{Strict: true})
	for _, d := range ds {
		t.Error(d)
	}
	if f == nil {
		t.Fatal("no flow")
	}
	t.Log(f.SHA256())
}

func TestFormatKeepsSeedExample(t *testing.T) {
	data := example(t)
	got, err := Format(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, data) {
		t.Errorf("got:\n%s", got)
	}
}
