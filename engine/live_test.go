package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/partner"
	"flowdbg/engine/effect/providers"
	"flowdbg/engine/flow"
	"flowdbg/trace"
)

// planted is the secret that every partner of these tests tries to get into the trace.
const planted = `pl/anted "secret" + 100%`

func plantedEnv(name string) (string, bool) { return planted, name == "PLANTED" }

func liveOptions(live effect.Live) effect.Options {
	return effect.Options{Live: live, Providers: providers.All(), LookupEnv: plantedEnv}
}

// liveFlow is a flow of four agents that ask one op each: URL stands for the partner's address.
const liveFlow = `{"version":1,"id":"live","agents":[
  {"id":"a","kind":"do"},{"id":"b","kind":"do"},{"id":"c","kind":"do"},{"id":"d","kind":"do"},{"id":"e","kind":"do"}],
 "edges":[{"from":"a","port":"out","to":"b"},{"from":"b","port":"out","to":"c"},{"from":"c","port":"out","to":"d"},{"from":"d","port":"out","to":"e"}],
 "effects":{
  "llm":{"provider":"openai","base_url":"URL/llm","model":"m","api_key":{"$secret":"PLANTED"},"backoff_ms":1,"prices":{"m":{"input_per_mtok":1,"output_per_mtok":2}}},
  "http":{"base_url":"URL/http","secrets":["PLANTED"]},
  "search":{"provider":"http","base_url":"URL/search","params":{"key":{"$secret":"PLANTED"}}},
  "exec":{"programs":["sh"],"env":{"MY_KEY":{"$secret":"PLANTED"}}}},
 "budget":{"usd":1},
 "input":{"to":"a","tag":"go","payload":{"effect":{"op":"llm","input":{"messages":[{"role":"user","content":"hello"}]}},"send":[{"port":"out","tag":"go","payload":
  {"effect":{"op":"http","input":{"url":"x","json":{"key":{"$secret":"PLANTED"}}}},"send":[{"port":"out","tag":"go","payload":
  {"effect":{"op":"search","input":{"query":"nets"}},"send":[{"port":"out","tag":"go","payload":
  {"effect":{"op":"exec","input":{"argv":["sh","-c","printf %s \"$MY_KEY\"; printf %s \"x$MY_KEY\" | base64; printf %s \"$MY_KEY\" >&2"]}},"send":[{"port":"out","tag":"go","payload":
  {"effect":{"op":"judge","input":{"candidates":{"candidates":[{"id":"a","metrics":{"wns":1,"hpwl":2}}]},"rules":{"rules":[{"metric":"wns","op":">=","limit":0}],"objectives":[{"metric":"hpwl"}]}}}}
  }]}}]}}]}}]}}}`

// leaky answers each op with the secret in every form it can think of.
func leaky(w http.ResponseWriter, r *http.Request) {
	forms := []string{planted, url.QueryEscape(planted), base64.StdEncoding.EncodeToString([]byte("id:" + planted)), r.Header.Get("Authorization"), r.URL.String()}
	all := strings.Join(forms, " ")
	switch {
	case strings.HasPrefix(r.URL.Path, "/llm"):
		partner.Stream(partner.Chunk(all[:30]), partner.Chunk(all[30:]), partner.Stop, partner.Usage(10, 5, 0), partner.Done)(w, r)
	case strings.HasPrefix(r.URL.Path, "/search"):
		fmt.Fprintf(w, `{"hits":[{"title":%q,"url":%q,"snippet":"s"}]}`, planted, r.URL.String())
	default:
		fmt.Fprintf(w, `{%q:%q,"n":9007199254740993}`, planted, all)
	}
}

func liveMachine(t *testing.T, url string, live effect.Live) *Machine {
	t.Helper()
	m := testMachine(t, []byte(strings.ReplaceAll(liveFlow, "URL", url)))
	if diags := m.GoLive(liveOptions(live)); flow.HasErrors(diags) {
		t.Fatal(diags)
	}
	t.Cleanup(func() { _ = m.Bus().Close() })
	return m
}

// What was recorded live replays without the world, byte for byte, and holds no secret in any form.
func TestLiveThenOffline(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine")
	}
	s := partner.New(t, leaky)
	m := liveMachine(t, s.URL, effect.LiveAll)
	r, err := NewRun(m, m.Bus())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	recorded := traceText(t, r.Events)
	if r.Failed() || len(s.Requests()) != 3 {
		t.Fatalf("%d requests\n%s", len(s.Requests()), recorded)
	}
	if found := m.SecretScanner().Find(string(recorded)); found != nil {
		t.Fatalf("the trace holds %v\n%s", found, recorded)
	}
	if n := bytes.Count(recorded, []byte("[redacted:PLANTED]")); n < 10 {
		t.Fatalf("%d marks\n%s", n, recorded)
	}
	for _, want := range []string{`"$secret":"PLANTED"`, `"certificate"`, `"big_integer:/json/n"`, `"model":"m-2026"`} {
		if !bytes.Contains(recorded, []byte(want)) {
			t.Errorf("no %s in\n%s", want, recorded)
		}
	}
	// Offline: another machine, nothing live, no environment.
	offline := testMachine(t, []byte(strings.ReplaceAll(liveFlow, "URL", s.URL)))
	log, err := trace.Read(recorded)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Replay(context.Background(), offline, log.Events)
	if err != nil || !rep.Same() || rep.Effects != 5 {
		t.Fatalf("%v %+v", err, rep)
	}
	again, err := Events(rep.Log)
	if err != nil || !bytes.Equal(traceText(t, again), recorded) {
		t.Fatalf("%v: the replayed file is not its record", err)
	}
	if len(s.Requests()) != 3 {
		t.Fatal("the replay reached the world")
	}
}

