package contractcmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"flowdbg/contract"
	"flowdbg/ui/cli/out"
)

// designRun runs `contract ARGS…` and gives what it prints, and its error text behind "--".
func designRun(t testing.TB, stdin string, args ...string) (stdout string, code int) {
	t.Helper()
	o, e, err := execute(t, stdin, args...)
	if err != nil {
		e += err.Error() + "\n"
	}
	if e != "" {
		o += "--\n" + e
	}
	return o, out.Code(err)
}

// TestDeltaGolden compares whole outputs. The cases are files: the command, the exit code, and then what it prints.
// UPDATE_GOLDEN=1 writes what is printed now.
func TestDeltaGolden(t *testing.T) {
	t.Chdir("testdata/delta")
	files, err := filepath.Glob("*.txt")
	if err != nil || len(files) < 20 {
		t.Fatal("cases", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			line, rest, _ := strings.Cut(string(data), "\n")
			exit, want, _ := strings.Cut(rest, "\n")
			var args []string
			if err := json.Unmarshal([]byte(line), &args); err != nil {
				t.Fatal(err)
			}
			for i, a := range args { // generated designs lie with package design
				args[i] = strings.Replace(a, "../../../contract/", "../../../../../contract/", 1)
			}
			got, code := designRun(t, "", args...)
			got = strings.ReplaceAll(got, "../../../../../contract/", "../../../contract/")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(file, []byte(line+"\n"+strconv.Itoa(code)+"\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" || strconv.Itoa(code) != exit {
				t.Errorf("exit %d, want %s\n%s", code, exit, d)
			}
		})
	}
}

// TestDeltaJSON: the delta of the answer is a valid DesignDelta, and counts, claims and alarms stand beside it.
func TestDeltaJSON(t *testing.T) {
	t.Chdir("testdata/delta")
	got, code := designRun(t, "", "delta", "before.def", "after.def", "--json", "--areas", "areas_all.json", "--claimed", "resize.log",
		"--params-before", "params1.json", "--params-after", "params1b.json")
	if code != out.CodeNo {
		t.Errorf("exit %d: a claim differs", code)
	}
	var doc struct {
		Delta  json.RawMessage
		Counts map[string]any
		Claims []struct{ Quantity, Verdict string }
		Alarms []struct{ Code string }
	}
	text, _, _ := strings.Cut(got, "--\n")
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err, text)
	}
	findings, err := contract.Validate("DesignDelta", doc.Delta)
	if err != nil || len(findings) > 0 {
		t.Errorf("%v %v", findings, err)
	}
	for member, want := range map[string]float64{"moved": 1, "placed": 1, "resized": 1, "added": 1, "removed": 1, "nets_added": 1, "nets_reconnected": 1, "renamed": 0} {
		if doc.Counts[member] != want {
			t.Errorf("%s: %v, want %v", member, doc.Counts[member], want)
		}
	}
	if len(doc.Alarms) != 1 || doc.Alarms[0].Code != "nondeterminism" || len(doc.Claims) == 0 {
		t.Errorf("alarms %v, claims %v", doc.Alarms, doc.Claims)
	}
}

// TestDesignStore keeps two snapshots, compares them by their hashes, and names the one that is spoilt.
func TestDesignStore(t *testing.T) {
	t.Chdir("testdata/delta")
	dir := filepath.Join(t.TempDir(), "snaps")
	var refs []string
	for _, file := range []string{"before.def", "after.def"} {
		got, code := designRun(t, "", "snapshot-design", file, "--store", dir, "--json")
		var doc struct{ Snapshot, Stored string }
		if err := json.Unmarshal([]byte(got), &doc); err != nil || code != 0 {
			t.Fatal(code, err, got)
		}
		if filepath.Join(dir, strings.TrimPrefix(doc.Snapshot, "sha256:")) != doc.Stored {
			t.Errorf("stored %s", doc.Stored)
		}
		refs = append(refs, doc.Snapshot)
	}
	byHash, code := designRun(t, "", "delta", refs[0], refs[1], "--store", dir, "--map", "none")
	byFile, _ := designRun(t, "", "delta", "before.def", "after.def", "--map", "none")
	tail := func(s string) string { return s[strings.Index(s, "rule "):] }
	if code != 0 || tail(byHash) != tail(byFile) {
		t.Errorf("exit %d\n%s", code, cmp.Diff(tail(byFile), tail(byHash)))
	}
	path := filepath.Join(dir, strings.TrimPrefix(refs[1], "sha256:"))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte("3000"), []byte("3001"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	got, code := designRun(t, "", "delta", refs[0], refs[1], "--store", dir)
	if code != out.CodeUsage || !strings.Contains(got, "snapshot "+refs[1]+" was changed") {
		t.Errorf("exit %d: %s", code, got)
	}
}

func TestDesignStandardInput(t *testing.T) {
	t.Chdir("testdata/delta")
	data, err := os.ReadFile("after.def")
	if err != nil {
		t.Fatal(err)
	}
	got, code := designRun(t, string(data), "delta", "before.def", "-", "--map", "none", "--moves", "0")
	if code != 0 || !strings.Contains(got, "1 placed, 0 unplaced, 1 moved") {
		t.Errorf("exit %d: %s", code, got)
	}
	if got, code := designRun(t, "", "delta", "-", "-"); code != out.CodeUsage || !strings.Contains(got, "only one") {
		t.Errorf("exit %d: %s", code, got)
	}
}

func TestDesignHelp(t *testing.T) {
	for _, name := range []string{"delta", "snapshot-design"} {
		got, code := designRun(t, "", name, "--help")
		for _, want := range []string{"Examples:", "Exit code", "flowdbg contract " + name, "--json"} {
			if code != 0 || !strings.Contains(got, want) {
				t.Errorf("%s --help has no %q", name, want)
			}
		}
	}
}
