package contractcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"flowdbg/contract/compat"
	"flowdbg/ui/cli/out"
)

const guard = "../../../examples/contract/ci-guard/"

// compatRun runs `contract ARGS…` in the example's folder; files that the test wrote are given by absolute path.
func compatRun(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Chdir(guard)
	o, e, err := execute(t, stdin, args...)
	if err != nil {
		e += err.Error()
	}
	return o, e, out.Code(err)
}

// TestGuardReadme runs the commands of the example's README and compares what it claims they print.
// UPDATE_GOLDEN=1 writes what they print into it.
func TestGuardReadme(t *testing.T) {
	path, err := filepath.Abs(guard + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(data)
	var got strings.Builder
	var codes []int
	rest := want
	for {
		before, block, found := strings.Cut(rest, "```\n$ flowdbg contract ")
		got.WriteString(before)
		if !found {
			break
		}
		line, block, _ := strings.Cut(block, "\n")
		_, after, _ := strings.Cut("\n"+block, "\n```\n")
		stdout, _, code := compatRun(t, "", strings.Fields(line)...)
		got.WriteString("```\n$ flowdbg contract " + line + "\n" + stdout + "```\n")
		codes = append(codes, code)
		rest = after
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 0, 1}, codes); diff != "" {
		t.Errorf("exit codes: %s", diff)
	}
}

func TestClassifyJSON(t *testing.T) {
	stdout, _, code := compatRun(t, "", "classify", "before/tools.json", "after/tools.json", "--rules", "rules.json",
		"--changelog", "CHANGELOG.md", "--today", "2026-11-30", "--json")
	var r compat.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if code != 0 || !r.OK || len(r.Tools) != 5 || r.OldContract != 3 || r.NewContract != 4 || r.Today != "2026-11-30" {
		t.Errorf("exit %d, %+v", code, r)
	}
	if strings.Contains(stdout, `\u003e`) {
		t.Error("> is escaped")
	}
}

// TestClassifyStrict: what is undecided or could not be checked passes, and does not with --strict.
func TestClassifyStrict(t *testing.T) {
	old := `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
	file := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(file, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, _, code := compatRun(t, old, "classify", file, "-")
	if code != 0 || !strings.Contains(stdout, "not checked") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	if _, _, code := compatRun(t, old, "classify", file, "-", "--strict"); code != 1 {
		t.Errorf("strict: exit %d", code)
	}
}

func TestClassifySchemas(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	narrow := write("narrow.json", `{"properties":{"a":{"type":"integer"}}}`)
	wide := write("wide.json", `{"properties":{"a":{"type":"number"}}}`)
	for _, c := range []struct {
		dir, old, new, want string
		code                int
	}{
		{"arguments", narrow, wide, "arguments: addition, MAJOR", 0},
		{"arguments", wide, narrow, "arguments: break, MAJOR", 1},
		{"results", narrow, wide, "results: break, MAJOR", 1},
		{"results", wide, narrow, "results: addition, MAJOR", 0},
		{"results", wide, wide, "results: none, none", 0},
	} {
		stdout, stderr, code := compatRun(t, "", "classify", "--schema", c.dir, c.old, c.new)
		if code != c.code || !strings.HasPrefix(stdout, c.want+"\n") {
			t.Errorf("%s: exit %d, %q %q", c.want, code, stdout, stderr)
		}
	}
	stdout, _, code := compatRun(t, "", "classify", "--schema", "arguments", wide, narrow, "--json")
	var a schemaAnswer
	if code != 1 || json.Unmarshal([]byte(stdout), &struct {
		Level    *compat.Level
		Findings *[]compat.Finding
	}{&a.Level, &a.Findings}) != nil || a.Level != compat.LevelBreak || len(a.Findings) != 1 {
		t.Errorf("exit %d, %s", code, stdout)
	}
}

// TestCompatRefuses: unreadable input and wrong usage are exit 2 and say where.
func TestCompatRefuses(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte("{\n \"tools\": [\n}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ want, args string }{
		{bad + ":3:1", "classify before/tools.json " + bad},
		{bad + ":3:1", "snapshot " + bad},
		{bad + ":3:1", "snapshot before/tools.json " + bad},
		{"no tools/list answer", "snapshot rules.json"},
		{"--today", "classify before/tools.json after/tools.json --today 2026-02-30"},
		{"no such file", "classify before/tools.json missing.json"},
		{"missing", "classify before/tools.json after/tools.json --fixtures missing"},
		{"--prefix", "snapshot before/tools.json --prefix 1x"},
		{"--schema", "classify before/tools.json after/tools.json --schema sideways"},
		{"rules", "classify before/tools.json after/tools.json --rules before/tools.json"},
		{"arg", "classify before/tools.json"},
	} {
		_, stderr, code := compatRun(t, "", strings.Fields(c.args)...)
		if code != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
}

func TestSnapshotCommand(t *testing.T) {
	messy := `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"b","inputSchema":{"type":"object","required":["y","x"]}},{"name":"a"}]}}`
	stdout, _, code := compatRun(t, messy, "snapshot", "-")
	want := `{
  "tools": [
    {
      "name": "a"
    },
    {
      "inputSchema": {
        "required": [
          "x",
          "y"
        ],
        "type": "object"
      },
      "name": "b"
    }
  ]
}
`
	if diff := cmp.Diff(want, stdout); diff != "" || code != 0 {
		t.Errorf("exit %d %s", code, diff)
	}
	golden := filepath.Join(t.TempDir(), "golden.json")
	if err := os.WriteFile(golden, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, code := compatRun(t, messy, "snapshot", "-", "--check", golden); code != 0 {
		t.Errorf("the golden file is refused: %d", code)
	}
	if _, stderr, code := compatRun(t, messy, "snapshot", "-", "--check", "before/tools.json"); code != 1 || !strings.Contains(stderr, "classify") {
		t.Errorf("another golden file: exit %d %s", code, stderr)
	}
	stdout, _, _ = compatRun(t, messy, "snapshot", "-", "--json")
	var a snapshotAnswer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || a.Tools != 2 || !strings.HasPrefix(a.Hash, "sha256:") || a.Notes == nil {
		t.Errorf("%v %+v", err, a)
	}
}

func TestClassifyListRules(t *testing.T) {
	stdout, _, code := compatRun(t, "", "classify", "--list-rules")
	if code != 0 || strings.Count(stdout, "\n") != len(compat.Rules()) {
		t.Errorf("exit %d\n%s", code, stdout)
	}
}

// TestClassifyOrphans: fixtures below a directory are told by their own names, not by the directory's.
func TestClassifyOrphans(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export_gds1", "fixtures")
	for _, name := range []string{"export_gds1.json", "route.json"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stdout, _, code := compatRun(t, "", "classify", "before/tools.json", "after/tools.json", "--rules", "rules.json",
		"--changelog", "CHANGELOG.md", "--today", "2026-11-30", "--fixtures", dir)
	if code != 1 || strings.Count(stdout, "the fixture export_gds1.json must go") != 1 || strings.Contains(stdout, "route.json") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
}
