package engine

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

const seedTrace = "testdata/golden/kind-seed-pipeline.json"

func seedRecord(tb testing.TB) []trace.Event { return mustRead(tb, readFile(tb, seedTrace)).Events }

func pipeline(tb testing.TB) []byte { return readFile(tb, "testdata/rules/kind-seed-pipeline.json") }

// change replaces text in one line of a trace file; line 0 is the first event.
func change(tb testing.TB, text []byte, event int, old, new string) []byte {
	tb.Helper()
	lines := bytes.Split(text, []byte("\n"))
	line := lines[event+1]
	if !bytes.Contains(line, []byte(old)) {
		tb.Fatalf("event %d has no %s: %s", event, old, line)
	}
	lines[event+1] = bytes.Replace(line, []byte(old), []byte(new), 1)
	return bytes.Join(lines, []byte("\n"))
}

// remove takes events out of a trace file, insert puts a line before one.
func remove(text []byte, events ...int) []byte {
	lines := bytes.Split(text, []byte("\n"))
	var keep [][]byte
	for i, line := range lines {
		gone := false
		for _, e := range events {
			gone = gone || i == e+1
		}
		if !gone {
			keep = append(keep, line)
		}
	}
	return bytes.Join(keep, []byte("\n"))
}

func insert(text []byte, event int, line string) []byte {
	lines := bytes.Split(text, []byte("\n"))
	list := append([][]byte{}, lines[:event+1]...)
	list = append(list, []byte(line+","))
	return bytes.Join(append(list, lines[event+1:]...), []byte("\n"))
}

type want struct {
	verdict Verdict
	index   int
	step    int
	path    string
	rec     string // text of the recorded value, "" absent; a leading … compares the end only
	got     string
}

func (w want) check(t *testing.T, rep *Report) {
	t.Helper()
	d := rep.Divergence
	if d == nil || rep.Verdict != w.verdict {
		t.Fatalf("verdict %s, want %s (%v)", rep.Verdict, w.verdict, d)
	}
	if d.Index != w.index || d.Step != w.step || d.Path != w.path {
		t.Errorf("at event %d, step %d, %s; want %d, %d, %s", d.Index, d.Step, d.Path, w.index, w.step, w.path)
	}
	if !ends(d.Recorded, w.rec) || !ends(d.Got, w.got) {
		t.Errorf("recorded %s, got %s; want %s, %s", d.Recorded, d.Got, w.rec, w.got)
	}
	if rep.Compared > w.index || rep.Same() || rep.Log.Len() != w.index {
		t.Errorf("%d events compared, %d in the log: the replay did not stop there", rep.Compared, rep.Log.Len())
	}
}

func ends(v canon.Value, want string) bool {
	if tail, ok := strings.CutPrefix(want, "…"); ok {
		return strings.HasSuffix(v.Text(), tail)
	}
	return v.Text() == want
}

