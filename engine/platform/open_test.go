package platform

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
)

var update = flag.Bool("update", false, "write what the program says into testdata; read the difference before committing it")

// openArchive writes the files of an archive and opens the platform of its flow. Diagnostics name files relative to the
// folder.
func openArchive(t *testing.T, a *txtar.Archive) (p *Platform, diags, want string) {
	t.Helper()
	dir := t.TempDir()
	var text []byte
	for _, f := range a.Files {
		switch f.Name {
		case "want":
			want = string(f.Data)
			continue
		case "flow.json":
			text = f.Data
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, found := flow.Parse("flow.json", text, flow.Options{Strict: true})
	if f == nil {
		t.Fatal(found)
	}
	p, list := Open(f, dir)
	if (p == nil) != flow.HasErrors(list) {
		t.Errorf("platform %v, diagnostics %v", p, list)
	}
	flow.SortDiagnostics(list)
	var b strings.Builder
	for _, d := range list {
		b.WriteString(strings.ReplaceAll(d.String(), dir+string(filepath.Separator), "") + "\n")
	}
	return p, b.String(), want
}

func TestOpen(t *testing.T) {
	files, err := filepath.Glob("testdata/open/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, got, want := openArchive(t, a)
			if *update {
				for i := range a.Files {
					if a.Files[i].Name == "want" {
						a.Files[i].Data = []byte(got)
					}
				}
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				want = got
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOpenAll(t *testing.T) {
	a, err := txtar.ParseFile("testdata/open/ok.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p, diags, _ := openArchive(t, a)
	if p == nil {
		t.Fatal(diags)
	}
	if len(p.Servers) != 2 || p.Servers[0].Name != "eda" || p.Servers[0].Dir != p.dir || p.Servers[1].Pinned != 2 {
		t.Errorf("servers %+v", p.Servers)
	}
	if got := strings.Join(p.SecretNames(), " "); got != "KEY TOKEN" {
		t.Errorf("secrets %s", got)
	}
	if p.Current != 2 || p.Keys.Prefix != "my.org" || len(p.Requires) != 1 || p.Rules.Highest() != 2 || len(p.snapshots) != 1 {
		t.Errorf("%+v", p)
	}
	d := p.Declare("eda", "iPL.place")
	if d.USD != 0.5 || d.Class != effect.Pure || d.Capability == nil || d.Version != "1.3.1" {
		t.Errorf("%+v", d)
	}
	if other := p.Declare("web", "iPL.place"); other != (Declared{}) {
		t.Errorf("another server's tool of that name: %+v", other)
	}
}

// Without a platform's file the contract's version is the highest that rules know, and at least 1 (seed 003: without rules
// the contract exists in one version).
func TestCurrentVersion(t *testing.T) {
	for rules, want := range map[string]int{"": 1, `, "rules": "r.json"`: 3} {
		a := txtar.Parse([]byte(`-- flow.json --
{ "version": 1, "id": "f", "agents": [{ "id": "a", "kind": "k" }], "edges": [], "contracts": { "requires": {}` + rules + ` } }
-- r.json --
{ "rules": 1, "steps": [ { "from": 2, "to": 3, "tool": "*" } ] }
`))
		if p, diags, _ := openArchive(t, a); p == nil || p.Current != want {
			t.Errorf("%s: %+v %s", rules, p, diags)
		}
	}
}

func FuzzPlatformFile(f *testing.F) {
	data, err := os.ReadFile("../../examples/contract-flow/platform.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"platform":1,"tools":{"t":{"capability":{}}},"contracts":{"1":5},"servers":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newFileReader("p.json", data)
		r.platform("/nowhere")
		for _, d := range r.diags {
			if d.Line < 1 || d.Col < 1 || bytes.ContainsRune([]byte(d.String()), 0x1b) {
				t.Fatalf("%q", d.String())
			}
		}
	})
}
