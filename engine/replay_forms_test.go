package engine

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// sameBytes replays a trace and holds that it is same and that the run is its record, byte for byte.
func sameBytes(t *testing.T, flow, text []byte) *Report {
	t.Helper()
	rep := replayText(t, flow, text)
	if !rep.Same() {
		t.Fatalf("%s: %v", rep.Verdict, rep.Divergence)
	}
	events, err := Events(rep.Log)
	if err != nil || !bytes.Equal(traceText(t, events), text) {
		t.Fatalf("the replayed trace is not its record: %v", err)
	}
	return rep
}

// A record cut at every event is same as far as it goes; going on from there live gives the whole run again.
func TestPrefixAtEveryEvent(t *testing.T) {
	for _, file := range ruleFlows(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			text := readFile(t, goldenOf(file))
			record := mustRead(t, text).Events
			m := testMachine(t, readFile(t, file))
			comparable := 0
			for k := range record {
				rep, err := Replay(context.Background(), m, record[:k])
				if err != nil {
					t.Fatal(err)
				}
				want := Same
				if comparable == 0 {
					want = NothingChecked
				}
				if rep.Verdict != want || rep.Prefix != (want == Same) || rep.Compared != comparable || rep.Log.Len() != k {
					t.Fatalf("cut at %d: %s, prefix %v, compared %d, %d in the log: %v", k, rep.Verdict, rep.Prefix, rep.Compared, rep.Log.Len(), rep.Divergence)
				}
				if !record[k].Type.IsExtension() {
					comparable++
				}
				if got := traceText(t, goOn(t, m, record[:k])); !bytes.Equal(got, text) {
					t.Fatalf("cut at %d and run on:\n%s", k, got)
				}
			}
		})
	}
}

