package engine

import (
	"flowdbg/trace"
	"flowdbg/trace/blocks"
)

// RunLog is the log of a run beside a record. The events that the run shares with its record are read from there and
// not kept twice; what comes behind the first difference, or behind the record's end, is kept here. A fork's log shares
// its parent's in the same way, and what the parent keeps in blocks.
type RunLog struct {
	record trace.Log
	shared int
	tail   blocks.List[trace.Event]
}

// Len is the number of events of the run so far.
func (l *RunLog) Len() int { return l.shared + l.tail.Len() }

// Shared is how many events are the record's own.
func (l *RunLog) Shared() int { return l.shared }

// Header is the i-th event's header.
func (l *RunLog) Header(i int) trace.Header {
	if i < l.shared {
		return l.record.Header(i)
	}
	return l.tail.At(i - l.shared).Header()
}

// Event is the i-th event; an error is the record's.
func (l *RunLog) Event(i int) (*trace.Event, error) {
	if i < l.shared {
		return l.record.Event(i)
	}
	return l.tail.At(i - l.shared), nil
}

// push appends an event: the record's own at this index when rec is given and everything before it was shared too.
func (l *RunLog) push(ev trace.Event, rec *trace.Event) *trace.Event {
	if rec != nil && l.tail.Len() == 0 {
		l.shared++
		return rec
	}
	return l.tail.Push(ev)
}

// cut takes the last events away again.
func (l *RunLog) cut(n int) {
	if n <= l.shared {
		l.shared = n
		l.tail.Cut(0)
		return
	}
	l.tail.Cut(n - l.shared)
}

// prefix is the log of the first n events, to go on with.
func (l *RunLog) prefix(n int) RunLog {
	if n <= l.shared {
		return RunLog{record: l.record, shared: n}
	}
	return RunLog{record: l.record, shared: l.shared, tail: l.tail.Prefix(n - l.shared)}
}

// Events copies a log into a slice.
func Events(l trace.Log) ([]trace.Event, error) {
	list := make([]trace.Event, 0, l.Len())
	for i := range l.Len() {
		e, err := l.Event(i)
		if err != nil {
			return list, err
		}
		list = append(list, *e)
	}
	return list, nil
}
