package platformcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"flowdbg/ui/cli/out"
)

const example = "../../../examples/contract-flow"

// run runs a command and gives its standard output, standard error and exit code.
func run(t *testing.T, cmd *cobra.Command, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(context.Background())
	var exit *out.ExitError
	if errors.As(err, &exit) && exit.Err != nil {
		fmt.Fprintln(&e, exit.Err)
	}
	return o.String(), e.String(), out.Code(err)
}

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestPlatformOffline(t *testing.T) {
	stdout, stderr, code := run(t, New(), example, "--today", "2024-12-31")
	if code != out.CodeOK || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	contains(t, stdout, "go run ./server", "contract-flow 1.0.0", "iPL.place", "to 3 in 2 steps", "the sunset is today", "platform: connects")
	stdout, _, code = run(t, New(), example, "--today", "2025-01-01", "--json")
	var ans platformAnswer
	if err := json.Unmarshal([]byte(stdout), &ans); err != nil || code != out.CodeOK {
		t.Fatalf("exit %d: %v", code, err)
	}
	if len(ans.Servers) != 1 || ans.Servers[0].Tools != 3 || !ans.Negotiation.OK || len(ans.Negotiation.Ways) != 3 || ans.Written != "" {
		t.Errorf("%s", stdout)
	}
	for _, x := range ans.Negotiation.Tools {
		if x.Excluded != (x.Tool == "iPL.global_place") {
			t.Errorf("%+v", x)
		}
	}
	for args, want := range map[string]int{
		"--save": out.CodeUsage, "--today=2026-02-30": out.CodeUsage, "": out.CodeOK,
	} {
		list := []string{example}
		if args != "" {
			list = append(list, args)
		}
		if _, stderr, code := run(t, New(), list...); code != want {
			t.Errorf("%s: exit %d: %s", args, code, stderr)
		}
	}
	if _, stderr, code := run(t, New(), example+"/trace.json"); code != out.CodeUsage || !strings.Contains(stderr, "give a flow") {
		t.Errorf("a trace: exit %d: %s", code, stderr)
	}
}

// server builds the example's server.
func server(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "server")
	if text, err := exec.Command("go", "build", "-o", bin, "flowdbg/examples/contract-flow/server").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return bin
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// flowIn writes a flow with one server.
func flowIn(t *testing.T, dir, server string) string {
	t.Helper()
	path := filepath.Join(dir, "flow.json")
	write(t, path, fmt.Sprintf(`{"version":1,"id":"f","agents":[{"id":"a","kind":"echo","contract_version":1}],"edges":[],
		"contracts":{"requires":{"iPL.place":">= 1.2.0, < 2.0.0"}},"mcpServers":{"s":%s}}`, server))
	return path
}

func TestPlatformLive(t *testing.T) {
	dir := t.TempDir()
	flow := flowIn(t, dir, fmt.Sprintf(`{"command":%q}`, server(t)))
	lock := filepath.Join(dir, "flow.dbg", "platform.lock.json")
	stdout, _, code := run(t, New(), flow)
	if code != out.CodeNo {
		t.Errorf("without a lock: exit %d", code)
	}
	contains(t, stdout, "never asked", "not negotiated")
	if stdout, stderr, code := run(t, New(), flow, "--live"); code != out.CodeOK || !strings.Contains(stdout, "platform: connects") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(lock); !errors.Is(err, os.ErrNotExist) {
		t.Error("--live without --save wrote the lock")
	}
	if stdout, _, code = run(t, New(), flow, "--live", "--save"); code != out.CodeOK {
		t.Fatalf("exit %d", code)
	}
	contains(t, stdout, "lock written: "+lock)
	if stdout, _, code = run(t, New(), flow); code != out.CodeOK {
		t.Errorf("with a lock: exit %d: %s", code, stdout)
	}
	contains(t, stdout, "step 1->2 is missing")
}

