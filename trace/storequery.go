package trace

import (
	"errors"
	"fmt"
	"io"
	"sort"
)

// Positions that stand for no event in what the questions about a trace answer.
const (
	NoEvent    = -1 // nothing: no such event
	InputEvent = -2 // the input message of the run, which no event delivers
)

// Delivery is what put a message into an inbox: the event (a send, an effect, an inject edit) or InputEvent, and the
// edit that replaced its payload while it waited, or NoEvent.
type Delivery struct{ Event, Edit int }

func (r ref) delivery() Delivery {
	d := Delivery{Event: int(r.event), Edit: NoEvent}
	if r.event == inputEvent {
		d.Event = InputEvent
	}
	if r.edit != noEvent {
		d.Edit = int(r.edit)
	}
	return d
}

func refOf(event int) uint32 {
	if event == InputEvent {
		return inputEvent
	}
	return uint32(event)
}

// waitingAt is inboxAt(k)[i] without the list, edits or not.
func (p *posting) waitingAt(k, i int) (ref, bool) {
	del, pops := upTo(p.deliveries, k), upTo(p.pops, k)
	r := sort.Search(len(p.rebases), func(i int) bool { return int(p.rebases[i].at) >= k })
	if r > 0 {
		b := &p.rebases[r-1]
		i += pops - b.pops
		if i >= 0 && i < len(b.refs) {
			return b.refs[i], true
		}
		i += b.deliveries - len(b.refs)
	} else {
		i += pops
	}
	if i < 0 || i >= del {
		return ref{}, false
	}
	return ref{p.deliveries[i], noEvent}, true
}

// consumer is the receive that took the message which a delivery put in; ok is false while it waits or when a person
// dropped it.
func (p *posting) consumer(event uint32) (receive int, ok bool) {
	place, k := -1, 0
	if event == inputEvent {
		for i, d := range p.deliveries {
			if d == inputEvent {
				place = i
				break
			}
		}
	} else if p.deliveryIndex(int(event)) >= 0 {
		k = int(event) + 1
		place = p.inboxLen(k) - 1
	}
	if place < 0 {
		return 0, false
	}
	pops := upTo(p.pops, k)
	first := sort.Search(len(p.rebases), func(i int) bool { return int(p.rebases[i].at) >= k })
	for _, b := range p.rebases[first:] {
		if pops+place < b.pops {
			return int(p.pops[pops+place]), true
		}
		place = -1
		for i, r := range b.refs {
			if r.event == event {
				place = i
				break
			}
		}
		if place < 0 {
			return 0, false
		}
		pops = b.pops
	}
	if pops+place < len(p.pops) {
		return int(p.pops[pops+place]), true
	}
	return 0, false
}

// withAgent runs f on an agent's lists under the read lock; false when nobody knows the agent.
func (s *Store) withAgent(id string, f func(*posting)) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, ok := s.names.ids[id]
	if ok {
		f(s.ags[n])
	}
	return ok
}

// Waiting is what delivered the i-th message that waits for an agent behind the first k events, head first.
func (s *Store) Waiting(agent string, k, i int) (d Delivery, ok bool) {
	s.withAgent(agent, func(p *posting) {
		var r ref
		if r, ok = p.waitingAt(k, i); ok {
			d = r.delivery()
		}
	})
	return d, ok
}

// Consumer is the receive in which the agent took what the event (or InputEvent) delivered to it; ok is false while the
// message waits, and when a person dropped it.
func (s *Store) Consumer(agent string, event int) (receive int, ok bool) {
	s.withAgent(agent, func(p *posting) { receive, ok = p.consumer(refOf(event)) })
	return receive, ok
}

// Delivered is the place of an event among all deliveries to an agent, -1 when it is not one of them; DeliveryAt is the
// reverse.
func (s *Store) Delivered(agent string, event int) (place int) {
	place = -1
	s.withAgent(agent, func(p *posting) { place = p.deliveryIndex(event) })
	return place
}

