package debug

import (
	"fmt"

	"flowdbg/engine/query"
	"flowdbg/trace"
)

// Trouble says where the condition of a breakpoint could not be told. An event that has nothing of the kind is no trouble
// as such: a condition over payload.score is asked at events without a payload too. One that can be told nowhere is.
type Trouble struct {
	Event int    `json:"event"` // the first
	Text  string `json:"text"`  // why not there
	Count int    `json:"count"` // events at which it could not be told
	Asked int    `json:"asked"` // of so many
	Wrong bool   `json:"wrong"` // an error, not only something that is not there
}

// note counts an evaluation, each event of the run once whatever the direction.
func (b *Breakpoint) note(event int, stumble *query.Error, err error) {
	if event < b.from {
		return
	}
	b.from = event + 1
	b.asked++
	why, wrong := err, err != nil
	if stumble != nil {
		why = stumble
	}
	switch {
	case why == nil:
	case b.Trouble == nil:
		b.Trouble = &Trouble{Event: event, Text: why.Error(), Count: 1, Wrong: wrong}
	default:
		b.Trouble.Count++
		if wrong && !b.Trouble.Wrong { // worth more than what was only not there
			b.Trouble.Event, b.Trouble.Text, b.Trouble.Wrong = event, why.Error(), true
		}
	}
	if b.Trouble != nil {
		b.Trouble.Asked = b.asked
	}
}

// anew forgets what was counted of another run.
func (b *breakpoints) anew() {
	for _, p := range b.list {
		p.asked, p.from, p.Trouble = 0, 0, nil
	}
}

// Doubt is what there is to say about the condition, "" as long as it could be told somewhere and never failed.
func (b *Breakpoint) Doubt() string {
	t := b.Trouble
	switch {
	case t == nil || !t.Wrong && t.Count < t.Asked:
		return ""
	case t.Count == t.Asked && t.Asked > 1:
		return fmt.Sprintf("its condition could be told at none of %d events, first at event %d: %s", t.Asked, t.Event, t.Text)
	}
	return fmt.Sprintf("its condition could not be told at %d of %d events, first at event %d: %s", t.Count, t.Asked, t.Event, t.Text)
}

// doubts tells, at the end of a search, of conditions that could be told nowhere; they join the problems, each once.
func (s *Session) doubts() string {
	text := ""
	for _, b := range s.breaks.list {
		t := b.Trouble
		if !b.Enabled || t == nil || t.Count < t.Asked {
			continue
		}
		text = fmt.Sprintf("breakpoint %s never stopped: %s", b, b.Doubt())
		key := b.String() + " never stopped: "
		s.problems = append(dropped(s.problems, key), Problem{Severity: "warning", Source: "breakpoint", Text: key + b.Doubt(), Event: t.Event})
	}
	return text
}

// dropped is a list of problems without the breakpoints' ones that begin with a text.
func dropped(list []Problem, head string) []Problem {
	keep := list[:0:0]
	for _, p := range list {
		if p.Source != "breakpoint" || len(p.Text) < len(head) || p.Text[:len(head)] != head {
			keep = append(keep, p)
		}
	}
	return keep
}

// printed is what a hit tells, "EXPR = VALUE"; "" for a breakpoint that prints nothing.
func (s *Session) printed(b *Breakpoint, i int) string {
	if b.Print == "" {
		return ""
	}
	v, err := s.valueFor(b, i)
	if err != nil {
		return b.Print + ": " + err.Error()
	}
	return b.Print + " = " + v.Brief()
}

func (s *Session) valueFor(b *Breakpoint, i int) (Printed, error) {
	if b.Kind != BreakLine {
		return evaluate(b.print, s.subject(b.print, i))
	}
	receive, ok := s.receiveBefore(i)
	if !ok {
		return Printed{}, fmt.Errorf("no call lies before event %d", i)
	}
	src, err := s.sourceAt(receive)
	if err != nil {
		return Printed{}, err
	}
	hits, err := b.hits(src)
	switch {
	case err != nil:
		return Printed{}, err
	case len(hits) == 0:
		return Printed{}, fmt.Errorf("line %d did not run", b.At())
	}
	v, err := src.rec.Eval(b.Print, hits[0], query.Env(query.Subject{Index: receive, Event: s.Event(receive), View: s.State()}))
	return Printed{Value: v.JSON, Text: v.Text}, err
}

// empty is the event that an expression looks at before the first one.
var empty trace.Event
