package trace

import (
	"os"
	"path/filepath"
	"testing"
)

// The request of every event is the one that decoding finds, however it is spelled.
func TestRequestsAreThoseOfTheEvents(t *testing.T) {
	lines := `{"type":"effect","step":1,"agent":"a","request":{"input":{"q":1},"op":"llm"},"response":1,"usage":{"input_tokens":0,"output_tokens":0,"usd":0}}
{"type":"effect","step":1,"agent":"a","request":{"op":"llm", "input":{"b":1.0,"a":"\u0041"}},"response":1,"usage":{"input_tokens":0,"output_tokens":0,"usd":0}}
{"type":"effect","step":1,"agent":"a","request":{"op":"llm"},"response":1,"usage":{"input_tokens":0,"output_tokens":0,"usd":0}}
{"type":"effect","step":1,"agent":"a","request":{"op":"llm","input":2,"more":3},"response":1,"usage":{"input_tokens":0,"output_tokens":0,"usd":0}}
{"type":"effect","step":1,"agent":"a","r\u0065quest":{"op":"llm","input":4},"response":1,"usage":{"input_tokens":0,"output_tokens":0,"usd":0}}
{"type":"error","step":1,"agent":"a","error":"EffectError: x: y","request":{"input":2,"op":"x"}}
{"type":"error","step":1,"agent":"a","error":"BehaviorError: a: no"}
{"type":"receive","step":2,"agent":"a","message":{"tag":"t","payload":{"request":{"input":1,"op":"no"}}}}
`
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, path, nil)
	tr, err := Read([]byte(lines))
	if err != nil {
		t.Fatal(err)
	}
	file, mem := NewRequests(s), NewRequests(MemLog(tr.Events))
	for i := range tr.Events {
		e := &tr.Events[i]
		want := e.Effect.Text()
		if e.Error != nil {
			want = e.Error.Request.Text()
		}
		if got := file.At(i); got != want || mem.At(i) != want {
			t.Errorf("event %d: %s in the file, %s in memory, want %s", i, got, mem.At(i), want)
		}
	}
	if s.Len() != len(tr.Events) {
		t.Fatal(s.Len())
	}
}
