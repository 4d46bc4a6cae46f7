package examples

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/cli"
)

// TestTutorialIsCurrent holds the recorded run, the cure and its answer against what the flows do today. The session files
// themselves are run by the dialogues of the program.
func TestTutorialIsCurrent(t *testing.T) {
	const path, fixed = "tutorial/flow.json", "tutorial/fixed.json"
	r := run(t, scriptMachine(t, path))
	data := bytesOf(t, r.Events)
	if *update {
		if err := trace.WriteFile("tutorial/trace.json", r.Events, trace.FormatArray); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(data, read(t, "tutorial/trace.json")) {
		t.Error("tutorial/trace.json is not what a run writes now; -update records it anew")
	}
	good := run(t, scriptMachine(t, fixed))
	for name, c := range map[string]struct {
		run  *engine.Run
		want string
	}{"bug": {r, `{"paid_eur":219.45,"review":["hotel-osaka","train"]}`}, "cure": {good, `{"paid_eur":365.15,"review":[]}`}} {
		m, ok := c.run.State.OutputAt("total.report", 0)
		if !ok || m.Payload.Text() != c.want {
			t.Errorf("%s: the report is %s", name, m.Text())
		}
	}
	rep, err := engine.Replay(context.Background(), scriptMachine(t, fixed), r.Events)
	if err != nil {
		t.Fatal(err)
	}
	if d := rep.Divergence; d == nil || d.Index != 33 || d.Path != "/state/rates/JPY" {
		t.Errorf("the cure differs first at %v; the tutorial says event 33, /state/rates/JPY", d)
	}
	for _, name := range []string{path, fixed, explorationFlow} {
		if text, err := flow.Format(read(t, name)); err != nil || !bytes.Equal(text, read(t, name)) {
			t.Errorf("%s is not formatted: %v", name, err)
		}
	}
}

// TestTutorialText: what the README shows of the session is what the session prints, line by line, and its drawing is
// that of graph.
func TestTutorialText(t *testing.T) {
	text := string(read(t, "tutorial/README.md"))
	print := func(args ...string) string {
		var b bytes.Buffer
		if code := cli.Execute(context.Background(), cli.Config{Stdin: strings.NewReader(""), Stdout: &b, Stderr: &b}, args); code != 0 {
			t.Fatalf("%v: exit %d\n%s", args, code, b.String())
		}
		return b.String()
	}
	drawing := print("graph", "tutorial/flow.json", "tutorial/trace.json")
	if !strings.Contains(text, "```\n"+drawing+"```\n") {
		t.Errorf("the drawing is now\n%s", drawing)
	}
	said := " " + strings.Join(strings.Fields(print("session", "tutorial/find-the-bug.session")), " ") + " "
	session := string(read(t, "tutorial/find-the-bug.session"))
	checked := 0
	for _, line := range strings.Split(text, "\n") {
		line, ok := strings.CutPrefix(line, "    ")
		if !ok || strings.HasPrefix(line, "flowdbg ") || strings.Contains(drawing, line) {
			continue
		}
		if strings.Contains(session, "\n"+line+"\n") {
			checked++ // a command of the session
			continue
		}
		line = strings.TrimPrefix(line, "… ")
		line, _, _ = strings.Cut(line, "…")
		if line = strings.Join(strings.Fields(line), " "); line == "" {
			continue
		}
		if !strings.Contains(said, line) {
			t.Errorf("the README shows %q, which the session does not print", line)
		}
		checked++
	}
	if checked < 30 {
		t.Errorf("only %d lines of the README were found", checked)
	}
}

// TestScriptsBesideFlows: a script that no flow of its folder uses is a leftover.
func TestScriptsBesideFlows(t *testing.T) {
	for _, dir := range []string{"tutorial", "exploration"} {
		files, err := filepath.Glob(dir + "/*.star")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		flows, err := filepath.Glob(dir + "/*.json")
		if err != nil {
			t.Fatal(err)
		}
		used := map[string]bool{}
		for _, name := range flows {
			if filepath.Base(name) == "trace.json" {
				continue
			}
			for _, s := range scriptMachine(t, filepath.ToSlash(name)).Sources() {
				used[s.Name] = true
			}
		}
		for _, f := range files {
			if _, err := os.Stat(f); err != nil || !used[filepath.Base(f)] {
				t.Errorf("%s is used by no flow: %v", f, err)
			}
		}
	}
}
