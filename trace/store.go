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
	mu    sync.RWMutex
	f     *os.File
	path  string
	size  int64 // bytes that belong to the trace as far as it was looked at
	setup Setup

	cols  columns
	scan  scanState
	names nameTable
	ags   []*posting // by name ordinal
	rank  []int      // name ordinals of agents sorted by id
	stale bool       // rank must be sorted again

	outputs  map[string]*[]uint32 // "agent.port" → send events
	outKeys  []string
	ledgers  []ledgerPoint
	finishes []uint32
	errs     []uint32 // error events
	cancels  []uint32
	budgets  []uint32 // budget interventions
	unknown  int      // first event of an unknown type, -1 when there is none
	input    bool     // the input message was taken from the first receive

	findings []Finding
	tear     *Tear
	format   Format
	cache    eventCache
	readErr  error
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
	s := &Store{f: f, path: path, size: st.Size(), outputs: map[string]*[]uint32{}, unknown: -1, format: FormatLines}
	s.names.ids = map[string]uint32{}
	s.setup = Setup{Flowless: true}
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
	if err := s.begin(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the file. Events that were decoded stay valid.
func (s *Store) Close() error { return s.f.Close() }

// Path is the file's path as given.
func (s *Store) Path() string { return s.path }

// Progress is how many bytes are indexed, of how many.
func (s *Store) Progress() (done, total int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
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
	h := Header{Type: s.typeOf(c.kind), Step: int(c.step), Bytes: int(c.size)}
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
	text := make([]byte, c.size)
	if _, err := s.f.ReadAt(text, c.off); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: event %d lay at byte %d, which is behind its end now", ErrChanged, i, c.off)
		}
		return nil, err
	}
	e := decodeText(text, i)
	if c.kind&kindCancelled != 0 {
		e.flags |= flagCancelled
	}
	if e.Type == EffectEvent && e.flags&flagNestedAnswer != 0 {
		s.settle(e, i)
	}
	s.cache.put(i, e, len(text))
	return e, nil
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
	return append([]Finding(nil), s.findings...)
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
	return s.scan.done
}

// Unreadable is the event that stands for one which can no longer be read.
func Unreadable(err error) *Event {
	e := damaged(nil, err)
	return &e
}
