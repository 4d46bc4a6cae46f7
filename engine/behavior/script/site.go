package script

import (
	"errors"
	"sync"

	"go.starlark.net/starlark"
)

// under is what the instrumented form of a script reports to: one call at a time.
type under struct {
	mu     sync.Mutex
	rec    *Recording
	thread *starlark.Thread // nil: nobody listens, such as while the top level runs
	n      int              // statements so far, also of those not kept
	back   int              // of them, those whose marks' steps were given back
	room   []step           // where statements are kept; nil for a call that is run again to look at
	kept   []step           // the room while it is not used
}

// step is a statement as it is recorded: spelt out only when the call is over.
type step struct{ site, depth uint32 }

// begin makes ready for one call; keep says that its statements are recorded.
func (u *under) begin(r *Recording, keep bool) {
	u.rec, u.n, u.back, u.room = r, 0, 0, nil
	if keep {
		if u.kept == nil {
			u.kept = make([]step, MaxStatements)
		}
		u.room = u.kept
	}
}

func (u *under) end() { u.rec, u.thread, u.room = nil, nil, nil }

// statements spells out what was recorded.
func (u *under) statements(sites []*site) []Statement {
	if u.n == 0 {
		return nil
	}
	list := make([]Statement, min(u.n, len(u.room)))
	for i := range list {
		s := u.room[i]
		list[i] = Statement{&sites[s.site].place, int(s.depth)}
	}
	return list
}

// markSteps is what a mark costs in the interpreter's own steps.
const markSteps = 3

// maxSteps is asked when the thread reached MaxSteps. The steps of the marks are given back first, so that a call runs into
// the limit where it does without the debugger.
func (u *under) maxSteps(thread *starlark.Thread) {
	if u.n > u.back {
		thread.Steps -= uint64(u.n-u.back) * markSteps
		u.back = u.n
	}
	if thread.Steps >= MaxSteps {
		thread.Cancel("too many steps")
	}
}

// site is the mark of one statement, as a value that the instrumented form asks for its truth.
type site struct {
	under *under
	id    uint32
	place Place
}

// Truth is the hook: the statement behind the mark is about to run. Calls that the top level makes are nobody's.
func (s *site) Truth() starlark.Bool {
	u := s.under
	if u.thread == nil {
		return true
	}
	i := u.n
	u.n++
	if i < len(u.room) {
		u.room[i] = step{s.id, uint32(u.thread.CallStackDepth() - 1)}
	} else if u.room == nil {
		u.look(i)
	}
	return true
}

// look is the hook of a call that is run again for what can be seen at its i-th statement.
func (u *under) look(i int) {
	r, thread := u.rec, u.thread
	switch {
	case r.valuesAt > 0:
		if i == r.valuesAt-1 {
			r.values = frameValues(thread)
		}
	case r.where == nil:
		if i >= r.from && i < r.to {
			r.locals[i] = frameLocals(thread)
		}
	case i < len(r.Statements):
		u.thread = nil // what the condition calls is no statement of the call
		r.where.ask(thread, i, r.Statements[i])
		u.thread = thread
	}
}

// String, Type, Freeze and Hash make a site a value; no script ever sees one.
func (s *site) String() string        { return "statement" }
func (s *site) Type() string          { return "statement" }
func (s *site) Freeze()               {}
func (s *site) Hash() (uint32, error) { return 0, errors.New("unhashable: statement") }