func replayText(t *testing.T, flow, text []byte) *Report {
	t.Helper()
	tr := mustRead(t, text)
	if tr.Tear != nil {
		t.Fatalf("the mutated trace is torn: %+v", tr.Tear)
	}
	rep, err := Replay(context.Background(), testMachine(t, flow), tr.Events)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// One mutation of the flow, one verdict at one place. The record is the seed's pipeline.
func TestReplayOfAnotherFlow(t *testing.T) {
	cases := map[string]struct {
		old, new string
		want     want
	}{
		"prompt": {`"critic", "config": {`, `"critic", "config": {"prompt": "Judge: {text}", `,
			want{RequestDiffers, 10, 4, "/effect/input/messages/1/content", "…[d41bc6dc]\"", "…[d41bc6dc]\""}},
		"op": {`"researcher", "kind": "researcher"`, `"researcher", "kind": "do"`,
			want{MissingEffects, 1, 1, "/effect", `…"op":"search"}`, ""}},
		"model of the agent": {`"critic", "config": {"model": "mock-strong"}`, `"critic", "config": {"model": "mock-fast"}`,
			want{RequestDiffers, 10, 4, "/effect/input/model", `"mock-strong"`, `"mock-fast"`}},
		"question": {`help multi`, `hurt multi`,
			want{EventDiffers, 0, 1, "/message/payload/question", `"How do interaction nets help multi-agent systems?"`, `"How do interaction nets hurt multi-agent systems?"`}},
		"order of agents": {`"to": "critic"`, `"to": "writer"`,
			want{EventDiffers, 8, 3, "/to", `"critic"`, `"writer"`}},
		"tokens budget": {`"tokens": 10000`, `"tokens": 30`,
			want{ErrorDiffers, 6, 2, "/type", `"receive"`, `"error"`}},
		"unused edge": {`"edges": [`, `"edges": [{"from": "writer", "port": "never", "to": "critic"},`,
			want{HashDiffers, 21, 7, "/state_hash", "…\"", "…\""}},
		"another agent": {`"agents": [`, `"agents": [{"id": "zz", "kind": "echo"},`,
			want{HashDiffers, 21, 7, "/state_hash", "…\"", "…\""}},
		"steps budget": {`"steps": 100`, `"steps": 3`,
			want{ErrorDiffers, 9, 3, "/type", `"receive"`, `"error"`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			flow := bytes.Replace(pipeline(t), []byte(c.old), []byte(c.new), 1)
			if bytes.Equal(flow, pipeline(t)) {
				t.Fatal("the mutation changes nothing")
			}
			c.want.check(t, replayText(t, flow, readFile(t, seedTrace)))
		})
	}
}

// Changing effects.llm.model alone, under an agent without a model, is a request that differs.
func TestReplayOfAnotherDefaultModel(t *testing.T) {
	old := readFile(t, "testdata/rules/resolve-effects.json")
	flow := bytes.Replace(old, []byte("of-the-flow"), []byte("of-a-new-flow"), 1)
	rep := replayText(t, flow, readFile(t, "testdata/golden/resolve-effects.json"))
	want{RequestDiffers, 1, 1, "/effect/input/model", `"of-the-flow"`, `"of-a-new-flow"`}.check(t, rep)
}

// A config that takes no part in the run: same, with a note. Another layout of the file: same, without one.
func TestReplayOfAChangeWithoutEffect(t *testing.T) {
	flow := bytes.Replace(pipeline(t), []byte(`"writer", "config": {`), []byte(`"writer", "config": {"ignore": ["noise"], `), 1)
	rep := replayText(t, flow, readFile(t, seedTrace))
	if !rep.Same() || len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "the flow differs from the recorded one") {
		t.Fatalf("%s, notes %v", rep.Verdict, rep.Notes)
	}
	spaced := bytes.ReplaceAll(pipeline(t), []byte(":"), []byte(" : "))
	spaced = bytes.ReplaceAll(spaced, []byte("0.1,"), []byte("1e-1,"))
	if rep := replayText(t, spaced, readFile(t, seedTrace)); !rep.Same() || len(rep.Notes) != 0 {
		t.Fatalf("%s, notes %v", rep.Verdict, rep.Notes)
	}
}