// goOn runs beside a prefix and live behind it.
func goOn(t *testing.T, m *Machine, prefix []trace.Event) []trace.Event {
	t.Helper()
	r, err := NewReplayer(m, trace.MemLog(prefix), ReplayOptions{PastEnd: true, Next: fakeSource{m.Bus()}})
	if err != nil {
		t.Fatal(err)
	}
	for {
		ended, err := r.Step(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if ended {
			break
		}
	}
	if r.Found != nil {
		t.Fatal(r.Found)
	}
	events, err := Events(r.Log())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// A file cut at any byte is the prefix of its whole events.
func TestTornFileIsAPrefix(t *testing.T) {
	text := readFile(t, seedTrace)
	for n := bytes.IndexByte(text[2:], '\n') + 3; n < len(text)-2; n += 97 {
		tr := mustRead(t, text[:n])
		rep, err := Replay(context.Background(), testMachine(t, pipeline(t)), tr.Events)
		if err != nil || !rep.Same() || rep.Prefix != (tr.Finish() == nil) || rep.Compared != len(tr.Events) {
			t.Fatalf("cut at byte %d: %v %+v", n, err, rep)
		}
	}
}

// Nothing checked is no success.
func TestNothingChecked(t *testing.T) {
	for name, text := range map[string]string{"empty": "[]", "ours only": `[{"type":"x-note"}]`} {
		rep := replayText(t, pipeline(t), []byte(text))
		if rep.Verdict != NothingChecked || rep.Same() || rep.Compared != 0 || rep.Prefix {
			t.Errorf("%s: %+v", name, rep)
		}
	}
}

// Lines of ours at any place, side on every event, and members that the types do not define are copied through.
func TestOursIsCopiedThrough(t *testing.T) {
	text := readFile(t, seedTrace)
	sided := bytes.Clone(text)
	events := mustRead(t, text).Events
	for i := range events {
		old, new := "}", fmt.Sprintf(`,"zz_clock":%d,"side":{"elapsed_ms":%d}}`, i, i)
		if i == len(events)-1 {
			old, new = `,"side":{`, `,"zz_clock":1,"side":{"extra":[1],`
		}
		lines := bytes.Split(sided, []byte("\n"))
		at := bytes.LastIndex(lines[i+1], []byte(old))
		lines[i+1] = append(append(bytes.Clone(lines[i+1][:at]), new...), lines[i+1][at+len(old):]...)
		sided = bytes.Join(lines, []byte("\n"))
	}
	sameBytes(t, pipeline(t), sided)
	noted := text
	for i := len(events); i >= 0; i-- {
		if i < len(events) {
			noted = insert(noted, i, fmt.Sprintf(`{"type":"x-note","step":99,"n":%d}`, i))
		}
	}
	if rep := sameBytes(t, pipeline(t), noted); rep.Compared != len(events) || rep.Log.Len() != 2*len(events) {
		t.Fatalf("%d compared, %d in the log", rep.Compared, rep.Log.Len())
	}
	// A line of ours before an effect that differs does not hide which difference it is.
	differs := change(t, insert(text, 5, `{"type":"x-effect-intent","step":2}`), 6, `"model":"mock-fast"`, `"model":"mock-slow"`)
	want{RequestDiffers, 6, 2, "/request/input/model", `"mock-slow"`, `"mock-fast"`}.check(t, replayText(t, pipeline(t), differs))
}

// runWith runs a flow and does what a person did before some steps.
func runWith(t *testing.T, m *Machine, edits map[int]string) []byte {
	t.Helper()
	r, err := NewRun(m, fakeSource{m.Bus()})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		if edit, ok := edits[n]; ok {
			ev := mustRead(t, []byte(`{"type":"x-intervention","step":`+fmt.Sprint(n-1)+`,`+edit+`}`)).Events[0]
			if err := r.emit(ev); err != nil {
				t.Fatal(err)
			}
		}
		if status, err := r.Step(context.Background()); err != nil {
			t.Fatal(err)
		} else if status == RunEnded {
			return traceText(t, r.Events)
		}
	}
}

// A person's edits are applied again at the same place; the independent hash agrees.
func TestInterventionsReplay(t *testing.T) {
	loop := `{"version":1,"id":"f","agents":[{"id":"a","kind":"counter"},{"id":"b","kind":"collect"}],
"edges":[{"from":"a","port":"out","to":"b"}],"budget":{"steps":5},"input":{"to":"a","tag":"t","payload":1}}`
	cases := map[string]struct {
		edits map[int]string
		want  string // what must show in the trace
	}{
		"inject":            {map[int]string{2: `"do":"inject","agent":"a","message":{"payload":5,"tag":"t"}`}, `"state":{"count":2}`},
		"inject with from":  {map[int]string{1: `"do":"inject","agent":"b","message":{"from":"a","payload":5,"tag":"t"}`}, `"items":[5,{"count":1}]`},
		"drop":              {map[int]string{2: `"do":"drop","agent":"b","index":0`}, `"steps":1`},
		"answer":            {map[int]string{2: `"do":"answer","agent":"b","index":0,"payload":"edited"`}, `"items":["edited"]`},
		"state":             {map[int]string{1: `"do":"state","agent":"a","state":{"count":40}`}, `"state":{"count":41}`},
		"budget":            {map[int]string{2: `"do":"budget","budget":{"steps":1}`}, `"BudgetExceeded: steps 1"`},
		"unlimited":         {map[int]string{1: `"do":"budget","budget":null`}, `"reason":"idle"`},
		"two before a step": {map[int]string{1: `"do":"inject","agent":"b","message":{"payload":5,"tag":"t"}`, 2: `"do":"state","agent":"b","state":null`}, `"x-intervention"`},
	}
	dir := t.TempDir()
	args := []string{"../.ci/statehash.mjs"}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			text := runWith(t, testMachine(t, []byte(loop)), c.edits)
			if !bytes.Contains(text, []byte(c.want)) {
				t.Fatalf("no %s in\n%s", c.want, text)
			}
			sameBytes(t, []byte(loop), text)
			args = append(args, write(t, filepath.Join(dir, name+".flow"), []byte(loop)), write(t, filepath.Join(dir, name+".trace"), text))
		})
	}
	t.Run("an agent that the flow lacks", func(t *testing.T) {
		text := runWith(t, testMachine(t, []byte(loop)), map[int]string{1: `"do":"inject","agent":"Ghost","message":{"payload":5,"tag":"t"}`})
		if !bytes.Contains(text, []byte("BehaviorError: Ghost: the flow has no agent of this name")) {
			t.Fatalf("%s", text)
		}
		sameBytes(t, []byte(loop), text)
	})
	independently(t, args)
}

