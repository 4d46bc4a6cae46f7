package trace

import (
	"fmt"
	"slices"

	"flowdbg/trace/canon"
)

// A person's edit is an x-intervention event. Its member "do" chooses the schema (ours):
//
//	inject  {agent, message:{tag,payload,from?}}   append a message to an inbox
//	drop    {agent, index}                         take the index-th waiting message away
//	answer  {agent, index, payload}                replace the payload of the index-th waiting message
//	state   {agent, state}                         replace a state
//	budget  {budget:{usd?,tokens?,steps?}}         replace the budget in force; a missing member is unlimited
const (
	DoInject = "inject"
	DoDrop   = "drop"
	DoAnswer = "answer"
	DoState  = "state"
	DoBudget = "budget"
)

func (s *State) applyIntervention(e *Event, u *Undo) *Finding {
	bad := func(ptr, text string) *Finding { return &Finding{Kind: FindBadExtension, Pointer: ptr, Text: text} }
	do, _ := e.Extra.Get("do").Str()
	if do == DoBudget {
		b, err := BudgetFrom(e.Extra.Get("budget"))
		if err != nil {
			return bad("/budget", err.Error())
		}
		s.save(u)
		s.budget = b
		return nil
	}
	if e.Agent == "" {
		return bad("/agent", "an intervention names its agent")
	}
	f := s.target(e.Agent, u)
	a := s.agents[u.ord]
	switch do {
	case DoInject:
		m, ok := injectedMessage(e)
		if !ok {
			return bad("/message/tag", "an injected message has a tag")
		}
		s.push(a, m, u)
	case DoDrop, DoAnswer:
		i, ok := e.Extra.Get("index").Int()
		if !ok || i < 0 || int(i) >= a.inbox.len() {
			return bad("/index", fmt.Sprintf("the inbox of %q holds %d messages", e.Agent, a.inbox.len()))
		}
		s.editInbox(a, int(i), do, e.Extra.Get("payload"), u)
	case DoState:
		if v := e.Extra.Get("state"); !v.IsAbsent() {
			s.setState(v, u)
		}
	default:
		return bad("/do", fmt.Sprintf("unknown intervention %q; use inject, drop, answer, state or budget", do))
	}
	return f
}

// injectedMessage is the message of an intervention that injects one; ok is false when it has no tag.
func injectedMessage(e *Event) (Message, bool) {
	m := e.Extra.Get("message")
	tag, ok := m.Get("tag").Str()
	if !ok {
		return Message{}, false
	}
	from, hasFrom := m.Get("from").Str()
	return newMessage(from, hasFrom, tag, m.Get("payload")), true
}

func (s *State) editInbox(a *agent, i int, do string, payload canon.Value, u *Undo) {
	more := s.save(u)
	more.index = i
	u.readyFrom = a.readyFrom
	m := a.inbox.remove(i)
	more.message = m
	if do == DoAnswer {
		a.inbox.insert(i, newMessage(m.From, m.HasFrom, m.Tag, payload))
		u.done |= doneReplaced
	} else {
		u.done |= doneRemoved
	}
	if a.inbox.len() == 0 {
		s.ready.clear(a.rank)
	}
	s.hash.dirty(a.rank)
}

// budgetMembers are what a budget is made of (seed 002; allow_unmetered is ours).
var budgetMembers = []string{"usd", "tokens", "steps", "allow_unmetered"}

// UnknownBudget is the first member that no budget has, "" when there is none, and all that one may have. What a person wrote
// is asked: a limit under a misspelt name would be none.
func UnknownBudget(v canon.Value) (name string, known []string) {
	for key := range v.Members() {
		if !slices.Contains(budgetMembers, key) {
			return key, budgetMembers
		}
	}
	return "", budgetMembers
}

// Value is the budget as BudgetFrom reads it; of nil, which is unlimited, the empty object.
func (b *Budget) Value() canon.Value {
	var members []canon.Member
	limit := func(key string, f *float64) {
		if f == nil {
			return
		}
		if v, err := canon.Float(*f); err == nil { // what was read from JSON is finite
			members = append(members, canon.Member{Key: key, Value: v})
		}
	}
	if b == nil {
		return canon.Object()
	}
	limit("usd", b.USD)
	limit("tokens", b.Tokens)
	if b.Steps > 0 {
		members = append(members, canon.Member{Key: "steps", Value: canon.Int(int64(b.Steps))})
	}
	if b.AllowUnmetered {
		members = append(members, canon.Member{Key: "allow_unmetered", Value: canon.True})
	}
	return canon.Object(members...)
}

// BudgetFrom reads {usd?, tokens?, steps?, allow_unmetered?}; null or absent members are unlimited, members that no budget has
// are passed over, as in every event.
func BudgetFrom(v canon.Value) (*Budget, error) {
	if v.IsAbsent() || v.IsNull() {
		return nil, nil
	}
	if v.Kind() != canon.KindObject {
		return nil, fmt.Errorf("the budget is not an object {usd?, tokens?, steps?}")
	}
	b := &Budget{}
	var err error
	if b.USD, err = bound(v, "usd"); err != nil {
		return nil, err
	}
	if b.Tokens, err = bound(v, "tokens"); err != nil {
		return nil, err
	}
	if m := v.Get("steps"); !m.IsAbsent() && !m.IsNull() {
		n, ok := m.Int()
		if !ok || n < 0 {
			return nil, fmt.Errorf("steps is not a whole number from 0 on")
		}
		b.Steps = int(n)
	}
	b.AllowUnmetered = v.Get("allow_unmetered") == canon.True
	return b, nil
}

func bound(v canon.Value, key string) (*float64, error) {
	m := v.Get(key)
	if m.IsAbsent() || m.IsNull() {
		return nil, nil
	}
	f, ok := m.Float()
	if !ok || f < 0 {
		return nil, fmt.Errorf("%s is not a number from 0 on", key)
	}
	return &f, nil
}
