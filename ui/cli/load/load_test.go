package load_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"flowdbg/ui/cli/load"
)

const (
	flowText  = `{"version":1,"id":"x","agents":[{"id":"a","kind":"echo"}],"edges":[]}`
	traceText = `[{"type":"receive","step":1,"agent":"a","message":{"tag":"t","payload":1}}]`
)

func zip(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestClassify(t *testing.T) {
	for _, x := range []struct{ name, data, want string }{
		{"flow", flowText, "flow"},
		{"flow with a mark", "\ufeff" + flowText, "flow"},
		{"broken flow", `{"version": 1,`, "flow"},
		{"flow without agents", `{"version": 1}`, "flow"},
		{"array", traceText, "trace"},
		{"empty array", "[]", "trace"},
		{"lines", strings.Trim(traceText, "[]") + "\n", "trace"},
		{"cut lines", strings.Trim(traceText, "[]") + "\n{\"type\":", "trace"},
		{"empty", " \n", "empty"},
		{"arrays", "[[[[", "neither"},
		{"the start of an array", "[\n", "trace"},
		{"the start of an event", `[{"ty`, "trace"},
		{"only a mark", "\ufeff", "empty"},
		{"other object", `{"name":"x"}`, "neither"},
		{"text", "hello", "neither"},
		{"number", "7", "neither"},
		{"UTF-16", "\xff\xfe{\x00", "UTF-16"},
		{"binary", "\x7fELF\x00", "binary"},
	} {
		t.Run(x.name, func(t *testing.T) {
			kind, err := load.Classify([]byte(x.data))
			got := kind.String()
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, x.want) || (err == nil) != (x.want == "flow" || x.want == "trace") {
				t.Errorf("%q, expected %q", got, x.want)
			}
		})
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	f, tr := write(t, dir, "f.json", flowText), write(t, dir, "t.json", traceText)
	fz, tz := write(t, dir, "f.gz", zip(t, flowText)), write(t, dir, "t.gz", zip(t, traceText))
	for _, args := range [][]string{{f, tr}, {tr, f}, {fz, tz}, {f, "-"}, {"-", f}} {
		got, err := load.Open(args, strings.NewReader(traceText))
		if err != nil {
			t.Errorf("%v: %v", args, err)
			continue
		}
		o, err := got.Trace.OpenTrace(nil, nil)
		if string(got.Flow.Data) != flowText || err != nil || o.Log().Len() != 1 {
			t.Errorf("%v: flow %q, trace %v", args, got.Flow.Data, err)
		}
	}
	for _, x := range []struct {
		want string
		args []string
	}{
		{"both flows", []string{f, fz}},
		{"both traces", []string{tr, tz}},
		{"only once", []string{"-", "-"}},
		{"too many", []string{f, tr, f}},
		{"neither flow.json nor trace.json", []string{dir}},
		{"no such file", []string{filepath.Join(dir, "none")}},
	} {
		if _, err := load.Open(x.args, strings.NewReader(traceText)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v: %v, expected %q", x.args, err, x.want)
		}
	}
	broken := iotest.ErrReader(errors.New("the pipe burst"))
	if _, err := load.Open([]string{"-"}, broken); err == nil || !strings.Contains(err.Error(), "(standard input): the pipe burst") {
		t.Error(err)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, load.FlowName, flowText)
	got, err := load.Open([]string{dir}, nil)
	if err != nil || got.Flow == nil || got.Trace != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	write(t, dir, load.TraceName, traceText)
	if got, err = load.Open([]string{dir}, nil); err != nil || got.Trace == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	write(t, dir, load.TraceName, flowText)
	if _, err = load.Open([]string{dir}, nil); err == nil || !strings.Contains(err.Error(), "this is a flow, not a trace") {
		t.Error(err)
	}
}

func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "f.json", flowText+strings.Repeat(" ", load.MaxFlowBytes))
	if _, err := load.Read(path, nil); err == nil || !strings.Contains(err.Error(), "too large: a flow may have 64 MiB") {
		t.Error(err)
	}
}

func TestReload(t *testing.T) {
	dir := t.TempDir()
	r := &load.Reloader{Path: write(t, dir, "f.json", flowText)}
	ctx := context.Background()
	m, diags, data, err := r.Reload(ctx)
	if m == nil || len(diags) != 0 || string(data) != flowText || err != nil {
		t.Fatalf("%v %v %q %v", m, diags, data, err)
	}
	write(t, dir, "f.json", strings.Replace(flowText, "echo", "ecko", 1))
	if m, diags, data, err = r.Reload(ctx); m != nil || len(diags) != 1 || !strings.Contains(string(data), "ecko") || err != nil {
		t.Errorf("%v %v %q %v", m, diags, data, err)
	}
	write(t, dir, "f.json", strings.Replace(flowText, `"edges"`, `"extra":1,"edges"`, 1))
	if m, _, _, _ = r.Reload(ctx); m == nil {
		t.Error("an unknown field is a warning")
	}
	strict := load.Reloader{Path: r.Path, Strict: true}
	if m, _, _, _ = strict.Reload(ctx); m != nil {
		t.Error("strictly an unknown field is an error")
	}
	write(t, dir, "f.json", traceText)
	if _, _, _, err = r.Reload(ctx); !errors.Is(err, load.ErrNotFlow) {
		t.Error(err)
	}
	write(t, dir, "f.json", "")
	if _, _, _, err = r.Reload(ctx); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Error(err)
	}
	if err := os.Remove(r.Path); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err = r.Reload(ctx); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestReadTraceNamesThePlace(t *testing.T) {
	path := write(t, t.TempDir(), "t.json", "[\n{\"type\": 7}]")
	f, err := load.Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadTrace(); err == nil || !strings.HasPrefix(err.Error(), path+":2:1: ") {
		t.Error(err)
	}
}

// TestNamed: what a flow names besides scripts, there or not; of a text that is no flow nothing is known.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "rules"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "p.json", `{"platform":1,"contracts":{"1":"snap.json"}}`)
	r := &load.Reloader{Path: filepath.Join(dir, "f.json")}
	text := strings.Replace(flowText, `"edges"`, `"contracts":{"platform":"p.json","rules":["rules","late.json"]},"effects":{"llm":{"prices":"prices.json"}},"edges"`, 1)
	n, ok := r.Named([]byte(text))
	var got []string
	for _, name := range append(n.Files, n.Folders...) {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	if want := "f.dbg/platform.lock.json late.json p.json prices.json rules snap.json rules"; !ok || strings.Join(got, " ") != want {
		t.Errorf("%v %v, want %s", got, ok, want)
	}
	if n, ok = r.Named([]byte(flowText)); !ok || len(n.Files) > 0 {
		t.Errorf("a flow that names nothing: %v %v", n, ok)
	}
	if _, ok = r.Named([]byte(`{"version":1}`)); ok {
		t.Error("what is no flow names something")
	}
}