// Without --live nothing is connected or started, and the run names the op; with --live=op it stops at the next one.
func TestNothingWithoutLive(t *testing.T) {
	s := partner.New(t, leaky)
	for _, c := range []struct {
		live effect.Live
		op   string
		sent int
	}{{effect.Live{}, "llm", 0}, {effect.LiveOps("llm"), "http", 1}, {effect.LiveOps("http", "exec"), "llm", 1}} {
		m := liveMachine(t, s.URL, c.live)
		r, err := NewRun(m, m.Bus())
		if err != nil {
			t.Fatal(err)
		}
		var notLive *effect.NotLive
		if err := r.ToEnd(context.Background(), nil); !errors.As(err, &notLive) || notLive.Op != c.op || len(s.Requests()) != c.sent {
			t.Fatalf("%v after %d requests", err, len(s.Requests()))
		}
	}
}

// A failure's text is redacted like an answer, it replays, and what it cost is in the ledger.
func TestFailedEffectOfAPartner(t *testing.T) {
	s := partner.New(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		fmt.Fprintf(w, `{"error":{"message":%q},"usage":{"prompt_tokens":10,"completion_tokens":1}}`, "no: "+r.Header.Get("Authorization"))
	})
	m := liveMachine(t, s.URL, effect.LiveAll)
	r, err := NewRun(m, m.Bus())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	recorded := traceText(t, r.Events)
	if !r.Failed() || r.State.Failed().Text != "EffectError: llm: http_500" || r.State.Ledger().InputTokens != 30 || len(s.Requests()) != 3 {
		t.Fatalf("%s", recorded)
	}
	if m.SecretScanner().Find(string(recorded)) != nil || !bytes.Contains(recorded, []byte("no: Bearer [redacted:PLANTED]")) {
		t.Fatalf("%s", recorded)
	}
	rep, err := Replay(context.Background(), testMachine(t, []byte(strings.ReplaceAll(liveFlow, "URL", s.URL))), r.Events)
	if err != nil || !rep.Same() {
		t.Fatalf("%v %+v", err, rep)
	}
}

// A cancelled effect leaves the state before the step.
func TestCancelledEffectUndoesTheStep(t *testing.T) {
	s := partner.New(t, partner.StreamThenStall(partner.Chunk("half an answer")))
	m := liveMachine(t, s.URL, effect.LiveAll)
	r, err := NewRun(m, m.Bus())
	if err != nil {
		t.Fatal(err)
	}
	before := r.State.Hash()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-s.Came
		cancel()
	}()
	_, err = r.Step(ctx)
	var e *effect.Cancelled
	if !errors.As(err, &e) || !errors.Is(err, context.Canceled) || !e.PossiblyBilled {
		t.Fatal(err)
	}
	if r.State.Hash() != before || len(r.Events) != 0 {
		t.Fatalf("%d events of a step that did not happen", len(r.Events))
	}
}

func TestShortSecretIsRefusedWhenTheFlowGoesLive(t *testing.T) {
	m := testMachine(t, []byte(strings.ReplaceAll(liveFlow, "URL", "http://127.0.0.1:1")))
	opt := liveOptions(effect.LiveAll)
	opt.LookupEnv = func(string) (string, bool) { return "seven77", true }
	diags := m.GoLive(opt)
	if !flow.HasErrors(diags) || diags[0].Line == 0 || !strings.Contains(diags[0].Message, "PLANTED") || strings.Contains(fmt.Sprint(diags), "seven77") {
		t.Fatalf("%v", diags)
	}
	if len(m.Bus().NotLive()) == 0 {
		t.Fatal("the machine went live all the same")
	}
}

// memorySink keeps lines.
type memorySink struct{ lines [][]byte }

func (s *memorySink) Append(e *trace.Event) error {
	s.lines = append(s.lines, e.AppendJSON(nil))
	return nil
}
func (s *memorySink) Flush() error { return nil }
func (s *memorySink) Sync() error  { return nil }

// A value that the flow itself holds is not written, neither while recording nor when a run is saved.
func TestALeakIsNotWritten(t *testing.T) {
	data := strings.Replace(strings.ReplaceAll(liveFlow, "URL", "http://127.0.0.1:1"), `"content":"hello"`, `"content":"the key is pl%2Fanted \"secret\" + 100%"`, 1)
	m := testMachine(t, []byte(data))
	if diags := m.GoLive(liveOptions(effect.LiveAll)); flow.HasErrors(diags) {
		t.Fatal(diags)
	}
	sink := &memorySink{}
	r, err := NewRecording(m, nil, m.Bus(), GuardSink(sink, m), ResumeOptions{})
	if err == nil {
		err = r.ToEnd(context.Background(), nil)
	}
	var leak *Leak
	if !errors.As(err, &leak) || fmt.Sprint(leak.Names) != "[PLANTED]" || strings.Contains(err.Error(), planted) {
		t.Fatalf("%v", err)
	}
	for _, line := range sink.lines {
		if m.SecretScanner().Find(string(line)) != nil {
			t.Fatalf("written all the same: %s", line)
		}
	}
	input := trace.Event{Type: trace.Receive, Step: 1, Agent: "a", Message: trace.NewInput("go", m.Flow().Input.Payload)}
	if err := FindLeak(m.SecretScanner(), []trace.Event{{Type: trace.XInit}, input}); !errors.As(err, &leak) || leak.Event != 1 {
		t.Fatalf("%v", err)
	}
	if FindLeak(nil, []trace.Event{input}) != nil || GuardSink(nil, m) != nil {
		t.Fatal("nothing to look for, or nowhere to write")
	}
}
