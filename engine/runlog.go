package engine

import "flowdbg/trace"

// RunLog is the log of a run beside a record. The events that the run shares with its record are read from there and
// not kept twice; what comes behind the first difference, or behind the record's end, is kept here.
type RunLog struct {
	record trace.Log
	shared int
	tail   []trace.Event
}

// Len is the number of events of the run so far.
func (l *RunLog) Len() int { return l.shared + len(l.tail) }

// Shared is how many events are the record's own.
func (l *RunLog) Shared() int { return l.shared }

// Header is the i-th event's header.
func (l *RunLog) Header(i int) trace.Header {
	if i < l.shared {
		return l.record.Header(i)
	}
	return trace.MemLog(l.tail).Header(i - l.shared)
}

// Event is the i-th event; an error is the record's.
func (l *RunLog) Event(i int) (*trace.Event, error) {
	if i < l.shared {
		return l.record.Event(i)
	}
	return &l.tail[i-l.shared], nil
}

// push appends an event: the record's own at this index when rec is given and everything before it was shared too.
func (l *RunLog) push(ev trace.Event, rec *trace.Event) *trace.Event {
	if rec != nil && len(l.tail) == 0 {
		l.shared++
		return rec
	}
	l.tail = append(l.tail, ev)
	return &l.tail[len(l.tail)-1]
}

// cut takes the last events away again.
func (l *RunLog) cut(n int) {
	if n <= l.shared {
		l.shared, l.tail = n, l.tail[:0]
		return
	}
	l.tail = l.tail[:n-l.shared]
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
