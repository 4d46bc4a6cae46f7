package debug

import (
	"context"
	"fmt"
	"strings"

	"flowdbg/engine"
	"flowdbg/engine/flow"
	"flowdbg/trace"
)

func (s *Session) addDiagnostics(list []flow.Diagnostic) {
	for _, d := range list {
		s.problems = append(s.problems, Problem{Severity: string(d.Severity), Source: "flow", Text: d.Message + wantText(d.Want), File: d.File, Line: d.Line, Col: d.Col, Event: -1})
	}
}

func wantText(want string) string {
	if want == "" {
		return ""
	}
	return "; " + want
}

// FindingSeverity is the severity of the problem that tells a finding about a trace: a note is no warning.
func FindingSeverity(f trace.Finding) string {
	if f.Note() {
		return "info"
	}
	return "warning"
}

func (s *Session) addFindings(t *trace.Trace) {
	for _, f := range t.Findings {
		s.problems = append(s.problems, Problem{Severity: FindingSeverity(f), Source: "trace", Text: strings.TrimSpace(f.Pointer + " " + f.Text), Event: f.Event})
	}
	if t.Tear != nil {
		s.problems = append(s.problems, Problem{Severity: "warning", Source: "trace", Line: t.Tear.Line, Event: len(t.Events) - 1,
			Text: fmt.Sprintf("the trace is torn: %s; %d bytes are left out", t.Tear.What, t.Tear.Dropped)})
	}
}

// keepAnswers remembers the answer that the last step bought, so that no fork or reload buys it again.
func (s *Session) keepAnswers(from int) {
	for i := from; i < s.Len(); i++ {
		if s.Header(i).Type == trace.EffectEvent {
			s.pool.Add(s.rep.Log(), i)
		}
	}
}

// ReloadResult says what a reload did.
type ReloadResult struct {
	Kept        bool // the new flow has errors: the old session stays as it was
	Diagnostics []flow.Diagnostic
	Compared    int                // events made again and found equal
	Difference  *engine.Divergence // first event that differs from the run before, nil when none does
	Stop        Stop
}

// reloadLimit bounds how many events a reload runs to find the first difference.
const reloadLimit = 200_000

// Reload takes a new version of the flow. With errors nothing changes but the problems; excerpt is shown with them.
// Otherwise a child run is made: it runs as far as the old one was run, takes every answer that was given before for the
// same request, and stops at the first event that differs, else at the old position.
func (s *Session) Reload(ctx context.Context, m *engine.Machine, diags []flow.Diagnostic, source []byte) ReloadResult {
	r := s.BeginReload(m, diags, source)
	for {
		if res, done := r.Slice(ctx); done {
			return res
		}
	}
}

// rerun makes the new run as long as the old one was and finds the first event that differs.
func (s *Session) rerun(ctx context.Context, old trace.Log) *engine.Divergence {
	r := rerun{s: s, old: old, cmp: engine.NewComparer(old), edits: s.record == nil}
	for !r.slice(ctx, reloadLimit) {
	}
	return r.diff
}

// reloadFault tells why the new run could not be made as long as the old one.
func (s *Session) reloadFault(err error) {
	s.problems = append(s.problems, Problem{Severity: "warning", Source: "reload", Text: err.Error(), Event: -1})
}

func (s *Session) logReload(diff *engine.Divergence, leftOut string) {
	text := "reloaded: no event differs"
	if diff != nil {
		s.run.info.Event = diff.Index
		text = "reloaded: " + diff.String()
	}
	if leftOut != "" {
		text += "; " + leftOut
	}
	s.problems = append(s.problems, Problem{Severity: "info", Source: "reload", Text: text, Event: s.run.info.Event})
}

func (s *Session) dropProblems(source string) {
	keep := s.problems[:0]
	for _, p := range s.problems {
		if p.Source != source {
			keep = append(keep, p)
		}
	}
	s.problems = keep
}

// excerpts puts the source line and a caret under each problem of the flow.
func (s *Session) excerpts(diags []flow.Diagnostic, source []byte) {
	lines := strings.Split(string(source), "\n")
	at := 0
	for i := range s.problems {
		p := &s.problems[i]
		if p.Source != "flow" {
			continue
		}
		if at < len(diags) && p.Line >= 1 && p.Line <= len(lines) {
			p.Excerpt = caret(strings.TrimRight(lines[p.Line-1], "\r"), p.Col)
		}
		at++
	}
}

// caret is a source line and a ^ under its col-th code point; long lines are cut around it.
func caret(line string, col int) string {
	r := []rune(line)
	from := max(0, col-1-50)
	to := min(len(r), from+100)
	pad := max(0, min(col-1, len(r))-from)
	return string(r[from:to]) + "\n" + strings.Repeat(" ", pad) + "^"
}
