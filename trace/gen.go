package trace

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"flowdbg/trace/canon"
)

// GenTrace writes a consistent trace of so many events, for tests and measurements: a ring of agents passes a
// message on, every step asks a model. payloadBytes is the length of each answer's text. Memory use does not depend on
// events.
func GenTrace(w io.Writer, events, agents, payloadBytes int) error {
	b := bufio.NewWriterSize(w, 1<<20)
	setup := Setup{}
	id := func(i int) string { return fmt.Sprintf("agent-%03d", i%agents) }
	for i := range agents {
		setup.Agents = append(setup.Agents, AgentDef{ID: id(i), Kind: "echo"})
	}
	setup.InputTo, setup.Input = id(0), NewInput("task", canon.String("go"))
	st := NewState(setup)
	var line []byte
	written := 0
	var failed error
	put := func(e Event) {
		st.Apply(&e)
		line = append(line[:0], ",\n"...)
		if written == 0 {
			line = append(line[:0], "[\n"...)
		}
		line = e.AppendJSON(line)
		if _, err := b.Write(line); err != nil && failed == nil {
			failed = err
		}
		written++
	}
	filler := strings.Repeat("a line of an answer ", payloadBytes/20+1)[:payloadBytes]
	for range max(0, events-1) % stepEvents { // so that the last step is whole
		put(Event{Type: "x-filler"})
	}
	for step := 1; written < events-1 && failed == nil; step++ {
		genStep(st, step, id, filler, put)
	}
	put(Event{Type: FinishEvent, Finish: &Finish{Steps: st.Begun(), StateHash: st.Hash(), Ledger: st.Ledger(), Outputs: st.OutputsValue(), Reason: ReasonError}})
	b.WriteString("\n]\n")
	if err := b.Flush(); err != nil {
		return err
	}
	return failed
}

// stepEvents is how many events each generated step has.
const stepEvents = 3

// genStep is one step: receive, act, then either an effect or a send to the next agent of the ring.
func genStep(st *State, step int, id func(int) string, filler string, put func(Event)) {
	who, _ := st.Next()
	m, _ := st.InboxAt(who, 0)
	put(Event{Type: Receive, Step: step, Agent: who, Message: m})
	n := canon.Int(int64(step))
	act := Event{Type: Act, Step: step, Agent: who, State: canon.Object(canon.Member{Key: "step", Value: n}), Send: canon.EmptyArray}
	if m.From != FromEffect {
		act.Effect = NewRequest("llm", canon.Object(canon.Member{Key: "n", Value: n}, canon.Member{Key: "prompt", Value: canon.String(filler[:len(filler)/2])}))
		put(act)
		put(Event{Type: EffectEvent, Step: step, Agent: who, Effect: act.Effect, Response: canon.Object(canon.Member{Key: "n", Value: n}, canon.Member{Key: "text", Value: canon.String(filler)}),
			Usage: Usage{InputTokens: 20, OutputTokens: 75, USD: 0.000125}})
		return
	}
	var to int
	fmt.Sscanf(who, "agent-%d", &to)
	msg := NewMessage(who, "note", canon.Object(canon.Member{Key: "n", Value: n}))
	act.Send = SendsValue([]Send{{Port: "out", Tag: msg.Tag, Payload: msg.Payload}})
	put(act)
	put(Event{Type: SendEvent, Step: step, Agent: who, Port: "out", To: id(to + 1), Message: msg})
}
