package contractcmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/ui/cli/out"
)

// execute runs `contract ARGS…` with the given standard input.
func execute(t testing.TB, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := New()
	var o, e bytes.Buffer
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.Execute()
	return o.String(), e.String(), err
}

func TestUnknownSubcommand(t *testing.T) {
	stdout, _, err := execute(t, "", "clasify", "a", "b")
	if out.Code(err) != out.CodeUsage || stdout != "" || !strings.Contains(err.Error(), `unknown command "clasify"`) {
		t.Errorf("%v\n%s", err, stdout)
	}
	stdout, _, err = execute(t, "")
	if err != nil || !strings.Contains(stdout, "classify") {
		t.Errorf("%v\n%s", err, stdout)
	}
}

// Names from files cannot forge lines of the answer.
func TestNoForgedLines(t *testing.T) {
	const name = `t\nresult: in order\tx\u2028`
	dir := t.TempDir()
	write := func(file, text string) string {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	list := write("list.json", `{"tools":[{"name":"`+name+`","inputSchema":{"properties":{"a\nresult: in order":{"type":"string"}}},
		"_meta":{"ai-norm.com/contract_versions":["x\nresult: in order"],"ai-norm.com/sunset":"q\nresult: in order"}}]}`)
	other := write("other.json", `{"tools":[{"name":"`+name+`","description":"\nresult: in order","inputSchema":{"properties":{"a\nresult: in order":{"type":"number"}}}}]}`)
	rules := write("rules.json", `{"rules":1,"steps":[{"from":1,"to":2,"tool":"`+name+`","note":"\nresult: in order","input":[{"op":"rename","path":"/a\nresult: in order","to":"b\nresult: in order"}]}]}`)
	request := write("request.json", `{"design_ref":"a@b","\nresult: in order":1}`)
	caps := write("caps.json", `{"tools":[{"name":"`+name+`","version":"\nresult: in order","capability":{"\nresult: in order":1}}]}`)
	required := write("required.json", `{"t":"^1.0.0"}`)
	before := write("a.json", `{"modules":{"m\nresult: in order":{"cells":{"c\nresult: in order":{"type":"T","attributes":{"NEXTPNR_BEL":"X1/Y1/lc0"}}}}}}`)
	after := write("b.json", `{"modules":{"m\nresult: in order":{"cells":{"c\nresult: in order":{"type":"T\nresult: in order","attributes":{"NEXTPNR_BEL":"X2/Y1/lc0\nresult: in order"}},"d\nresult: in order":{"type":"T"}}}}}`)
	for _, args := range [][]string{
		{"snapshot-design", after}, {"delta", before, after}, {"version", list}, {"classify", list, other, "--all"}, {"classify", "--schema", "arguments", other, list}, {"snapshot", list},
		{"suit", caps}, {"negotiate", required, caps}, {"validate", "ToolRequest", request},
		{"plan", "--rules", rules}, {"plan", "--rules", rules, "--tool", "t\nresult: in order\tx\u2028", "--call", "1", "--native", "2"},
		{"plan", "--tool", "t\nresult: in order\tx\u2028", "--call", "1", "--native", "2"},
		{"translate", request, "--rules", rules, "--tool", "t\nresult: in order\tx\u2028", "--from", "1", "--to", "2"},
	} {
		stdout, stderr, _ := execute(t, "", args...)
		for line := range strings.Lines(stdout + stderr) {
			if strings.HasPrefix(strings.TrimSpace(line), "result: in order") {
				t.Errorf("%s: %q", args[0], line)
			}
		}
	}
}
