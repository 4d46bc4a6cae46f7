package contractcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/ui/cli/out"
)

// judging runs `flowdbg contract ARGS…` and gives the exit code and everything that was printed.
func judging(t *testing.T, stdin string, args ...string) (int, string) {
	t.Helper()
	text, _, err := execute(t, stdin, args...)
	var exit *out.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.Err == nil) { // without a cause the answer has said it already
		text += fmt.Sprintln("error:", err)
	}
	return out.Code(err), text
}

const gcdSet = "../../../examples/judging/ice40-gcd/"

// TestJudgeOutput compares whole answers. A case is testdata/judge/NAME.txt: the arguments in the first line, the exit
// code in the second, then what must be printed. ${gcd} and ${judging} stand for folders of the examples.
func TestJudgeOutput(t *testing.T) {
	files, err := filepath.Glob("testdata/judge/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			line, want, _ := strings.Cut(string(data), "\n")
			args := strings.Fields(os.Expand(line, func(name string) string {
				return map[string]string{"gcd": gcdSet, "judging": "../../../examples/judging/", "data": "testdata/judge/"}[name]
			}))
			code, text := judging(t, "", args...)
			got := fmt.Sprintf("exit %d\n%s", code, text)
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(file, []byte(line+"\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestJudgeJSON: every answer is one JSON document that says the same as the exit code.
func TestJudgeJSON(t *testing.T) {
	for _, args := range [][]string{
		{"gate", gcdSet + "candidates.json", "--rules", gcdSet + "rules.json", "--json"},
		{"rank", gcdSet + "candidates.json", "--rules", gcdSet + "rules.json", "--history", "--json"},
		{"certify", gcdSet + "candidates.json", "--rules", gcdSet + "rules.json", "--signed-by", "E/v1.0.0", "--candidate", "gcd.heap.s4"},
		{"verify", gcdSet + "certs/gcd.heap.s4.cert.json", "--rules", gcdSet + "rules.json", "--candidates", gcdSet + "candidates.json", "--json"},
	} {
		code, text := judging(t, "", args...)
		if args[0] == "gate" != (code == out.CodeNo) {
			t.Errorf("%s: exit %d", args[0], code)
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%s: no JSON document: %.200s", args[0], text)
		}
	}
}

// TestJudgeCertifyAgain issues the example certificates again: same inputs and date, same bytes.
func TestJudgeCertifyAgain(t *testing.T) {
	dir := t.TempDir()
	for _, set := range []string{"ice40-gcd", "ice40-fir", "ice40-acc8", "asic-gcd"} {
		base := filepath.Join("../../../examples/judging", set)
		to := filepath.Join(dir, set)
		code, text := judging(t, "", "certify", filepath.Join(base, "candidates.json"), "--rules", filepath.Join(base, "rules.json"),
			"--signed-by", "Evaluation/v0.2.0", "--at", "2026-01-31T12:00:00Z", "--out", to)
		if code != out.CodeNo { // one run of each set at least does not pass
			t.Fatalf("%s: exit %d: %s", set, code, text)
		}
		made, err := filepath.Glob(filepath.Join(to, "*"))
		if err != nil || len(made) != 12 {
			t.Fatalf("%s: %d files (%v), want 12", set, len(made), err)
		}
		for _, name := range made {
			got, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(base, "certs", filepath.Base(name)))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs from the golden one", filepath.Base(name))
			}
		}
	}
}

// TestJudgeSaved: a set that was read from a plain list and saved ranks as before.
func TestJudgeSaved(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "set.json")
	list := []string{"rank", "../../../examples/judging/runs/ice40-sweep.json", "--where", "d=fir", "--id", "{d}.{placer}.s{seed}",
		"--by", "fmax,wirelen,cpu:lower", "--json"}
	code, first := judging(t, "", append(list, "--save", saved)...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, first)
	}
	code, second := judging(t, "", "rank", saved, "--by", "fmax,wirelen,cpu:lower", "--json")
	if code != 0 || first != second {
		t.Errorf("exit %d; the saved set ranks differently:\n%s\nfirst\n%s", code, second, first)
	}
}

func TestJudgeHostileText(t *testing.T) {
	code, text := judging(t, `{"candidates": [{"id": "a\nb: PASS  9 rules", "metrics": {"hpwl": "\u001b[31m"}}]}`, "rank", "-", "--by", "hpwl")
	if code != out.CodeNo || strings.Contains(text, "\nb:") || strings.Contains(text, "\x1b") {
		t.Errorf("exit %d: %q", code, text)
	}
}

func TestJudgeHelp(t *testing.T) {
	for _, name := range []string{"gate", "rank", "certify", "verify"} {
		code, text := judging(t, "", name, "--help")
		for _, want := range []string{"Examples:", "flowdbg contract " + name, "Exit 1"} {
			if code != 0 || !strings.Contains(text, want) {
				t.Errorf("%s --help: exit %d, no %q", name, code, want)
			}
		}
	}
}
