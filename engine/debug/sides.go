package debug

import (
	"flowdbg/engine"
	"flowdbg/trace"
)

// RecordSide stands, beside the numbers of runs, for the trace that the session was opened on.
const RecordSide = -1

// Sides are two logs to compare: of a run or of RecordSide, and of a run. Two runs are compared
// whole; one that has not come to its end with the record as far as it goes, and one that has left it with the event that
// it made instead. A side that is not
// there is nil, and both are for RecordSide when nothing is run again.
func (s *Session) Sides(other, id int) (recorded, got trace.Log) {
	if other != RecordSide {
		return s.RunTrace(other), s.RunTrace(id)
	}
	got = s.RunLog(id)
	recorded = s.Record()
	if recorded == nil || s.machine == nil {
		return nil, nil
	}
	if got == nil || id != s.CurrentRun() {
		return recorded, got
	}
	switch d := s.Divergence(); {
	case d == nil && !s.AtEnd():
		recorded = firstEvents{recorded, got.Len()}
	case d != nil && d.GotEvent != nil && d.Index >= got.Len():
		got = oneMore{got, d.GotEvent} // what the run made is in no log: it ended there
	}
	return recorded, got
}

// RunSetup is the world before the first event of a run, as its version of the flow has it. The record's is that of the
// run that is shown: nobody knows another.
func (s *Session) RunSetup(id int) trace.Setup {
	if id == RecordSide {
		id = s.CurrentRun()
	}
	for _, r := range s.runs {
		if r.info.ID == id {
			return r.setup()
		}
	}
	return trace.Setup{Flowless: true}
}

func (r *run) setup() trace.Setup {
	var m *engine.Machine
	if m = r.machine; r.rep != nil {
		m = r.rep.Machine
	}
	if m != nil {
		return m.Setup()
	}
	events, ok := r.record.(trace.MemLog)
	if !ok {
		return trace.Setup{Flowless: true}
	}
	return trace.PlaybackSetup(events)
}

// firstEvents is the start of a log.
type firstEvents struct {
	trace.Log
	n int
}

func (l firstEvents) Len() int { return min(l.n, l.Log.Len()) }

// oneMore is a log with an event behind its end.
type oneMore struct {
	trace.Log
	e *trace.Event
}

func (l oneMore) Len() int { return l.Log.Len() + 1 }

// Header is the i-th event's header.
func (l oneMore) Header(i int) trace.Header {
	if i == l.Log.Len() {
		return trace.MemLog{*l.e}.Header(0)
	}
	return l.Log.Header(i)
}

// Event is the i-th event.
func (l oneMore) Event(i int) (*trace.Event, error) {
	if i == l.Log.Len() {
		return l.e, nil
	}
	return l.Log.Event(i)
}
