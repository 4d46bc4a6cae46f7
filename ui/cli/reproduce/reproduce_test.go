package reproduce

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

const explorer = "../../../examples/explorer"

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := Commands()[0]
	var b bytes.Buffer
	cmd.SetOut(&b)
	cmd.SetErr(&b)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.Execute()
	return b.String(), err
}

// first finds the first event of the recorded exploration that fits.
func first(t *testing.T, fits func(*trace.Event) bool) int {
	t.Helper()
	targets, err := load.Open([]string{explorer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := targets.Trace.ReadTrace()
	if err != nil {
		t.Fatal(err)
	}
	for i := range tr.Events {
		if fits(&tr.Events[i]) {
			return i
		}
	}
	t.Fatal("the trace has no such event")
	return 0
}

func calls(tool, status string) func(*trace.Event) bool {
	return func(e *trace.Event) bool {
		if e.Type != trace.EffectEvent || e.Effect.Op != "tool" {
			return false
		}
		s, _ := e.Answer().Get("structuredContent").Get("value").Get("status").Str()
		return e.Effect.Input.Get("tool") == canon.String(tool) && s == status
	}
}

func TestShowsHowAResultWasMade(t *testing.T) {
	n := strconv.Itoa(first(t, calls("ice40.place", "ok")))
	text, err := run(t, explorer, "--event", n)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ice40.place of placer", "command    nextpnr-ice40 --hx1k", "--seed 1", "program    nextpnr-ice40 0.4", "read       netlist.json sha256:", "wrote      s1.asc sha256:", "version    ice40.place 2.0.0+nextpnr-ice40-"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	text, err = run(t, explorer, "--event", n, "--json")
	var doc struct {
		Made struct{ Commands [][]string }
		Snap string
	}
	if err != nil || json.Unmarshal([]byte(text), &doc) != nil || len(doc.Made.Commands) != 1 || !strings.HasPrefix(doc.Snap, "sha256:") {
		t.Errorf("%v\n%s", err, text)
	}
}

// A killed run has its command too, and no file that was read of it.
func TestKilledRun(t *testing.T) {
	text, err := run(t, explorer, "--event", strconv.Itoa(first(t, calls("ice40.place", "killed"))))
	if err != nil || !strings.Contains(text, "status     killed") || !strings.Contains(text, "--router router2") || strings.Contains(text, "wrote") || strings.Contains(text, "snapshot") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestAnswersNo(t *testing.T) {
	judge := strconv.Itoa(first(t, func(e *trace.Event) bool { return e.Type == trace.EffectEvent && e.Effect.Op == "judge" }))
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{1, []string{explorer, "--event", judge}, "no answer of a tool"},
		{1, []string{explorer, "--event", "0"}, "no answer of a tool"},
		{2, []string{explorer, "--event", "100000"}, "there is no event 100000"},
		{2, []string{explorer, "--event", "-1"}, "there is no event -1"},
		{2, []string{explorer + "/flow.json", "--event", "1"}, "no trace"},
		{2, []string{explorer + "/trace.json", "--event", strconv.Itoa(first(t, calls("ice40.place", "ok"))), "--run"}, "--flow"},
	} {
		_, err := run(t, c.args...)
		if out.Code(err) != c.code || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: code %d, %v; want %d, %s", c.args, out.Code(err), err, c.code, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	parse := func(text string) *result {
		v, _, err := canon.ParseString(text, canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := &result{}
		if err := r.read(v); err != nil {
			t.Fatal(err)
		}
		return r
	}
	const then = `{"value":{"status":"ok","snap":"sha256:a","n":1},"provenance":{"tool_version":"1.0.0"},"made":{"outputs":{"x":"sha256:1","y":"sha256:2"}}}`
	for now, want := range map[string]string{
		then: "",
		`{"value":{"status":"ok","snap":"sha256:a","n":2},"provenance":{"tool_version":"1.0.1"},"made":{"outputs":{"x":"sha256:1","z":"sha256:3"}}}`: "tool version,value,file y,file z",
		`{"value":{"status":"failed","n":1}}`: "status,value,snapshot",
	} {
		c := compare(parse(then), parse(now))
		var differ []string
		for _, l := range c.Lines {
			if !l.Same {
				differ = append(differ, l.What)
			}
		}
		if got := strings.Join(differ, ","); got != want || c.Same == strings.Contains(want, "snapshot") {
			t.Errorf("%s: %s, same %v; want %s", now, got, c.Same, want)
		}
	}
	if compare(parse(`{"value":1}`), parse(`{"value":2}`)).Same || !compare(parse(`{"value":1}`), parse(`{"value":1}`)).Same {
		t.Error("without snapshots values count")
	}
}

// Words of a command line are quoted where a shell would read something into them.
func TestShell(t *testing.T) {
	if got := shell([]string{"yosys", "-p", "read a.v; it's", ""}); got != `yosys -p 'read a.v; it'\''s' ''` {
		t.Error(got)
	}
}

// The recorded placement is made again with the installed tools, and is the same.
func TestRunAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("starts nextpnr")
	}
	for _, p := range []string{"nextpnr-ice40", "go"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
	version, _ := exec.Command("nextpnr-ice40", "--version").CombinedOutput()
	if !strings.Contains(string(version), "Version 0.4") {
		t.Skipf("the trace was recorded with nextpnr 0.4; here is %s", version)
	}
	text, err := run(t, explorer, "--event", strconv.Itoa(first(t, calls("ice40.place", "ok"))), "--run")
	if err != nil || !strings.Contains(text, "run again: the same result") || strings.Contains(text, "differs") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestWhichEvent: without an event it is said how one is found.
func TestWhichEvent(t *testing.T) {
	_, err := run(t, explorer)
	if out.Code(err) != out.Code(out.Bad("x")) || !strings.Contains(err.Error(), "write --event N") || !strings.Contains(err.Error(), "flowdbg events "+explorer) {
		t.Errorf("%v", err)
	}
}
