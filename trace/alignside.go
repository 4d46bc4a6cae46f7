package trace

import "slices"

// diffSide is one of the two traces under comparison: a place in it, and the keys of the events behind that place that
// a window looked at.
type diffSide struct {
	log       Log
	texts     *texts
	next      int // the first event behind the queue
	queue     []keyed
	ended     bool
	finished  bool
	edits     int
	cancelled int
	damaged   int
}

// keyed is an event that can be compared. The keys are set once a window needs them.
type keyed struct {
	event       int
	step        int
	full, shape uint64 // all of its content but step and clocks; its type, agent, port, target and tag or op
	known       bool
}

func newDiffSide(log Log) diffSide { return diffSide{log: log, texts: newTexts(log)} }

// head is the first event that is not passed yet, or NoEvent at the end.
func (s *diffSide) head(d *differ) (int, error) {
	if len(s.queue) == 0 {
		if err := s.more(d); err != nil || len(s.queue) == 0 {
			return NoEvent, err
		}
	}
	return s.queue[0].event, nil
}

func (s *diffSide) pop() { s.queue = s.queue[1:] }

// drop passes over n events.
func (s *diffSide) drop(n int) { s.queue = s.queue[n:] }

// more puts the next comparable event into the queue; nothing at the end.
func (s *diffSide) more(d *differ) error {
	for ; s.next < s.log.Len(); s.next++ {
		h := s.log.Header(s.next)
		if err := d.step(h.Bytes); err != nil {
			return err
		}
		ok, err := s.comparable(s.next, h)
		if err != nil {
			return err
		}
		if ok {
			if cap(s.queue) == 0 {
				s.queue = make([]keyed, 0, 64)
			}
			s.queue = append(s.queue, keyed{event: s.next, step: h.Step})
			s.next++
			return nil
		}
	}
	s.ended = true
	return nil
}

func (s *diffSide) comparable(i int, h Header) (bool, error) {
	switch h.Type {
	case XIntervene:
		s.edits++
		return false, nil
	case XDamage:
		s.damaged++
		return false, nil
	case FinishEvent:
		s.finished = true
	}
	if h.Type.IsExtension() {
		if h.Type != kindTypes[kindOther] {
			return false, nil
		}
		e, _, err := s.texts.event(i) // the columns do not tell an extension from an unknown type
		if err != nil || e.Type.IsExtension() {
			return false, err
		}
	}
	if isCancelled(s.log, i) {
		s.cancelled++
		return false, nil
	}
	return true, nil
}

// fill makes the queue n long, or as long as the trace is, with keys.
func (s *diffSide) fill(d *differ, n int) error {
	for len(s.queue) < n && !s.ended {
		if len(s.queue)%checkEvery == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if err := s.more(d); err != nil {
			return err
		}
	}
	for i := range s.queue {
		k := &s.queue[i]
		if k.known {
			continue
		}
		if i%checkEvery == 0 {
			if err := d.ctx.Err(); err != nil {
				return err
			}
		}
		e, _, err := s.texts.event(k.event)
		if err != nil {
			return err
		}
		k.full, k.shape = d.cmp.keys(e)
		k.known = true
	}
	return nil
}

// hunker collects lines into hunks with equal lines around them.
type hunker struct {
	rep    *DiffReport
	opt    DiffOptions
	before []DiffLine // equal lines since the last hunk, the last few
	open   bool
	full   bool // the hunk under way is one too many
	cur    Hunk
	equal  int // equal lines since the last difference
}

func (h *hunker) add(l DiffLine) {
	if l.Op == OpEqual {
		if h.open && h.equal < h.opt.Context {
			h.equal++
			h.line(l)
			return
		}
		h.close()
		if h.opt.Context > 0 {
			if len(h.before) == h.opt.Context {
				h.before = slices.Delete(h.before, 0, 1)
			}
			h.before = append(h.before, l)
		}
		return
	}
	if !h.open {
		h.open, h.full = true, len(h.rep.Hunks) == h.opt.MaxHunks
		if !h.full {
			h.cur = Hunk{Lines: append([]DiffLine(nil), h.before...)}
		}
		h.before = h.before[:0]
	}
	h.equal = 0
	h.line(l)
}

func (h *hunker) line(l DiffLine) {
	switch {
	case h.full:
	case len(h.cur.Lines) >= h.opt.MaxLines:
		h.cur.More++
	default:
		h.cur.Lines = append(h.cur.Lines, l)
	}
}

func (h *hunker) close() {
	if !h.open {
		return
	}
	h.open, h.equal = false, 0
	if h.full {
		h.rep.MoreHunks++
		return
	}
	h.rep.Hunks = append(h.rep.Hunks, h.cur)
}
