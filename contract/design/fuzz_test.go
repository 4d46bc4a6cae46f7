package design

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"flowdbg/trace/canon"
)

// checkJCS holds a model text against the general canonical writer.
func checkJCS(t *testing.T, text []byte) {
	t.Helper()
	v, _, err := canon.Parse(text, canon.Options{})
	if err != nil {
		t.Fatalf("the model is not strict JSON: %v", err)
	}
	if v.Text() != string(text) {
		t.Fatalf("the model is not canonical:\n%.300s\nwant\n%.300s", text, v.Text())
	}
}

// checkRead holds what every readable file must give: a canonical model that reads back to itself, and an empty delta with
// itself under both rules.
func checkRead(t *testing.T, data []byte) {
	s, err := Read(bytes.NewReader(data), Options{MaxBytes: 8 << 20})
	if err != nil {
		return
	}
	var b bytes.Buffer
	if err := s.WriteModel(&b); err != nil {
		t.Fatal(err)
	}
	checkJCS(t, b.Bytes())
	again, err := Read(bytes.NewReader(b.Bytes()), Options{})
	if err != nil {
		t.Fatalf("the model does not read back: %v\n%.300s", err, b.Bytes())
	}
	if again.Hash() != s.Hash() {
		t.Fatal("the model reads back to another snapshot")
	}
	for _, id := range []Identity{ByName, ByDrivenNet} {
		a, err := Delta(s, again, Rule{Identity: id})
		if err != nil {
			t.Fatal(err)
		}
		if id == ByName && (a.Counts.Changed != 0 || len(a.Delta.NewNets) != 0 || !a.Equal) {
			t.Fatalf("a snapshot differs from itself: %v", a.Counts)
		}
	}
}

func addFiles(f *testing.F, patterns ...string) {
	for _, p := range patterns {
		files, _ := filepath.Glob(p)
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil && len(data) < 64<<10 {
				f.Add(data)
			}
		}
	}
}

func FuzzDEF(f *testing.F) {
	f.Add([]byte(dialects))
	addFiles(f, "testdata/def_errors/*.def")
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, data) })
}

func FuzzPlacedJSON(f *testing.F) {
	f.Add([]byte(placed))
	addFiles(f, "testdata/json_errors/*.json", "testdata/generated/acc8.s1.placed.json.gz")
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, data) })
}

// FuzzLibrary feeds LEF, Liberty and area files.
func FuzzLibrary(f *testing.F) {
	f.Add([]byte(lefText))
	f.Add([]byte(libText))
	f.Add([]byte("INV 1.5\n# c\nBUF 2\n"))
	f.Add([]byte(`{"INV":1.5}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func(l *Library, data []byte) error{
			func(l *Library, data []byte) error { return l.ReadLEF(bytes.NewReader(data)) },
			func(l *Library, data []byte) error { return l.ReadLib(bytes.NewReader(data)) },
			func(l *Library, data []byte) error { return l.ReadAreas(bytes.NewReader(data)) },
		} {
			l := NewLibrary()
			if read(l, data) != nil {
				continue
			}
			for name := range l.masters {
				if a, ok := l.Area(name); ok && !(a >= 0) {
					t.Fatalf("area %v of %q", a, name)
				}
			}
		}
	})
}

// FuzzClaims feeds claims of every form.
func FuzzClaims(f *testing.F) {
	f.Add([]byte(`{"expected_delta":{"moved_cells":[]},"parent_snap":"main"}`))
	f.Add([]byte(`{"CTS":{"buffer_num":3}}`))
	f.Add([]byte("[INFO RSZ-0051] Resized 13 instances\n"))
	a, err := Delta(parse(f, dialects), parse(f, dialects), Rule{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := ReadClaims("fuzz", bytes.NewReader(data)); err == nil {
			for _, l := range a.Compare([]Claim{c}) {
				if l.Verdict == "" {
					t.Fatalf("no verdict: %+v", l)
				}
			}
		}
	})
}
