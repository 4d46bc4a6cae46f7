package contractcmd

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"flowdbg/contract/translate"
	"flowdbg/ui/cli/out"
)

var updateTranslate = flag.Bool("update-schema-break", false, "rewrite the outputs in the README of the schema-break example")

// TestSchemaBreakExample runs every command of the example's README and compares what it prints, both streams, with what
// the README shows.
func TestSchemaBreakExample(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "examples", "contract", "schema-break")
	data, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var rewritten []string
	commands := 0
	inBlock := false
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		rewritten = append(rewritten, line)
		if strings.HasPrefix(line, "```") {
			inBlock = line == "```console"
			continue
		}
		command, ok := strings.CutPrefix(line, "$ flowdbg contract ")
		if !inBlock || !ok {
			continue
		}
		commands++
		var want []string
		for i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "```") && !strings.HasPrefix(lines[i+1], "$ ") {
			i++
			want = append(want, lines[i])
		}
		got := strings.Split(strings.TrimSuffix(runExample(t, command), "\n"), "\n")
		rewritten = append(rewritten, got...)
		if !*updateTranslate && strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s\ngot\n%s\nwant\n%s", command, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if commands < 5 {
		t.Errorf("the README has only %d commands", commands)
	}
	if *updateTranslate {
		if err := os.WriteFile("README.md", []byte(strings.Join(rewritten, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runExample runs one command line of the README: "… > /dev/null" drops standard output, "# exit N" is the wanted code.
func runExample(t *testing.T, command string) string {
	t.Helper()
	command, comment, _ := strings.Cut(command, "#")
	wantCode := 0
	if n, ok := strings.CutPrefix(strings.TrimSpace(comment), "exit "); ok {
		wantCode, _ = strconv.Atoi(n)
	}
	command, quiet := strings.CutSuffix(strings.TrimSpace(command), " > /dev/null")
	stdout, stderr, err := execute(t, "", strings.Fields(command)...)
	if out.Code(err) != wantCode {
		t.Errorf("%s: exit %d, want %d: %v", command, out.Code(err), wantCode, err)
	}
	if quiet {
		stdout = ""
	}
	text := stdout + stderr
	var exit *out.ExitError
	if errors.As(err, &exit) && exit.Err != nil {
		text += "flowdbg: " + exit.Err.Error() + "\n" // as main says it
	}
	return text
}

// The report of nextpnr 0.8 is what the new tool promises, once the nets have the contract's name.
func TestSchemaBreakNewTool(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "examples", "contract", "schema-break")
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	catalog := translate.NewCatalog()
	for version, name := range map[int]string{1: "contract-1.json", 2: "contract-2.json"} {
		if err := catalog.AddToolList(version, read(name)); err != nil {
			t.Fatal(err)
		}
	}
	ops, err := translate.ParseOps([]byte(`[{"op":"rename","path":"/detailed_net_timings","to":"net_timings"}]`))
	if err != nil {
		t.Fatal(err)
	}
	report, _, err := translate.Apply(ops, translate.Up, translate.Output, read("nextpnr-0.8.report.json"))
	if err != nil {
		t.Fatal(err)
	}
	for tool, fits := range map[string]bool{"nextpnr.report_range": true, "nextpnr.report": false} {
		bad, checked, err := catalog.Validate(tool, 2, translate.Output, report)
		if err != nil || !checked || (len(bad) == 0) != fits {
			t.Errorf("%s: %v, %d faults, want it to fit: %v", tool, err, len(bad), fits)
		}
	}
	if bad, checked, err := catalog.Validate("nextpnr.report", 1, translate.Output, read("nextpnr-0.4.report.json")); err != nil || !checked || bad != nil {
		t.Errorf("0.4 in contract 1: %v %v", bad, err)
	}
}
