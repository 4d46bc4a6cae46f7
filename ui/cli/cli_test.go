package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// examples is the folder of the examples.
func examples(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "examples", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

type result struct {
	code           int
	stdout, stderr string
}

func execute(t *testing.T, cfg Config, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cfg.Version = "0.0.0"
	if cfg.Stdin == nil {
		cfg.Stdin = strings.NewReader("")
	}
	if cfg.Stdout == nil {
		cfg.Stdout = &stdout
	}
	cfg.Stderr = &stderr
	code := Execute(t.Context(), cfg, args)
	return result{code, stdout.String(), stderr.String()}
}

func terminal(open Interactive) Config {
	return Config{StdinTTY: true, StdoutTTY: true, Interactive: open}
}

// TestInteractive: on a terminal the screen gets a session of the right mode and what it needs to reload.
func TestInteractive(t *testing.T) {
	t.Setenv("TERM", "xterm")
	flow, tr := examples(t, "research-pipeline.json"), examples(t, "research-trace.json")
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"version":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name  string
		args  []string
		stdin string
		mode  debug.Mode
		watch string
	}{
		{"live", []string{flow}, "", debug.Live, flow},
		{"replay", []string{tr, flow, "--theme", "light", "--ascii"}, "", debug.Replay, flow},
		{"playback", []string{tr}, "", debug.Playback, ""},
		{"playback asked for", []string{flow, tr, "--playback"}, "", debug.Playback, flow},
		{"a folder", []string{examples(t, "router")}, "", debug.Replay, filepath.Join(examples(t, "router"), "flow.json")},
		{"an invalid flow beside a trace", []string{bad, tr}, "", debug.Playback, bad},
		{"standard input cannot be watched", []string{"-"}, `{"version":1,"id":"x","agents":[{"id":"a","kind":"echo"}],"edges":[]}`, debug.Live, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			called := 0
			cfg := terminal(func(_ context.Context, s *debug.Session, o Opened) error {
				called++
				if s.Mode() != x.mode {
					t.Errorf("mode %s, expected %s", s.Mode(), x.mode)
				}
				watch := ""
				if o.Reloader != nil {
					watch = o.Reloader.Path
				}
				if watch != x.watch {
					t.Errorf("watches %q, expected %q", watch, x.watch)
				}
				if o.ASCII != (x.name == "replay") || (o.Theme == "light") != (x.name == "replay") {
					t.Errorf("theme %q, ascii %v", o.Theme, o.ASCII)
				}
				return nil
			})
			cfg.Stdin = strings.NewReader(x.stdin)
			if r := execute(t, cfg, x.args...); r.code != 0 || called != 1 || r.stdout != "" {
				t.Errorf("called %d times, %+v", called, r)
			}
		})
	}
}

// TestNotInteractive: what keeps the screen from opening.
func TestNotInteractive(t *testing.T) {
	never := func(context.Context, *debug.Session, Opened) error {
		t.Error("the screen was opened")
		return nil
	}
	t.Setenv("TERM", "xterm")
	flow := examples(t, "research-pipeline.json")
	for _, cfg := range []Config{{StdinTTY: true, Interactive: never}, {StdoutTTY: true, Interactive: never}, {StdinTTY: true, StdoutTTY: true}} {
		if r := execute(t, cfg, flow); r.code != 0 || !strings.HasPrefix(r.stdout, "flow     research-pipeline ") {
			t.Errorf("%+v", r)
		}
	}
	if r := execute(t, terminal(never), flow, "--json"); r.code != 0 || !json.Valid([]byte(r.stdout)) {
		t.Errorf("%+v", r)
	}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"version":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := execute(t, terminal(never), bad); r.code != 1 || !strings.Contains(r.stderr, "the flow is invalid") {
		t.Errorf("%+v", r)
	}
	t.Setenv("TERM", "dumb")
	if r := execute(t, terminal(never), flow); r.code != 0 || !strings.HasPrefix(r.stdout, "flow ") || !strings.Contains(r.stderr, "TERM=dumb") {
		t.Errorf("a dumb terminal: %+v", r)
	}
}

