package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

var testOutputs = canon.EmptyObject

func num(i int) canon.Value { return canon.Int(int64(i)) }

func testSetup(n int) Setup {
	setup := Setup{InputTo: "a0", Input: NewInput("task", canon.String("go"))}
	for i := range n {
		id := fmt.Sprintf("a%d", i)
		setup.Agents = append(setup.Agents, AgentDef{ID: id, Kind: "echo",
			Ports: canon.Object(canon.Member{Key: "out", Value: canon.Array(canon.String("a0"))})})
	}
	return setup
}

// genEvent draws any event, also ones that do not fit the state.
func genEvent(t *rapid.T, step, agents int) Event {
	id := func() string { return fmt.Sprintf("a%d", rapid.IntRange(0, agents).Draw(t, "agent")) }
	msg := func() Message {
		return NewMessage(id(), rapid.SampledFrom([]string{"task", "effect", "x"}).Draw(t, "tag"), num(rapid.IntRange(0, 5).Draw(t, "payload")))
	}
	ext := func(typ Type, agent string, members ...canon.Member) Event {
		return Event{Type: typ, Step: step, Agent: agent, Extra: canon.Object(append(members, canon.Member{Key: "agent", Value: canon.String(agent)})...)}
	}
	switch rapid.IntRange(0, 11).Draw(t, "type") {
	case 0, 1:
		return Event{Type: Receive, Step: step, Agent: id(), Message: msg()}
	case 2:
		return Event{Type: Act, Step: step, Agent: id(), State: num(rapid.IntRange(0, 9).Draw(t, "state")), Send: canon.EmptyArray}
	case 3, 4, 5:
		e := Event{Type: SendEvent, Step: step, Agent: id(), Port: "out", Message: msg()}
		if rapid.Bool().Draw(t, "wired") {
			e.To = id()
		}
		return e
	case 6:
		return Event{Type: EffectEvent, Step: step, Agent: id(), Effect: NewRequest("llm", canon.Null), Response: num(3),
			Usage: Usage{1, 2, rapid.Float64Range(0, 1).Draw(t, "usd")}}
	case 7:
		return Event{Type: ErrorEvent, Step: step, Agent: id(), Error: &ErrorInfo{Text: "X: y", HasUsage: true}, Usage: Usage{USD: 0.5}}
	case 8:
		return ext(XIntervene, id(), canon.Member{Key: "do", Value: canon.String(DoInject)}, canon.Member{Key: "message", Value: msg().Text()})
	case 9:
		return ext(XIntervene, id(), canon.Member{Key: "do", Value: canon.String(rapid.SampledFrom([]string{DoDrop, DoAnswer}).Draw(t, "do"))},
			canon.Member{Key: "index", Value: num(rapid.IntRange(0, 2).Draw(t, "index"))}, canon.Member{Key: "payload", Value: num(7)})
	case 10:
		return ext(XIntervene, id(), canon.Member{Key: "do", Value: canon.String(DoState)}, canon.Member{Key: "state", Value: num(8)})
	default:
		return ext(XInit, id(), canon.Member{Key: "state", Value: num(rapid.IntRange(0, 9).Draw(t, "init"))})
	}
}

// look is everything that can be seen of a state, cache excluded.
func look(s *State) string {
	out := string(s.AppendDocument(nil)) + fmt.Sprintf("|%d|%d|%v|%v|%v|%v", s.Step(), s.Begun(), s.Ledger(), s.Failed(), s.Finished(), s.ReadyCount())
	for r := range s.AgentCount() {
		a := s.AgentAt(r)
		out += fmt.Sprintf("|%s %d %v %d %d %d", a.ID, a.Inbox, a.Ready, a.WaitSteps, a.LastStep, a.Receives)
	}
	next, ok := s.Next()
	return out + fmt.Sprint(next, ok)
}

func fullHash(s *State) string {
	sum := sha256.Sum256(s.AppendDocument(nil))
	return hex.EncodeToString(sum[:])
}

