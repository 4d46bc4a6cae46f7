package debug

import (
	"fmt"
	"strconv"
	"strings"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// editJSON is a value that a person typed.
type editJSON = canon.Value

// event is the x-intervention that records the edit.
func (e *Edit) event(step int) (trace.Event, error) {
	members := []canon.Member{{Key: "do", Value: canon.String(e.Do)}}
	add := func(key string, v canon.Value) { members = append(members, canon.Member{Key: key, Value: v}) }
	if e.Do != trace.DoBudget {
		if e.Agent == "" {
			return trace.Event{}, fmt.Errorf("the edit %q names no agent", e.Do)
		}
		add("agent", canon.String(e.Agent))
	}
	switch e.Do {
	case trace.DoInject:
		if e.Message.IsZero() {
			return trace.Event{}, fmt.Errorf("there is no message to inject")
		}
		if b := trace.CheckMessage(e.Message); b != nil {
			return trace.Event{}, b
		}
		add("message", e.Message.Text())
	case trace.DoDrop, trace.DoAnswer:
		add("index", canon.Int(int64(e.Index)))
		if e.Do == trace.DoAnswer {
			add("payload", e.JSON)
		}
	case trace.DoState:
		if e.JSON.IsAbsent() {
			return trace.Event{}, fmt.Errorf("there is no new state")
		}
		if b := trace.CheckState(e.JSON); b != nil {
			return trace.Event{}, b
		}
		add("state", e.JSON)
	case trace.DoBudget:
		add("budget", e.Value.Value())
	default:
		return trace.Event{}, fmt.Errorf("unknown edit %q; use inject, drop, answer, state or budget", e.Do)
	}
	return trace.Event{Type: trace.XIntervene, Step: step, Agent: e.Agent, Extra: canon.Object(members...)}, nil
}

// ParseEdit reads a session command's edit: "inject AGENT TAG JSON", "drop AGENT INDEX", "answer AGENT INDEX JSON",
// "state AGENT JSON" or "budget JSON". Names are words as CutWord reads them.
func ParseEdit(text string) (*Edit, error) {
	do, rest := word(text)
	e := &Edit{Do: do}
	var err error
	name := func() string {
		var w Word
		if err == nil {
			w, rest, err = CutWord(rest)
		}
		return w.Text
	}
	value := func() (v canon.Value) {
		if err == nil {
			v, err = parseJSON(rest)
		}
		return v
	}
	switch do {
	case trace.DoInject:
		e.Agent = name()
		tag := name()
		if e.JSON = value(); err == nil {
			e.Message = trace.NewInput(tag, e.JSON)
		}
	case trace.DoDrop, trace.DoAnswer:
		e.Agent = name()
		n := name()
		if err != nil {
			return nil, err
		}
		if e.Index, err = strconv.Atoi(n); err != nil || e.Index < 0 {
			return nil, fmt.Errorf("%s: %q is no number of a waiting message; write %s AGENT INDEX …", do, n, do)
		}
		if do == trace.DoAnswer {
			e.JSON = value()
		} else if rest = strings.TrimSpace(rest); rest != "" {
			return nil, fmt.Errorf("drop: nothing takes %q; write drop AGENT INDEX", rest)
		}
	case trace.DoState:
		e.Agent = name()
		e.JSON = value()
	case trace.DoBudget:
		v := value()
		if err == nil {
			if name, known := trace.UnknownBudget(v); name != "" {
				return nil, fmt.Errorf("no budget has %q%s; it has %s", name, orNear(name, known), strings.Join(known, ", "))
			}
			var b *trace.Budget
			if b, err = trace.BudgetFrom(v); err == nil && b != nil {
				e.Value = *b
			}
		}
	default:
		err = fmt.Errorf("unknown edit %q; use inject, drop, answer, state or budget", do)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// editWords is how many words stand before the value of an edit, its name included; drop has none.
var editWords = map[string]int{trace.DoInject: 3, trace.DoAnswer: 3, trace.DoState: 2, trace.DoBudget: 1}

// EditValue is where the JSON value of an edit begins in its text, as a byte offset, which is the end of a text without
// one. ok is false for an edit that takes no value, and as long as the words before it are not all there.
func EditValue(text string) (at int, ok bool) {
	do, rest := word(text)
	first := do
	for range editWords[do] - 1 {
		if first, rest = word(rest); first == "" {
			return 0, false
		}
	}
	for len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
	}
	return len(text) - len(rest), editWords[do] > 0
}

func parseJSON(text string) (canon.Value, error) {
	v, _, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		return v, fmt.Errorf("the value is no JSON: %w", err)
	}
	return v, nil
}
