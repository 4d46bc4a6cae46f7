package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"flowdbg/engine/effect/tool"
	"flowdbg/engine/typed"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// several is a view whose cursor is on more than one thing that can be taken out, beside the one that is picked.
type several interface {
	also(m *Model, p layout.Pane) []selected
}

// things are all that can be written of where the cursor is; the first is what is copied.
func (m *Model) things() []selected {
	first, ok := m.selection()
	if !ok {
		return nil
	}
	all := []selected{first}
	if f, some := m.face().(several); some {
		all = append(all, f.also(m, m.pane())...)
	}
	return all
}

// exact is the text to take out. What costs something to make is made here.
func (s *selected) exact() string {
	if s.text == "" && s.make != nil {
		s.text = s.make()
	}
	return s.text
}

// size says how much it is. A run is told by its events: its text is made when it is written.
func (s *selected) size() string {
	if s.isRun {
		return plural(s.events, "event")
	}
	return tree.Size(len(s.exact()))
}

// document is what has no text of its own: indented JSON, as the commands print it with --json.
func document(what, name string, v any) selected {
	return selected{what: what, name: fileName(name) + ".json", make: func() string {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(v); err != nil { // a number that JSON does not have
			return canon.String("no JSON: "+err.Error()).Text() + "\n"
		}
		return b.String()
	}}
}

// saidOf is everything that was said of a candidate, to the byte, one document a line.
func saidOf(x *typed.Candidate) selected {
	return selected{what: "what was said of " + x.ID, name: fileName(x.ID) + ".jsonl", make: func() string {
		var b strings.Builder
		for _, it := range x.Items {
			b.WriteString(it.Value.Text())
			b.WriteByte('\n')
		}
		return b.String()
	}}
}

// lastSaid is the last thing of a kind that was said of a candidate, to the byte.
func lastSaid(x *typed.Candidate, kind typed.Kind, what, name string) (selected, bool) {
	for i := len(x.Items) - 1; i >= 0; i-- {
		if x.Items[i].Kind == kind {
			return selected{what: "the " + what + " of " + x.ID, name: fileName(x.ID+"-"+name) + ".json", text: x.Items[i].Value.Text()}, true
		}
	}
	return selected{}, false
}

// aCall is a call: what went over the wire, and what stood on either side of its translation.
func aCall(m *Model, i int) selected {
	return selected{what: fmt.Sprintf("the documents of the call of event %d", i), name: fmt.Sprintf("call-%d.json", i), make: func() string {
		return wire(m.s.Event(i))
	}}
}

// wire is one document whose members are the exact documents of a call. A call whose event has no record of them is its event.
func wire(e *trace.Event) string {
	d, ok := tool.CallDetails(e)
	if !ok {
		return string(e.AppendJSON(nil))
	}
	b := []byte{'{'}
	for _, x := range [][2]string{{"asked", d.Asked}, {"sent", d.Sent}, {"received", d.Received}, {"answered", d.Answered}} {
		text := x[1]
		if text == "" {
			continue
		}
		if !json.Valid([]byte(text)) {
			text = canon.String(text).Text()
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(append(b, '"'), x[0]...), `":`...), text...)
	}
	return string(append(b, '}'))
}

// anEvent is an event as the trace has it.
func anEvent(e *trace.Event, what, name string) selected {
	return selected{what: what, name: name, text: string(e.AppendJSON(nil))}
}

// aRun is a run, which is taken out as its trace.
func aRun(id, events int) selected {
	return selected{what: fmt.Sprintf("run %d", id), name: fmt.Sprintf("run-%d.trace.json", id), isRun: true, run: id, events: events}
}

// runEvents reads a run's trace in slices, as a long trace needs, and then hands it on. Esc stops it.
func (m *Model) runEvents(id int, then func(m *Model, events []trace.Event) tea.Cmd) tea.Cmd {
	log := m.s.RunTrace(id)
	if log == nil {
		return nil
	}
	if why := m.busy(); why != "" {
		m.complain("run %d: %s", id, why)
		return nil
	}
	events := make([]trace.Event, 0, log.Len())
	var bad error
	read := func(ctx context.Context, tell trace.Progress) {
		for i := range log.Len() {
			e, err := log.Event(i)
			if err != nil || ctx.Err() != nil {
				bad = err
				return
			}
			if events = append(events, *e); i%256 == 255 {
				tell(i, log.Len())
			}
		}
	}
	return m.study("read the run", read, func(m *Model) tea.Cmd {
		if bad != nil {
			m.complain("run %d: event %d: %v", id, len(events), bad)
			return nil
		}
		return then(m, events)
	})
}
