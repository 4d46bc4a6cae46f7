package engine

import (
	"context"

	"flowdbg/engine/effect"
	"flowdbg/trace"
)

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

// behindRecord keeps the live source from being asked before the record is at its end: an effect that the record lacks
// in its middle is a difference, and nothing may be bought before that is seen.
type behindRecord struct {
	r    *Replayer
	next effect.Source
}

func (b behindRecord) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	if r := b.r; r.comparing() && !r.opt.Loose {
		if err := r.Comparer.CopyThrough(r.pushRecorded); err != nil {
			return effect.Answer{}, err
		}
		if !r.Comparer.Done() {
			return effect.Answer{}, &effect.Mismatch{}
		}
	}
	return b.next.Answer(ctx, c)
}
