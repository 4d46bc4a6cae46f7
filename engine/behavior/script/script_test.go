package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flowdbg/engine/behavior"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// files makes a library over texts in memory.
func files(texts map[string]string) Options {
	return Options{Read: func(name string) ([]byte, error) {
		if s, ok := texts[name]; ok {
			return []byte(s), nil
		}
		return nil, os.ErrNotExist
	}}
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func load(t testing.TB, src string, opt ...func(*Options)) behavior.Behavior {
	t.Helper()
	o := files(map[string]string{"a.star": src, "lib/help.star": "def twice(x):\n    return x + x\n"})
	for _, f := range opt {
		f(&o)
	}
	b, problems := newKind(newLibrary(o)).New(parse(t, `{"script":"a.star","limit":3}`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return b
}

func call(tag, payload string) behavior.Call {
	v, _, _ := canon.Parse([]byte(payload), canon.Options{})
	return behavior.Call{Agent: "a", State: canon.Null, Message: trace.NewMessage("b", tag, v)}
}

func TestResultForms(t *testing.T) {
	b := load(t, `
load("lib/help.star", "twice")
def act(msg, state, config):
    if msg.tag == "none": return None
    if msg.tag == "keep": return result(send = [send("out", "note", {"n": twice(msg.payload["n"]), "limit": config["limit"], "by": msg.sender})])
    if msg.tag == "null": return result(state = None)
    if msg.tag == "dict": return {"state": (1, 2.0, True), "send": ({"port": "p", "tag": "t"},)}
    return result(state = {"b": 1, "a": [msg.payload]}, effect = effect("llm", model = "m", messages = []))
`)
	for tag, want := range map[string]string{
		"none": "| []",
		"keep": `| [{"payload":{"by":"b","limit":3,"n":8},"port":"out","tag":"note"}]`,
		"null": "null| []",
		"dict": `[1,2,true]| [{"payload":null,"port":"p","tag":"t"}]`,
		"else": `{"a":[{"n":4}],"b":1}| [] llm {"messages":[],"model":"m"}`,
	} {
		res, err := b.Act(call(tag, `{"n":4}`))
		if err != nil {
			t.Fatalf("%s: %v", tag, err)
		}
		got := res.State.Text() + "| " + trace.SendsValue(res.Sends).Text()
		if res.Effect != nil {
			got += " " + res.Effect.Op + " " + res.Effect.Input.Text()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", tag, got, want)
		}
	}
}

// Each fault of a script is an error with its place; none of them stops the program.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"runtime":      {"    x = 1\n    return x + \"a\"", "a.star:3:14: unknown binary op: int + string"},
		"fail":         {"    fail(\"no\")", "a.star:2:9: fail: no"},
		"endless":      {"    while True:\n        pass", "too many steps"},
		"recursion":    {"    return act(msg, state, config)", "called recursively"},
		"frozen":       {"    config[\"x\"] = 1", "frozen"},
		"huge integer": {"    return result(state = 1 << 60)", "/state: 1152921504606846976 is beyond"},
		"vast integer": {"    return result(state = 1 << 400)", "/state: int of 401 bits is beyond"},
		"nan":          {"    return result(state = {\"x\": float(\"nan\")})", "/state/x: nan is no JSON number"},
		"inf":          {"    return result(state = [float(\"inf\")])", "/state/0: +inf is no JSON number"},
		"function":     {"    return result(state = act)", "/state: a function is no JSON value"},
		"key":          {"    return result(state = {1: 2})", "/state: the key 1 is no JSON string"},
		"cycle":        {"    l = []\n    l.append(l)\n    return result(state = l)", "contains itself"},
		"bytes":        {"    return result(state = b\"x\")", "/state: a bytes is no JSON value"},
		"not a result": {"    return 7", "return result(…), a dict or None"},
		"member":       {"    return {\"sent\": []}", "has the member \"sent\""},
		"send shape":   {"    return result(send = [1])", "/send/0: a int is no send"},
		"send port":    {"    return result(send = [{\"tag\": \"x\"}])", "/send/0: a send needs a port and a tag"},
		"effect shape": {"    return result(effect = 1)", "/effect: a int is no effect"},
		"result name":  {"    return result(sate = 1)", "result has no argument sate"},
	} {
		t.Run(name, func(t *testing.T) {
			b := load(t, "def act(msg, state, config):\n"+c.body+"\n")
			_, err := b.Act(call("x", "1"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestLoadFaults(t *testing.T) {
	for name, c := range map[string]struct{ config, src, want string }{
		"syntax":    {`{"script":"a.star"}`, "def act(:\n", "a.star:1:10: got ':', want ')'"},
		"undefined": {`{"script":"a.star"}`, "def act(msg, state, config):\n    return nope\n", "a.star:2:12: undefined: nope"},
		"no entry":  {`{"script":"a.star","entry":"go"}`, "def act(msg, state, config):\n    pass\n", "a.star defines no function go"},
		"missing":   {`{"script":"b.star"}`, "", "reading script b.star"},
		"outside":   {`{"script":"../b.star"}`, "", "does not lie in the flow's folder"},
		"absolute":  {`{"script":"/etc/passwd"}`, "", "does not lie in the flow's folder"},
		"no script": {`{}`, "", "the script's file name is missing"},
		"cycle":     {`{"script":"a.star"}`, "load(\"a.star\", \"x\")\n", "loads itself"},
		"load out":  {`{"script":"a.star"}`, "load(\"../x.star\", \"x\")\n", "does not lie in the flow's folder"},
		"time":      {`{"script":"a.star"}`, "def act(msg, state, config):\n    return time.now()\n", "undefined: time"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := newKind(newLibrary(files(map[string]string{"a.star": c.src}))).New(parse(t, c.config))
			if len(problems) != 1 || !strings.Contains(problems[0].What, c.want) {
				t.Fatalf("got %+v\nwant %s", problems, c.want)
			}
		})
	}
}

// A link inside the folder that leads out of it is refused like a path that does.
func TestLinksDoNotLeaveTheFolder(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	secret := filepath.Join(out, "secret.star")
	if err := os.WriteFile(secret, []byte("def act(msg, state, config):\n    pass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "a.star")); err != nil {
		t.Fatal(err)
	}
	_, problems := newKind(newLibrary(Options{Dir: dir})).New(parse(t, `{"script":"a.star"}`))
	if len(problems) != 1 || !strings.Contains(problems[0].What, "reading script a.star") {
		t.Fatalf("%+v", problems)
	}
}

func TestInitAndFreshCopies(t *testing.T) {
	b := load(t, "def init(config):\n    return {\"n\": config[\"limit\"]}\ndef act(msg, state, config):\n    msg.payload.append(1)\n    state[\"n\"] += len(msg.payload)\n    return result(state = state)\n")
	state, err := b.(behavior.Initializer).Init()
	if err != nil || state.Text() != `{"n":3}` {
		t.Fatal(state, err)
	}
	c := call("x", "[5]")
	for range 2 {
		c.State = state
		res, err := b.Act(c)
		if err != nil || res.State.Text() != `{"n":5}` {
			t.Fatalf("%s %v: a call saw what another changed", res.State, err)
		}
	}
}

// The watchdog's interruption is not an ordinary error: it must never be recorded.
func TestWatchdog(t *testing.T) {
	b := load(t, "def act(msg, state, config):\n    x = 3\n    for i in range(26):\n        x = x * x\n    return None\n", func(o *Options) { o.Timeout = 50 * time.Millisecond })
	_, err := b.Act(call("x", "1"))
	var in *behavior.Interrupted
	if !errors.As(err, &in) {
		t.Fatalf("got %v", err)
	}
}

func TestPrintGoesToItsPane(t *testing.T) {
	var said []string
	b := load(t, "def act(msg, state, config):\n    print(\"hello\", msg.tag)\n", func(o *Options) {
		o.Print = func(agent, text string) { said = append(said, agent+": "+text) }
	})
	if _, err := b.Act(call("x", "1")); err != nil || fmt.Sprint(said) != "[a: hello x]" {
		t.Fatal(said, err)
	}
}

const stepped = `def helper(n):
    m = n * 2
    return m

def act(msg, state, config):
    total = 0
    for i in range(2):
        total += helper(i)
    if total > 100:
        total = 0
    return result(state = total)
`

// A recording names every statement with its place, depth and variables, and the call's result is the plain one.
func TestRecordedCall(t *testing.T) {
	b := load(t, stepped)
	rec, err := Record(b, call("x", "1"))
	if err != nil || rec.Err != nil {
		t.Fatal(err, rec)
	}
	var lines []string
	for _, s := range rec.Statements {
		lines = append(lines, fmt.Sprintf("%d/%d", s.Line, s.Depth))
	}
	if got := strings.Join(lines, " "); got != "6/0 7/0 8/0 2/1 3/1 8/0 2/1 3/1 9/0 11/0" {
		t.Fatal(got)
	}
	at := rec.Statements[7]
	locals, err := rec.Locals(7)
	if err != nil || at.Func != "helper" || fmt.Sprint(locals) != "[{n 1} {m 2}]" {
		t.Fatalf("%+v %v %v", at, locals, err)
	}
	if first, err := rec.Locals(0); err != nil || len(first) != 3 || first[0].Name != "msg" {
		t.Fatal(first, err)
	}
	plain, err := b.Act(call("x", "1"))
	if err != nil || plain.State != rec.Result.State {
		t.Fatal(plain, rec.Result)
	}
}

// Errors read the same with and without the debugger.
func TestRecordedErrorKeepsItsPlace(t *testing.T) {
	b := load(t, "def act(msg, state, config):\n    x = 1\n    if x:\n        return x + \"a\"\n")
	_, plain := b.Act(call("x", "1"))
	rec, err := Record(b, call("x", "1"))
	if err != nil || rec.Err == nil || plain == nil || rec.Err.Error() != plain.Error() {
		t.Fatalf("%v\nplain %v\nrecorded %v", err, plain, rec.Err)
	}
}

func BenchmarkCall(b *testing.B) {
	s := load(b, "def act(msg, state, config):\n    n = (state or {\"n\": 0})[\"n\"] + 1\n    return result(state = {\"n\": n}, send = [send(\"out\", \"note\", {\"n\": n})])\n")
	c := call("x", `{"n":1,"text":"a short payload"}`)
	c.State = parse(b, `{"n":41}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Act(c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReload(b *testing.B) {
	src := stepped
	for i := range 20 {
		n := fmt.Sprint(i)
		src += strings.NewReplacer("act", "other"+n, "helper", "helper"+n).Replace(stepped)
	}
	opt := files(map[string]string{"a.star": src})
	config := parse(b, `{"script":"a.star"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, p := newKind(newLibrary(opt)).New(config); len(p) > 0 {
			b.Fatal(p)
		}
	}
}

// The recorded form against the plain one: a call as flows make it, and a loop whose statements do next to nothing.
func BenchmarkForms(b *testing.B) {
	for name, src := range map[string]string{
		"usual": `def act(msg, state, config):
    seen = (state or {"seen": []})["seen"]
    text = msg.payload["text"]
    words = [w for w in text.split(" ") if len(w) > 3]
    if not words:
        return result(state = {"seen": seen})
    best = sorted(words, key = lambda w: -len(w))[0]
    seen = (seen + [best])[-5:]
    note = "the longest word of %d is %s" % (len(words), best)
    return result(state = {"seen": seen}, send = [send("out", "note", {"text": note, "seen": seen})])
`,
		"loop": "def act(msg, state, config):\n    total = 0\n    for i in range(1000):\n        total += i\n        if total > 1000000:\n            total = 0\n    return result(state = total)\n",
	} {
		s := load(b, src)
		c := call("x", `{"text":"a payload with several words of usual length, as agents send them to each other all day"}`)
		b.Run(name+"/plain", func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Act(c); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/recorded", func(b *testing.B) {
			for b.Loop() {
				if rec, err := Record(s, c); err != nil || rec.Err != nil {
					b.Fatal(err, rec.Err)
				}
			}
		})
	}
}