// Apply then Undo restores every byte; the cached hash is the hash of the document at every index, both ways.
func TestApplyUndoLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents := rapid.SampledFrom([]int{1, 3, 70, 200}).Draw(t, "agents")
		s := NewState(testSetup(agents))
		n := rapid.IntRange(1, 40).Draw(t, "events")
		var events []Event
		var undos []Undo
		looks, hashes := []string{look(s)}, []string{s.Hash()}
		for i := range n {
			events = append(events, genEvent(t, i+1, agents))
			u, _ := s.Apply(&events[i])
			undos = append(undos, u)
			looks, hashes = append(looks, look(s)), append(hashes, s.Hash())
			if hashes[i+1] != fullHash(s) {
				t.Fatalf("event %d: incremental hash is not the document's", i)
			}
		}
		for i := n - 1; i >= 0; i-- {
			s.Undo(&events[i], undos[i])
			if got := look(s); got != looks[i] {
				t.Fatalf("undo of event %d (%s):\n got %s\nwant %s", i, events[i].AppendJSON(nil), got, looks[i])
			}
			if rapid.Bool().Draw(t, "hash now") && s.Hash() != hashes[i] {
				t.Fatalf("undo of event %d: another hash", i)
			}
		}
		if s.Hash() != hashes[0] {
			t.Fatal("back at the start: another hash")
		}
	})
}

func TestCloneIsIndependent(t *testing.T) {
	s := NewState(testSetup(3))
	before := look(s)
	c := s.Clone()
	e := Event{Type: Receive, Step: 1, Agent: "a0", Message: NewInput("task", canon.String("go"))}
	c.Apply(&e)
	if look(s) != before {
		t.Fatal("a clone's event changed the original")
	}
	if look(c) == before || c.Hash() == s.Hash() {
		t.Fatal("the event did not change the clone")
	}
}

func TestReadySetFindsLowest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 64, 65, 4096, 5000}).Draw(t, "n")
		s, want := newReadySet(n), map[int]bool{}
		for _, r := range rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 60).Draw(t, "ops") {
			if want[r] {
				s.clear(r)
				delete(want, r)
			} else {
				s.set(r)
				want[r] = true
			}
			lowest := -1
			for k := range want {
				if lowest < 0 || k < lowest {
					lowest = k
				}
			}
			if s.first() != lowest || s.next(0) != lowest || s.count != len(want) {
				t.Fatalf("first %d, next %d, count %d; want %d of %d", s.first(), s.next(0), s.count, lowest, len(want))
			}
		}
	})
}

// An event survives being written and read.
func TestEventRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := genEvent(t, rapid.IntRange(0, 9).Draw(t, "step"), 3)
		line := e.AppendJSON(nil)
		v, _, err := canon.Parse(line, canon.Options{})
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		back, finds, err := DecodeEvent(v, 0)
		if err != nil || len(finds) > 0 {
			t.Fatalf("%s: %v %v", line, err, finds)
		}
		if again := back.AppendJSON(nil); string(again) != string(line) {
			t.Fatalf("written again:\n%s\n%s", line, again)
		}
		back.Message, e.Message = Message{}, Message{}
		if e.Type == EffectEvent && !reflect.DeepEqual(back.Effect, e.Effect) {
			t.Fatal("another request")
		}
	})
}

func benchState(agents int) (*State, []Event) {
	s := NewState(testSetup(agents))
	var events []Event
	for i := range 127 { // odd, and the state differs from round to round, so that every act changes something
		events = append(events, Event{Type: Act, Step: i, Agent: fmt.Sprintf("a%d", (i*7919%64*1_571)%agents),
			State: canon.Object(canon.Member{Key: "n", Value: num(i)}, canon.Member{Key: "notes", Value: canon.String("some notes of usual length, about sixty bytes of text here")}), Send: canon.EmptyArray})
	}
	return s, events
}

// Exact hash after a step that changes one agent.
func BenchmarkHashAfterStep(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprint("agents=", n), func(b *testing.B) {
			s, events := benchState(n)
			s.Hash()
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s.Apply(&events[i%len(events)])
				s.Hash()
				i++
			}
		})
	}
}

func BenchmarkHashWhole(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprint("agents=", n), func(b *testing.B) {
			s, events := benchState(n)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s.Apply(&events[i%len(events)])
				fullHash(s)
				i++
			}
		})
	}
}

func BenchmarkNextAgent(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		b.Run(fmt.Sprint("agents=", n), func(b *testing.B) {
			s := NewState(testSetup(n))
			e := Event{Type: SendEvent, Agent: "a0", Port: "out", To: fmt.Sprintf("a%d", n-1), Message: NewMessage("a0", "x", canon.Null)}
			s.Apply(&e)
			in := Event{Type: Receive, Step: 1, Agent: "a0", Message: NewInput("task", canon.String("go"))}
			s.Apply(&in)
			b.ReportAllocs()
			for b.Loop() {
				if id, ok := s.Next(); !ok || id == "" {
					b.Fatal("nobody is ready")
				}
			}
		})
	}
}
