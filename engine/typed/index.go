package typed

import (
	"sort"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Index holds the typed payloads of a log, found in one pass that may be cut into slices. It answers for any position at
// or before the place that the pass has reached, so stepping back costs nothing. A log may only grow; for another one
// (a fork, a reload) make a new index. The zero value is empty.
type Index struct {
	items   []Item
	scanned int
	first   map[string]int // candidate → the event that first gives its metrics to the judge

	cached *Exploration
	key    cacheKey
}

// Advance looks at up to limit more events (all that there are, when limit ≤ 0) and says whether it has reached the end
// of the log. An event that cannot be read is passed over.
func (x *Index) Advance(log trace.Log, limit int) (done bool) {
	end := log.Len()
	if limit > 0 {
		end = min(end, x.scanned+limit)
	}
	for ; x.scanned < end; x.scanned++ {
		h := log.Header(x.scanned)
		if h.Cancelled || !Typed(h.Type) {
			continue
		}
		e, err := log.Event(x.scanned)
		if err != nil {
			continue
		}
		for _, it := range Recognise(x.scanned, e) {
			x.items = append(x.items, it)
			if it.Kind == CandidateSet {
				x.arrive(&it)
			}
		}
	}
	return x.scanned == log.Len()
}

// arrive notes the candidates of a set that were not seen before.
func (x *Index) arrive(set *Item) {
	if x.first == nil {
		x.first = map[string]int{}
	}
	for _, c := range candidatesOf(set.Value).Elems() {
		id, ok := c.Get("id").Str()
		if _, seen := x.first[id]; ok && !seen {
			x.first[id] = set.Event
		}
	}
}

// candidatesOf is the list of a candidate set in any of its forms: the object, the list, or the text of either.
func candidatesOf(v canon.Value) canon.Value {
	if text, ok := v.Str(); ok {
		v, _, _ = canon.Parse([]byte(text), canon.Options{})
	}
	if list := v.Get("candidates"); list.Kind() == canon.KindArray {
		return list
	}
	if v.Kind() == canon.KindArray {
		return v
	}
	return canon.Value{}
}

// Scanned is how many events were looked at.
func (x *Index) Scanned() int { return x.scanned }

// Items are the payloads said before a position: in the first pos events. The slice must not be changed.
func (x *Index) Items(pos int) []Item {
	n := sort.Search(len(x.items), func(i int) bool { return x.items[i].Event >= pos })
	return x.items[:n:n]
}
