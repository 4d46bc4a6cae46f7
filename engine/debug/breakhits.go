package debug

import (
	"sort"

	"flowdbg/trace"
)

// hitList is the events at which a breakpoint matched. Searches add at either end, which costs the same whatever the
// length.
type hitList struct {
	below []int // descending, all below those of above
	above []int // ascending
}

// add notes an event, once, and says which it is in the order of events, counted from 1.
func (l *hitList) add(event int) int {
	if len(l.above) > 0 && event >= l.above[0] || len(l.above) == 0 && (len(l.below) == 0 || event > l.below[0]) {
		at := sort.SearchInts(l.above, event)
		l.above = insert(l.above, at, event)
		return len(l.below) + at + 1
	}
	at := sort.Search(len(l.below), func(i int) bool { return l.below[i] <= event })
	l.below = insert(l.below, at, event)
	return len(l.below) - at
}

// insert puts an event at a place unless it is there.
func insert(list []int, at, event int) []int {
	if at < len(list) && list[at] == event {
		return list
	}
	list = append(list, 0)
	copy(list[at+1:], list[at:])
	list[at] = event
	return list
}

// ordinal notes a match and says which of its kind it is, counted from 1 in the order of events whatever the direction.
func (b *Breakpoint) ordinal(event int, agent string) int {
	key := ""
	if b.PerAgent {
		key = agent
	}
	list := b.seen[key]
	if list == nil {
		list = &hitList{}
		b.seen[key] = list
	}
	return list.add(event)
}

// answered counts the effects of the run that an op breakpoint with a hit count has passed. It counts on from where it
// was asked last.
func (s *Session) answered(b *Breakpoint, agent string) int {
	if b.From <= 1 {
		return 0
	}
	if !b.PerAgent {
		agent = ""
	}
	c := b.passed[agent]
	if c.run != s.run || c.upTo > s.Len() {
		c = passed{run: s.run}
	}
	for ; c.upTo < s.Len(); c.upTo++ {
		h := s.Header(c.upTo)
		if h.Cancelled || h.Type != trace.EffectEvent && h.Type != trace.ErrorEvent || b.PerAgent && h.Agent != agent {
			continue
		}
		if b.names(s.Event(c.upTo)) {
			c.n++
		}
	}
	if b.passed == nil {
		b.passed = map[string]passed{}
	}
	b.passed[agent] = c
	return c.n
}

// passed is how many of a run's first events an op breakpoint has passed.
type passed struct {
	run     *run
	upTo, n int
}