func independently(t *testing.T, args []string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the independent state hash is not checked")
	}
	if out, err := exec.Command(node, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// A cancelled step stays in the file and takes no part in the run, whether its effect was answered or not.
func TestCancelledStepReplays(t *testing.T) {
	lines := bytes.Split(readFile(t, seedTrace), []byte("\n"))
	answered := bytes.Replace(lines[6], []byte("d41bc6dc"), []byte("another"), 1)
	for name, extra := range map[string][][]byte{
		"before the answer": {lines[4], lines[5], []byte(`{"type":"x-effect-intent","step":2},`)},
		"behind the answer": {lines[4], lines[5], answered},
		"receive only":      {lines[4]},
	} {
		t.Run(name, func(t *testing.T) {
			list := append([][]byte{}, lines[:4]...)
			list = append(list, extra...)
			list = append(list, []byte(`{"type":"x-cancel","step":2,"side":{"possibly_billed":true}},`))
			text := bytes.Join(append(list, lines[4:]...), []byte("\n"))
			rep := sameBytes(t, pipeline(t), text)
			if rep.Steps != 7 || rep.Effects != 4 || rep.Compared != 22 {
				t.Fatalf("%d steps, %d effects, %d compared", rep.Steps, rep.Effects, rep.Compared)
			}
			dir := t.TempDir()
			independently(t, []string{"../.ci/statehash.mjs", "testdata/rules/kind-seed-pipeline.json", write(t, filepath.Join(dir, "t"), text)})
		})
	}
}

// A foreign trace whose responses hold output and usage replays, byte for byte, also when its answers are reused by hash.
func TestNestedResponsesReplay(t *testing.T) {
	text := readFile(t, seedTrace)
	events := mustRead(t, text).Events
	for i := range events {
		if e := &events[i]; e.Type == trace.EffectEvent {
			flat := `"response":` + e.Response.Text() + `,"usage":` + e.Usage.Value().Text()
			text = change(t, text, i, flat, `"response":{"output":`+e.Response.Text()+`,"usage":`+e.Usage.Value().Text()+`}`)
		}
	}
	rep := sameBytes(t, pipeline(t), text)
	if rep.StateHash != events[21].Finish.StateHash {
		t.Fatal("another hash")
	}
	nested := mustRead(t, text).Events
	m := testMachine(t, pipeline(t))
	r, err := NewReplayer(m, trace.MemLog(nested), ReplayOptions{Loose: true, PastEnd: true, Source: effect.NewByHash(nil, nested)})
	if err != nil {
		t.Fatal(err)
	}
	for ended := false; !ended; {
		if ended, err = r.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if r.Found != nil || r.State.Finished() == nil {
		t.Fatalf("reused foreign answers differ: %v", r.Found)
	}
	alone, err := NewRun(m, effect.NewByHash(nil, nested))
	if err != nil {
		t.Fatal(err)
	}
	if err := alone.ToEnd(context.Background(), nil); err != nil || alone.State.Finished().StateHash != rep.StateHash {
		t.Fatalf("a run with reused foreign answers alone: %v", err)
	}
	for i := range alone.Events {
		if e := &alone.Events[i]; e.Type == trace.EffectEvent && e.SideFlag("reused") != canon.True {
			t.Fatalf("event %d is not marked as reused: %s", i, e.Side)
		}
	}
	independently(t, []string{"../.ci/statehash.mjs", "testdata/rules/kind-seed-pipeline.json", write(t, filepath.Join(t.TempDir(), "t"), text)})
	t.Run("the whole object was received", func(t *testing.T) {
		text := readFile(t, "testdata/golden/exactly-the-budget.json")
		const usage = `{"input_tokens":6,"output_tokens":4,"usd":0.1}`
		text = change(t, text, 2, `"response":"A","usage":`+usage, `"response":{"output":"A","usage":`+usage+`}`)
		text = change(t, text, 3, `"payload":"A"`, `"payload":{"output":"A","usage":`+usage+`}`)
		sameBytes(t, readFile(t, "testdata/rules/exactly-the-budget.json"), text)
	})
}
