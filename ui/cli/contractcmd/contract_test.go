package contractcmd

import (
	"bytes"
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
