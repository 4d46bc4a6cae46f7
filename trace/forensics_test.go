package trace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

// miniFlow is a flow with behaviours made of one table: which port an agent sends on, how often, and when it asks for an
// effect. It stands for the engine, which this package does not know.
type miniFlow struct {
	ids   []string
	edges map[string][]string // "agent.port" → targets
	// act decides by agent, message and how often the agent acted: the sends' ports, and whether it asks.
	act func(agent string, m Message, n int) (ports []string, asks bool)
}

func (f *miniFlow) setup() Setup {
	s := Setup{InputTo: f.ids[0], Input: NewInput("task", canon.String("go"))}
	for _, id := range f.ids {
		var ports []canon.Member
		for _, port := range []string{"out", "alt"} {
			var to []canon.Value
			for _, t := range f.edges[id+"."+port] {
				to = append(to, canon.String(t))
			}
			if to != nil {
				ports = append(ports, canon.Member{Key: port, Value: canon.Array(to...)})
			}
		}
		s.Agents = append(s.Agents, AgentDef{ID: id, Kind: "mini", Ports: canon.Object(ports...)})
	}
	return s
}

// run makes the trace of at most steps steps, with finish.
func (f *miniFlow) run(steps int) []Event {
	st := NewState(f.setup())
	var events []Event
	put := func(e Event) {
		events = append(events, e)
		st.Apply(&events[len(events)-1])
	}
	acted := map[string]int{}
	reason := ReasonIdle
	for step := 1; ; step++ {
		id, ok := st.Next()
		if !ok {
			break
		}
		if step > steps {
			reason = ReasonError
			put(Event{Type: ErrorEvent, Step: step - 1, Error: &ErrorInfo{Text: fmt.Sprintf("BudgetExceeded: steps %d", steps), Code: CodeBudgetExceeded}})
			break
		}
		m, _ := st.InboxAt(id, 0)
		put(Event{Type: Receive, Step: step, Agent: id, Message: m})
		n := acted[id]
		acted[id]++
		f.step(step, id, m, n, put)
	}
	put(Event{Type: FinishEvent, Finish: &Finish{Steps: st.Begun(), StateHash: st.Hash(), Ledger: st.Ledger(), Outputs: st.OutputsValue(), Reason: reason}})
	return events
}

func (f *miniFlow) step(step int, id string, m Message, n int, put func(Event)) {
	ports, asks := f.act(id, m, n)
	var sends []Send
	for i, p := range ports {
		sends = append(sends, Send{Port: p, Tag: "note", Payload: canon.String(fmt.Sprint(id, n, i))})
	}
	e := Event{Type: Act, Step: step, Agent: id, State: canon.Object(canon.Member{Key: "last", Value: canon.String(m.Tag)}, canon.Member{Key: "n", Value: num(n + 1)}), Send: SendsValue(sends)}
	if asks {
		e.Effect = NewRequest("search", canon.Object(canon.Member{Key: "model", Value: canon.String("m-" + id)}, canon.Member{Key: "q", Value: canon.String(fmt.Sprint(id, n))}))
	}
	put(e)
	for _, s := range sends {
		msg := NewMessage(id, s.Tag, s.Payload)
		targets := f.edges[id+"."+s.Port]
		if targets == nil {
			put(Event{Type: SendEvent, Step: step, Agent: id, Port: s.Port, Message: msg})
		}
		for _, to := range targets {
			put(Event{Type: SendEvent, Step: step, Agent: id, Port: s.Port, To: to, Message: msg})
		}
	}
	if asks {
		put(Event{Type: EffectEvent, Step: step, Agent: id, Effect: e.Effect, Response: canon.String(fmt.Sprint("answer ", id, n)), Usage: Usage{10, 5, 0.001}})
	}
}

// diamond is a → b, c → d, where b and d ask for an effect when they get a note; d ends in the outputs.
func diamond() *miniFlow {
	return &miniFlow{
		ids:   []string{"a", "b", "c", "d"},
		edges: map[string][]string{"a.out": {"b", "c"}, "b.out": {"d"}, "c.out": {"d"}},
		act: func(id string, m Message, n int) ([]string, bool) {
			switch id {
			case "b", "d":
				if m.From != FromEffect {
					return nil, true
				}
			}
			return []string{"out"}, false
		},
	}
}

// randomFlow draws a flow of any shape, loops and fan-out included.
func randomFlow(t *rapid.T) *miniFlow {
	f := &miniFlow{edges: map[string][]string{}}
	for i := range rapid.IntRange(1, 5).Draw(t, "agents") {
		f.ids = append(f.ids, string(rune('a'+i)))
	}
	for _, id := range f.ids {
		for _, port := range []string{"out", "alt"} {
			to := rapid.SliceOfNDistinct(rapid.SampledFrom(f.ids), 0, min(3, len(f.ids)), rapid.ID[string]).Draw(t, id+"."+port)
			if len(to) > 0 {
				f.edges[id+"."+port] = to
			}
		}
	}
	table := rapid.SliceOfN(rapid.IntRange(0, 31), 7, 7).Draw(t, "table")
	f.act = func(id string, m Message, n int) ([]string, bool) {
		bits := table[(n*3+int(id[0])+len(m.Tag))%len(table)]
		var ports []string
		for i, p := range []string{"out", "alt", "out"} {
			if bits>>i&1 == 1 {
				ports = append(ports, p)
			}
		}
		return ports, bits>>3&3 == 3
	}
	return f
}

// storeOf writes the events to a file and opens it.
func storeOf(tb testing.TB, events []Event, setup *Setup) *Store {
	tb.Helper()
	var b bytes.Buffer
	if err := Write(&b, events, FormatArray); err != nil {
		tb.Fatal(err)
	}
	return storeOfText(tb, b.Bytes(), setup)
}

func storeOfText(tb testing.TB, text []byte, setup *Setup) *Store {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "trace.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		tb.Fatal(err)
	}
	s := openStore(tb, path, setup)
	tb.Cleanup(func() { s.Close() })
	return s
}

// readTrace reads a whole trace or fails.
func readTrace(tb testing.TB, text []byte) []Event {
	tb.Helper()
	tr, err := Read(text)
	if err != nil {
		tb.Fatal(err)
	}
	return tr.Events
}
