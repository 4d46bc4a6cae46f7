package trace

import (
	"strings"
	"testing"

	"flowdbg/trace/canon"
)

func mustRead(t testing.TB, text string) *Trace {
	t.Helper()
	tr, err := Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// foldAll plays a trace alone; it fails at the first finding.
func foldAll(t testing.TB, tr *Trace) *State {
	t.Helper()
	s := NewState(PlaybackSetup(tr.Events))
	for i := range tr.Events {
		if _, f := s.Apply(&tr.Events[i]); f != nil {
			t.Fatalf("event %d: %s", i, f.Text)
		}
	}
	return s
}

const nestedHead = `{"type":"receive","step":1,"agent":"a","message":{"tag":"task","payload":1}}
{"type":"act","step":1,"agent":"a","state":null,"send":[],"effect":{"op":"llm","input":1}}
`

// A flat and a nested answer of one agent: the second receive settles the second answer, not the first.
func TestNestedAnswerBehindAFlatOne(t *testing.T) {
	const whole = `{"output":"two","usage":{"input_tokens":1,"output_tokens":1,"usd":0}}`
	text := nestedHead + `{"type":"effect","step":1,"agent":"a","request":{"op":"llm","input":1},"response":"one","usage":{"input_tokens":0,"output_tokens":0,"usd":0}}
{"type":"effect","step":1,"agent":"a","request":{"op":"llm","input":2},"response":` + whole + `}
{"type":"receive","step":2,"agent":"a","message":{"tag":"effect","payload":"one","from":"effect"}}
{"type":"receive","step":3,"agent":"a","message":{"tag":"effect","payload":` + whole + `,"from":"effect"}}
`
	s := foldAll(t, mustRead(t, text))
	if s.Begun() != 3 || s.InboxLen("a") != 0 {
		t.Fatalf("begun %d, %d waiting", s.Begun(), s.InboxLen("a"))
	}
}

// A nested answer that nobody received is delivered in the seed's form; one of a cancelled step settles nothing.
func TestNestedAnswerNobodyReceived(t *testing.T) {
	const effect = `{"type":"effect","step":1,"agent":"a","request":{"op":"llm","input":1},"response":{"output":"hi","usage":{"input_tokens":3,"output_tokens":4,"usd":0.5}}}
`
	t.Run("the end", func(t *testing.T) {
		s := foldAll(t, mustRead(t, nestedHead+effect))
		if m, _ := s.InboxAt("a", 0); m.Payload.Text() != `"hi"` || m.Tag != TagEffect || m.From != FromEffect {
			t.Fatalf("waiting: %s", m.Text())
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		again := strings.Replace(effect, `"hi"`, `"ho"`, 1)
		text := nestedHead + effect + `{"type":"x-cancel","step":1}
` + nestedHead + again + `{"type":"receive","step":2,"agent":"a","message":{"tag":"effect","payload":"ho","from":"effect"}}
`
		s := foldAll(t, mustRead(t, text))
		if s.Begun() != 2 || s.InboxLen("a") != 0 || s.Ledger().USD != 0.5 {
			t.Fatalf("begun %d, %d waiting, ledger %v", s.Begun(), s.InboxLen("a"), s.Ledger())
		}
	})
}

// Reading gives every effect event the message that was received, so that applying an event never writes to it.
func TestApplyDoesNotWriteToEvents(t *testing.T) {
	tr := mustRead(t, sample)
	tr.Events = tr.Events[:3]
	at := func() string {
		var b strings.Builder
		for i := range tr.Events {
			b.WriteString(tr.Events[i].Message.Text().Text())
		}
		return b.String()
	}
	before := at()
	foldAll(t, tr)
	if at() != before {
		t.Fatal("applying changed an event")
	}
	raw := Event{Type: EffectEvent, Agent: "a", Effect: NewRequest("llm", canon.Null), Response: num(1)}
	s := NewState(testSetup(1))
	s.Apply(&raw)
	if !raw.Message.IsZero() {
		t.Fatal("applying wrote the answer into the event")
	}
}

// A cancelled answer is not the one that the next receive settles.
func TestCancelledAnswerSettlesNothing(t *testing.T) {
	const whole = `{"output":"hi","usage":{"input_tokens":3,"output_tokens":4,"usd":0.5}}`
	const effect = `{"type":"effect","step":1,"agent":"a","request":{"op":"llm","input":1},"response":` + whole + `}
`
	text := nestedHead + strings.Replace(effect, "hi", "lost", 1) + `{"type":"x-cancel","step":1}
` + nestedHead + effect + `{"type":"receive","step":2,"agent":"a","message":{"tag":"effect","payload":` + whole + `,"from":"effect"}}
`
	if s := foldAll(t, mustRead(t, text)); s.Begun() != 2 || s.InboxLen("a") != 0 {
		t.Fatalf("begun %d, %d waiting", s.Begun(), s.InboxLen("a"))
	}
}

func TestCancelTakesBackOneStepOnly(t *testing.T) {
	const step2 = `{"type":"receive","step":2,"agent":"a","message":{"tag":"x","payload":2}}
{"type":"act","step":2,"agent":"a","state":STATE,"send":[{"port":"out","tag":"t","payload":1}]}
{"type":"send","step":2,"from":"a","port":"out","message":{"tag":"t","payload":1,"from":"a"}}
`
	text := `{"type":"receive","step":1,"agent":"a","message":{"tag":"task","payload":1}}
{"type":"act","step":1,"agent":"a","state":1,"send":[{"port":"b","tag":"x","payload":2}]}
{"type":"x-note","text":"kept"}
` + strings.Replace(step2, "STATE", "2", 1) + `{"type":"x-cancel","step":2}
` + strings.Replace(step2, "STATE", "3", 1) + `{"type":"x-cancel","step":2}
` + strings.Replace(step2, "STATE", "4", 1)
	tr := mustRead(t, text)
	var cancelled []int
	for i := range tr.Events {
		if tr.Events[i].Cancelled() {
			cancelled = append(cancelled, i)
		}
	}
	if len(cancelled) != 6 || cancelled[0] != 3 || cancelled[5] != 9 {
		t.Fatalf("cancelled events: %v", cancelled)
	}
	s := NewState(PlaybackSetup(tr.Events))
	for i := range tr.Events {
		s.Apply(&tr.Events[i])
	}
	if a, _ := s.Agent("a"); s.Begun() != 2 || a.State.Text() != "4" || s.OutputLen("a.out") != 1 {
		t.Fatalf("begun %d, state %s, %d outputs", s.Begun(), a.State, s.OutputLen("a.out"))
	}
}
