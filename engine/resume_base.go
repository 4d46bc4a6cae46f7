package engine

import "flowdbg/trace"

// stepBase is what a record's step numbers are ahead of ours, which count from 1: −1 for a foreign record that counts
// from 0, as its first receive shows.
func stepBase(record trace.Log) int {
	for i := range record.Len() {
		h := record.Header(i)
		if h.Type == trace.Receive {
			if h.Step == 0 {
				return -1
			}
			return 0
		}
		if !h.Type.IsExtension() {
			return 0
		}
	}
	return 0
}

// number gives an event of the run the number that its step has in the record.
func (c *Comparer) number(ev *trace.Event) {
	if c.base != 0 && ev.Type != trace.FinishEvent {
		ev.Step += c.base
	}
}

// prefixEnds is true at the end of a record without finish; lines of ours that are left are taken over first.
func (r *Replayer) prefixEnds() bool {
	return r.Comparer.CopyThrough(r.pushRecorded) == nil && r.Comparer.Done() && r.finishOf() == nil
}
