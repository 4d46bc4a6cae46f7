package trace

import (
	"context"

	"flowdbg/trace/canon"
)

// Progress is told how much of a long pass is done, of how much, in events. It may be nil. It is called from the
// goroutine that runs the pass, about once per thousand events.
type Progress func(done, total int)

// checkEvery is after how many events a pass looks at its context: below a millisecond's work for usual events.
const checkEvery = 128

// pass is the bookkeeping of one long look at a log.
type pass struct {
	ctx      context.Context
	progress Progress
	total    int
	done     int
}

// step counts one event and, now and then, looks at the context and reports. An event that is itself large is counted
// with its size, so that cancelling stays quick.
func (p *pass) step(bytes int) error {
	p.done++
	if p.done%checkEvery != 0 && bytes < textBlock {
		return nil
	}
	if p.progress != nil && p.done%(8*checkEvery) == 0 {
		p.progress(p.done, p.total)
	}
	return p.ctx.Err()
}

func (p *pass) end() {
	if p.progress != nil {
		p.progress(p.total, p.total)
	}
}

// texts gives the text of any log's events: a file's own bytes, or the written form of events in memory.
type texts struct {
	log    Log
	reader *textReader
	line   []byte
}

func newTexts(log Log) *texts {
	t := &texts{log: log}
	if s, ok := log.(*Store); ok {
		t.reader = &textReader{s: s}
	}
	return t
}

// raw is true when the texts are a file's own bytes.
func (t *texts) raw() bool { return t.reader != nil }

// at is the i-th event's text, valid until the next call.
func (t *texts) at(i int) ([]byte, error) {
	if t.reader != nil {
		return t.reader.text(i)
	}
	e, err := t.log.Event(i)
	if err != nil {
		return nil, err
	}
	t.line = e.AppendJSON(t.line[:0])
	return t.line, nil
}

// event decodes the i-th event without filling the store's cache, and says what is odd about its text. The forms that
// only other events can settle (cancelled, nested answer) are settled.
func (t *texts) event(i int) (*Event, []Finding, error) {
	if t.reader == nil {
		e, err := t.log.Event(i)
		return e, nil, err
	}
	text, err := t.reader.text(i)
	if err != nil {
		return nil, nil, err
	}
	v, big, perr := canon.Parse(text, canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
	var e Event
	var odd []Finding
	if perr == nil {
		e, odd, perr = DecodeEvent(v, i)
	}
	if perr != nil {
		e = damaged(text, perr)
		return &e, nil, nil
	}
	for _, f := range big {
		odd = append(odd, bigInteger(i, f.Pointer))
	}
	if e.Type == EffectEvent && e.flags&flagNestedAnswer != 0 {
		settled, err := t.reader.s.Event(i)
		return settled, odd, err
	}
	if t.reader.s.cancelledAt(i) {
		e.flags |= flagCancelled
	}
	return &e, odd, nil
}

func bigInteger(event int, ptr string) Finding {
	return Finding{Kind: FindBigInteger, Event: event, Pointer: ptr, Text: "an integer beyond ±(2^53−1): its value is rounded here"}
}
