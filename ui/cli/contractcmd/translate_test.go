package contractcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/ui/cli/out"
)

const testRules = `{"rules":1,"steps":[
 {"from":1,"to":2,"tool":"iPL.place","input":[{"op":"rename","path":"/density","to":"density_target"}],"output":[{"op":"drop","path":"/legacy"}]},
 {"from":2,"to":3,"tool":"iPL.place","output":[{"op":"move","from":"/d/t","to":"/d"}]}]}`

// translateDir writes files into a fresh directory and makes it the current one.
func translateDir(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// translateCase is one run of a command: its exit code, and texts that must be in what it says.
type translateCase struct {
	name  string
	args  string
	stdin string
	code  int
	want  []string
	not   string
}

func (c translateCase) run(t *testing.T) {
	stdout, stderr, err := execute(t, c.stdin, strings.Fields(c.args)...)
	if out.Code(err) != c.code {
		t.Fatalf("exit %d, want %d: %v\n%s%s", out.Code(err), c.code, err, stdout, stderr)
	}
	text := stdout + stderr
	if err != nil {
		text += err.Error()
	}
	for _, want := range c.want {
		if !strings.Contains(text, want) {
			t.Errorf("%s\ndoes not say %q", text, want)
		}
	}
	if c.not != "" && strings.Contains(text, c.not) {
		t.Errorf("%s\nsays %q", text, c.not)
	}
	if strings.Contains(c.args, "--json") && stdout != "" && !json.Valid([]byte(stdout)) {
		t.Errorf("not one JSON document: %s", stdout)
	}
}

// translateFiles are what the runs below read.
var translateFiles = map[string]string{
	"r.json":      testRules,
	"bad.json":    "{\"rules\":1,\n\"steps\":[{\"from\":1,\"to\":3,\"tool\":\"t\"}]}",
	"syntax.json": "{\"rules\":1,\n!",
	"args.json":   `{"density": 0.70}`,
	"v1.json":     `[{"name":"iPL.place","inputSchema":{"properties":{"density":{"maximum":1}}}}]`,
	"v2.json":     `[{"name":"iPL.place","inputSchema":{"properties":{"density_target":{"maximum":0.6}}}}]`,
	"tools.json": `{"result":{"tools":[{"name":"iPL.place","inputSchema":{"properties":{"contract_version":{}}},"_meta":{"ai-norm.com/contract_versions":[2,2.0],"ai-norm.com/sunset":"2026-05-01",
		"flowdbg/capability":{"tool_name":"iPL.place","version":"1.3.1","supported_scenarios":["placement"],"fidelity_levels":["quick"],"input_constraints":{"requires_snapshot":false,"requires_dirty_set":false},
		"output_schema":{},"known_limitations":[],"performance_profile":{"typical_latency_ms":1,"peak_memory_mb":1,"scaling":"linear"}}}},
		{"name":"bare"}]}}`,
	"init.json":      `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","_meta":{"ai-norm.com/contract_version":3}}}`,
	"call.json":      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"iPL.place","arguments":{"density":0.50,"design_ref":"gcd@sky130"},"_meta":{"ai-norm.com/contract_version":1}}}`,
	"expensive.json": `{"name":"iPL.place","arguments":{"design_ref":"gcd@sky130","effort":"exhaustive"},"_meta":{"ai-norm.com/contract_version":2}}`,
	"answer.json":    `{"structuredContent":{"legacy_free":1}}`,
	"broken.json":    `{"structuredContent":{"legacy":1}}`,
	"cases.json":     `[{"n":"good","ops":[],"up":true,"in":{},"want":{}},{"n":"wrong","ops":[{"op":"drop","path":"/a"}],"up":true,"in":{"a":1},"want":{"a":1}},{"n":"other place","ops":[{"op":"rename","path":"/a","to":"b"}],"up":true,"in":{"a":1,"b":1},"err":"target_exists","at":"/a"}]`,
}

var translateRuns = []translateCase{
	{name: "translate up", args: "translate args.json --rules r.json --tool iPL.place --from 1 --to 2", want: []string{`{"density_target":0.70}`}},
	{name: "translate standard input down", stdin: `{"density_target":1e0}`, args: "translate - --rules r.json --tool iPL.place --from 2 --to 1", want: []string{`{"density":1e0}`}},
	{name: "translate as JSON", args: "translate args.json --rules r.json --tool iPL.place --from 1 --to 2 --json", want: []string{`"density_target": 0.70`, `"checked": false`, `"notes": []`}},
	{name: "loss is noted", stdin: `{"legacy":1}`, args: "translate - --rules r.json --tool iPL.place --from 1 --to 2 --side output", want: []string{"loss:/legacy (1->2)"}},
	{name: "a fault of a value", stdin: `{"density":1,"density_target":2}`, args: "translate - --rules r.json --tool iPL.place --from 1 --to 2", code: 1,
		want: []string{"translation_failed", "target_exists", "/density_target", "r.json/steps/0/input/0"}},
	{name: "no way down", stdin: `{}`, args: "translate - --rules r.json --tool iPL.place --from 3 --to 2 --side output --json", code: 1, want: []string{`"not_invertible"`}},
	{name: "not valid after translation", args: "translate args.json --rules r.json --contract 1=v1.json --contract 2=v2.json --tool iPL.place --from 1 --to 2", code: 1, want: []string{"contract version 2", "/density_target"}},
	{name: "not valid before", stdin: `{"density":2}`, args: "translate - --contract 1=v1.json --tool iPL.place --from 1 --to 1", code: 1, want: []string{"contract version 1", "/density"}},
	{name: "document is no JSON", stdin: "{\n 1}", args: "translate - --rules r.json --tool iPL.place --from 1 --to 2", code: 2, want: []string{"-:2:2"}},
	{name: "no tool", args: "translate args.json --from 1 --to 2", code: 2, want: []string{"--tool"}},
	{name: "no versions", args: "translate args.json --tool t", code: 2, want: []string{"--from and --to"}},
	{name: "bad side", args: "translate args.json --tool t --from 1 --to 2 --side both", code: 2, want: []string{"input or output"}},
	{name: "no file", args: "translate", code: 2},
	{name: "missing file", args: "translate nothing.json --tool t --from 1 --to 2", code: 2},
	{name: "rule schema", args: "translate --rule-schema", want: []string{`"$schema"`}},
	{name: "cases", args: "translate --cases cases.json", code: 1, want: []string{"FAIL wrong", `FAIL other place: got target_exists at "/b"`, "3 cases, 2 failed"}},
	{name: "cases as JSON", args: "translate --cases cases.json --json", code: 1, want: []string{`"failed": 2`}},

	{name: "plan", args: "plan --rules r.json --tool iPL.place --call 1 --native 2", want: []string{"call 1, tool 2", "rename /density"}},
	{name: "plan as JSON", args: "plan --rules r.json --tool iPL.place --call 1 --native 2 --json", want: []string{`"tool_version": 2`, `"direction": "down"`}},
	{name: "plan passes through", args: "plan --tool iPL.place --call 2 --native 2", want: []string{"unchanged"}},
	{name: "plan takes the farther version", args: "plan --rules r.json --tool iPL.place --call 2 --native 1,3", want: []string{"version 3 is nearer but does not work: not_invertible 2->3", "call 2, tool 1"}},
	{name: "no rule", args: "plan --rules r.json --tool iPL.place --call 1 --native 4 --json", code: 1, want: []string{`"code": "tool_outdated_for_agent"`, `"missing_step": "3->4"`, `"isError": true`}},
	{name: "unknown version", args: "plan --rules r.json --tool iPL.place --call 9 --native 3", code: 1, want: []string{"unknown_version"}},
	{name: "steps", args: "plan --rules r.json", want: []string{"2 steps, highest version 3, rule set sha256:"}},
	{name: "the empty rule set", args: "plan --json", want: []string{`"steps": []`, `"highest": 0`}},
	{name: "bad rules", args: "plan --rules bad.json", code: 1, want: []string{"bad.json:2:25 /steps/0/to", "neighbours"}},
	{name: "rules that are no JSON", args: "plan --rules syntax.json", code: 1, want: []string{"syntax.json:2:1"}},
	{name: "two files define one step", args: "plan --rules r.json --rules r.json", code: 1, want: []string{"defined already"}},
	{name: "no version of the call", args: "plan --tool iPL.place --native 2", code: 2, want: []string{"--call"}},
	{name: "unlisted tool", args: "plan --tool nobody --call 1 --tools tools.json", code: 2, want: []string{`no tool "nobody"`}},
	{name: "excluded", args: "plan --rules r.json --tool iPL.place --call 1 --tools tools.json --today 2026-05-02", code: 1, want: []string{"tool_excluded", "sunset: 2026-05-01"}},
	{name: "whole call", args: "plan --rules r.json --tools tools.json --request call.json --result answer.json", want: []string{
		`arguments: {"density_target":0.50,"design_ref":"gcd@sky130"}`, `_meta: {"ai-norm.com/contract_version":2}`, `result: {"structuredContent":{"legacy_free":1}}`}},
	{name: "whole call as JSON", args: "plan --rules r.json --tools tools.json --request call.json --json", want: []string{`"density_target": 0.50`, `"tool_version": 2`}},
	{name: "result cannot be carried", args: "plan --rules r.json --tools tools.json --request call.json --result broken.json", code: 1, want: []string{"translation_failed", "target_exists", "output"}},
	{name: "outside the capability", args: "plan --tools tools.json --request expensive.json", code: 1, want: []string{"not_capable", "/effort", "exhaustive"}},
	{name: "result without request", args: "plan --result answer.json", code: 2, want: []string{"--request"}},
	{name: "request that is none", args: "plan --tools tools.json --request answer.json", code: 2, want: []string{"names no tool"}},
	{name: "bad --contract", args: "plan --contract v1.json", code: 2, want: []string{"want N=FILE"}},
	{name: "both native and tools", args: "plan --tool t --call 1 --native 1 --tools tools.json", code: 2},

	{name: "versions", args: "version tools.json --tool iPL.place", code: 1, want: []string{"iPL.place  2", "tool_meta", "give --today", "duplicate_version", `declares "contract_version"`}, not: "bare"},
	{name: "initialize", args: "version tools.json --initialize init.json --tool bare --json", want: []string{`"initialize_meta"`, `"served": true`}},
	{name: "disagreement", args: "version tools.json --initialize init.json --tool iPL.place", code: 1, want: []string{"versions_disagree"}},
	{name: "nothing known", args: "version tools.json --tool bare --current 4", code: 1, want: []string{"platform_current", "configuration_error"}},
	{name: "pinned", args: "version tools.json --tool bare --pinned 7", want: []string{"bare  7", "pinned"}},
	{name: "vanished", args: "version v1.json --before tools.json --pinned 1", want: []string{"versions_vanished"}},
	{name: "other prefix", args: "version tools.json --prefix example.org/ --tool iPL.place --pinned 1", code: 1, want: []string{"pinned"}},
	{name: "reserved prefix", args: "version tools.json --prefix io.mcp", code: 2, want: []string{"reserved"}},
	{name: "bad day", args: "version tools.json --today 2026-02-30", code: 2, want: []string{"--today"}},
	{name: "unknown tool", args: "version tools.json --tool nobody", code: 2},
	{name: "tools that are no JSON", args: "version syntax.json", code: 2, want: []string{"syntax.json:2:1"}},
}

func TestTranslateCommands(t *testing.T) {
	translateDir(t, translateFiles)
	for _, c := range translateRuns {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

// Every command of this file says what it is for, and shows how it is called.
func TestTranslateCommandsHaveExamples(t *testing.T) {
	for _, cmd := range translateCmds() {
		if cmd.Short == "" || cmd.Long == "" || !strings.Contains(cmd.Example, "flowdbg contract "+cmd.Name()) {
			t.Errorf("%s: no help or no example", cmd.Name())
		}
	}
}

// The data cases of the library pass through the command too.
func TestTranslateDataCases(t *testing.T) {
	for _, file := range []string{"translation.json", "translation_more.json", "translation_ops.json"} {
		stdout, _, err := execute(t, "", "translate", "--cases", filepath.Join("..", "..", "..", "contract", "translate", "testdata", file))
		if err != nil || !strings.Contains(stdout, " 0 failed") {
			t.Errorf("%s: %v\n%s", file, err, stdout)
		}
	}
}

// Case files that are none are refused with words about the file, not about the program.
func TestTranslateCasesUnreadable(t *testing.T) {
	for text, want := range map[string]string{
		``:                              `-:1:1: there is nothing to read`,
		`{}`:                            `-: holds no cases`,
		`[]`:                            `-: holds no cases`,
		`[1]`:                           `-: case 0 (""): "the case" is a JSON number`,
		"[\n{]":                         `-:2:2`,
		`[{"n":"x","ops":[],"in":{}}]`:  `-: case 0 ("x"): neither "want" nor "err"`,
		`[{"n":"x","ops":[],"want":1}]`: `-: case 0 ("x"): "ops" or "in" is missing`,
		`[{"n":"x","in":1,"want":1}]`:   `-: case 0 ("x"): "ops" or "in" is missing`,
		`[{"n":"x","ops":[],"up":1}]`:   `-: case 0 ("x"): "up" is a JSON number`,
		`[{"ops":[],"in":1,"want":1,"side":"a"}]`: `-: case 0 (""): side "a": want input or output`,
	} {
		stdout, _, err := execute(t, text, "translate", "--cases", "-")
		if out.Code(err) != out.CodeUsage || stdout != "" || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	// null is a document like any other, and one broken document spoils only its own case
	stdout, _, err := execute(t, `[{"n":"null","ops":[],"in":null,"want":null},{"n":"twice","ops":[],"in":{"a":1,"a":2},"want":{}}]`, "translate", "--cases", "-")
	if out.Code(err) != out.CodeNo || !strings.Contains(stdout, "FAIL twice") || !strings.Contains(stdout, "2 cases, 1 failed") {
		t.Errorf("%v\n%s", err, stdout)
	}
}

// With --json the answer "no" is a document too.
func TestTranslateNoAsJSON(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := write("bad.json", `{"rules":1,"steps":[{"from":1,"to":3,"tool":"t"}]}`)
	good := write("good.json", `{"rules":1,"steps":[{"from":1,"to":2,"tool":"t"}]}`)
	list := write("list.json", `[{"name":"t","inputSchema":{"required":["a"]}}]`)
	for _, c := range []struct {
		want string
		args []string
	}{
		{`"bad_rules": [`, []string{"plan", "--rules", bad, "--json"}},
		{`"bad_rules": [`, []string{"translate", "-", "--rules", bad, "--tool", "t", "--from", "1", "--to", "2", "--json"}},
		{`"version": 1`, []string{"translate", "-", "--rules", good, "--contract", "1=" + list, "--tool", "t", "--from", "1", "--to", "2", "--json"}},
		{`"version": 2`, []string{"translate", "-", "--rules", good, "--contract", "2=" + list, "--tool", "t", "--from", "1", "--to", "2", "--json"}},
		{`"missing_step": "2->3"`, []string{"translate", "-", "--rules", good, "--tool", "t", "--from", "1", "--to", "3", "--json"}},
	} {
		stdout, _, err := execute(t, `{}`, c.args...)
		if out.Code(err) != out.CodeNo || !json.Valid([]byte(stdout)) || !strings.Contains(stdout, c.want) {
			t.Errorf("%q: %v\n%s", c.args, err, stdout)
		}
	}
}
