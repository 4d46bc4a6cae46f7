package tool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// caller makes the effects of its config one by one, {op, input} each, and keeps the answers.
type caller struct{ effects []canon.Value }

func (c caller) Act(call behavior.Call) (behavior.Result, error) {
	var answers []canon.Value
	for _, a := range call.State.Elems() {
		answers = append(answers, a)
	}
	if call.Message.Tag == trace.TagEffect {
		answers = append(answers, call.Message.Payload)
	}
	res := behavior.Result{State: canon.Array(answers...)}
	if n := len(answers); n < len(c.effects) {
		name, _ := c.effects[n].Get("op").Str()
		res.Effect = &behavior.Effect{Op: name, Input: c.effects[n].Get("input")}
	}
	return res, nil
}

// callerMachine is a machine of one such agent; members are further ones of the flow.
func callerMachine(t *testing.T, effects, members string) *engine.Machine {
	t.Helper()
	kinds := behavior.Builtin()
	if err := kinds.Register(behavior.Kind{Name: "caller", New: func(config canon.Value) (behavior.Behavior, []behavior.Problem) {
		var c caller
		for _, e := range config.Elems() {
			c.effects = append(c.effects, e)
		}
		return c, nil
	}}); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"version":1,"id":"f","agents":[{"id":"a","kind":"caller","config":[%s]}],"edges":[],"input":{"to":"a","tag":"go"},%s}`, effects, members)
	m, diags := engine.Parse("flow.json", []byte(text), kinds, true)
	if m == nil {
		t.Fatal(diags)
	}
	return m
}

// liveThenReplay runs a machine live and holds that the record replays to the same bytes with nothing live.
func liveThenReplay(t *testing.T, m *engine.Machine, dir string) []trace.Event {
	t.Helper()
	opt := effect.Options{Live: effect.LiveAll, Dir: dir}
	AddTo(&opt, m.Flow(), filepath.Join(dir, "flow.json"))
	bus, problems := m.Bus().GoLive(opt)
	if bus == nil {
		t.Fatal(problems)
	}
	defer func() {
		if err := bus.Close(); err != nil {
			t.Error(err)
		}
	}()
	r, err := engine.NewRun(m, bus)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	rep, err := engine.Replay(context.Background(), m, r.Events)
	if err != nil {
		t.Fatal(err)
	}
	if !rep.Same() || rep.Prefix {
		t.Fatalf("verdict %s: %v", rep.Verdict, rep.Divergence)
	}
	again, err := engine.Events(rep.Log)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := textOf(t, again), textOf(t, r.Events); got != want {
		t.Errorf("replayed\n%s\nrecorded\n%s", got, want)
	}
	return r.Events
}

func textOf(t *testing.T, events []trace.Event) string {
	t.Helper()
	var b bytes.Buffer
	if err := trace.Write(&b, events, trace.FormatArray); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A run against every partner replays offline, byte for byte.
func TestPartnersReplay(t *testing.T) {
	notes := t.TempDir()
	write(t, filepath.Join(notes, "a.txt"), []byte("hello"))
	m := callerMachine(t, fmt.Sprintf(`
		{"op":"mcp","input":{"server":"everything","tool":"echo","arguments":{"message":"m"}}},
		{"op":"mcp","input":{"server":"files","tool":"read_text_file","arguments":{"path":%q}}},
		{"op":"mcp","input":{"server":"files","tool":"read_text_file","arguments":{"path":"/nowhere"}}},
		{"op":"tool","input":{"tool":"create_entities","arguments":{"entities":[{"name":"n","entityType":"t","observations":["o"]}]}}},
		{"op":"tool","input":{"tool":"read_graph"}}`, filepath.Join(notes, "a.txt")),
		fmt.Sprintf(`"mcpServers":{
			"everything":{"command":"node","args":[%q]},
			"files":{"command":"node","args":[%q,%q]},
			"memory":{"command":"node","args":[%q],"env":{"MEMORY_FILE_PATH":%q}}}`,
			partner(t, "server-everything"), partner(t, "server-filesystem"), notes, partner(t, "server-memory"), filepath.Join(t.TempDir(), "memory.json")))
	events := liveThenReplay(t, m, t.TempDir())
	effects := 0
	for i := range events {
		if events[i].Type == trace.EffectEvent {
			effects++
		}
		if events[i].Type == trace.ErrorEvent {
			t.Errorf("%s %s", events[i].Error.Text, events[i].Side)
		}
	}
	if effects != 5 {
		t.Errorf("%d effects", effects)
	}
}

// A server that vanishes in the middle of a run ends the run in an error that says so; replay raises it again.
func TestVanishedServerReplays(t *testing.T) {
	m := callerMachine(t, `{"op":"tool","input":{"tool":"t","arguments":{}}}`, `"mcpServers":{"s":{"command":"sh","args":["-c","read line; echo gone >&2; exit 3"]}}`)
	events := liveThenReplay(t, m, t.TempDir())
	last := events[len(events)-2]
	if last.Type != trace.ErrorEvent || last.Error.Text != "EffectError: tool: server_exited" {
		t.Fatalf("%+v", last)
	}
	d, ok := CallDetails(&last)
	if !ok || d.Verdict() != "failed" || !strings.Contains(d.Error, "exit status 3") || d.Tool != "t" {
		t.Errorf("%+v", d)
	}
	if stderr := last.Side.Get("mcp").Get("stderr").Text(); stderr != `"gone"` {
		t.Errorf("stderr %s", stderr)
	}
}

// Two servers with one tool, a tool that nobody has, a request that is none: failures of their own classes.
func TestToolFailures(t *testing.T) {
	as := filepath.Join(t.TempDir(), "server.json")
	write(t, as, []byte(`{"tools":[{"name":"t","inputSchema":{"type":"object"},"answer":{"content":[]}}]}`))
	server := fmt.Sprintf(`{"command":%q,"args":["-as",%q]}`, serverBinary, as)
	for input, want := range map[string]string{
		`{"tool":"t"}`: ClassAmbiguousTool, `{"tool":"u"}`: ClassUnknownTool, `{"tool":""}`: "bad_request", `[]`: "bad_request",
		`{"tool":"t","arguments":[1]}`: "bad_request", `{"tool":"t","_meta":"x"}`: "bad_request",
	} {
		m := callerMachine(t, fmt.Sprintf(`{"op":"tool","input":%s}`, input), fmt.Sprintf(`"mcpServers":{"a":%s,"b":%s}`, server, server))
		events := liveThenReplay(t, m, t.TempDir())
		if e := events[len(events)-2]; e.Type != trace.ErrorEvent || e.Error.Text != "EffectError: tool: "+want {
			t.Errorf("%s: %+v", input, e.Error)
		}
	}
}

// BenchmarkMachinery is a call of the example's tool, two contract versions away, without the server's own time and the
// wire: what is known of the tool, both plans, validation, translation, the record of it, and all of it back.
func BenchmarkMachinery(b *testing.B) {
	const dir = "../../../examples/contract-flow"
	data, err := os.ReadFile(dir + "/flow.json")
	if err != nil {
		b.Fatal(err)
	}
	f, diags := flow.Parse("flow.json", data, flow.Options{})
	if f == nil {
		b.Fatal(diags)
	}
	p, diags := platform.Open(f, dir)
	if p == nil {
		b.Fatal(diags)
	}
	lock, err := platform.ReadLock(platform.LockPath(dir + "/flow.json"))
	if err != nil || lock == nil {
		b.Fatalf("the example's lock: %v", err)
	}
	pr := &Provider{Platform: p, Now: time.Now, Lock: lock}
	listing := lock.Servers["eda"].Listing()
	in := canon.Raw(`{"_meta":{"ai-norm.com/contract_version":1},"arguments":{"density":0.6,"design_ref":"gcd@sky130","max_iterations":100},"tool":"iPL.place"}`)
	reply := &mcpx.Reply{Sent: []byte(`{"name":"iPL.place","arguments":{}}`),
		Received: []byte(`{"content":[],"structuredContent":{"value":{"hpwl_um":22256.6,"overflow":0.02,"legalized":true},"elapsed_ms":0}}`)}
	b.ReportAllocs()
	for b.Loop() {
		x := &call{p: pr, began: pr.Now(), today: lock.Date()}
		if err := x.request(in); err != nil {
			b.Fatal(err)
		}
		if err := x.know("eda", listing); err != nil {
			b.Fatal(err)
		}
		ready, _, err := x.carrier.Prepare(x.in, x.known.Tool)
		if err != nil {
			b.Fatal(err)
		}
		x.prepared(ready)
		if a, err := x.finish(ready, reply); err != nil || x.d.Refusal != nil {
			b.Fatal(err, a.Output)
		}
	}
}
