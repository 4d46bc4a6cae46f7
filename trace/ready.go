package trace

import "math/bits"

// readySet is a set of ranks with the lowest one found in a few word operations whatever its size: level 0 holds one
// bit per rank, each level above one bit per non-zero word below. 100 000 agents are three levels.
type readySet struct {
	levels [][]uint64
	n      int
	count  int
}

func newReadySet(n int) readySet {
	s := readySet{n: n}
	for words := (n + 63) / 64; ; words = (words + 63) / 64 {
		s.levels = append(s.levels, make([]uint64, max(words, 1)))
		if words <= 1 {
			return s
		}
	}
}

func (s *readySet) has(rank int) bool { return s.levels[0][rank>>6]&(1<<(rank&63)) != 0 }

func (s *readySet) set(rank int) {
	if s.has(rank) {
		return
	}
	s.count++
	for l := range s.levels {
		w := &s.levels[l][rank>>6]
		was := *w
		*w |= 1 << (rank & 63)
		if was != 0 {
			return
		}
		rank >>= 6
	}
}

func (s *readySet) clear(rank int) {
	if !s.has(rank) {
		return
	}
	s.count--
	for l := range s.levels {
		w := &s.levels[l][rank>>6]
		*w &^= 1 << (rank & 63)
		if *w != 0 {
			return
		}
		rank >>= 6
	}
}

// first is the lowest rank in the set, or -1.
func (s *readySet) first() int {
	top := len(s.levels) - 1
	if s.levels[top][0] == 0 {
		return -1
	}
	at := 0
	for l := top; l >= 0; l-- {
		at = at<<6 | bits.TrailingZeros64(s.levels[l][at])
	}
	return at
}

// next is the lowest rank ≥ from in the set, or -1. It is for showing the schedule, not for picking.
func (s *readySet) next(from int) int {
	for w := from >> 6; w < len(s.levels[0]); w++ {
		bitsLeft := s.levels[0][w]
		if w == from>>6 {
			bitsLeft &= ^uint64(0) << (from & 63)
		}
		if bitsLeft != 0 {
			return w<<6 | bits.TrailingZeros64(bitsLeft)
		}
	}
	return -1
}

func (s *readySet) clone() readySet {
	c := readySet{n: s.n, count: s.count}
	for _, l := range s.levels {
		c.levels = append(c.levels, append([]uint64(nil), l...))
	}
	return c
}
