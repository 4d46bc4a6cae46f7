package load_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/trace"
	"flowdbg/ui/cli/load"
)

// large is a trace above the bound of what is read into memory.
func large(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := trace.GenTrace(&b, 20_000, 4, 4_000); err != nil {
		t.Fatal(err)
	}
	if b.Len() <= load.MemoryBytes {
		t.Fatalf("only %d bytes", b.Len())
	}
	return b.Bytes()
}

// A large trace stays in its file, whatever it comes from; a small one is in memory.
func TestLargeTraces(t *testing.T) {
	data := large(t)
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "t.json"), filepath.Join(dir, "t.json.gz")
	if err := os.WriteFile(plain, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	w, _ := gzip.NewWriterLevel(&z, gzip.BestSpeed)
	if _, err := w.Write(data); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packed, z.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, arg := range []string{plain, packed, load.Stdin} {
		f, err := load.Read(arg, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if f.Kind != load.Trace || arg != load.Stdin && f.Data != nil {
			t.Errorf("%s: kind %s, %d bytes in memory", arg, f.Kind, len(f.Data))
		}
		o, err := f.OpenTrace(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if o.Store == nil || o.Name != f.Name {
			t.Fatalf("%s is in memory: %+v", arg, o)
		}
		if err := o.Index(nil); err != nil {
			t.Fatal(err)
		}
		if n := o.Log().Len(); want == 0 {
			want = n
		} else if n != want || n < 20_000 {
			t.Errorf("%s: %d events, expected %d", arg, n, want)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
	f, err := load.Read(plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tr, err := f.ReadTrace(); err != nil || len(tr.Events) != want {
		t.Errorf("read whole: %v", err)
	}
}

// A gzip file that ends too early opens as far as it goes.
func TestTornGzip(t *testing.T) {
	lines := strings.Repeat(strings.Trim(traceText, "[]")+"\n", 5000)
	text := zip(t, lines)
	path := write(t, t.TempDir(), "t.gz", text[:len(text)/2])
	f, err := load.Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := f.OpenTrace(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, x := range o.Findings() {
		found = found || x.Kind == trace.FindGzip
	}
	if n := o.Log().Len(); n == 0 || n >= 5000 || !found {
		t.Errorf("%d events, %v", n, o.Findings())
	}
	if _, err := load.Read(write(t, t.TempDir(), "f.gz", zip(t, flowText)[:40]), nil); err == nil || !strings.Contains(err.Error(), "inflating gzip") {
		t.Errorf("a torn flow: %v", err)
	}
}

// A flow that is no trace is refused above its bound, and not read on.
func TestLargeFlow(t *testing.T) {
	r := io.MultiReader(strings.NewReader(`{"version":1,"id":"`), endless{})
	if _, err := load.Read(load.Stdin, r); err == nil || !strings.Contains(err.Error(), "too large: a flow may have 64 MiB") {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(load.DbgDir(filepath.Join(dir, "a.flow.json")), "breaks.json")
	if path != filepath.Join(dir, "a.flow.dbg", "breaks.json") {
		t.Fatal(path)
	}
	if data, err := load.ReadKept(path); data != nil || err != nil {
		t.Fatal(string(data), err)
	}
	if err := load.UpdateKept(path, func([]byte) ([]byte, error) { return []byte("[]\n"), nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("a folder is made for nothing")
	}
	for _, text := range []string{"[1]", "[]"} {
		if err := load.UpdateKept(path, func([]byte) ([]byte, error) { return []byte(text), nil }); err != nil {
			t.Fatal(err)
		}
		if data, err := load.ReadKept(path); string(data) != text || err != nil {
			t.Error(string(data), err)
		}
	}
}
