package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Store is a trace in a file that is never loaded whole: columns of a few bytes per event, posting lists per agent, and
// events decoded on demand through a bounded cache. It reads with pread, so the program's memory does not grow with the
// file and a file that shrinks gives an error instead of a crash.
//
// A Store may be read while it is being indexed: readers see the events indexed so far. It is safe for concurrent use.
type Store struct {
	mu   sync.RWMutex
	f    *os.File
	path string
	size int64 // bytes that belong to the trace as far as it was looked at
	opt  StoreOptions
	index
	shadow  *Store           // an index that is made anew, see Verify
	bad     map[int64]string // offsets of event texts that cannot be decoded, and why
	found   bool             // bad holds some that the index does not know
	all     bool             // the shadow is made after every event was decoded
	checked int              // events that Verify has decoded
	last    int              // the last event that was decoded at the file's end, -1
	text    []byte           // scratch
	private bool             // the file is a temporary one of ours, whose name means nothing
	remove  string           // a name to take away when the file is closed
	cache   eventCache
}

// index is everything that was found out about the file.
type index struct {
	setup Setup

	cols  columns
	scan  scanState
	names nameTable
	ags   []*posting // by name ordinal
	rank  []int      // name ordinals of agents sorted by id
	stale bool       // rank must be sorted again

	outputs  map[string]*[]uint32 // "agent.port" → send events
	outKeys  []string
	ledgers  ledgerPoints
	finishes []uint32
	errs     []uint32 // error events
	cancels  []uint32
	budgets  []uint32    // budget interventions
	unknown  int         // first event of an unknown type, -1 when there is none
	input    inputSearch // of a trace without a flow

	findings []Finding
	damages  map[int64]damage // by offset
	closing  string           // what is odd about the array's end
	noEvent  bool             // the file holds text but no event
	tear     *Tear
	format   Format
}

// Options of OpenStore.
type StoreOptions struct {
	Setup      *Setup // kinds, ports and input from a flow; nil: guessed from the trace
	CacheBytes int    // bound of the decoded events' text; 0 is 32 MiB
}

// ErrChanged is wrapped by the error of reading a file that is not what was indexed any more.
var ErrChanged = errors.New("the trace file has changed")

// maxStoreEvents is the number of events that the 32-bit columns can hold.
const maxStoreEvents = 1<<31 - 1

// OpenStore opens a trace file without reading more than its first bytes. Call Advance until it is done.
func OpenStore(path string, opt StoreOptions) (*Store, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return storeOver(f, path, st.Size(), opt)
}

// storeOver takes the file over; it is closed on an error.
func storeOver(f *os.File, path string, size int64, opt StoreOptions) (*Store, error) {
	s := newStore(f, path, size, opt)
	if err := s.begin(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func newStore(f *os.File, path string, size int64, opt StoreOptions) *Store {
	s := &Store{f: f, path: path, size: size, opt: opt, last: -1}
	s.index = index{outputs: map[string]*[]uint32{}, damages: map[int64]damage{}, unknown: -1, setup: Setup{Flowless: true}}
	s.names.ids = map[string]uint32{}
	if opt.Setup != nil {
		s.setup = *opt.Setup
	}
	for _, def := range s.setup.Agents {
		s.agent(def.ID).def = def
	}
	if !s.setup.Input.IsZero() {
		s.deliverInput()
	}
	s.cache.limit = opt.CacheBytes
	if s.cache.limit == 0 {
		s.cache.limit = 32 << 20
	}
	return s
}

// Close closes the file. Events that were decoded stay valid.
func (s *Store) Close() error {
	err := s.f.Close()
	if s.remove != "" {
		os.Remove(s.remove)
	}
	return err
}

// Path is the file's path as given.
func (s *Store) Path() string { return s.path }

// Progress is how many bytes are indexed, of how many.
func (s *Store) Progress() (done, total int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case s.shadow != nil:
		return s.shadow.Progress()
	case s.scan.done:
		return s.size, s.size
	}
	return s.scan.at, s.size
}

// Len is how many events are indexed so far.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.cols.n
}

// Header is the i-th event's header, from the columns alone.
func (s *Store) Header(i int) Header {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.header(i)
}

func (s *Store) header(i int) Header {
	c := s.cols.at(i)
	h := Header{Type: s.typeOf(c.kind), Step: int(c.step), Bytes: int(c.size), Cancelled: c.kind&kindCancelled != 0}
	if c.agent != noName {
		h.Agent = s.names.list[c.agent]
	}
	if c.to != noName {
		h.To = s.names.list[c.to]
	}
	return h
}