// DeliveryAt is what delivered the agent's n-th message, in order of delivery.
func (s *Store) DeliveryAt(agent string, n int) (d Delivery, ok bool) {
	s.withAgent(agent, func(p *posting) {
		if ok = n >= 0 && n < len(p.deliveries); ok {
			d = ref{p.deliveries[n], noEvent}.delivery()
		}
	})
	return d, ok
}

// StateEventBefore is the last event below k that set an agent's state, or NoEvent.
func (s *Store) StateEventBefore(agent string, k int) (event int) {
	event = NoEvent
	s.withAgent(agent, func(p *posting) {
		if n := upTo(p.states, k); n > 0 {
			event = int(p.states[n-1])
		}
	})
	return event
}

// OutputEvent is the send event that made the i-th message of an output, or NoEvent.
func (s *Store) OutputEvent(key string, i int) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list, ok := s.outputs[key]
	if !ok || i < 0 || i >= len(*list) {
		return NoEvent
	}
	return int((*list)[i])
}

// OutputCount is how many messages ended in an output so far.
func (s *Store) OutputCount(key string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if list, ok := s.outputs[key]; ok {
		return len(*list)
	}
	return 0
}

// Input is the agent and the message that the run began with; the message is zero when it is not known yet.
func (s *Store) Input() (to string, m Message) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.setup.InputTo, s.setup.Input
}

// cancelledAt is true for an event of a step that was taken back.
func (s *Store) cancelledAt(i int) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.cols.kind(i)&kindCancelled != 0
}

// span is where an event's text lies in the file.
func (s *Store) span(i int) (off int64, size int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := s.cols.at(i)
	return c.off, int(c.size)
}

// textBlock is how much of the file a textReader reads at once, in bytes.
const textBlock = 256 << 10

// textReader reads the texts of a store's events in blocks, for passes over many of them: no event is decoded and
// nothing enters the cache. It belongs to one goroutine.
type textReader struct {
	s    *Store
	buf  []byte
	base int64 // offset of buf in the file
}

// text is an event's text, valid until the next call. Events are best asked for in order, forward or backward.
func (r *textReader) text(i int) ([]byte, error) {
	off, size := r.s.span(i)
	if r.holds(off, size) {
		at := off - r.base
		return r.buf[at : at+int64(size)], nil
	}
	n, from := max(size, textBlock), off
	if r.buf != nil && off < r.base { // going backward: what is asked for next lies before
		from = max(0, off+int64(size-n))
	}
	if err := r.fill(from, n); err != nil {
		return nil, err
	}
	at := int(off - from)
	if len(r.buf) < at+size {
		return nil, fmt.Errorf("%w: event %d lay at byte %d, which is behind its end now", ErrChanged, i, off)
	}
	return r.buf[at : at+size], nil
}

// holds is true when a text lies in the block that was read last.
func (r *textReader) holds(off int64, size int) bool {
	at := off - r.base
	return r.buf != nil && at >= 0 && at+int64(size) <= int64(len(r.buf))
}

// fill reads n bytes from off, or fewer at the file's end.
func (r *textReader) fill(off int64, n int) error {
	if cap(r.buf) < n || cap(r.buf) > 4*textBlock && n <= textBlock {
		r.buf = make([]byte, n)
	}
	r.buf = r.buf[:n]
	got, err := r.s.f.ReadAt(r.buf, off)
	r.buf, r.base = r.buf[:got], off
	if err != nil && !errors.Is(err, io.EOF) {
		r.buf = r.buf[:0]
		return err
	}
	return nil
}

// Text is an event's text as it stands in the file.
func (s *Store) Text(i int) ([]byte, error) {
	off, size := s.span(i)
	text := make([]byte, size)
	if _, err := s.f.ReadAt(text, off); err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: event %d lay at byte %d, which is behind its end now", ErrChanged, i, off)
		}
		return nil, err
	}
	return text, nil
}
