package contractcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"flowdbg/contract"
	"flowdbg/contract/require"
	"flowdbg/ui/cli/out"
)

const negotiation = "../../../examples/contract/negotiation/"

// typesRun runs `contract ARGS…` with the given standard input.
func typesRun(t testing.TB, stdin string, args ...string) (stdout string, code int) {
	t.Helper()
	o, e, err := execute(t, stdin, args...)
	if err != nil {
		e += err.Error()
	}
	return o + "--\n" + e, out.Code(err)
}

// TestTypesGolden compares whole outputs. The cases are files: the first line is the command, the second the exit code.
func TestTypesGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/types/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
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
			for i, a := range args {
				args[i] = strings.Replace(a, "EXAMPLE/", negotiation, 1)
			}
			got, code := typesRun(t, "", args...)
			got = strings.ReplaceAll(got, negotiation, "EXAMPLE/")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				text := line + "\nexit " + string(rune('0'+code)) + "\n" + got
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if exit != "exit "+string(rune('0'+code)) {
				t.Errorf("exit %d, want %s", code, exit)
			}
		})
	}
}

// TestTypesJSON: what --json prints is what the library says, field by field.
func TestTypesJSON(t *testing.T) {
	read := func(code int, into any, args ...string) {
		t.Helper()
		stdout, got := typesRun(t, "", args...)
		if got != code {
			t.Fatalf("%v: exit %d\n%s", args, got, stdout)
		}
		text, _, _ := strings.Cut(stdout, "--\n")
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err, stdout)
		}
	}
	var report require.Report
	read(1, &report, "negotiate", "--json", negotiation+"required.json", negotiation+"platform-old.txt")
	if report.Connects || len(report.Verdicts) != 3 || report.Verdicts[2].Verdict != require.Unmet {
		t.Errorf("%+v", report)
	}
	var results []validated
	read(1, &results, "validate", "--json", "PlaceRequest", negotiation+"place-request-bad.json", negotiation+"place-request.json")
	if len(results) != 2 || results[0].Valid || !results[1].Valid || len(results[0].Findings) != 4 || results[0].Findings[0].Line != 4 {
		t.Errorf("%+v", results)
	}
	var suits []contract.Suitability
	read(0, &suits, "suit", "--json", negotiation+"platform.json", "--scenario", "placement", "--cells", "10")
	if len(suits) != 4 || suits[0].Tool != "iPL.place" || suits[0].Status != contract.StatusFits {
		t.Errorf("%+v", suits)
	}
	var types []typeLine
	read(0, &types, "schema", "--list", "--json")
	if len(types) != len(contract.TypeNames()) {
		t.Errorf("%d types", len(types))
	}
	var schema map[string]any
	read(0, &schema, "schema", "STAResult", "--json")
	if schema["$schema"] == nil || schema["$defs"].(map[string]any)["TimingReport"] == nil {
		t.Errorf("%v", schema)
	}
	read(0, &schema, "schema")
	if len(schema["$defs"].(map[string]any)) != len(types) {
		t.Error("the whole schema has another number of types")
	}
}

func TestTypesStandardInput(t *testing.T) {
	if stdout, code := typesRun(t, `{"design_ref":"a@b"}`, "validate", "PlaceRequest", "-"); code != 0 || !strings.HasPrefix(stdout, "-: valid PlaceRequest\n") {
		t.Error(code, stdout)
	}
	if stdout, code := typesRun(t, "{\n  \"design_ref\": \"a@b\",\n  \"design_ref\": \"a@b\"}", "validate", "PlaceRequest", "-"); code != 2 || !strings.Contains(stdout, "-:3:3") {
		t.Error(code, stdout)
	}
}

func TestTypesExtensions(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	params := write("params.json", `{"type":"object","required":["layers"],"properties":{"layers":{"type":"array"}}}`)
	output := write("output.json", `{"type":"object","required":["wirelength"],"properties":{"wirelength":{"type":"number"}}}`)
	remote := write("remote.json", `{"$ref":"https://example.com/a.json"}`)
	request := write("request.json", `{"design_ref":"a@b","layers":[]}`)
	result := write("result.json", `{"value":{},"elapsed_ms":1}`)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"validate", "ToolRequest", request, "--params", params}, 0, "valid ToolRequest\n"},
		{[]string{"validate", "ToolRequest", request}, 0, "/layers: ToolRequest does not declare it"},
		{[]string{"validate", "ToolResult", result, "--output", output}, 1, "/value/wirelength: is missing"},
		{[]string{"validate", "PlaceRequest", request, "--params", params}, 2, "--params extends ToolRequest, not PlaceRequest"},
		{[]string{"validate", "ToolRequest", request, "--params", params, "--output", output}, 2, "not both"},
		{[]string{"validate", "ToolRequest", request, "--params", remote}, 2, "must be complete in itself"},
		{[]string{"validate", "ToolRequest", request, "--params", filepath.Join(dir, "none")}, 2, "none"},
		{[]string{"schema", "ToolRequest", "--params", params}, 0, `"layers"`},
		{[]string{"schema", "--params", params}, 2, "need the type"},
	} {
		if stdout, code := typesRun(t, "", c.args...); code != c.code || !strings.Contains(stdout, c.want) {
			t.Errorf("%v: exit %d\n%s", c.args, code, stdout)
		}
	}
}

func TestTypesUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"validate", "Thing", "x.json"}, `no type "Thing"`},
		{[]string{"schema", "Thing"}, `no type "Thing"`},
		{[]string{"schema", "Path", "--list"}, "takes no type"},
		{[]string{"validate", "Path"}, "at least 2"},
		{[]string{"validate", "Path", "/nonexistent/x.json"}, "/nonexistent/x.json"},
		{[]string{"negotiate", "one"}, "give REQUIRED and PLATFORM"},
		{[]string{"negotiate"}, "nothing is required"},
		{[]string{"negotiate", "--require", "iPL >= 1"}, "here 1.0.0"},
		{[]string{"negotiate", "--require", "iPL ^1.0.0", "--provide", "iPL"}, "no @"},
		{[]string{"suit", negotiation + "required.json"}, "no list of tools"},
		{[]string{"suit", negotiation + "platform-old.txt"}, "platform-old.txt:1:1"},
		{[]string{"validate", "PlaceRequest", negotiation + "place-request.json", "--capability", negotiation + "platform.json"}, "holds 4 tools"},
	} {
		if stdout, code := typesRun(t, "", c.args...); code != 2 || !strings.Contains(stdout, c.want) {
			t.Errorf("%v: exit %d\n%s", c.args, code, stdout)
		}
	}
}
