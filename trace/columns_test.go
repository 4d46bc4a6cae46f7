package trace

import (
	"testing"

	"pgregory.net/rapid"
)

// What goes into the columns comes out, also where events lie further apart than 32 bits reach.
func TestColumnsKeepOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gap := rapid.SampledFrom([]int64{1, 1 << 10, 1 << 20, 1 << 33}).Draw(t, "widest gap")
		var cols columns
		var want []column
		off := rapid.Int64Range(0, 1<<40).Draw(t, "start")
		n := rapid.IntRange(1, 50).Draw(t, "events")
		if rapid.Bool().Draw(t, "over a chunk's end") {
			cols.chunks, cols.n = []*chunk{new(chunk)}, chunkEvents-n/2
		}
		first := cols.n
		for i := range n {
			c := column{off: off, size: uint32(i), step: 7, agent: noName, to: 3, kind: kindSend}
			cols.add(c)
			want = append(want, c)
			off += rapid.Int64Range(1, gap).Draw(t, "gap")
		}
		for i, c := range want {
			if got := cols.at(first + i); got != c {
				t.Fatalf("event %d: %+v, want %+v", i, got, c)
			}
		}
	})
}

// The ledger's points are found by event, and the last one can be taken back, also the first of a chunk.
func TestLedgerPoints(t *testing.T) {
	var l ledgerPoints
	if l.last() != (Ledger{}) || l.before(9) != (Ledger{}) {
		t.Error("an empty list has a ledger")
	}
	for i := range 2*chunkPoints + 1 {
		l.add(ledgerPoint{uint32(2 * i), Ledger{Unknown: i + 1}})
	}
	for _, k := range []int{0, 1, 2, 2*chunkPoints - 1, 2 * chunkPoints, 2*chunkPoints + 1, 4*chunkPoints + 1} {
		if got := l.before(k).Unknown; got != (k+1)/2 {
			t.Errorf("before %d: %d", k, got)
		}
	}
	l.drop(7) // not the last
	l.drop(4 * chunkPoints)
	if l.n != 2*chunkPoints || l.last().Unknown != 2*chunkPoints {
		t.Errorf("%d points, the last %+v", l.n, l.last())
	}
	l.add(ledgerPoint{4 * chunkPoints, Ledger{Unknown: 5}})
	if l.last().Unknown != 5 || len(l.chunks) != 3 {
		t.Errorf("%+v in %d chunks", l.last(), len(l.chunks))
	}
}
