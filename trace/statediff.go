package trace

import (
	"fmt"
	"slices"

	"flowdbg/trace/canon"
)

// Bounds of what is shown of a difference between two states (ours).
const (
	MaxDiffAgents   = 64  // agents that differ; more are counted
	MaxDiffMessages = 100 // messages of an inbox or of an output
)

// StateDifference is what differs between two state documents: of both the same members, agents ({id: {inbox, state}}),
// ledger and outputs, each only when it differs. Both are empty objects when nothing does.
type StateDifference struct {
	Recorded, Got canon.Value
	More          int // agents that differ beyond MaxDiffAgents
}

// Equal says that nothing differs.
func (d *StateDifference) Equal() bool { return d.Recorded == d.Got && d.More == 0 }

// DiffStates compares two states. agents are those that can differ; nil is all of both. Kinds and ports are not compared:
// a trace alone does not tell them.
func DiffStates(recorded, got *State, agents []string) StateDifference {
	if agents == nil {
		for _, st := range []*State{recorded, got} {
			for rank := range st.AgentCount() {
				agents = append(agents, st.AgentAt(rank).ID)
			}
		}
	}
	names := slices.Compact(slices.Sorted(slices.Values(agents)))
	var d StateDifference
	var agentsA, agentsB []canon.Member
	for _, id := range names {
		a, b := agentDoc(recorded, id), agentDoc(got, id)
		switch {
		case a == b:
		case len(agentsA) == MaxDiffAgents:
			d.More++
		default:
			agentsA, agentsB = append(agentsA, canon.Member{Key: id, Value: a}), append(agentsB, canon.Member{Key: id, Value: b})
		}
	}
	var membersA, membersB []canon.Member
	add := func(key string, x, y canon.Value) {
		if x != y {
			membersA, membersB = append(membersA, canon.Member{Key: key, Value: x}), append(membersB, canon.Member{Key: key, Value: y})
		}
	}
	add("agents", canon.Object(agentsA...), canon.Object(agentsB...))
	add("ledger", ledgerDoc(recorded.Ledger()), ledgerDoc(got.Ledger()))
	add("outputs", outputsDoc(recorded), outputsDoc(got))
	d.Recorded, d.Got = canon.Object(membersA...), canon.Object(membersB...)
	return d
}

// agentDoc is an agent of the state document with what can differ: its inbox, up to a bound, and its state.
func agentDoc(st *State, id string) canon.Value {
	a, ok := st.Agent(id)
	if !ok {
		return canon.Null
	}
	state := a.State
	if state.IsAbsent() {
		state = canon.Null
	}
	n := st.InboxLen(id)
	list := make([]canon.Value, min(n, MaxDiffMessages))
	for i := range list {
		msg, _ := st.InboxAt(id, i)
		list[i] = msg.Text()
	}
	if n > len(list) {
		list = append(list, canon.String(fmt.Sprintf("and %d more", n-len(list))))
	}
	return canon.Object(canon.Member{Key: "inbox", Value: canon.Array(list...)}, canon.Member{Key: "state", Value: state})
}

// outputsDoc are the last messages of each output.
func outputsDoc(st *State) canon.Value {
	var members []canon.Member
	for _, key := range st.OutputKeys() {
		n := st.OutputLen(key)
		var list []canon.Value
		for i := max(n-MaxDiffMessages, 0); i < n; i++ {
			msg, _ := st.OutputAt(key, i)
			list = append(list, msg.Text())
		}
		members = append(members, canon.Member{Key: key, Value: canon.Array(list...)})
	}
	return canon.Object(members...)
}

func ledgerDoc(l Ledger) canon.Value {
	number := func(f float64) canon.Value {
		if v, err := canon.Float(f); err == nil {
			return v
		}
		return canon.Null
	}
	return canon.Object(canon.Member{Key: "input_tokens", Value: number(l.InputTokens)}, canon.Member{Key: "output_tokens", Value: number(l.OutputTokens)},
		canon.Member{Key: "usd", Value: number(l.USD)})
}
