package trace

import (
	"strings"
	"testing"
)

// Absent optional members are omitted, never null; on reading null is absent. A payload is always written.
func TestNullIsAbsent(t *testing.T) {
	cases := map[string]struct{ in, out string }{
		"from":      {`{"type":"receive","step":1,"agent":"a","message":{"from":null,"payload":1,"tag":"t"}}`, `{"type":"receive","step":1,"agent":"a","message":{"payload":1,"tag":"t"}}`},
		"effect":    {`{"type":"act","step":1,"agent":"a","state":null,"send":[],"effect":null}`, `{"type":"act","step":1,"agent":"a","state":null,"send":[]}`},
		"to":        {`{"type":"send","step":1,"from":"a","port":"p","to":null,"message":{"payload":1,"tag":"t"}}`, `{"type":"send","step":1,"from":"a","port":"p","message":{"payload":1,"tag":"t"}}`},
		"side":      {`{"type":"receive","step":1,"agent":"a","message":{"payload":1,"tag":"t"},"side":null}`, `{"type":"receive","step":1,"agent":"a","message":{"payload":1,"tag":"t"}}`},
		"error":     {`{"type":"error","step":1,"agent":null,"error":"X: y","code":null,"request":null,"usage":null}`, `{"type":"error","step":1,"error":"X: y"}`},
		"reason":    {`{"type":"finish","steps":0,"state_hash":"","ledger":{"input_tokens":0,"output_tokens":0,"usd":0},"outputs":{},"reason":null}`, `{"type":"finish","steps":0,"state_hash":"","ledger":{"input_tokens":0,"output_tokens":0,"usd":0},"outputs":{}}`},
		"unknown":   {`{"type":"act","step":1,"agent":"a","state":1,"send":[],"mood":null}`, `{"type":"act","step":1,"agent":"a","state":1,"send":[]}`},
		"payload":   {`{"type":"receive","step":1,"agent":"a","message":{"payload":null,"tag":"t"}}`, `{"type":"receive","step":1,"agent":"a","message":{"payload":null,"tag":"t"}}`},
		"no send":   {`{"type":"act","step":1,"agent":"a","state":1,"send":null}`, `{"type":"act","step":1,"agent":"a","state":1,"send":[]}`},
		"empty to":  {`{"type":"send","step":1,"from":"a","port":"p","to":"","message":{"payload":1,"tag":"t"}}`, `{"type":"send","step":1,"from":"a","port":"p","to":"","message":{"payload":1,"tag":"t"}}`},
		"act state": {`{"type":"act","step":1,"agent":"a","send":[]}`, `{"type":"act","step":1,"agent":"a","send":[]}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tr := mustRead(t, c.in)
			if got := string(tr.Events[0].AppendJSON(nil)); got != c.out {
				t.Fatalf("got  %s\nwant %s", got, c.out)
			}
			for _, f := range tr.Findings {
				if f.Kind != FindNoFinish {
					t.Fatalf("finding %+v", f)
				}
			}
		})
	}
	t.Run("no payload", func(t *testing.T) {
		tr := mustRead(t, `{"type":"receive","step":1,"agent":"a","message":{"tag":"t"}}`)
		if got := string(tr.Events[0].AppendJSON(nil)); !strings.Contains(got, `"payload":null`) || tr.Findings[0].Kind != FindMissing {
			t.Fatalf("%s %v", got, tr.Findings)
		}
	})
}

// A null state is a state; an absent one leaves what was there.
func TestNullStateIsAState(t *testing.T) {
	tr := mustRead(t, `{"type":"act","step":1,"agent":"a","state":{"n":1},"send":[]}
{"type":"act","step":2,"agent":"a","send":[]}
{"type":"act","step":3,"agent":"a","state":null,"send":[]}
`)
	s := NewState(PlaybackSetup(tr.Events))
	for i, want := range []string{`{"n":1}`, `{"n":1}`, `null`} {
		s.Apply(&tr.Events[i])
		if a, _ := s.Agent("a"); a.State.Text() != want {
			t.Fatalf("behind event %d: %s, want %s", i, a.State, want)
		}
	}
}
