package trace

import (
	"strings"
	"testing"

	"flowdbg/trace/canon"
)

func nested(depth int) canon.Value {
	return canon.Raw(strings.Repeat("[", depth) + strings.Repeat("]", depth))
}

func text(bytes int) canon.Value { return canon.String(strings.Repeat("x", bytes-2)) }

// Each limit lets its own value pass and refuses one more.
func TestLimits(t *testing.T) {
	frame := NewMessage("a", "t", canon.Null).Text().Len() - len("null")
	cases := map[string]struct {
		got  *LimitBreach
		want string
	}{
		"message of 1 MiB":        {CheckMessage(NewMessage("a", "t", text(MaxMessageBytes-frame))), ""},
		"message of 1 MiB + 1":    {CheckMessage(NewMessage("a", "t", text(MaxMessageBytes-frame+1))), "LimitExceeded: message 1048577 > 1048576"},
		"state of 16 MiB":         {CheckState(text(MaxStateBytes)), ""},
		"state of 16 MiB + 1":     {CheckState(text(MaxStateBytes + 1)), "LimitExceeded: state 16777217 > 16777216"},
		"payload nesting 256":     {CheckMessage(NewMessage("a", "t", nested(256))), ""},
		"payload nesting 257":     {CheckMessage(NewMessage("a", "t", nested(257))), "LimitExceeded: message nesting 257 > 256"},
		"state nesting 257":       {CheckState(nested(257)), "LimitExceeded: state nesting 257 > 256"},
		"brackets in a string":    {CheckState(canon.String(strings.Repeat("[", 1000))), ""},
		"escaped quotes":          {CheckState(canon.Array(canon.String(strings.Repeat(`"[`, 600)))), ""},
		"wide, not deep":          {CheckState(canon.Raw("[" + strings.Repeat("[],", 999) + "[]]")), ""},
		"deep behind a wide part": {CheckState(canon.Array(canon.Raw("["+strings.Repeat("[],", 999)+"[]]"), nested(256))), "LimitExceeded: state nesting 257 > 256"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if c.got != nil {
				got = c.got.Error()
			}
			if got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
}

// An answer that breaks a limit is in the trace and in the ledger, but not in the inbox.
func TestAnswerBeyondALimitIsNotEnqueued(t *testing.T) {
	s := NewState(testSetup(1))
	before := look(s)
	e := Event{Type: EffectEvent, Step: 1, Agent: "a0", Effect: NewRequest("llm", num(1)), Response: nested(257), Usage: Usage{1, 2, 0.5}}
	u, _ := s.Apply(&e)
	if s.InboxLen("a0") != 1 || s.Ledger().USD != 0.5 {
		t.Fatalf("%d waiting, ledger %v", s.InboxLen("a0"), s.Ledger())
	}
	s.Undo(&e, u)
	if look(s) != before {
		t.Fatal("undo did not restore the start")
	}
	s = NewState(Setup{Agents: []AgentDef{{ID: "a0"}}})
	send := Event{Type: SendEvent, Step: 1, Agent: "a0", Port: "p", To: "a0", Message: NewMessage("a0", "t", canon.Null)}
	for range MaxInbox - 1 {
		s.Apply(&send)
	}
	for i, want := range []int{MaxInbox, MaxInbox} {
		e.Response = num(1)
		if breach := s.AnswerBreach("a0", e.AnswerMessage()); (breach != nil) != (i == 1) {
			t.Fatalf("with %d waiting: %v", s.InboxLen("a0"), breach)
		}
		s.Apply(&e)
		if s.InboxLen("a0") != want {
			t.Fatalf("%d waiting, want %d", s.InboxLen("a0"), want)
		}
	}
}
