package examples

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/trace"
)

// keep compares a file with what it is made of, or writes it with -update.
func keep(t *testing.T, name string, data []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.FromSlash(name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(read(t, name), data) {
		t.Errorf("%s is not what it is made of; go test ./examples -update makes it anew", name)
	}
}

// opened is a trace through both ways of reading; they must say the same.
func opened(t *testing.T, name string) *trace.Opened {
	t.Helper()
	memory, err := trace.Open(filepath.FromSlash(name), trace.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := trace.Open(filepath.FromSlash(name), trace.OpenOptions{MemoryBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	if err := file.Index(nil); err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		if done, err = file.Store.Verify(); err != nil {
			t.Fatal(err)
		}
	}
	if file.Log().Len() != memory.Log().Len() || file.Damage() != memory.Damage() || file.Complete() != memory.Complete() || (file.Tear() == nil) != (memory.Tear() == nil) {
		t.Fatalf("%s reads differently from memory and from the file", name)
	}
	return memory
}

// TestForeignExample: a trace of another runtime, which this test spells from the seed's own, opens and is whole.
func TestForeignExample(t *testing.T) {
	keep(t, "foreign/trace.json", foreign(t, read(t, "research-trace.json")))
	o := opened(t, "foreign/trace.json")
	if !o.Complete() {
		t.Fatalf("tear %v, damage at %d", o.Tear(), o.Damage())
	}
	kinds := map[string]int{}
	for _, f := range o.Findings() {
		kinds[f.Kind]++
	}
	for _, want := range []string{trace.FindNested, trace.FindExtraMember, trace.FindUnknownType} {
		if kinds[want] == 0 {
			t.Errorf("no finding %s: %v", want, kinds)
		}
	}
	st := trace.NewState(trace.PlaybackSetup(o.Trace.Events))
	for i := range o.Trace.Events {
		if _, f := st.Apply(&o.Trace.Events[i]); f != nil && f.Kind != trace.FindUnknownType {
			t.Errorf("event %d: %s", i, f.Text)
		}
	}
	f := st.Finished()
	if f == nil || !st.Ledger().Equal(f.Ledger) || st.OutputLen("lab.writer.out") != 1 || !st.Partial() || st.ReadyCount() != 0 {
		t.Errorf("finish %+v, ledger %v, %v", f, st.Ledger(), st)
	}
}

// foreign spells a trace as another runtime might: indented, members sorted, steps from 0, null for what is absent,
// ids with dots, response holding {output, usage}, a clock in every event, and a type that the specification lacks.
func foreign(t *testing.T, data []byte) []byte {
	t.Helper()
	var events []map[string]any
	if err := json.Unmarshal(data, &events); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	var list []any
	for i, e := range events {
		e["ts"] = 1_700_000_000 + float64(i)/4
		for _, key := range []string{"agent", "from", "to"} {
			if id, ok := e[key].(string); ok {
				e[key] = "lab." + id
			}
		}
		if n, ok := e["step"].(float64); ok {
			e["step"] = n - 1
		}
		if m, ok := e["message"].(map[string]any); ok {
			if from, ok := m["from"].(string); !ok {
				m["from"] = nil
			} else if from != trace.FromEffect {
				m["from"] = "lab." + from
			}
		}
		switch e["type"] {
		case "act", "send":
			key := map[any]string{"act": "effect", "send": "to"}[e["type"]]
			if _, ok := e[key]; !ok {
				e[key] = nil
			}
		case "effect":
			e["response"] = map[string]any{"output": e["response"], "usage": e["usage"]}
			delete(e, "usage")
		case "finish":
			outputs := map[string]any{}
			for key, list := range e["outputs"].(map[string]any) {
				for _, m := range list.([]any) {
					m := m.(map[string]any)
					m["from"] = "lab." + m["from"].(string)
				}
				outputs["lab."+key] = list
			}
			e["outputs"], e["state_hash"], e["side"] = outputs, hex.EncodeToString(sum[:]), nil
		}
		list = append(list, e)
		if e["type"] == "act" && e["effect"] != nil {
			list = append(list, map[string]any{"type": "span", "step": e["step"], "agent": e["agent"], "name": "waiting for the provider", "ts": e["ts"]})
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(list); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noted keeps events in memory, as a recording does in a file.
type noted struct{ events []trace.Event }

func (n *noted) Append(e *trace.Event) error { n.events = append(n.events, *e); return nil }
func (n *noted) Flush() error                { return nil }
func (n *noted) Sync() error                 { return nil }

// crashing is a paid provider during whose third call the machine goes down.
type crashing struct {
	bus   *effect.Bus
	calls int
}

var errCrash = errors.New("the machine goes down")

func (c *crashing) Ready(effect.Call) error { return nil }
func (c *crashing) Paid(effect.Call) bool   { return true }

func (c *crashing) Answer(ctx context.Context, call effect.Call) (effect.Answer, error) {
	if c.calls++; c.calls == 3 {
		return effect.Answer{}, errCrash
	}
	return c.bus.Answer(ctx, call)
}

// TestTornExample: a recording that was cut off in the middle of an event, and one that was cut off while a paid answer
// was awaited. The first resumes to the very trace of the whole run; the second asks.
func TestTornExample(t *testing.T) {
	whole := read(t, "research-trace.json")
	keep(t, "torn/flow.json", read(t, "research-pipeline.json"))
	at := bytes.Index(whole, []byte(`"type":"critique"`))
	if at < 0 {
		at = len(whole) / 2
	}
	for whole[at] == '\n' || whole[at-1] == '\n' {
		at++
	}
	keep(t, "torn/trace.json", whole[:at])
	m := machine(t, "torn/flow.json", read(t, "torn/flow.json"))
	o := opened(t, "torn/trace.json")
	if o.Tear() == nil || o.Tear().Dropped == 0 {
		t.Fatalf("tear %+v", o.Tear())
	}
	rep, err := engine.ReplayLog(t.Context(), m, o.Log(), nil)
	if err != nil || !rep.Same() || !rep.Prefix {
		t.Fatalf("%v %+v", err, rep)
	}
	sink := &noted{}
	r, err := engine.NewRecording(m, o.Log(), m.Bus(), sink, engine.ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(t.Context(), nil); err != nil || !bytes.Equal(bytesOf(t, sink.events), whole) {
		t.Fatalf("%v: resumed, it is another trace", err)
	}

	sink = &noted{}
	if r, err = engine.NewRecording(m, nil, &crashing{bus: m.Bus()}, sink, engine.ResumeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(t.Context(), nil); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	left := slices.IndexFunc(sink.events, func(e trace.Event) bool { return e.Type == trace.XCancel })
	keep(t, "torn/waiting.json", bytesOf(t, sink.events[:left]))
	o = opened(t, "torn/waiting.json")
	if r, err = engine.NewRecording(m, o.Log(), &crashing{bus: m.Bus()}, nil, engine.ResumeOptions{}); err != nil {
		t.Fatal(err)
	}
	var unsettled *engine.Unsettled
	if err := r.ToEnd(t.Context(), nil); !errors.As(err, &unsettled) {
		t.Fatal(err)
	}
}

// TestDamagedExample: a block of zeros in the middle. Both sides are there, the gap is marked, and nothing is verified.
func TestDamagedExample(t *testing.T) {
	whole := read(t, "research-trace.json")
	keep(t, "damaged/flow.json", read(t, "research-pipeline.json"))
	lines := bytes.SplitAfter(whole, []byte("\n"))
	line := len(lines) / 2
	for len(lines[line]) < 200 {
		line++
	}
	at := len(bytes.Join(lines[:line], nil)) + 40
	damaged := bytes.Clone(whole)
	copy(damaged[at:], make([]byte, 64))
	keep(t, "damaged/trace.json", damaged)
	o := opened(t, "damaged/trace.json")
	full, err := trace.Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	k := o.Damage()
	if k < 0 || o.Log().Len() != len(full.Events) || o.Tear() != nil || o.Complete() {
		t.Fatalf("damage at %d of %d events, tear %v", k, o.Log().Len(), o.Tear())
	}
	for i := range full.Events {
		if i != k && !bytes.Equal(o.Trace.Events[i].AppendJSON(nil), full.Events[i].AppendJSON(nil)) {
			t.Errorf("event %d is another one", i)
		}
	}
	if why, _ := o.Trace.Events[k].Extra.Get("why").Str(); why == "" || o.Trace.Events[k].Extra.Get("bytes").IsAbsent() {
		t.Errorf("the gap does not say what it is: %s", o.Trace.Events[k].AppendJSON(nil))
	}
	m := machine(t, "damaged/flow.json", read(t, "damaged/flow.json"))
	rep, err := engine.ReplayLog(t.Context(), m, o.Log(), nil)
	if err != nil || rep.Same() || rep.Divergence == nil || rep.Divergence.Index != k {
		t.Fatalf("%v %+v", err, rep)
	}
	for _, dir := range []string{"foreign", "torn", "damaged"} {
		if text := string(read(t, dir+"/README.md")); !strings.Contains(text, "examples/"+dir) {
			t.Errorf("%s/README.md does not say how to open it", dir)
		}
	}
}
