package trace

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"hash"

	"flowdbg/trace/canon"
)

// The state hash is sha256hex(JCS({"agents":[{id,inbox,kind,ports,state}… by id],"ledger":{…},"outputs":{…}}))
// (seed 002 §6). Key order puts the agents first and the outputs last, so the running sha256 state is kept every
// hashGroup agents and a late change hashes only the tail.

const hashGroup = 64

type hashCache struct {
	mids      [][]byte // mids[g]: sha256 state before agent g*hashGroup
	validTo   int      // mids[0:validTo] are right
	value     string   // hash of the current state, "" when unknown
	scratch   []byte
	digest    hash.Hash
	outputsOK bool
	outputs   []byte // canonical bytes of the outputs object
}

func (h *hashCache) reset() { *h = hashCache{scratch: h.scratch} }

// dirty notes that the agent at this rank changed: every midstate behind it is stale.
func (h *hashCache) dirty(rank int) {
	h.value = ""
	if g := rank/hashGroup + 1; h.validTo > g {
		h.validTo = g
	}
}

func (h *hashCache) dirtyLedger() { h.value = "" }

func (h *hashCache) dirtyOutputs() {
	h.value = ""
	h.outputsOK = false
}

// Hash is the state hash in lower-case hex. It is exact whatever was cached. "" means that a part of the state lies in a
// file that cannot be read any more, see Load.
func (s *State) Hash() string {
	h := &s.hash
	if h.value != "" {
		return h.value
	}
	if s.Load() != nil {
		return ""
	}
	if h.digest == nil {
		h.digest = sha256.New()
	}
	buf := h.scratch[:0]
	start := h.restore()
	if start == 0 {
		h.digest.Reset()
		buf = append(buf, `{"agents":[`...)
	}
	for r := start; r < len(s.byRank); r++ {
		if r%hashGroup == 0 {
			buf = h.keep(r/hashGroup, buf)
		}
		if r > 0 {
			buf = append(buf, ',')
		}
		buf = s.byRank[r].appendDoc(buf)
		if len(buf) > 32<<10 {
			h.digest.Write(buf)
			buf = buf[:0]
		}
	}
	buf = append(buf, `],"ledger":`...)
	buf = appendCost(buf, s.ledger.InputTokens, s.ledger.OutputTokens, s.ledger.USD)
	buf = append(buf, `,"outputs":`...)
	h.digest.Write(buf)
	h.digest.Write(s.outputBytes())
	buf = append(buf[:0], '}')
	h.digest.Write(buf)
	var sum [sha256.Size]byte
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], h.digest.Sum(sum[:0]))
	h.value = string(text[:])
	h.scratch = buf[:0]
	return h.value
}

// restore loads the last right midstate and returns the rank to go on from; 0 means start anew.
func (h *hashCache) restore() int {
	for g := h.validTo - 1; g > 0; g-- {
		if h.digest.(encoding.BinaryUnmarshaler).UnmarshalBinary(h.mids[g]) == nil {
			return g * hashGroup
		}
	}
	h.validTo = 0
	return 0
}

// keep saves the sha256 state before group g, after writing what is pending.
func (h *hashCache) keep(g int, pending []byte) []byte {
	if g == 0 || g < h.validTo {
		if g == 0 && h.validTo == 0 {
			h.validTo = 1
		}
		if g == 0 && len(h.mids) == 0 {
			h.mids = append(h.mids, nil)
		}
		return pending
	}
	h.digest.Write(pending)
	var room []byte
	if g < len(h.mids) {
		room = h.mids[g][:0]
	} else {
		h.mids = append(h.mids, nil)
	}
	if mid, err := h.digest.(encoding.BinaryAppender).AppendBinary(room); err == nil {
		h.mids[g] = mid
		h.validTo = g + 1
	}
	return pending[:0]
}

// appendDoc appends the agent's part of the document.
func (a *agent) appendDoc(dst []byte) []byte {
	dst = append(dst, a.prefix...)
	for i := range a.inbox.len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, a.inbox.at(i).text.Text()...)
	}
	dst = append(dst, a.suffix...)
	dst = append(dst, a.state.Text()...)
	return append(dst, '}')
}

// outputBytes is the canonical outputs object, built again only when an output changed.
func (s *State) outputBytes() []byte {
	h := &s.hash
	if h.outputsOK {
		return h.outputs
	}
	h.outputs = s.appendOutputs(h.outputs[:0])
	h.outputsOK = true
	return h.outputs
}

func (s *State) appendOutputs(dst []byte) []byte {
	dst = append(dst, '{')
	for i, o := range s.outputs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = canon.AppendString(dst, o.key)
		dst = append(dst, ":["...)
		for j := range o.len() {
			if j > 0 {
				dst = append(dst, ',')
			}
			m, _ := o.at(j)
			dst = append(dst, m.text.Text()...)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// OutputsValue is the outputs object as a canonical value.
func (s *State) OutputsValue() canon.Value { return canon.Raw(string(s.appendOutputs(nil))) }

// AppendDocument appends the whole canonical hash document, built without any cache.
func (s *State) AppendDocument(dst []byte) []byte {
	dst = append(dst, `{"agents":[`...)
	for r, a := range s.byRank {
		if r > 0 {
			dst = append(dst, ',')
		}
		dst = a.appendDoc(dst)
	}
	dst = append(dst, `],"ledger":`...)
	dst = appendCost(dst, s.ledger.InputTokens, s.ledger.OutputTokens, s.ledger.USD)
	dst = append(dst, `,"outputs":`...)
	dst = s.appendOutputs(dst)
	return append(dst, '}')
}

// Section is the hash of one part of the document, for locating where two implementations differ.
type Section struct {
	Name   string `json:"name"` // "agents/<id>", "ledger" or "outputs"
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Explain lists the sha256 of the canonical bytes of each agent, the ledger and the outputs.
func (s *State) Explain() []Section {
	var list []Section
	add := func(name string, b []byte) {
		sum := sha256.Sum256(b)
		list = append(list, Section{name, len(b), hex.EncodeToString(sum[:])})
	}
	for _, a := range s.byRank {
		add("agents/"+a.id, a.appendDoc(nil))
	}
	add("ledger", appendCost(nil, s.ledger.InputTokens, s.ledger.OutputTokens, s.ledger.USD))
	add("outputs", s.appendOutputs(nil))
	return list
}
