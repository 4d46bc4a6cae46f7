package trace

import (
	"context"
	"fmt"
	"reflect"
)

// StatePair holds the states of two traces, each at a position, for comparing them at one place after another. Up to the
// place where they part the traces are equal, so that part is folded once; from there each side is folded on, or anew
// when a place before is asked for.
type StatePair struct {
	logs    [2]Log
	setups  [2]Setup
	part    [2]int // the positions where the traces part
	whole   bool   // they begin apart: nothing is shared, and everything can differ
	inits   int    // how many first states both begin with; positions among them are not equal because events are
	low     bool   // a side stands before the place where the traces part
	base    *State // behind the last event that both share; nil until it was needed
	sides   [2]pairSide
	touched map[string]bool // agents that something happened to behind the base
}

type pairSide struct {
	st  *State
	pos int
}

// NewStatePair compares the states of two traces that are equal, but for lines of ours (x-), up to these positions.
func NewStatePair(recorded, got Log, recordedSetup, gotSetup Setup, partRecorded, partGot int) *StatePair {
	p := &StatePair{logs: [2]Log{recorded, got}, setups: [2]Setup{recordedSetup, gotSetup}, part: [2]int{partRecorded, partGot}, touched: map[string]bool{}}
	p.whole = !reflect.DeepEqual(recordedSetup, gotSetup) || p.initsDiffer()
	if cut := p.cut(); !p.whole && (cut < p.part[0] || cut < p.part[1]) {
		p.part = [2]int{cut, cut}
		for k := 0; k < cut && !p.whole; k++ {
			p.whole = !sameHead(recorded.Header(k), got.Header(k))
		}
	}
	if p.whole = p.whole || min(p.part[0], p.part[1]) < p.inits; p.whole {
		p.part = [2]int{}
	}
	return p
}

// cut is the first edit by a person. Comparing events passes over edits, but from there the states may differ, and where
// both sides have it, at positions that are aligned one of them may not have it yet. Without one it lies behind both ends.
func (p *StatePair) cut() int {
	a, b := p.logs[0], p.logs[1]
	n := max(a.Len(), b.Len())
	for k := range n {
		if k < a.Len() && a.Header(k).Type == XIntervene || k < b.Len() && b.Header(k).Type == XIntervene {
			return k
		}
	}
	return n
}

// sameHead says that two events of one place are most likely one: what differs in values is found in comparing them.
func sameHead(a, b Header) bool { return a.Type == b.Type && a.Step == b.Step && a.Agent == b.Agent }

// initsDiffer says whether the traces begin with other first states.
func (p *StatePair) initsDiffer() bool {
	for k := 0; ; k++ {
		var is [2]bool
		for i, log := range p.logs {
			is[i] = k < log.Len() && log.Header(k).Type == XInit
		}
		if !is[0] && !is[1] {
			p.inits = k
			return false
		}
		if !is[0] || !is[1] {
			return true
		}
		a, errA := p.logs[0].Event(k)
		b, errB := p.logs[1].Event(k)
		if errA != nil || errB != nil || a.Agent != b.Agent || a.Extra.Get("state") != b.Extra.Get("state") {
			return true
		}
	}
}

// Same says that the states at two positions are equal without looking at them: nothing differs before.
func (p *StatePair) Same(recorded, got int) bool {
	return !p.whole && recorded <= p.part[0] && got <= p.part[1] && (recorded == got || min(recorded, got) >= p.inits)
}

// Cost is how many events have to be folded to know the states at two positions.
func (p *StatePair) Cost(recorded, got int) int {
	if p.Same(recorded, got) {
		return 0
	}
	n := 0
	if p.base == nil && !p.whole {
		n = p.part[0]
	}
	for i, pos := range [2]int{recorded, got} {
		from := p.part[i]
		if s := &p.sides[i]; s.st != nil && s.pos <= pos {
			from = s.pos
		}
		n += max(pos-from, 0)
	}
	return n
}

// Fold brings both sides to their positions.
func (p *StatePair) Fold(ctx context.Context, recorded, got int, tell Progress) error {
	total, done := p.Cost(recorded, got), 0
	apply := func(st *State, log Log, from, to int, touch bool) error {
		for k := from; k < to; k++ {
			e, err := log.Event(k)
			if err != nil {
				return fmt.Errorf("event %d: %w", k, err)
			}
			st.Apply(e)
			if touch {
				p.touched[e.Agent], p.touched[e.To] = true, true
			}
			if done++; done%256 == 0 {
				if tell != nil {
					tell(done, total)
				}
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if p.base == nil && !p.whole {
		base := NewState(p.setups[0])
		if err := apply(base, p.logs[0], 0, p.part[0], false); err != nil {
			return err
		}
		p.base = base
	}
	p.low = recorded < p.part[0] || got < p.part[1]
	for i, pos := range [2]int{recorded, got} {
		s := &p.sides[i]
		switch {
		case s.st != nil && s.pos <= pos:
		case p.whole || pos < p.part[i]:
			*s = pairSide{st: NewState(p.setups[i])}
		default:
			*s = pairSide{p.base.Clone(), p.part[i]}
		}
		from := s.pos
		s.pos = pos
		if err := apply(s.st, p.logs[i], from, pos, true); err != nil {
			s.st = nil
			return err
		}
	}
	return nil
}

// Difference is what differs between the states that were folded last.
func (p *StatePair) Difference() StateDifference {
	if p.whole || p.low {
		return DiffStates(p.sides[0].st, p.sides[1].st, nil)
	}
	names := make([]string, 0, len(p.touched))
	for id := range p.touched {
		if id != "" {
			names = append(names, id)
		}
	}
	return DiffStates(p.sides[0].st, p.sides[1].st, names)
}
