package examples

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"flowdbg/engine/query"
	"flowdbg/ui/cli"
)

// fenced are the blocks of a page between ```lang and ```.
func fenced(text, lang string) []string {
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```"+lang+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// command runs flowdbg and gives all it said.
func command(t *testing.T, code int, args ...string) string {
	t.Helper()
	var b bytes.Buffer
	if got := cli.Execute(context.Background(), cli.Config{Stdin: strings.NewReader(""), Stdout: &b, Stderr: &b}, args); got != code {
		t.Errorf("%v: exit %d, want %d\n%s", args, got, code, b.String())
	}
	return b.String()
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func has(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
}

// TestWriting: what WRITING.md shows runs, its breakpoints stop where there is something to stop at, and the names are those of expressions.
func TestWriting(t *testing.T) {
	page := string(read(t, "WRITING.md"))
	dir := writeFiles(t, map[string]string{"flow.json": fenced(page, "json")[0], "split.star": fenced(page, "python")[0]})
	name := filepath.Join(dir, "flow.json")
	has(t, command(t, 0, "check", name), "0 errors, 0 warnings, 0 lints")
	has(t, command(t, 0, "run", name), "idle after 4 steps", "output  joiner.out: 1 message", `"word":"word"`)
	for _, block := range fenced(page, "text") {
		for _, text := range strings.Split(strings.TrimSpace(block), "\n") {
			said := command(t, 0, "session", name, "-e", "break "+text+"; continue")
			never := strings.HasPrefix(text, "error") || strings.HasPrefix(text, "usd") || strings.HasPrefix(text, "tokens") ||
				strings.HasPrefix(text, "hash") || strings.HasPrefix(text, "contract") || strings.HasPrefix(text, "certificate")
			if stopped := strings.Contains(said, "breakpoint #1 "); stopped == never {
				t.Errorf("%s: stopped %v\n%s", text, stopped, said)
			}
		}
	}
	for name, what := range query.Names {
		has(t, page, "| `"+name+"` | "+what+" |")
	}
	for _, member := range []string{"version", "id", "agents", "edges"} {
		other := strings.Replace(fenced(page, "json")[0], `"`+member+`":`, `"x`+member+`":`, 1)
		has(t, command(t, 1, "check", filepath.Join(writeFiles(t, map[string]string{"flow.json": other}), "flow.json")), `"`+member+`" is missing`)
	}
}

// TestWritingScripts: every name that WRITING.md says a script may call.
func TestWritingScripts(t *testing.T) {
	flow := `{"version":1,"id":"f","agents":[{"id":"a","kind":"script","config":{"script":"a.star"%s},"ports":["p"]}],"edges":[],"input":{"to":"a","tag":"t"}}`
	for name, c := range map[string]struct {
		script, config string
		code           int
		want           []string
	}{
		"all": {"load('lib.star', 'twice')\ndef act(msg, state, config):\n    print('hello')\n    s = struct(x = 3)\n    n = 0\n    while n < 2:\n        n += 1\n" +
			"    v = [twice(s.x), json.decode(json.encode({'b': 1})), json.indent('[]'), math.abs(-1), math.floor(1.5), math.ceil(1.5), math.round(1.5), math.sqrt(4), math.min(1, 2), math.max(1, 2), len(set([1])), state, msg.sender]\n" +
			"    return result(send = [send('p', 't', v)])\n", "", 0, []string{`[6,{"b":1},"[]",1,1,2,2,2,1,2,1,null,null]`}},
		"none":      {"def act(msg, state, config):\n    pass\n", "", 0, []string{"idle after 1 step"}},
		"named":     {"def go(msg, state, config):\n    return result(send = [send('p', 't', state)])\ndef begin(config):\n    return 7\n", `,"entry":"go","init":"begin"`, 0, []string{"t from a  7"}},
		"fail":      {"def act(msg, state, config):\n    fail('no')\n", "", 1, []string{"no"}},
		"recursion": {"def act(msg, state, config):\n    return act(msg, state, config)\n", "", 1, []string{"recursively"}},
		"outside":   {"load('../lib.star', 'twice')\n", "", 1, []string{"does not lie in the flow's folder"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeFiles(t, map[string]string{"flow.json": strings.Replace(flow, "%s", c.config, 1), "a.star": c.script, "lib.star": "def twice(x):\n    return 2 * x\n"})
			has(t, command(t, c.code, "run", filepath.Join(dir, "flow.json")), c.want...)
		})
	}
}
