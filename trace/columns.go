package trace

import (
	"math"
	"sort"
)

// noName marks an event without agent or target.
const noName = ^uint32(0)

// eventKind is the column form of a type; the high bit marks a cancelled step's event.
type eventKind uint8

const (
	kindReceive eventKind = iota
	kindAct
	kindSend
	kindEffect
	kindError
	kindFinish
	kindInit
	kindCancel
	kindIntervene
	kindIntent
	kindDamage
	kindOther               // an extension, or an unknown type: its name is looked up by decoding
	kindCancelled eventKind = 0x80
)

var kindTypes = [...]Type{Receive, Act, SendEvent, EffectEvent, ErrorEvent, FinishEvent, XInit, XCancel, XIntervene, XIntent, XDamage, "x-other"}

func kindOf(t Type) eventKind {
	for k, kt := range kindTypes {
		if kt == t {
			return eventKind(k)
		}
	}
	return kindOther
}

func (s *Store) typeOf(k eventKind) Type { return kindTypes[k&^kindCancelled] }

// column is one event: 25 bytes, held in struct-of-arrays chunks.
type column struct {
	off   int64
	size  uint32
	step  uint32
	agent uint32
	to    uint32
	kind  eventKind
}

const chunkEvents = 1 << 15

type chunk struct {
	base                  int64 // offset of its first event
	off                   [chunkEvents]uint32
	far                   *[chunkEvents]int64 // offsets from base, in place of off, of a chunk whose text is longer than 4 GiB
	size, step, agent, to [chunkEvents]uint32
	kind                  [chunkEvents]eventKind
}

// setOffset keeps where the i-th event of the chunk lies. Offsets ascend.
func (k *chunk) setOffset(i int, off int64) {
	if i == 0 {
		k.base = off
	}
	delta := off - k.base
	if k.far == nil && (delta < 0 || delta > math.MaxUint32) {
		k.far = new([chunkEvents]int64)
		for j := range i {
			k.far[j] = int64(k.off[j])
		}
	}
	if k.far != nil {
		k.far[i] = delta
		return
	}
	k.off[i] = uint32(delta)
}

func (k *chunk) offset(i int) int64 {
	if k.far != nil {
		return k.base + k.far[i]
	}
	return k.base + int64(k.off[i])
}

// columns grows in chunks, so that it is never copied.
type columns struct {
	chunks []*chunk
	n      int
}

func (c *columns) add(e column) {
	if c.n == len(c.chunks)*chunkEvents {
		c.chunks = append(c.chunks, new(chunk))
	}
	k, i := c.chunks[c.n/chunkEvents], c.n%chunkEvents
	k.setOffset(i, e.off)
	k.size[i], k.step[i], k.agent[i], k.to[i], k.kind[i] = e.size, e.step, e.agent, e.to, e.kind
	c.n++
}

func (c *columns) at(i int) column {
	k, j := c.chunks[i/chunkEvents], i%chunkEvents
	return column{k.offset(j), k.size[j], k.step[j], k.agent[j], k.to[j], k.kind[j]}
}

func (c *columns) kind(i int) eventKind { return c.chunks[i/chunkEvents].kind[i%chunkEvents] }
func (c *columns) step(i int) int       { return int(c.chunks[i/chunkEvents].step[i%chunkEvents]) }

func (c *columns) cancel(i int) { c.chunks[i/chunkEvents].kind[i%chunkEvents] |= kindCancelled }

// nameTable keeps each agent id once.
type nameTable struct {
	ids  map[string]uint32
	list []string
}

// ref is a waiting message: the event that delivered it and, when a person edited it, the edit.
type ref struct{ event, edit uint32 }

// noEvent is a ref's edit when there is none, and the delivery of the input message.
const (
	noEvent    = ^uint32(0)
	inputEvent = ^uint32(0) - 1
)

// rebase is an inbox spelled out behind an edit that FIFO counting cannot express.
type rebase struct {
	at         uint32 // event index of the edit
	deliveries int    // how many deliveries and pops lie before it
	pops       int
	refs       []ref
}

// posting is everything about one agent, as ascending event indices.
type posting struct {
	name       uint32
	def        AgentDef
	states     []uint32 // events that set its state
	receives   []uint32
	pops       []uint32 // receives that took a message
	deliveries []uint32 // events that put a message into its inbox; inputEvent for the input
	rebases    []rebase
	waiting    int // messages waiting at the end of what is indexed
}

// upTo is how many entries of a list are below k.
func upTo(list []uint32, k int) int {
	return sort.Search(len(list), func(i int) bool { return list[i] != inputEvent && int(list[i]) >= k })
}

// deliveryIndex is the place of an event among the deliveries, -1 when it is not there.
func (p *posting) deliveryIndex(event int) int {
	i := upTo(p.deliveries, event)
	if i < len(p.deliveries) && p.deliveries[i] == uint32(event) {
		return i
	}
	return -1
}

// ledgerPoint is the ledger behind one event that cost something.
type ledgerPoint struct {
	event  uint32
	ledger Ledger
}

const chunkPoints = 1 << 12

// ledgerPoints grows in chunks like the columns.
type ledgerPoints struct {
	chunks []*[chunkPoints]ledgerPoint
	n      int
}

func (l *ledgerPoints) at(i int) *ledgerPoint { return &l.chunks[i/chunkPoints][i%chunkPoints] }

func (l *ledgerPoints) add(p ledgerPoint) {
	if l.n == len(l.chunks)*chunkPoints {
		l.chunks = append(l.chunks, new([chunkPoints]ledgerPoint))
	}
	l.n++
	*l.at(l.n - 1) = p
}

// last is the ledger behind everything that cost something.
func (l *ledgerPoints) last() Ledger {
	if l.n == 0 {
		return Ledger{}
	}
	return l.at(l.n - 1).ledger
}

// before is the ledger behind the events below k.
func (l *ledgerPoints) before(k int) Ledger {
	n := sort.Search(l.n, func(i int) bool { return int(l.at(i).event) >= k })
	if n == 0 {
		return Ledger{}
	}
	return l.at(n - 1).ledger
}

// drop takes the last point away when it is an event's.
func (l *ledgerPoints) drop(event uint32) {
	if l.n > 0 && l.at(l.n-1).event == event {
		l.n--
	}
}
