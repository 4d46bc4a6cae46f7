package debug

import "context"

// judged says that a breakpoint judged the first upTo events of a run.
type judged struct {
	run  *run
	upTo int
}

// recount is the part of a search that makes up for events which breakpoints with a hit count have not judged, because the
// session stepped or jumped over them: without it "from hit 2" would mean another event forward than in reverse. The
// session goes back to the first such event and on to where the search began.
type recount struct {
	begun bool
	busy  bool
	low   int // first event that is not counted
	down  bool
}

// recount does one event's worth of it; busy is false when nothing is left to do. The error is the context's.
func (q *Search) recount(ctx context.Context) (busy bool, err error) {
	c, s := &q.count, q.s
	if !c.begun {
		c.begun = true
		if q.breaks {
			c.low = s.breaks.uncounted(s.run, q.from)
			c.busy, c.down = c.low < q.from, true
		}
	}
	if !c.busy {
		return false, nil
	}
	if c.down && s.pos > c.low {
		if s.store != nil {
			s.rewind(c.low) // every position costs the same there
		} else {
			s.unapply()
		}
		return true, nil
	}
	c.down = false
	if s.pos < q.from {
		s.apply()
		if err := s.breaks.recount(ctx, s, s.pos-1); err != nil {
			s.unapply()
			return true, err
		}
		return true, nil
	}
	c.busy = false
	return false, nil
}

// uncounted is the first of the run's events before upTo that a breakpoint with a hit count has not judged, upTo when
// there is none.
func (b *breakpoints) uncounted(r *run, upTo int) int {
	low := upTo
	for _, p := range b.list {
		switch {
		case !p.Enabled || p.From <= 1:
		case p.counted.run != r:
			return 0
		default:
			low = min(low, p.counted.upTo)
		}
	}
	return low
}

// recount lets the breakpoints with a hit count judge the i-th event, behind which the session stands, where they have not.
func (b *breakpoints) recount(ctx context.Context, s *Session, i int) error {
	h := s.Header(i)
	if h.Cancelled {
		b.pass(s, i)
		return nil
	}
	for _, p := range b.list {
		if !p.Enabled || p.From <= 1 || p.counted.run == s.run && i < p.counted.upTo {
			continue
		}
		if _, err := p.count(ctx, s, i, h); err != nil {
			return err
		}
	}
	return nil
}

// pass notes an event that counts for nothing.
func (b *breakpoints) pass(s *Session, i int) {
	for _, p := range b.list {
		if p.counted.run == s.run && i == p.counted.upTo {
			p.counted.upTo++
		}
	}
}
