package effect

import (
	"context"
	"hash/maphash"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Pool is every answer that may be used again, found by request: those of a record first, in its order, then those that
// were added. Any number of sources share it, each with its own marks of what it gave. It holds places in logs, no
// events: about 50 bytes an answer. The record is looked through only as far as somebody asked, so that a pool over a
// long one costs nothing to make. It belongs to one goroutine at a time.
type Pool struct {
	seed     maphash.Seed
	record   trace.Log // nil: there is none
	requests *trace.Requests
	looked   int // events of the record that are in recorded
	recorded answerList
	added    answerList
}

// NewPool is a pool over the answers of a record, which may be nil and may still grow.
func NewPool(record trace.Log) *Pool {
	p := &Pool{seed: maphash.MakeSeed(), record: single(record)}
	if record != nil {
		p.requests = trace.NewRequests(p.record)
	}
	return p
}

// list is a log in memory that can be compared, which a slice cannot.
type list struct{ trace.MemLog }

func single(log trace.Log) trace.Log {
	if mem, ok := log.(trace.MemLog); ok {
		return &list{mem}
	}
	return log
}

// Add puts the answer that the i-th event of a log holds behind all others; an event without one is passed over. The
// event must stay as it is.
func (p *Pool) Add(log trace.Log, i int) {
	if e, err := log.Event(i); err == nil {
		if r, ok := recordOf(e); ok {
			p.added.push(p.key(r.request.Text()), single(log), i)
		}
	}
}

// key tells requests apart, nearly always: whoever finds one by its key compares it.
func (p *Pool) key(request canon.Value) uint64 { return maphash.String(p.seed, request.Text()) }

// lookEvents is how many events of the record are looked at between two looks at the context.
const lookEvents = 256

// LookTo goes on through the first n events of the record, for a run that makes them again anyway.
func (p *Pool) LookTo(n int) {
	for ; p.looked < n; p.looked++ {
		if h := p.record.Header(p.looked); (h.Type == trace.EffectEvent || h.Type == trace.ErrorEvent) && !h.Cancelled {
			if req := p.requests.At(p.looked); !req.IsAbsent() {
				p.recorded.push(p.key(req), p.record, p.looked)
			}
		}
	}
}

// look goes on through the record a little; false at its end.
func (p *Pool) look() bool {
	if p.record == nil || p.looked >= p.record.Len() {
		return false
	}
	p.LookTo(min(p.record.Len(), p.looked+lookEvents))
	return true
}

// Source answers from the pool as it is now: what is added later is not given.
func (p *Pool) Source(next Source) *ByHash {
	return &ByHash{pool: p, limit: len(p.added.list), given: map[canon.Value]given{}, Next: next}
}

// Span is a part of a log that lies before a run: events From ≤ i < To. Reused says that answers of a pool may have been
// given in it.
type Span struct {
	Log      trace.Log
	From, To int
	Reused   bool
}

// SourceBehind is Source for a run that has events already: what was answered in them is not given again, so that the run
// goes on with the answers that come next.
func (p *Pool) SourceBehind(next Source, before []Span) *ByHash {
	b := p.Source(next)
	b.before = before
	return b
}

// Record is the record as the pool's places name it.
func (p *Pool) Record() trace.Log { return p.record }

// passed is true for a place of the list that lies in a span.
func (l *answerList) passed(place int32, before []Span) bool {
	at := l.list[place]
	for _, s := range before {
		if s.Log == l.logs[at.log] && int(at.event) >= s.From && int(at.event) < s.To {
			return true
		}
	}
	return false
}

// reusedBefore counts, once, the answers of the pool that were given before the run began, by request.
func (b *ByHash) reusedBefore() map[canon.Value]int {
	if b.skip == nil {
		b.skip = map[canon.Value]int{}
		for _, s := range b.before {
			for i := s.From; s.Reused && i < s.To; i++ {
				h := s.Log.Header(i)
				if h.Cancelled || h.Type != trace.EffectEvent && h.Type != trace.ErrorEvent {
					continue
				}
				if e, err := s.Log.Event(i); err == nil && e.SideFlag("reused") == canon.True {
					if r, ok := recordOf(e); ok {
						b.skip[r.request.Text()]++
					}
				}
			}
		}
	}
	return b.skip
}

// answerList is places of answers in order, those of one key linked.
type answerList struct {
	logs  []trace.Log
	list  []answerPlace
	chain map[uint64]ends
}

type answerPlace struct {
	log   uint32
	event int32
	next  int32 // the next of the same key; 0: none, because nothing comes before the first
}

type ends struct{ first, last int32 }

func (l *answerList) push(key uint64, log trace.Log, event int) {
	if n := len(l.logs); n == 0 || l.logs[n-1] != log {
		l.logs = append(l.logs, log)
	}
	at := int32(len(l.list))
	l.list = append(l.list, answerPlace{log: uint32(len(l.logs) - 1), event: int32(event)})
	if l.chain == nil {
		l.chain = map[uint64]ends{}
	}
	c, ok := l.chain[key]
	if ok {
		l.list[c.last].next = at
	} else {
		c.first = at
	}
	c.last = at
	l.chain[key] = c
}

// find is the first answer to a request behind the place last (−1: from the start), below limit. What lies in a span of
// before is passed over unread, and so is an event that can no longer be read. place is where it stopped, to go on from.
func (l *answerList) find(key uint64, req *trace.Request, last int32, limit int, before []Span) (r record, place int32, ok bool) {
	next := int32(-1)
	if last < 0 {
		if c, ok := l.chain[key]; ok {
			next = c.first
		}
	} else if next = l.list[last].next; next == 0 {
		next = -1
	}
	for place = last; next >= 0 && int(next) < limit; {
		place = next
		at := l.list[place]
		if !l.passed(place, before) {
			if e, err := l.logs[at.log].Event(int(at.event)); err == nil {
				if r, ok := recordOf(e); ok && r.request.Equal(req) {
					return r, place, true
				}
			}
		}
		if at.next == 0 {
			break
		}
		next = at.next
	}
	return record{}, place, false
}

// ByHash answers by request, in the recorded order per request; when all answers to one were given the last one is not
// given again. It asks Next for what was never recorded.
type ByHash struct {
	pool   *Pool
	limit  int // of the added answers
	given  map[canon.Value]given
	before []Span              // what lies before the run
	skip   map[canon.Value]int // answers of the pool given there, nil until somebody asks
	Next   Source              // asked on a miss; nil: *Unanswered
}

// given is the last answer to a request that was given.
type given struct {
	place int32 // −1: none
	added bool  // one of the added: no more is recorded
}

// NewByHash is a source over the effects of several event lists, in order; used answers are marked in side.
func NewByHash(next Source, lists ...[]trace.Event) *ByHash {
	p := NewPool(nil)
	for n := range lists {
		log := single(trace.MemLog(lists[n]))
		for i := range lists[n] {
			p.Add(log, i)
		}
	}
	return p.Source(next)
}

// Answer gives a recorded answer for the same request, marked side.reused (and side.reused_from when another agent
// asked), or asks Next.
func (b *ByHash) Answer(ctx context.Context, c Call) (Answer, error) {
	r, ok, err := b.take(ctx, c.Request)
	switch {
	case err != nil:
		return Answer{}, err
	case ok && r.failure != nil:
		return r.result()
	case ok:
		return r.reused(c.Agent), nil
	case b.Next == nil:
		return Answer{}, &Unanswered{Request: c.Request}
	}
	return b.Next.Answer(ctx, c)
}

// take is the next answer to a request that was not given yet. Its error is the context's, while the record is looked
// through for the first time.
func (b *ByHash) take(ctx context.Context, req *trace.Request) (r record, ok bool, err error) {
	p, text := b.pool, req.Text()
	key := p.key(text)
	g, known := b.given[text]
	if !known {
		g.place = -1
	}
	skip := 0
	if !known && len(b.before) > 0 {
		skip = b.reusedBefore()[text]
	}
	for !g.added {
		r, place, ok := p.recorded.find(key, req, g.place, len(p.recorded.list), b.before)
		g.place = place
		if ok {
			if skip--; skip >= 0 {
				continue
			}
			b.given[text] = given{place: place}
			return r, true, nil
		}
		if err := ctx.Err(); err != nil {
			return r, false, err
		}
		if !p.look() {
			g = given{place: -1, added: true}
		}
	}
	for {
		r, place, ok := p.added.find(key, req, g.place, b.limit, b.before)
		if !ok {
			return r, false, nil
		}
		g.place = place
		if skip--; skip >= 0 {
			continue
		}
		b.given[text] = given{place: place, added: true}
		return r, true, nil
	}
}

// reused is the answer with a mark in side. The event is kept, because only it knows the form of a foreign answer.
func (r record) reused(by string) Answer {
	a := r.answer
	var side []canon.Member
	for k, v := range a.Side.Members() {
		if k != "reused" && k != "reused_from" {
			side = append(side, canon.Member{Key: k, Value: v})
		}
	}
	side = append(side, canon.Member{Key: "reused", Value: canon.True})
	if r.agent != by {
		side = append(side, canon.Member{Key: "reused_from", Value: canon.String(r.agent)})
	}
	a.Side = canon.Object(side...)
	ev := *a.Recorded
	ev.Side, ev.Extra = a.Side, canon.Value{}
	a.Recorded = &ev
	return a
}
