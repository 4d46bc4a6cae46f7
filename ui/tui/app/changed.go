package app

import (
	"fmt"
	"strings"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

const (
	// lookBack is how many events are searched for an agent's act before; further back nothing is compared.
	lookBack = 2000
	// diffBytes is up to which size a state is compared for a row of the list.
	diffBytes = 16 << 10
	// keepActs bounds what is remembered about rows.
	keepActs = 4096
)

// actBefore finds the last event before i that set the agent's state. found is false when there is none within reach; first is true
// when the start of the log was reached, so that there is surely none.
func (m *Model) actBefore(i int, agent string) (at int, found, first bool) {
	for n := 0; n < lookBack; n++ {
		if i--; i < 0 {
			return 0, false, true
		}
		h := m.s.Header(i)
		if h.Agent != agent || h.Cancelled || h.Type != trace.Act && h.Type != trace.XInit && h.Type != trace.XIntervene {
			continue
		}
		if !stateOf(m.s.Event(i)).IsAbsent() {
			return i, true, false
		}
	}
	return 0, false, false
}

// stateOf is the state that an event leaves behind, absent when it leaves the one before.
func stateOf(e *trace.Event) canon.Value {
	if e.Type == trace.Act {
		return e.State
	}
	return e.Extra.Get("state")
}

// before is the state that the agent had before event i, an act of its own; ok is false when it is out of reach.
func (m *Model) before(i int, agent string) (v canon.Value, ok bool) {
	at, found, first := m.actBefore(i, agent)
	switch {
	case found:
		return stateOf(m.s.Event(at)), true
	case first:
		return canon.Null, true
	}
	return canon.Value{}, false
}

// changed names the members of the state that the act at event i changed: "*notes *pending".
func (p *eventsPane) changed(m *Model, i int, e *trace.Event) string {
	if text, ok := p.acts[i]; ok {
		return text
	}
	text := ""
	if prev, ok := m.before(i, e.Agent); ok {
		text = changedMembers(e.State, prev, m.th.Glyph.Changed)
	}
	if p.acts == nil || len(p.acts) >= keepActs {
		p.acts = map[int]string{}
	}
	p.acts[i] = text
	return text
}

// changedMembers lists what differs between two states, by the names of their members.
func changedMembers(now, prev canon.Value, mark string) string {
	switch {
	case now == prev || now.IsAbsent():
		return ""
	case now.Kind() != canon.KindObject || now.Len() > diffBytes || prev.Len() > diffBytes:
		return mark
	}
	const most = 6
	was := map[string]canon.Value{}
	if prev.Kind() == canon.KindObject {
		for k, v := range prev.Members() {
			was[k] = v
		}
	}
	var names []string
	for k, v := range now.Members() {
		if old, ok := was[k]; !ok || old != v {
			names = append(names, mark+k)
		}
		delete(was, k)
	}
	if len(was) > 0 && prev.Kind() == canon.KindObject {
		for k := range prev.Members() {
			if _, gone := was[k]; gone {
				names = append(names, mark+k)
			}
		}
	}
	if len(names) > most {
		return strings.Join(names[:most], " ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, " ")
}
