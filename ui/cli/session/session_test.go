package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/debug"
)

func TestCommands(t *testing.T) {
	got := Commands("# a comment\n\n  step 3 \n#x\nexpect a # b\n")
	if len(got) != 2 || got[0] != (Command{3, "step 3"}) || got[1] != (Command{5, "expect a # b"}) {
		t.Errorf("%v", got)
	}
	inline := Inline(`step; edit inject a t {"x":";\"; "} ;; hash`)
	if len(inline) != 3 || inline[1].Text != `edit inject a t {"x":";\"; "}` || inline[2] != (Command{3, "hash"}) {
		t.Errorf("%v", inline)
	}
}

func TestParseBreak(t *testing.T) {
	for text, want := range map[string]string{
		"critic":                              "#0 agent critic",
		"tag note from 3":                     "#0 tag note from hit 3",
		"op llm once per agent":               "#0 op llm per agent once",
		"error log":                           "#0 error log",
		"op llm from 2 when usd > 1":          "#0 op llm from hit 2 when usd > 1",
		"when tag == \"once\"":                `#0 when tag == "once"`,
		"once":                                "#0 agent once", // a single word is a name
		"line a.star:3 when x > 1":            "#0 line a.star:3 when x > 1",
		"changed a /b per agent":              "#0 changed a /b per agent",
		`agent "my agent" once`:               `#0 agent "my agent" once`,
		`"error"`:                             "#0 agent error",
		"tag done log print payload.x":        "#0 tag done log print payload.x",
		`tag a print "x when y" when usd > 1`: `#0 tag a print "x when y" when usd > 1`,
		"op llm once when usd > 1":            "#0 op llm once when usd > 1",
		"once when usd > 1":                   "#0 once when usd > 1",
		"contract once":                       "#0 contract once",
		`contract "once"`:                     `#0 contract "once"`,
		"agent once once":                     "#0 agent once once", // a kind's own words come first
		"tag note print":                      "",
		"tag note print )":                    "",
		`agent "a`:                            "",
		"tag note from":                       "",
		"tag note from x":                     "",
		"tag note from 0":                     "",
		"nothing at all":                      "",
		"agent a when":                        "",
		"edge a.b>c when payload.x == 1 once": "#0 edge a.b>c once when payload.x == 1", // options behind a condition are taken too
	} {
		b, err := debug.ParseBreakpoint(text)
		if (err == nil) != (want != "") || err == nil && b.String() != want {
			t.Errorf("%q: %q, %v", text, b.String(), err)
		}
	}
}

// TestEveryCommandIsInADialogue: a word of the language that no dialogue of the program uses is not tested.
func TestEveryCommandIsInADialogue(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/script/session_*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatalf("%v %v", files, err)
	}
	used := map[string]bool{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' || r == ';' || r == '\'' }) {
			word, _ := cutWord(strings.TrimPrefix(strings.TrimSpace(line), "! "))
			used[word] = true
		}
	}
	for _, c := range commands {
		ok := false
		for _, n := range c.names {
			ok = ok || used[n]
		}
		if !ok {
			t.Errorf("no dialogue uses %q", c.names[0])
		}
	}
}

// Words are unique, and help tells every one of them.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commands {
		for _, n := range c.names {
			if seen[n] {
				t.Errorf("%q is there twice", n)
			}
			seen[n] = true
			if !strings.Contains(Help(), n) {
				t.Errorf("help does not tell %q", n)
			}
		}
		if c.help == "" || c.run == nil {
			t.Errorf("%v has no help or does nothing", c.names)
		}
	}
}

func seed(t testing.TB) *Interp {
	t.Helper()
	data, err := os.ReadFile("../../../examples/research-pipeline.json")
	if err != nil {
		t.Fatal(err)
	}
	m, diags := engine.Parse("flow.json", data, behavior.Builtin(), false)
	if m == nil {
		t.Fatal(diags)
	}
	s, err := debug.New(debug.Options{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{}, Target{Session: s})
}

// Nothing that can be typed makes the interpreter panic, and a command that fails leaves the session usable.
func FuzzDo(f *testing.F) {
	for _, c := range commands {
		f.Add(c.names[0])
		f.Add(c.names[0] + " 1")
		f.Add("! " + c.names[0] + " critic /last")
	}
	f.Add(`edit inject critic research {"text":"x"}`)
	f.Add("break when payload.x[1]; continue; reverse")
	f.Fuzz(func(t *testing.T, text string) {
		in := seed(t)
		in.opt.Limit = 2000
		in.Do(context.Background(), Command{1, "step 3"})
		for _, c := range Inline(text) {
			r := in.Do(context.Background(), c)
			if r.OK == (r.Error != "") {
				t.Fatalf("%+v", r)
			}
		}
		if r := in.Do(context.Background(), Command{2, "where"}); !r.OK {
			t.Fatalf("%+v", r)
		}
	})
}

// A context that ends stops a command, and the session stands where it came to.
func TestInterrupted(t *testing.T) {
	in := seed(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := in.Do(ctx, Command{1, "continue"}); r.OK {
		t.Errorf("%+v", r)
	}
	if r := in.Do(context.Background(), Command{2, "goto end"}); !r.OK || !strings.Contains(r.Text, "finished") {
		t.Errorf("%+v", r)
	}
}