// TestScreenErrors: how the screen ends decides the exit code, and a panic is a message without a stack.
func TestScreenErrors(t *testing.T) {
	t.Setenv("TERM", "xterm")
	flow := examples(t, "research-pipeline.json")
	for _, x := range []struct {
		name string
		open Interactive
		code int
		text string
	}{
		{"left", func(context.Context, *debug.Session, Opened) error { return nil }, 0, ""},
		{"told to end", func(context.Context, *debug.Session, Opened) error { return context.Canceled }, 0, ""},
		{"broke", func(context.Context, *debug.Session, Opened) error { return errors.New("no terminal") }, 3, "flowdbg: no terminal\n"},
		{"says no", func(context.Context, *debug.Session, Opened) error { return out.No("no") }, 1, "flowdbg: no\n"},
		{"panics", func(context.Context, *debug.Session, Opened) error { panic("\x1b[31mboom") }, 3, "flowdbg: internal error: \\x1b[31mboom\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			if r := execute(t, terminal(x.open), flow); r.code != x.code || r.stderr != x.text {
				t.Errorf("%+v", r)
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFullDisk(t *testing.T) {
	flow := examples(t, "research-pipeline.json")
	for _, args := range [][]string{{flow}, {"kinds"}, {"--version"}, {"hash", flow}, {"events", examples(t, "research-trace.json"), "--json"},
		{"run", flow, "-o", "-"}, {"fmt", flow}} {
		r := execute(t, Config{Stdout: fullDisk{}}, args...)
		if r.code != 2 || !strings.Contains(r.stderr, "no space left") || strings.Count(r.stderr, "flowdbg: ") != 1 {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stderr bytes.Buffer
	cfg := Config{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr}
	target := filepath.Join(t.TempDir(), "t.json")
	code := Execute(ctx, cfg, []string{"run", examples(t, "research-pipeline.json"), "-o", target})
	if code != 1 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("%d %q", code, stderr.String())
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("a run without an event wrote a file")
	}
}

// TestTerminalIsSafe: on a terminal a trace is printed through the safe writer, elsewhere as it is.
func TestTerminalIsSafe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.json")
	text := "{\n  \"version\": 1,\n  \"id\": \"\u202e\",\n  \"agents\": [\n    { \"id\": \"a\", \"kind\": \"echo\" }\n  ],\n  \"edges\": []\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := execute(t, Config{}, "fmt", path); r.code != 0 || !strings.Contains(r.stdout, "\u202e") {
		t.Errorf("%+v", r)
	}
	if r := execute(t, Config{StdoutTTY: true}, "fmt", path); r.code != 0 || !strings.Contains(r.stdout, `\u202e`) || strings.Contains(r.stdout, "\u202e") {
		t.Errorf("%+v", r)
	}
}

// TestEveryCommandIsDocumented: Short and Example, and --json wherever something is answered.
func TestEveryCommandIsDocumented(t *testing.T) {
	root := (&app{}).root()
	silent := map[string]bool{"fmt": true, "new": true, "gen-trace": true}
	for _, c := range root.Commands() {
		checkDocumented(t, c)
		if c.Name() == "contract" || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		if c.Flags().Lookup("json") == nil && !silent[c.Name()] {
			t.Errorf("%s has no --json", c.Name())
		}
	}
	checkDocumented(t, root)
}

func checkDocumented(t *testing.T, c *cobra.Command) {
	t.Helper()
	if c.Short == "" || c.Example == "" || strings.HasSuffix(c.Short, ".") {
		t.Errorf("%s: short %q, example %q", c.Name(), c.Short, c.Example)
	}
}

func TestStepEnd(t *testing.T) {
	types := func(list ...trace.Type) []trace.Event {
		events := make([]trace.Event, len(list))
		for i, x := range list {
			events[i].Type = x
		}
		return events
	}
	run := types(trace.XInit, trace.Receive, trace.Act, trace.Receive, trace.Act, trace.ErrorEvent, trace.FinishEvent)
	cut := types(trace.Receive, trace.Act, trace.Receive)
	for _, x := range []struct {
		events       []trace.Event
		k, pos, last int
		ok           bool
	}{
		{run, 0, 0, 2, true}, {run, 1, 3, 2, true}, {run, 2, 6, 2, true}, {run, 3, 0, 2, false}, {run, -1, 0, 2, false},
		{cut, 1, 2, 2, true}, {cut, 2, 3, 2, true}, {cut, 3, 0, 2, false}, {nil, 0, 0, 0, true}, {nil, 1, 0, 0, false},
	} {
		pos, last, ok := stepEnd(trace.MemLog(x.events), x.k)
		if ok != x.ok || last != x.last || ok && pos != x.pos {
			t.Errorf("step %d of %d events: %d, %d, %v", x.k, len(x.events), pos, last, ok)
		}
	}
}

func TestDollars(t *testing.T) {
	for nano, want := range map[int64]string{0: "$0.00", 1: "$0.000000001", 100_000_000: "$0.10", 1_230_000_000: "$1.23", -5: "-$0.000000005",
		1<<63 - 1: "$9223372036.854775807", -1 << 63: "-$9223372036.854775808"} {
		if got := dollars(nano); got != want {
			t.Errorf("%d: %s, expected %s", nano, got, want)
		}
	}
}

func TestPreviews(t *testing.T) {
	long := strings.Repeat("ä", 300)
	a, b := canon.String(long+"x"+long), canon.String(long+"y")
	x, y := previewPair(a, b, 100)
	if !strings.HasPrefix(x, "…ä") || !strings.Contains(x, "x") || !strings.Contains(y, `y"`) || strings.HasSuffix(y, "…") {
		t.Errorf("%s\n%s", x, y)
	}
	if x, y := previewPair(canon.Int(1), canon.Value{}, 100); x != "1" || y != "nothing" {
		t.Errorf("%s %s", x, y)
	}
	if got := preview(canon.String(long), 3); got != `"ää… (602 bytes)` {
		t.Error(got)
	}
}

// TestCosts: failed effects that were billed count, cancelled ones do not.
func TestCosts(t *testing.T) {
	req := trace.NewRequest("llm", canon.Object(canon.Member{Key: "model", Value: canon.String("m")}))
	events := []trace.Event{
		{Type: trace.EffectEvent, Agent: "a", Effect: req, Usage: trace.Usage{InputTokens: 2, USD: 0.25}},
		{Type: trace.ErrorEvent, Agent: "b", Error: &trace.ErrorInfo{Text: "EffectError: llm: x", Request: req, HasUsage: true}, Usage: trace.Usage{USD: 0.5}},
		{Type: trace.ErrorEvent, Agent: "b", Error: &trace.ErrorInfo{Text: "BehaviorError: b: x"}},
		{Type: trace.EffectEvent, Agent: "a", Effect: trace.NewRequest("search", canon.Null), Side: canon.Object(canon.Member{Key: "usage_unknown", Value: canon.True})},
	}
	c, err := costOf(trace.MemLog(events))
	if err != nil {
		t.Fatal(err)
	}
	if c.Total.NanoUSD != 750_000_000 || !c.Total.AtLeast || c.Total.InputTokens != 2 {
		t.Errorf("%+v", c.Total)
	}
	if len(c.ByAgent) != 2 || c.ByAgent[0].Name != "b" || c.ByAgent[1].Effects != 2 {
		t.Errorf("%+v", c.ByAgent)
	}
	if len(c.ByModel) != 2 || c.ByModel[0].Name != "m" || c.ByModel[1].Name != noModel {
		t.Errorf("%+v", c.ByModel)
	}
}

// TestEveryKindHasAStarter: whatever kind is named, the flow shows it and the file is formatted.
func TestEveryKindHasAStarter(t *testing.T) {
	for _, name := range load.Kinds(".", nil).Names() {
		text, err := starter(name, "dir/some.flow.json")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Contains(text, []byte(`"kind": "`+name+`"`)) || !bytes.Contains(text, []byte(`"id": "some.flow"`)) {
			t.Errorf("%s: the starter does not show it:\n%s", name, text)
		}
		if formatted, err := flow.Format(text); err != nil || !bytes.Equal(formatted, text) {
			t.Errorf("%s: the starter is not formatted: %v", name, err)
		}
	}
	if text, err := starter("gate", "bad\x07.json"); err != nil || !bytes.Contains(text, []byte(starterID)) {
		t.Errorf("a name that is no id: %v", err)
	}
}

// TestInteractiveGrowing: on the screen a trace that may still be written to stays in its file, so that it can be read on;
// one with a finish, and one that a flow is replayed against, do not grow.
func TestInteractiveGrowing(t *testing.T) {
	t.Setenv("TERM", "xterm")
	flow := examples(t, "research-pipeline.json")
	data, err := os.ReadFile(examples(t, "research-trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	cut := filepath.Join(t.TempDir(), "cut.json")
	if err := os.WriteFile(cut, []byte(strings.Join(lines[:12], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name string
		args []string
		file bool
	}{
		{"a prefix", []string{cut}, true},
		{"a prefix with its flow, played back", []string{flow, cut, "--playback"}, true},
		{"a prefix that is replayed", []string{flow, cut}, false},
		{"a whole trace", []string{examples(t, "research-trace.json")}, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			cfg := terminal(func(_ context.Context, s *debug.Session, _ Opened) error {
				if got := s.Store() != nil; got != x.file {
					t.Errorf("in its file: %v, expected %v", got, x.file)
				}
				return nil
			})
			if r := execute(t, cfg, x.args...); r.code != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}
