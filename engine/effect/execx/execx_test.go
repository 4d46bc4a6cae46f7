package execx_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/providers"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

const token = "tok/secret+value=1"

// The test's own program is the one that is started: helper plays the part that its first argument names.
func TestMain(m *testing.M) {
	if part := os.Getenv("FLOWDBG_EXEC_PART"); part != "" {
		os.Exit(helper(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func helper(args []string) int {
	switch args[0] {
	case "echo":
		fmt.Print(strings.Join(args[1:], "|"))
		fmt.Fprint(os.Stderr, "a note")
	case "env":
		env := os.Environ()
		slices.Sort(env)
		fmt.Print(strings.Join(env, "\n"))
	case "copy":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "files":
		data, err := os.ReadFile("in/a.txt")
		if err != nil {
			fmt.Print(err)
			return 9
		}
		_ = os.MkdirAll("out", 0o700)
		_ = os.WriteFile("out/b.txt", []byte(strings.ToUpper(string(data))), 0o600)
		_ = os.WriteFile("out/c.bin", []byte{0xff, 0}, 0o600)
		_ = os.Symlink("/etc/hostname", "link")
		dir, _ := os.Getwd()
		fmt.Print(dir)
		if len(args) > 1 {
			return 3
		}
	case "flood":
		for range 1000 {
			if _, err := fmt.Print(strings.Repeat("x", 1000)); err != nil {
				return 1
			}
		}
	case "grumble":
		for i := range 2000 {
			fmt.Fprintf(os.Stderr, "line %d\n", i)
		}
	case "leak":
		v := os.Getenv("MY_KEY")
		fmt.Print(v, " ", base64.StdEncoding.EncodeToString([]byte("x"+v)))
		fmt.Fprint(os.Stderr, "the key is ", v)
		_ = os.WriteFile("leak.txt", []byte(v), 0o600)
	case "stall":
		tellParent(args[1])
		select {}
	case "family":
		cmd := exec.Command(os.Args[0], "stall", args[1])
		cmd.Stdout = os.Stdout
		_ = cmd.Start()
		_ = cmd.Wait()
	}
	return 0
}

// tellParent connects to the test, so that it knows that the program runs, and notices when it ends.
func tellParent(addr string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		os.Exit(7)
	}
	_, _ = c.Write([]byte("x"))
	go func() { _, _ = io.Copy(io.Discard, c) }()
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func live(t testing.TB, settings string) *effect.Bus {
	t.Helper()
	if settings != "" {
		settings = "," + settings
	}
	set := map[string]canon.Value{"exec": parse(t, `{"programs":[`+canon.String(self(t)).Text()+`,"no-such-program"],"env":{"FLOWDBG_EXEC_PART":"x","MY_KEY":{"$secret":"TOK"}}`+settings+`}`)}
	if p := effect.CheckSettings("exec", set["exec"]); len(p) > 0 {
		t.Fatal(p)
	}
	bus, problems := effect.NewBus(set).GoLive(effect.Options{Live: effect.LiveAll, Providers: providers.All(), Dir: t.TempDir(),
		LookupEnv: func(n string) (string, bool) { return token, n == "TOK" }})
	if bus == nil {
		t.Fatal(problems)
	}
	return bus
}

func ask(t testing.TB, ctx context.Context, bus *effect.Bus, more string, argv ...string) (effect.Answer, error) {
	t.Helper()
	list := []canon.Value{canon.String(self(t))}
	for _, a := range argv {
		list = append(list, canon.String(a))
	}
	input := strings.TrimSuffix(parse(t, `{`+more+`}`).Text(), "}")
	if input != "{" {
		input += ","
	}
	req := trace.NewRequest("exec", parse(t, input+`"argv":`+canon.Array(list...).Text()+`}`))
	return bus.Answer(ctx, effect.Call{Agent: "a", Step: 1, Request: req})
}

func failed(t testing.TB, err error, class string) *effect.Failure {
	t.Helper()
	var f *effect.Failure
	if !errors.As(err, &f) || f.Error() != "EffectError: exec: "+class || f.Side.Get("detail").IsAbsent() {
		t.Fatalf("want %s, got %v %+v", class, err, f)
	}
	return f
}

func TestArgumentsGoThroughNoShell(t *testing.T) {
	a, err := ask(t, t.Context(), live(t, `"cost_usd":0.25`), "", "echo", "a b", "$(id)", "; rm -rf *", `"`)
	want := `{"exit_code":0,"stderr":"a note","stdout":"a b|$(id)|; rm -rf *|\""}`
	if err != nil || a.Output.Text() != want || a.Usage.USD != 0.25 || a.UsageUnknown {
		t.Fatalf("%v %s", err, a.Output)
	}
	a, err = ask(t, t.Context(), live(t, ""), `"stdin":"in\nput"`, "copy")
	if err != nil || a.Output.Get("stdout").Text() != `"in\nput"` {
		t.Fatalf("%v %s", err, a.Output)
	}
}

func TestEnvironmentIsAllowListed(t *testing.T) {
	t.Setenv("FLOWDBG_NOT_FOR_IT", "hidden")
	t.Setenv("FLOWDBG_FOR_IT", "shown")
	a, err := ask(t, t.Context(), live(t, `"pass_env":["FLOWDBG_FOR_IT"]`), "", "env")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := a.Output.Get("stdout").Str()
	var names []string
	for _, line := range strings.Split(text, "\n") {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
	}
	if want := []string{"FLOWDBG_EXEC_PART", "FLOWDBG_FOR_IT", "HOME", "MY_KEY", "PWD", "TMPDIR"}; !slices.Equal(names, want) {
		t.Fatalf("%v", names)
	}
}

func TestFiles(t *testing.T) {
	const more = `"files":{"in/a.txt":"text"},"outputs":["out/b.txt","out/c.bin"]`
	a, err := ask(t, t.Context(), live(t, `"keep":"kept"`), more, "files")
	if err != nil {
		t.Fatal(err)
	}
	sum := func(s string) string { h := sha256.Sum256([]byte(s)); return hex.EncodeToString(h[:]) }
	want := `{"out/b.txt":{"bytes":4,"sha256":"` + sum("TEXT") + `","text":"TEXT"},"out/c.bin":{"bytes":2,"sha256":"` + sum("\xff\x00") + `"}}`
	if a.Output.Get("files").Text() != want {
		t.Fatalf("%s", a.Output)
	}
	dir, _ := a.Output.Get("stdout").Str()
	if _, err := os.Stat(dir); dir == "" || !os.IsNotExist(err) {
		t.Fatalf("the folder %q is still there: %v", dir, err)
	}
	// The exit code is looked at before any file is.
	a, err = ask(t, t.Context(), live(t, ""), `"files":{"in/a.txt":"text"},"outputs":["none"]`, "files", "fail")
	if err != nil || a.Output.Get("exit_code").Text() != "3" || !a.Output.Get("files").IsAbsent() {
		t.Fatalf("%v %s", err, a.Output)
	}
	for _, c := range []struct{ more, class string }{
		{`"files":{"in/a.txt":"x"},"outputs":["none"]`, "output_file"},
		{`"files":{"in/a.txt":"x"},"outputs":["out"]`, "output_file"},
		{`"files":{"in/a.txt":"x"},"outputs":["link"]`, "output_file"},
		{`"outputs":["../x"]`, "bad_request"},
		{`"files":{"../x":"x"}`, "bad_request"},
		{`"files":{"/etc/x":"x"}`, "bad_request"},
		{`"files":{"a":5}`, "bad_request"},
		{`"stdin":{"$secret":"PATH"}`, "secret"},
	} {
		_, err = ask(t, t.Context(), live(t, ""), c.more, "files")
		failed(t, err, c.class)
	}
	_, err = ask(t, t.Context(), live(t, `"max_file_bytes":3`), more, "files")
	failed(t, err, "output_file")
}

func TestKeepsFilesByHash(t *testing.T) {
	dir := t.TempDir()
	bus := live(t, `"keep":`+canon.String(filepath.Join(dir, "kept")).Text())
	for range 2 {
		if _, err := ask(t, t.Context(), bus, `"files":{"in/a.txt":"text"},"outputs":["out/b.txt"]`, "files"); err != nil {
			t.Fatal(err)
		}
	}
	h := sha256.Sum256([]byte("TEXT"))
	data, err := os.ReadFile(filepath.Join(dir, "kept", hex.EncodeToString(h[:])))
	if err != nil || string(data) != "TEXT" {
		t.Fatal(err)
	}
	_, err = ask(t, t.Context(), bus, `"outputs":["leak.txt"]`, "leak")
	f := failed(t, err, "keep")
	if !strings.Contains(f.Side.Text(), "TOK") {
		t.Fatalf("%s", f.Side)
	}
	if list, err := os.ReadDir(filepath.Join(dir, "kept")); err != nil || len(list) != 1 {
		t.Fatal("a file with a secret was kept")
	}
}

func TestWhatMayBeStarted(t *testing.T) {
	bus := live(t, "")
	for argv, class := range map[string]string{`["/bin/sh","-c","id"]`: "not_allowed", `["no-such-program"]`: "start", `[]`: "bad_request", `["` + "a\\u0000b" + `"]`: "bad_request", `"sh"`: "bad_request"} {
		_, err := bus.Answer(t.Context(), effect.Call{Request: trace.NewRequest("exec", parse(t, `{"argv":`+argv+`}`))})
		failed(t, err, class)
	}
}

func TestOutputLimits(t *testing.T) {
	bus := live(t, `"max_output_bytes":5000`)
	_, err := ask(t, t.Context(), bus, "", "flood")
	failed(t, err, "output_too_large")
	a, err := ask(t, t.Context(), bus, "", "grumble")
	text, _ := a.Output.Get("stderr").Str()
	dropped, _ := a.Side.Get("stderr_dropped").Int()
	if err != nil || len(text) != 5000 || !strings.HasSuffix(text, "line 1999\n") || dropped < 10000 {
		t.Fatalf("%v %d bytes, %d dropped", err, len(text), dropped)
	}
}

func TestSecretsOfAProgram(t *testing.T) {
	bus := live(t, "")
	a, err := ask(t, t.Context(), bus, `"outputs":["leak.txt"]`, "leak")
	if err != nil || bus.Scanner().Find(a.Output.Text()+a.Side.Text()) != nil {
		t.Fatalf("%v %s", err, a.Output)
	}
	if n := strings.Count(a.Output.Text(), "[redacted:TOK]"); n != 4 {
		t.Fatalf("%d marks in %s", n, a.Output)
	}
}

// listen waits for the program to report, and tells when it is gone.
func listen(t *testing.T) (addr string, came, gone chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	came, gone = make(chan struct{}), make(chan struct{})
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		close(came)
		_, _ = io.Copy(io.Discard, c)
		close(gone)
	}()
	return l.Addr().String(), came, gone
}

func TestClocksAndCancel(t *testing.T) {
	for _, part := range []string{"stall", "family"} {
		addr, came, gone := listen(t)
		_, err := ask(t, t.Context(), live(t, `"idle_timeout_ms":700`), "", part, addr)
		f := failed(t, err, "idle_timeout")
		if !strings.Contains(f.Side.Text(), "the idle clock ran out") {
			t.Fatalf("%s", f.Side)
		}
		select {
		case <-came:
			<-gone // what the program started ended with it
		default: // on a slow machine it was stopped before it could report
		}
	}
	addr, _, _ := listen(t)
	_, err := ask(t, t.Context(), live(t, `"timeout_ms":700`), "", "stall", addr)
	failed(t, err, "total_timeout")
	addr, came, gone := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-came
		cancel()
	}()
	_, err = ask(t, ctx, live(t, ""), "", "family", addr)
	var e *effect.Cancelled
	if !errors.As(err, &e) || !e.PossiblyBilled || !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	<-gone
}