// Event decodes the i-th event, or takes it from the cache. An event that cannot be decoded comes back as XDamage with
// its reason; the error is for a file that cannot be read any more, and wraps ErrChanged when it has shrunk.
func (s *Store) Event(i int) (*Event, error) {
	if e := s.cache.get(i); e != nil {
		return e, nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.event(i)
}

// event needs the read lock.
func (s *Store) event(i int) (*Event, error) {
	if e := s.cache.get(i); e != nil {
		return e, nil
	}
	c := s.cols.at(i)
	size := int(c.size)
	if c.kind == kindDamage {
		size = min(size, damageShown)
	}
	text := make([]byte, size)
	if _, err := s.f.ReadAt(text, c.off); err != nil {
		if errors.Is(err, io.EOF) {
			err = s.behindEnd(i, c)
		}
		return nil, err
	}
	if c.kind == kindDamage {
		d := s.damages[c.off]
		d.text = text
		e := d.event()
		return &e, nil
	}
	e := decodeText(text, i)
	if e.Type == XDamage {
		d := damage{offset: c.off, size: int64(c.size), text: text}
		d.why, _ = e.Extra.Get("why").Str()
		*e = d.event()
	}
	if c.kind&kindCancelled != 0 {
		e.flags |= flagCancelled
	}
	if e.Type == EffectEvent && e.flags&flagNestedAnswer != 0 {
		s.settle(e, i)
	}
	s.cache.put(i, e, len(text))
	return e, nil
}

func (s *Store) behindEnd(i int, c column) error {
	return fmt.Errorf("%w: event %d lay at byte %d, which is behind its end now", ErrChanged, i, c.off)
}

// settle reads the form of a foreign nested answer off the receive that consumed it.
func (s *Store) settle(e *Event, i int) {
	p := s.ags[s.cols.at(i).agent]
	at := p.deliveryIndex(i)
	if at < 0 || at >= len(p.pops) {
		e.flags = e.flags&^flagNestedAnswer | flagNestedOutput
		return
	}
	if r, err := s.event(int(p.pops[at])); err == nil {
		settleNested(e, r.Message.Payload)
	}
}

// Findings are what indexing noticed so far. Values are not looked at while indexing; lint does that.
func (s *Store) Findings() []Finding {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := append([]Finding(nil), s.findings...)
	if s.scan.done && s.closing != "" {
		list = append(list, Finding{Kind: FindSeparator, Event: -1, Text: s.closing})
	}
	return list
}

// Complete is true for the record of a whole run, once the file is indexed: nothing torn, nothing damaged as far as it
// is known (see Verify), and finish is the last event beside lines of ours.
func (s *Store) Complete() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.scan.done || s.shadow != nil || s.tear != nil || len(s.damages) > 0 || len(s.finishes) != 1 {
		return false
	}
	for i := s.cols.n - 1; i >= 0; i-- {
		switch k := s.cols.kind(i) &^ kindCancelled; k {
		case kindFinish:
			return true
		case kindInit, kindCancel, kindIntervene, kindIntent:
		case kindOther:
			if e, err := s.event(i); err != nil || !e.Type.IsExtension() {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// Tear is the place behind the last whole event of a torn trace, nil when there is none or it is not reached yet.
func (s *Store) Tear() *Tear {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tear
}

// Format is the file's layout.
func (s *Store) Format() Format { return s.format }

// eventCache keeps decoded events up to a number of bytes; when full it is emptied by halves, oldest first.
type eventCache struct {
	mu    sync.Mutex
	limit int
	now   map[int]*Event
	old   map[int]*Event
	bytes int
}

func (c *eventCache) get(i int) *Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.now[i]; e != nil {
		return e
	}
	return c.old[i]
}

func (c *eventCache) put(i int, e *Event, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const eventOverhead = 400
	if c.now == nil {
		c.now = map[int]*Event{}
	}
	if c.bytes+size+eventOverhead > c.limit/2 {
		c.old, c.now, c.bytes = c.now, map[int]*Event{}, 0
	}
	c.now[i] = e
	c.bytes += size + eventOverhead
}

func (c *eventCache) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.old, c.bytes = nil, nil, 0
}

// Indexed is true when the file was read to its end.
func (s *Store) Indexed() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.scan.done && s.shadow == nil
}

// Unreadable is the event that stands for one which can no longer be read.
func Unreadable(err error) *Event {
	e := damaged(nil, err)
	return &e
}
