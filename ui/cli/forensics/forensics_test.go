package forensics

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"flowdbg/ui/cli/out"
)

// run executes one command line; text is standard output, then what went to standard error and the error's own text.
func run(tb testing.TB, ctx context.Context, stdin string, opt Options, args ...string) (text string, code int) {
	tb.Helper()
	root := &cobra.Command{Use: "flowdbg", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(Commands(opt)...)
	var o, e bytes.Buffer
	root.SetOut(&o)
	root.SetErr(&e)
	root.SetIn(strings.NewReader(stdin))
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(&e, err)
	}
	return o.String() + "--\n" + e.String(), out.Code(err)
}

// Each case is a file: the command line, the exit code, and everything that is printed.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil || len(files) < 50 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			line, want, _ := strings.Cut(string(data), "\n")
			var args []string
			if err := json.Unmarshal([]byte(line), &args); err != nil {
				t.Fatal(err)
			}
			for i, a := range args {
				args[i] = strings.Replace(a, "DATA/", "testdata/", 1)
			}
			text, code := run(t, t.Context(), "", Options{}, args...)
			got := fmt.Sprintf("exit %d\n%s", code, text)
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(file, []byte(line+"\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Every command says what it is for and shows how it is used; every example is a command line that parses.
func TestHelp(t *testing.T) {
	for _, cmd := range Commands() {
		if cmd.Short == "" || cmd.Long == "" || cmd.Example == "" || cmd.Flags().Lookup("json") == nil {
			t.Errorf("%s lacks help or --json", cmd.Name())
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			line = strings.TrimSpace(line)
			line, _, _ = strings.Cut(line, " |")
			args, ok := strings.CutPrefix(line, "flowdbg ")
			if !ok {
				t.Errorf("%q is no command line", line)
				continue
			}
			root := &cobra.Command{Use: "flowdbg"}
			root.AddCommand(Commands()...)
			found, rest, err := root.Find(strings.Fields(strings.ReplaceAll(args, `"interaction nets"`, "interaction")))
			if err != nil || found.Name() != cmd.Name() {
				t.Errorf("%q: %v", line, err)
				continue
			}
			if err := found.ParseFlags(rest); err != nil {
				t.Errorf("%q: %v", line, err)
				continue
			}
			if err := found.Args(found, found.Flags().Args()); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	}
}

func TestStandardInput(t *testing.T) {
	data, err := os.ReadFile("testdata/good.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	file, code := run(t, t.Context(), "", Options{}, "why", "testdata/good.jsonl", "d.out[0]")
	if code != 0 {
		t.Fatal(file)
	}
	if piped, code := run(t, t.Context(), string(data), Options{}, "why", "-", "d.out[0]"); code != 0 || piped != file {
		t.Errorf("exit %d\n%s\nfrom the file\n%s", code, piped, file)
	}
}

// A cancelled context stops every command, exit 1.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	big := bigTrace(t, 20_000)
	for _, args := range [][]string{{"lint", big}, {"why", big}, {"came-of", big, "input"}, {"who-changed", big, "agent-000"}, {"diff", big, big}, {"ledger", big},
		{"export", big, "-o", filepath.Join(t.TempDir(), "x.json")}, {"find", big, "zebra"}} {
		if text, code := run(t, ctx, "", Options{}, args...); code != out.CodeNo || !strings.Contains(text, "interrupted") {
			t.Errorf("%v: exit %d %s", args, code, text)
		}
	}
}

// Exports: the file is the trace, --json says what was written, and an export to standard output goes past the writer
// that makes text safe.
func TestExport(t *testing.T) {
	good, err := os.ReadFile("testdata/good.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "out.jsonl")
	text, code := run(t, t.Context(), "", Options{}, "export", "testdata/good.jsonl", "--format", "lines", "-o", path, "--json")
	var answer struct {
		Events  int    `json:"events"`
		Written string `json:"written"`
	}
	stdout, _, _ := strings.Cut(text, "--\n")
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 || answer.Events != 26 || answer.Written != path {
		t.Errorf("exit %d, %v: %s", code, err, text)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, good) {
		t.Errorf("%v\n%s", err, data)
	}
	var raw bytes.Buffer
	text, code = run(t, t.Context(), "", Options{Raw: &raw}, "export", "testdata/good.jsonl", "--format", "lines")
	if code != 0 || text != "--\n" || !bytes.Equal(raw.Bytes(), good) {
		t.Errorf("exit %d %s\n%s", code, text, raw.Bytes())
	}
	if text, code := run(t, t.Context(), "", Options{}, "export", "testdata/good.jsonl", "-o", filepath.Join(t.TempDir(), "no", "such", "x.json")); code != out.CodeUsage {
		t.Errorf("exit %d %s", code, text)
	}
}
