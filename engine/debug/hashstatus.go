package debug

import (
	"fmt"

	"flowdbg/trace"
)

// HashKind is what may be said about the state hash at a position.
type HashKind string

// The kinds. Only behaviours that were run again, or a finish event, can make a hash equal.
const (
	HashEqual     HashKind = "equal"     // every event up to here was made again and equals the record, or finish agrees
	HashDiffers   HashKind = "differs"   // not the recorded run, from Step on
	HashUnchecked HashKind = "unchecked" // playback: nothing was run again
	HashNoFlow    HashKind = "no_flow"   // kinds and ports are not known: no hash
	HashPartial   HashKind = "partial"   // an unknown event type was met
	HashAlone     HashKind = "alone"     // a live run: nothing to compare with
	HashBeyond    HashKind = "beyond"    // behind the end of a record without finish
	HashEdited    HashKind = "edited"    // a person changed something in this run
)

// HashStatus is the verdict about the hash at the position.
type HashStatus struct {
	Kind HashKind
	Step int // HashDiffers: the first step that differs
}

// HashStatus judges without computing a hash, so it is cheap at any size; see Hash for the text.
func (s *Session) HashStatus() HashStatus {
	st := s.State()
	switch {
	case st.Flowless():
		return HashStatus{Kind: HashNoFlow}
	case st.Partial():
		return HashStatus{Kind: HashPartial}
	case s.run.info.Edited:
		return HashStatus{Kind: HashEdited}
	case s.mode == Playback:
		return s.playbackHash(st.Finished())
	case s.record == nil:
		return HashStatus{Kind: HashAlone}
	}
	if d := s.rep.Found; d != nil && (s.pos > d.Index || s.rep.Ended() && s.pos == s.Len()) {
		return HashStatus{Kind: HashDiffers, Step: d.Step}
	}
	if s.pos > s.rep.Comparer.Pos() {
		return HashStatus{Kind: HashBeyond}
	}
	return HashStatus{Kind: HashEqual}
}

// playbackHash compares with finish once it was applied: a hash of the fold against the recorded one.
func (s *Session) playbackHash(f *trace.Finish) HashStatus {
	switch {
	case f == nil || f.StateHash == "", s.dear():
		return HashStatus{Kind: HashUnchecked}
	case f.StateHash == s.Hash():
		return HashStatus{Kind: HashEqual}
	}
	return HashStatus{Kind: HashDiffers, Step: f.Steps}
}

// dearDecodes is how many messages may be decoded for a hash verdict that nobody asked for.
const dearDecodes = 20_000

// dear is true while the hash of this position would mean decoding a great part of a file; Hash computes it when asked.
func (s *Session) dear() bool {
	if !s.indexed() || s.hashed.hash != "" && s.hashed.pos == s.pos && s.hashed.len == s.Len() {
		return false
	}
	view, n := s.State(), 0
	for _, key := range view.OutputKeys() {
		if n += view.OutputLen(key); n > dearDecodes {
			return true
		}
	}
	return view.AgentCount() > dearDecodes
}

// hashAt remembers the hash of one position of an indexed trace, which has no fold to remember it.
type hashAt struct {
	pos, len int
	hash     string
}

// Hash is the state hash at the position in hex, "" when it cannot be computed.
func (s *Session) Hash() string {
	if s.State().Flowless() {
		return ""
	}
	if !s.indexed() {
		return s.fold.Hash()
	}
	if h := s.hashed; h.hash != "" && h.pos == s.pos && h.len == s.Len() {
		return h.hash
	}
	st := s.Fold()
	if st == nil {
		return ""
	}
	s.hashed = hashAt{s.pos, s.Len(), st.Hash()}
	return s.hashed.hash
}

// Text is the mark and word that the screen shows.
func (h HashStatus) Text() string {
	switch h.Kind {
	case HashEqual:
		return "≡ trace"
	case HashDiffers:
		return fmt.Sprintf("≠ at step %d", h.Step)
	case HashUnchecked:
		return "· unchecked"
	case HashNoFlow:
		return "? no flow"
	case HashPartial:
		return "? partial"
	case HashBeyond:
		return "· beyond trace"
	case HashEdited:
		return "* edited"
	}
	return ""
}
