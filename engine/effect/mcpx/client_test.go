package mcpx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/secret"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// program is a server that is this test binary in one of its modes.
func program(t *testing.T, mode string, more string) *Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseServer("srv", parse(t, fmt.Sprintf(`{"command":%q,"env":{%q:%q}%s}`, exe, testServer, mode, more)), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func client(t *testing.T, s *Server) *Client {
	t.Helper()
	c := New(s, secret.NewVault(nil, s.Secrets()...))
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestListAndCall(t *testing.T) {
	c := client(t, program(t, "good", ""))
	l, err := c.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Tools) != 2 || ToolName(l.Tools[1]) != "second" || l.Protocol != Protocol || l.Name != "t" || l.Version != "9" {
		t.Fatalf("%+v", l)
	}
	// Bytes that the SDK's types would change stay as they are.
	for _, text := range []string{string(l.Document()), string(l.Initialize)} {
		if !strings.Contains(text, "9007199254740993") {
			t.Errorf("an integer was rounded: %s", text)
		}
	}
	if ClassOf(l.Tool("echo")) != effect.Unsafe || ClassOf(l.Tool("second")) != effect.Pure || l.Tool("third") != nil {
		t.Error("classes by annotations")
	}
	args, callMeta := `{"n":9007199254740993,"s":"<&>"}`, `{"ai-norm.com/contract_version":2,"k":9007199254740993}`
	r, err := c.Call(context.Background(), "echo", []byte(args), []byte(callMeta))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"echo"`, `"n":9007199254740993`, `"k":9007199254740993`, `"ai-norm.com/contract_version":2`} {
		if !strings.Contains(string(r.Sent), want) || !strings.Contains(string(r.Received), want) {
			t.Errorf("%s is missing in %s or %s", want, r.Sent, r.Received)
		}
	}
	if _, err := c.Call(context.Background(), "echo", nil, nil); err != nil || c.Starts() != 1 {
		t.Errorf("a second call: %v, %d starts", err, c.Starts())
	}
}

// Each way to fail has its class and its words, and afterwards the client still works: the next call starts the server anew.
func TestFailures(t *testing.T) {
	for mode, want := range map[string]struct{ class, text string }{
		"exits":    {ClassExited, "no such database"},
		"silent":   {"connect_timeout", "start_timeout_ms"},
		"greeting": {ClassGarbage, "Listening on stdio"},
		"vanishes": {ClassExited, "exit status 7"},
		"garbage":  {ClassGarbage, "DEBUG"},
		"huge":     {ClassTooLarge, "max_answer_bytes"},
		"stalls":   {"total_timeout", "timeout_ms"},
		"refuses":  {ClassRPC, "unknown tool"},
		"text":     {ClassBadAnswer, "just text"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			clocks := map[string]string{"silent": `,"start_timeout_ms":100`, "stalls": `,"timeout_ms":300`}
			c := client(t, program(t, mode, clocks[mode]))
			for range 2 {
				_, err := c.Call(context.Background(), "echo", nil, nil)
				var e *Error
				if !errors.As(err, &e) || e.Class != want.class || !strings.Contains(e.Error()+e.Stderr, want.text) {
					t.Fatalf("%+v", err)
				}
				var f *effect.Failure
				if err := Failed("mcp", err); !errors.As(err, &f) || f.Error() != "EffectError: mcp: "+want.class || f.Side.Get("mcp").Get("server").Text() != `"srv"` {
					t.Fatalf("%v", err)
				}
			}
		})
	}
}

func TestMissingProgram(t *testing.T) {
	s, err := ParseServer("srv", parse(t, `{"command":"no-such-program-here"}`), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var e *Error
	if _, err := client(t, s).List(context.Background()); !errors.As(err, &e) || e.Class != ClassConnect || !strings.Contains(err.Error(), "no-such-program-here") {
		t.Fatalf("%v", err)
	}
}

// A slow start, and standard error written to without end, are no failures.
func TestSlowStartAndFlood(t *testing.T) {
	for _, mode := range []string{"slow", "flood"} {
		c := client(t, program(t, mode, ""))
		for range 20 {
			if _, err := c.Call(context.Background(), "echo", nil, nil); err != nil {
				t.Fatalf("%s: %v", mode, err)
			}
		}
		if mode == "flood" && len(c.link.said()) > stderrKept+8 {
			t.Errorf("%d bytes of standard error are kept", len(c.link.said()))
		}
	}
}

// Cancelling gives the call up, says that it was sent, and leaves a client that works.
func TestCancel(t *testing.T) {
	c := client(t, program(t, "stalls", ""))
	if _, err := c.List(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := c.Call(ctx, "echo", nil, nil)
	var cancelled *effect.Cancelled
	if err = Failed("mcp", err); !errors.As(err, &cancelled) || !cancelled.PossiblyBilled || !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if _, err := c.List(context.Background()); err != nil || c.Starts() != 2 {
		t.Fatalf("after a cancelled call: %v, %d starts", err, c.Starts())
	}
	if _, err := c.List(ctx); err != nil {
		t.Logf("a cancelled context: %v", err) // the list is at hand, so either is right
	}
}

func TestSecrets(t *testing.T) {
	const token = "s3cret-token-value"
	t.Setenv("FLOWDBG_TEST_TOKEN", token)
	c := client(t, program(t, "vanishes", ""))
	c.server.Env["TOKEN"] = parse(t, `{"$secret":"FLOWDBG_TEST_TOKEN"}`)
	c.vault = secret.NewVault(nil, c.server.Secrets()...)
	_, err := c.Call(context.Background(), "echo", nil, nil)
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Stderr, token) {
		t.Fatalf("the server did not get its secret: %+v", err)
	}
	// What a bus keeps of it does not hold the value.
	bus := liveBus(t, &Provider{Pool: &Pool{clients: map[string]*Client{"srv": c}, names: []string{"srv"}}, Now: time.Now}, "FLOWDBG_TEST_TOKEN")
	_, err = bus.Answer(context.Background(), effect.Call{Agent: "a", Step: 1, Request: trace.NewRequest("mcp", parse(t, `{"server":"srv","tool":"echo"}`))})
	var f *effect.Failure
	if !errors.As(err, &f) || strings.Contains(f.Side.Text(), token) || !strings.Contains(f.Side.Text(), secret.Mark("FLOWDBG_TEST_TOKEN")) {
		t.Fatalf("%v %s", err, f.Side)
	}
	t.Setenv("FLOWDBG_TEST_TOKEN", "")
	if _, err := c.Call(context.Background(), "echo", nil, nil); !errors.As(err, &e) || e.Class != ClassSecret {
		t.Fatalf("a missing secret: %v", err)
	}
	// Nothing of the environment reaches a server unasked.
	environ, err := program(t, "good", "").environment(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("FLOWDBG_TEST_TOKEN", token)
	if strings.Contains(strings.Join(environ, "\n"), token) {
		t.Error("the environment is passed on as a whole")
	}
}

func liveBus(t *testing.T, p effect.Provider, secrets ...string) *effect.Bus {
	t.Helper()
	bus, problems := effect.NewBus(map[string]canon.Value{"mcp": parse(t, `{"provider":"test"}`)}).GoLive(effect.Options{
		Live: effect.LiveAll, Secrets: secrets,
		Providers: map[string]effect.Maker{"test": func(effect.Setup) (effect.Provider, []effect.Problem) { return p, nil }}})
	if bus == nil {
		t.Fatal(problems)
	}
	return bus
}
