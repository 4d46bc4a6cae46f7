package debug

import (
	"fmt"
	"slices"

	"flowdbg/engine/behavior/script"
)

// runsLine is true for an event that ends a scripted call in which the line ran and the condition held.
func (b *Breakpoint) runsLine(s *Session, event int, agent string) bool {
	if s.machine == nil {
		return false
	}
	if name, _, ok := script.Source(s.machine.Behavior(agent)); !ok || name != b.Name {
		return false
	}
	receive, ok := s.receiveBefore(event)
	if !ok {
		return false
	}
	src, err := s.sourceAt(receive)
	if err != nil {
		return false
	}
	hits, err := b.hits(src)
	if err != nil {
		s.problems = append(s.problems, Problem{Severity: "error", Source: "breakpoint", Text: b.String() + ": " + err.Error(), Event: event})
		return true // a condition that cannot be told must not be passed over silently
	}
	return len(hits) > 0
}

// hits are the statements of a call at which the line breakpoint stops, in order.
func (b *Breakpoint) hits(src *Source) ([]int, error) {
	at := func(st script.Statement) bool { return st.File == b.Name && st.Line == b.At() }
	var list []int
	for i, st := range src.rec.Statements {
		if at(st) {
			list = append(list, i)
		}
	}
	if b.When == "" || len(list) == 0 {
		return list, nil
	}
	return src.rec.Where(b.When, at)
}

// showLine puts the walk at the line that a breakpoint stopped at, the first time that it ran in the call or, coming
// from behind, the last, and says where that is.
func (s *Session) showLine(b *Breakpoint, back bool) string {
	src, err := s.Source()
	if err != nil {
		return err.Error()
	}
	hits, err := b.hits(src)
	if err != nil || len(hits) == 0 {
		return fmt.Sprintf("%s:%d: the condition cannot be told", b.Name, b.At())
	}
	src.Goto(hits[0])
	if back {
		src.Goto(hits[len(hits)-1])
	}
	st, _ := src.Statement()
	return fmt.Sprintf("%s:%d in %s", st.File, st.Line, st.Func)
}

// SourceContinue walks on inside the call, forward or back, to the next statement that an enabled line breakpoint names;
// nil when there is none, and the walk is then at the call's end or start. Hit counts belong to calls, not to statements,
// so they do not count here.
func (s *Session) SourceContinue(back bool) (*Source, *Breakpoint, error) {
	src, err := s.Source()
	if err != nil {
		return nil, nil, err
	}
	best, by := src.Len(), (*Breakpoint)(nil)
	if back {
		best = 0
	}
	for _, b := range s.breaks.list {
		if b.Kind != BreakLine || !b.Enabled || b.LogOnly {
			continue
		}
		hits, err := b.hits(src)
		if err != nil {
			return src, b, err
		}
		if back {
			slices.Reverse(hits)
		}
		for _, i := range hits {
			if back && i < src.at && (by == nil || i > best) || !back && i > src.at && i < best {
				best, by = i, b
				break
			}
		}
	}
	src.to(best)
	return src, by, nil
}
