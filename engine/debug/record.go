package debug

import "flowdbg/trace"

// Record is the trace that the session was opened on, nil when it began without one. Its events are shared: change
// nothing in them.
func (s *Session) Record() trace.Log { return s.runs[0].record }