// A server that ends at once, and one that lists the value of a secret: told, and no lock.
func TestPlatformRefuses(t *testing.T) {
	dir := t.TempDir()
	lock := filepath.Join(dir, "flow.dbg", "platform.lock.json")
	t.Setenv("FLOWDBG_TEST_SECRET", "planted-value-1234")
	flow := flowIn(t, dir, `{"command":"sh","args":["-c","echo cannot open planted-value-1234 >&2; exit 4"],"env":{"K":{"$secret":"FLOWDBG_TEST_SECRET"}}}`)
	_, stderr, code := run(t, New(), flow, "--live", "--save")
	if code != out.CodeNo || strings.Contains(stderr, "planted-value") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	contains(t, stderr, "exit status 4", "cannot open [redacted:FLOWDBG_TEST_SECRET]")
	as := filepath.Join(dir, "server.json")
	write(t, as, `{"tools":[{"name":"iPL.place","description":"ask with planted-value-1234","inputSchema":{"type":"object"}}]}`)
	flow = flowIn(t, dir, fmt.Sprintf(`{"command":%q,"args":["-as",%q],"env":{"K":{"$secret":"FLOWDBG_TEST_SECRET"}}}`, server(t), as))
	if _, stderr, code = run(t, New(), flow, "--live", "--save"); code != out.CodeNo {
		t.Errorf("exit %d: %s", code, stderr)
	}
	contains(t, stderr, "is not written", "FLOWDBG_TEST_SECRET")
	if _, err := os.Stat(lock); !errors.Is(err, os.ErrNotExist) {
		t.Error("the lock was written")
	}
	write(t, flow, `{"version":1,"id":"f","agents":[{"id":"a","kind":"echo"}],"edges":[],"contracts":{"platform":"none.json"}}`)
	if _, stderr, code = run(t, New(), flow); code != out.CodeNo {
		t.Errorf("a platform that is not there: exit %d", code)
	}
	contains(t, stderr, "none.json: no such file", "flow.json:1:")
}

func TestContractCalls(t *testing.T) {
	stdout, stderr, code := run(t, NewCalls(), example)
	if code != out.CodeOK || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	contains(t, stdout, "iPL.place — translated", "agent at 1, tool at 3", "rules/1-to-2.json/steps/0", "invented:/options/seed", "loss:/value/legalized",
		"iSTA.analyze — unchanged", "iPL.global_place — tool_excluded", "iPL.place — not_capable", "iPL.place — invalid_arguments")
	stdout, _, _ = run(t, NewCalls(), example+"/trace.json", "--event", "3", "--json")
	var ans struct{ Calls []callAnswer }
	if err := json.Unmarshal([]byte(stdout), &ans); err != nil || len(ans.Calls) != 1 {
		t.Fatalf("%v: %s", err, stdout)
	}
	c := ans.Calls[0]
	if c.Verdict != "translated" || c.Details.Verdict() != "translated" || len(c.Steps) != 4 || len(c.Losses()) != 1 || len(c.Inventions()) != 2 || c.Steps[1].After == "" {
		t.Errorf("%+v", c)
	}
	for _, args := range [][]string{{example, "--event", "0"}, {example + "/flow.json"}, {"nothing.json"}} {
		if _, _, code := run(t, NewCalls(), args...); code != out.CodeUsage {
			t.Errorf("%v: exit %d", args, code)
		}
	}
	if stdout, _, code := run(t, NewCalls(), "../../../examples/router/trace.json"); code != out.CodeOK || !strings.Contains(stdout, "no contract call") {
		t.Errorf("exit %d: %s", code, stdout)
	}
}

// TestPlatformWithoutServers: an empty table would not say why it is empty.
func TestPlatformWithoutServers(t *testing.T) {
	o, _, _ := run(t, New(), "../../../examples/budget")
	contains(t, o, "the flow has no servers: it names none in mcpServers")
	if strings.Contains(o, "reached by") {
		t.Errorf("a table of nothing:\n%s", o)
	}
}
