package engine

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"flowdbg/trace"
)

func write(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A recorded failure is raised again, with what it cost; what is changed in it is named.
func TestRecordedErrorsReplay(t *testing.T) {
	const name = "effect-error-billed"
	flow, text := readFile(t, "testdata/rules/"+name+".json"), readFile(t, "testdata/golden/"+name+".json")
	rep := sameBytes(t, flow, text)
	if l := rep.Log.(*RunLog); l.Len() != 7 || rep.Effects != 1 {
		t.Fatalf("%d events, %d effects", l.Len(), rep.Effects)
	}
	const request = `,"request":{"input":{"fake":{"billed":{"input_tokens":9,"output_tokens":0,"usd":0.01},"error":"overloaded"},"model":"mock-fast"},"op":"llm"}`
	cases := map[string]struct {
		text []byte
		want want
	}{
		"step":    {change(t, text, 5, `"step":2`, `"step":3`), want{ErrorDiffers, 5, 2, "/step", "3", "2"}},
		"code":    {change(t, text, 5, `"code":"EffectError"`, `"code":"Other"`), want{ErrorDiffers, 5, 2, "/code", `"Other"`, `"EffectError"`}},
		"request": {change(t, text, 5, `"model":"mock-fast"`, `"model":"x"`), want{RequestDiffers, 5, 2, "/request/input/model", `"x"`, `"mock-fast"`}},
		"usage":   {change(t, text, 5, `"usage":{"input_tokens":9`, `"usage":{"input_tokens":8`), want{LedgerDiffers, 6, 2, "/ledger/input_tokens", "10", "9"}},
		"missing": {remove(text, 5), want{ExtraEffect, 5, 2, "/type", `"finish"`, `"effect"`}},
	}
	for what, c := range cases {
		t.Run(what, func(t *testing.T) {
			c.want.check(t, replayText(t, flow, c.text))
		})
	}
	t.Run("a foreign error without code and request", func(t *testing.T) {
		foreign := change(t, change(t, text, 5, `,"code":"EffectError"`, ``), 5, request, ``)
		sameBytes(t, flow, foreign)
		foreign = change(t, foreign, 5, `"error":"EffectError: llm: overloaded"`, `"error":"EffectError: llm: gone"`)
		sameBytes(t, flow, foreign) // what went wrong is the record's to say
	})
	t.Run("another code of error", func(t *testing.T) {
		other := change(t, readFile(t, "testdata/golden/usd-exceeded.json"), 3, `usd 0.12 > 0.1`, `usd 0.12 > 0.11`)
		want{ErrorDiffers, 3, 1, "/error", `"BudgetExceeded: usd 0.12 > 0.11"`, `"BudgetExceeded: usd 0.12 > 0.1"`}.check(t, replayText(t, readFile(t, "testdata/rules/usd-exceeded.json"), other))
	})
	t.Run("an error that the record does not have", func(t *testing.T) {
		flow := bytes.Replace(readFile(t, "testdata/rules/exactly-the-budget.json"), []byte(`"tokens": 10`), []byte(`"tokens": 9`), 1)
		want{ErrorDiffers, 3, 1, "/type", `"receive"`, `"error"`}.check(t, replayText(t, flow, readFile(t, "testdata/golden/exactly-the-budget.json")))
	})
}

// Members that a foreign record may lack are not missed, and not named when something else differs.
func TestForeignRecordsLackMembers(t *testing.T) {
	flow, text := readFile(t, "testdata/rules/state-unchanged-null-and-value.json"), readFile(t, "testdata/golden/state-unchanged-null-and-value.json")
	text = change(t, text, 11, `,"reason":"idle"`, ``)
	text = change(t, text, 6, `"state":{"n":1},`, ``)
	sameBytes(t, flow, text)
	t.Run("a state that changed", func(t *testing.T) {
		want{EventDiffers, 8, 3, "/state", "", "null"}.check(t, replayText(t, flow, change(t, text, 8, `"state":null,`, ``)))
	})
	t.Run("another member", func(t *testing.T) {
		want{EventDiffers, 11, 5, "/steps", "5", "4"}.check(t, replayText(t, flow, change(t, readFile(t, "testdata/golden/state-unchanged-null-and-value.json"), 11, `"steps":4`, `"steps":5`)))
	})
	t.Run("an unknown member is not what differs", func(t *testing.T) {
		edited := change(t, text, 6, `"agent":"a"`, `"aa":1,"agent":"a"`)
		want{EventDiffers, 6, 2, "/send/0", "1", ""}.check(t, replayText(t, flow, change(t, edited, 6, `"send":[]`, `"send":[1]`)))
	})
}

// First states are made again and compared: they are a behaviour's, though their line is ours.
func TestFirstStatesAreCompared(t *testing.T) {
	flow, text := readFile(t, "testdata/rules/first-state.json"), readFile(t, "testdata/golden/first-state.json")
	const initA = `{"type":"x-init","step":0,"agent":"a","state":[1]}`
	noteFirst := insert(text, 0, `{"type":"x-note"}`)
	sameBytes(t, flow, insert(noteFirst, 2, `{"type":"x-note"}`))
	cases := map[string]struct {
		flow, text []byte
		want       want
	}{
		"another state":      {flow, change(t, text, 1, `"n":0`, `"n":1`), want{EventDiffers, 1, 0, "/state/n", "1", "0"}},
		"one is missing":     {flow, remove(text, 0), want{EventDiffers, 0, 0, "/agent", `"b"`, `"a"`}},
		"the last missing":   {flow, remove(text, 1), want{EventDiffers, 1, 0, "/type", `"receive"`, `"x-init"`}},
		"one too many":       {flow, insert(text, 2, strings.Replace(initA, `"a"`, `"c"`, 1)), want{EventDiffers, 2, 0, "", strings.Replace(`{"agent":"a","state":[1],"step":0,"type":"x-init"}`, `"a"`, `"c"`, 1), ""}},
		"a changed flow":     {bytes.Replace(flow, []byte(`"init": [1]`), []byte(`"init": [2]`), 1), text, want{EventDiffers, 0, 0, "/state/0", "1", "2"}},
		"no first state now": {bytes.Replace(flow, []byte(`{"init": [1]}`), []byte(`{}`), 1), text, want{EventDiffers, 0, 0, "/agent", `"a"`, `"b"`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { c.want.check(t, replayText(t, c.flow, c.text)) })
	}
}

// Verify works in a replay too, and a replay can be cancelled.
func TestReplayEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Replay(ctx, testMachine(t, pipeline(t)), seedRecord(t)); err != context.Canceled {
		t.Fatal(err)
	}
	m := testMachine(t, doFlow(`{"flaky":"state"}`, `{}`))
	m.Verify = true
	record := runFlow(t, testMachine(t, doFlow(`{"flaky":"state"}`, `{}`))).Events
	if _, err := Replay(context.Background(), m, record); err == nil || !strings.Contains(err.Error(), "not a pure function") {
		t.Fatal(err)
	}
	var _ trace.Log = trace.MemLog(record)
}
