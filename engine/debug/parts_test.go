package debug

import (
	"slices"
	"testing"

	"flowdbg/engine/query"
)

// oddLines is a foreign trace: members in any order, escapes in names and values, answers that hold their usage, events
// that are none.
const oddLines = `{"type":"receive","step":1,"agent":"a","message":{"tag":"t","payload":{"n":1.0,"b":[1,{"x":"\u0041"}]}}}
{"agent":"a","send":[],"state":{"n":1},"step":1,"type":"act","effect":{"op":"llm","input":{"q":1}}}
{"type":"effect","step":1,"agent":"a","request":{"op":"llm","input":{"q":1}},"response":{"output":{"n":2},"usage":{"input_tokens":1,"output_tokens":1,"usd":1}}}
{"type":"receive","step":2,"agent":"a","message":{"payload":{"n":2},"tag":"effect","from":"effect"}}
{"type":"act","step":2,"agent":"a","send":[{"port":"out","tag":"t","payload":{"n":3}}]}
{"type":"send","step":2,"from":"a","port":"out","to":"b","message":{"m\u0065":1,"from":"a","tag":"t","payload":{"n":3}}}
{"type":"receive","step":3,"agent":"b","m\u0065ssage":{"from":"a","tag":"t","payload":{"n":3}}}
{"type":"act","step":3,"agent":"b","state":null,"send":[],"effect":{"op":"llm","input":{"q":2}}}
{"type":"effect","step":3,"agent":"b","request":{"op":"llm","input":{"q":2}},"usage":{"input_tokens":0,"output_tokens":0,"usd":0.5}}
{"type":"receive","step":4,"agent":"b","message":{"from":"effect","tag":"effect","payload":null}}
{"type":"act","step":4,"agent":"b","state":{"n":4},"send":[]}
{"type":"receive","step":5,"agent":"b","message":{"tag":5,"payload":{"n":3}}}
{"type":"receive","step":5,"agent":"b","message":{"tag":"t","from":7,"payload":{"n":3}}}
{"type":"receive","step":5,"agent":"b","message":{"tag":"t","payload":{"n":3}},"message":{"tag":"t","payload":{"n":9}}}
{"type":"receive","step":6,"agent":"b","message":{"tag":"t"}}
{"type":"x-intervention","step":6,"agent":"a","do":"state","state":{"n":7}}
{"type":"error","step":6,"agent":"b","error":"EffectError: llm: gone","request":{"op":"llm","input":{"q":3}}}
{"type":"finish","steps":6,"state_hash":"","ledger":{"input_tokens":1,"output_tokens":1,"usd":1.5},"outputs":{}}
`

var oddQuestions = []string{
	"payload.n == 1", "payload.n >= 2", "payload and payload.n == 3", "payload == None", "payload != None", `tag == "t"`, `tag != "t"`, `sender == None`,
	`sender == "a"`, `sender == "effect"`, `response.n == 2`, "response == None", "response != None", "response.output", `type == "x-damage"`, `type != "receive"`,
	`agent == "a"`, "agent == None", "step == 5", "step == 0", "step > 2 and payload == None", "usd == 0.5", "usd == None", "usd > 0", "tokens == 2", `op == "llm"`,
	"input.q == 2", `port == "out"`, `to == "b"`, "to == None", "error != None", `"gone" in (error or "")`, "event % 2 == 0", `"llm" in text`, "payload.b[1].x == 'A'",
}

// An expression finds in a file, of which it reads single members, what it finds in decoded events.
func TestExpressionsOverAFileReadWhatDecodingReads(t *testing.T) {
	store := oddStore(t)
	for {
		if done, err := store.Verify(); err != nil {
			t.Fatal(err)
		} else if done {
			break
		}
	}
	s, err := New(Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range oddQuestions {
		q, err := query.Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		for i := range store.Len() {
			if ok, err := q.Match(query.Subject{Index: i, Event: s.Event(i)}); err != nil {
				t.Fatalf("%s: %v", src, err)
			} else if ok {
				want = append(want, i)
			}
		}
		f, err := s.NewFilter(q)
		if err != nil {
			t.Fatal(err)
		}
		for !f.Slice(ctx) {
		}
		if !slices.Equal(f.Hits, want) || f.Err != nil {
			t.Errorf("%s: %v in the file, %v decoded; %v", src, f.Hits, want, f.Err)
		}
	}
}

// The state that a search reads off single members is the one that the view shows.
func TestStatesOfSearchesAreThoseOfTheView(t *testing.T) {
	store := oddStore(t)
	s, err := New(Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17}, {17, 16, 10, 9, 1, 8, 2, 7, 4, 0}} {
		for _, i := range order {
			for _, agent := range []string{"a", "b"} {
				v, ok := s.StateBehind(i, agent)
				a, known := store.ViewAt(i + 1).Agent(agent)
				if ok && (!known || v != a.State) {
					t.Errorf("event %d: the state of %s is %s, the view shows %s", i, agent, v, a.State)
				}
				if ok {
					told++
				}
			}
		}
	}
	if told < 10 {
		t.Fatalf("only %d states were told", told)
	}
}
