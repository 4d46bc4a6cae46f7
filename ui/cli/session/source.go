package session

import (
	"context"
	"fmt"
	"strings"

	"flowdbg/engine/behavior/script"
	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/show"
)

// sourceData is a place in a script's call for programs.
type sourceData struct {
	Agent     string            `json:"agent"`
	Step      int               `json:"step"`
	Event     int               `json:"event"` // the receive, -1 before it happens
	File      string            `json:"file"`
	At        int               `json:"statement"` // 0 ≤ statement ≤ of
	Of        int               `json:"of"`
	Statement *script.Statement `json:"place,omitempty"` // absent behind the last one
	Locals    []script.Local    `json:"locals,omitempty"`
	State     canon.Value       `json:"returned_state,omitzero"` // behind the last one
	Send      canon.Value       `json:"returned_send,omitzero"`
	Failed    string            `json:"failed,omitempty"`
	Printed   []string          `json:"printed,omitempty"`
	Truncated bool              `json:"truncated,omitempty"`
	Note      string            `json:"note,omitempty"`
}

func dataOf(src *debug.Source) (sourceData, error) {
	d := sourceData{Agent: src.Agent, Step: src.Step, Event: src.Event, File: src.File, At: src.At(), Of: src.Len(), Printed: src.Printed(), Truncated: src.Truncated(), Note: src.Note}
	st, ok := src.Statement()
	if ok {
		d.Statement = &st
		var err error
		d.Locals, err = src.Locals()
		return d, err
	}
	res, err := src.Outcome()
	if err != nil {
		d.Failed = err.Error()
	} else {
		d.State, d.Send = res.State, trace.SendsValue(res.Sends)
	}
	return d, nil
}

// around is how many lines of the script stand before and behind the current one.
const around = 4

func (in *Interp) sourceText(src *debug.Source, lines int) (answer, error) {
	d, err := dataOf(src)
	if err != nil {
		return answer{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  step %d  %s  statement %d of %d", show.Clean(d.Agent), d.Step, show.Clean(d.File), d.At, d.Of)
	if d.Statement == nil {
		in.returned(&b, d)
		return answer{b.String(), d}, nil
	}
	fmt.Fprintf(&b, "  in %s, depth %d", show.Clean(d.Statement.Func), d.Statement.Depth)
	if d.Note != "" {
		fmt.Fprintf(&b, "\nnote: %s", d.Note)
	}
	text := strings.Split(string(src.Text), "\n")
	for n := max(1, d.Statement.Line-lines); n <= min(len(text), d.Statement.Line+lines); n++ {
		stop, here := " ", " "
		for _, p := range in.s.Breakpoints() {
			if p.Kind == debug.BreakLine && p.Enabled && p.Name == d.Statement.File && p.At() == n {
				stop = "●"
			}
		}
		if n == d.Statement.Line {
			here = "▶"
		}
		fmt.Fprintf(&b, "\n%s%s%4d  %s", stop, here, n, show.Clean(text[n-1]))
	}
	return answer{b.String(), d}, nil
}

func (in *Interp) returned(b *strings.Builder, d sourceData) {
	if d.Failed != "" {
		fmt.Fprintf(b, "\nfailed: %s", show.Clean(d.Failed))
		return
	}
	fmt.Fprintf(b, "\nreturned state %s", show.Preview(d.State, show.PreviewLen))
	if d.Send.Count() > 0 {
		fmt.Fprintf(b, "\nreturned send %s", show.Preview(d.Send, show.PreviewLen))
	}
}

func (in *Interp) source(_ context.Context, args string) (answer, error) {
	var src *debug.Source
	var err error
	switch args {
	case "":
		src, err = in.s.Source()
	case "next":
		src, err = in.s.NextSource()
	default:
		return answer{}, fmt.Errorf("write source, or source next for the step that comes")
	}
	if err != nil {
		return answer{}, err
	}
	return in.sourceText(src, around)
}

// walk makes one move in the call.
func (in *Interp) walk(move func(*debug.Source) bool) (answer, error) {
	src, err := in.s.Source()
	if err != nil {
		return answer{}, err
	}
	move(src)
	return in.sourceText(src, 0)
}

func (in *Interp) sstep(context.Context, string) (answer, error) {
	return in.walk((*debug.Source).Into)
}

func (in *Interp) sover(context.Context, string) (answer, error) {
	return in.walk((*debug.Source).Over)
}

func (in *Interp) sout(context.Context, string) (answer, error) {
	return in.walk((*debug.Source).Out)
}

func (in *Interp) sback(context.Context, string) (answer, error) {
	return in.walk((*debug.Source).Back)
}

func (in *Interp) sbackover(context.Context, string) (answer, error) {
	return in.walk((*debug.Source).BackOver)
}

func (in *Interp) sbackout(context.Context, string) (answer, error) {
	return in.walk((*debug.Source).BackOut)
}

func (in *Interp) scontinue(context.Context, string) (answer, error) { return in.sourceOn(false) }
func (in *Interp) sreverse(context.Context, string) (answer, error)  { return in.sourceOn(true) }

func (in *Interp) sourceOn(back bool) (answer, error) {
	src, by, err := in.s.SourceContinue(back)
	if err != nil {
		return answer{}, err
	}
	a, err := in.sourceText(src, 0)
	if by != nil {
		a.text = "breakpoint " + show.Clean(by.String()) + "\n" + a.text
	}
	return a, err
}

func (in *Interp) locals(context.Context, string) (answer, error) {
	src, err := in.s.Source()
	if err != nil {
		return answer{}, err
	}
	list, err := src.Locals()
	if err != nil {
		return answer{}, err
	}
	lines := make([]string, len(list))
	for i, l := range list {
		lines[i] = show.Clean(l.Name + " = " + l.Value)
	}
	if len(list) == 0 {
		lines = []string{"no variables here"}
	}
	return answer{strings.Join(lines, "\n"), list}, nil
}