// One mutation of the record, one verdict at one place.
func TestReplayOfAnotherRecord(t *testing.T) {
	text := readFile(t, seedTrace)
	const zero = `{"input_tokens":0,"output_tokens":0,"usd":0}`
	edit := func(event int, old, new string) []byte { return change(t, text, event, old, new) }
	cases := map[string]struct {
		text []byte
		want want
	}{
		"input":           {edit(0, "help multi", "hurt multi"), want{EventDiffers, 0, 1, "/message/payload/question", "…hurt multi-agent systems?\"", "…help multi-agent systems?\""}},
		"agent":           {edit(9, `"agent":"critic"`, `"agent":"writer"`), want{EventDiffers, 9, 4, "/agent", `"writer"`, `"critic"`}},
		"step":            {edit(9, `"step":4`, `"step":5`), want{EventDiffers, 9, 4, "/step", "5", "4"}},
		"state only":      {edit(7, `"pending":[]`, `"pending":[0]`), want{EventDiffers, 7, 3, "/state/pending/0", "0", ""}},
		"payload only":    {edit(8, `[d41bc6dc]`, `[d41bc6dd]`), want{EventDiffers, 8, 3, "/message/payload/text", "…dd]\"", "…dc]\""}},
		"act.send":        {edit(7, `"tag":"research"`, `"tag":"researsh"`), want{EventDiffers, 7, 3, "/send/0/tag", `"researsh"`, `"research"`}},
		"port":            {edit(8, `"port":"out"`, `"port":"oot"`), want{EventDiffers, 8, 3, "/port", `"oot"`, `"out"`}},
		"to nobody":       {edit(20, `"port":"out"`, `"port":"out","to":""`), want{EventDiffers, 20, 7, "/to", `""`, ""}},
		"terminal":        {edit(8, `"to":"critic",`, ``), want{EventDiffers, 8, 3, "/to", "", `"critic"`}},
		"act.effect":      {edit(4, `"op":"llm"`, `"op":"lln"`), want{RequestDiffers, 4, 2, "/effect/op", `"lln"`, `"llm"`}},
		"no act.effect":   {edit(1, `,"effect":{"input":{"limit":3,"query":"How do interaction nets help multi-agent systems?"},"op":"search"}`, ``), want{ExtraEffect, 1, 1, "/effect", "", `…"op":"search"}`}},
		"effect.request":  {edit(5, `"model":"mock-fast"`, `"model":"mock-slow"`), want{RequestDiffers, 5, 2, "/request/input/model", `"mock-slow"`, `"mock-fast"`}},
		"effect.agent":    {edit(5, `"agent":"researcher"`, `"agent":"critic"`), want{EventDiffers, 5, 2, "/agent", `"critic"`, `"researcher"`}},
		"response":        {edit(5, `[d41bc6dc]`, `[d41bc6dd]`), want{EventDiffers, 6, 3, "/message/payload/text", "…dc]\"", "…dd]\""}},
		"usage":           {edit(2, zero, `{"input_tokens":1,"output_tokens":0,"usd":0}`), want{LedgerDiffers, 21, 7, "/ledger/input_tokens", "…", "…"}},
		"effect missing":  {remove(text, 2), want{ExtraEffect, 2, 1, "/type", `"receive"`, `"effect"`}},
		"last one too":    {remove(text, 5, 11, 17), want{ExtraEffect, 5, 2, "/type", `"receive"`, `"effect"`}},
		"effect twice":    {insert(text, 3, strings.TrimSuffix(string(bytes.Split(text, []byte("\n"))[3]), ",")), want{MissingEffects, 3, 2, "/type", `"effect"`, `"receive"`}},
		"send missing":    {remove(text, 8), want{EventDiffers, 8, 3, "/type", `"receive"`, `"send"`}},
		"unknown type":    {insert(text, 6, `{"type":"dance","step":3}`), want{EventDiffers, 6, 3, "/type", `"dance"`, `"receive"`}},
		"error in it":     {insert(text, 6, `{"type":"error","step":2,"error":"BehaviorError: x: y"}`), want{ErrorDiffers, 6, 3, "/type", `"error"`, `"receive"`}},
		"outputs":         {edit(21, `"outputs":{`, `"outputs":{"a.b":[],`), want{OutputsDiffer, 21, 7, "/outputs/a.b", "[]", ""}},
		"ledger":          {edit(21, `"ledger":{"input_tokens":`, `"ledger":{"input_tokens":1`), want{LedgerDiffers, 21, 7, "/ledger/input_tokens", "…", "…"}},
		"finish hash":     {edit(21, `"state_hash":"`, `"state_hash":"0`), want{HashDiffers, 21, 7, "/state_hash", "…\"", "…\""}},
		"finish steps":    {edit(21, `"steps":7`, `"steps":8`), want{EventDiffers, 21, 8, "/steps", "8", "7"}},
		"finish reason":   {edit(21, `"reason":"idle"`, `"reason":"error"`), want{EventDiffers, 21, 7, "/reason", `"error"`, `"idle"`}},
		"finish too soon": {remove(text, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20), want{EventDiffers, 9, 4, "/type", `"finish"`, `"receive"`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { c.want.check(t, replayText(t, pipeline(t), c.text)) })
	}
}

// Something behind finish that is not ours is a difference.
func TestReplayWithEventsBehindFinish(t *testing.T) {
	text := readFile(t, seedTrace)
	lines := bytes.Split(text, []byte("\n"))
	tail := func(line string) []byte {
		body := bytes.Join(lines[:23], []byte("\n"))
		return []byte(string(body) + ",\n" + line + "\n]\n")
	}
	rep := replayText(t, pipeline(t), tail(`{"type":"receive","step":8,"agent":"critic","message":{"tag":"x","payload":1}}`))
	d := rep.Divergence
	if rep.Verdict != EventDiffers || d.Index != 22 || d.Step != 8 || d.Path != "" || d.GotEvent != nil || d.Recorded.IsAbsent() {
		t.Fatalf("%s %v", rep.Verdict, d)
	}
	if rep := replayText(t, pipeline(t), tail(`{"type":"x-note","text":"kept"}`)); !rep.Same() || rep.Log.Len() != 23 {
		t.Fatalf("a line of ours behind finish: %s", rep.Verdict)
	}
}
