package design

import "hash/maphash"

// nameTable maps names to indices. It is a plain open-addressing table: reading a DEF looks up the instance of every
// connection, in no order that a cache could use, so the reader waits for memory more than it works. Look-ups and insertions
// therefore come in batches, which first touch all the slots and then use them: the waits overlap.
type nameTable struct {
	slots []nameSlot
	n     int
	seed  maphash.Seed

	touched int32
}

type nameSlot struct {
	name string
	hash uint32
	at   int32 // index plus one; 0 = free
}

func newNameTable(room int64) *nameTable {
	size := 64
	for int64(size)*3/4 < room && size < 1<<28 {
		size *= 2
	}
	return &nameTable{slots: make([]nameSlot, size), seed: maphash.MakeSeed()}
}

func (t *nameTable) get(name []byte) (int32, bool) {
	h := uint32(maphash.Bytes(t.seed, name))
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.at == 0 {
			return 0, false
		}
		if s.hash == h && s.name == string(name) {
			return s.at - 1, true
		}
	}
}

// add puts a name in, or says which index it already has.
func (t *nameTable) add(name string, at int32) (old int32, dup bool) {
	if t.n*4 >= len(t.slots)*3 {
		t.grow()
	}
	h := uint32(maphash.String(t.seed, name))
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.at == 0 {
			*s = nameSlot{name, h, at + 1}
			t.n++
			return 0, false
		}
		if s.hash == h && s.name == name {
			return s.at - 1, true
		}
	}
}

func (t *nameTable) grow() {
	old := t.slots
	t.slots = make([]nameSlot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.at == 0 {
			continue
		}
		i := s.hash & mask
		for t.slots[i].at != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// inserts are names still to be put into a table.
type inserts struct {
	table *nameTable
	wait  []insert
}

type insert struct {
	name string
	at   int32
	line int32
	col  int32
}

// add queues a name. It says whether the batch is full.
func (n *inserts) add(name string, at, line, col int) (full bool) {
	n.wait = append(n.wait, insert{name, int32(at), int32(line), int32(col)})
	return len(n.wait) == batch
}

// resolve puts in what is queued; dup is told of every name that was there before, with its index then.
func (n *inserts) resolve(dup func(q *insert, old int32)) {
	mask := uint32(len(n.table.slots) - 1)
	var touched int32
	for i := range n.wait {
		touched |= n.table.slots[uint32(maphash.String(n.table.seed, n.wait[i].name))&mask].at
	}
	n.table.touched |= touched // the loads are for the cache; this keeps them
	for i := range n.wait {
		q := &n.wait[i]
		if old, there := n.table.add(q.name, q.at); there {
			dup(q, old)
		}
	}
	n.wait = n.wait[:0]
}

// batch is how many look-ups wait for each other.
const batch = 128

// lookups are names still to be looked up in a table.
type lookups struct {
	table *nameTable
	text  []byte // the names, one after the other
	wait  []lookup
}

type lookup struct {
	hash     uint32
	off, end uint32 // in text
	conn     uint32 // connection that waits for the answer
	line     int32
	col      int32
	slot     *nameSlot
}

// add queues a name for connection conn. It says whether the batch is full.
func (l *lookups) add(name []byte, conn uint32, line, col int) (full bool) {
	off := uint32(len(l.text))
	l.text = append(l.text, name...)
	l.wait = append(l.wait, lookup{
		hash: uint32(maphash.Bytes(l.table.seed, name)), off: off, end: uint32(len(l.text)), conn: conn, line: int32(line), col: int32(col),
	})
	return len(l.wait) == batch
}

// resolve answers what is queued: found gets the index of each name, in the order they were added; -1 = not in the table.
func (l *lookups) resolve(found func(q *lookup, name []byte, at int32)) {
	mask := uint32(len(l.table.slots) - 1)
	var touched int32
	for i := range l.wait {
		touched |= l.table.slots[l.wait[i].hash&mask].at
	}
	for i := range l.wait {
		q := &l.wait[i]
		for k := q.hash & mask; ; k = (k + 1) & mask {
			s := &l.table.slots[k]
			if s.at == 0 || s.hash == q.hash {
				q.slot = s
				break
			}
		}
		if q.slot.at != 0 && len(q.slot.name) > 0 {
			touched |= int32(q.slot.name[0])
		}
	}
	l.table.touched |= touched // the loads above are for the cache; this keeps them
	for i := range l.wait {
		q := &l.wait[i]
		name := l.text[q.off:q.end]
		at := int32(-1)
		switch {
		case q.slot.at == 0:
		case q.slot.name == string(name):
			at = q.slot.at - 1
		default: // another name of the same hash: look on
			if old, ok := l.table.get(name); ok {
				at = old
			}
		}
		found(q, name, at)
	}
	l.text, l.wait = l.text[:0], l.wait[:0]
}
