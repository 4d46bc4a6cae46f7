package trace

import (
	"context"
	"fmt"
)

// Chain is why something exists: links from the root (the input, or a person's edit) to the thing itself.
type Chain struct {
	Target  string `json:"target"`
	Links   []Link `json:"links"`
	Skipped int    `json:"skipped"` // links left out behind Links[SkipAt-1], for length; 0 = none
	SkipAt  int    `json:"skip_at"`
	// Exact is true when every message received is, byte for byte, the one that its cause delivered, back to the root.
	Exact  bool   `json:"exact"`
	Broken string `json:"broken,omitempty"` // why the chain does not reach a root, "" when it does
}

// DefaultLinks is how many links Why keeps when it is not told: half from the root's end, half from the thing's.
const DefaultLinks = 400

// Why is the causal chain of an event or a message back to its root: each message has one cause (the input, a send, an
// effect, or a person's edit), each send and effect an act, each act a receive. Chains longer than limit (0 is
// DefaultLinks) are followed and checked whole, and told without their middle.
func (c *Causes) Why(ctx context.Context, ref Ref, limit int) (*Chain, error) {
	if limit <= 0 {
		limit = DefaultLinks
	}
	d, err := c.made(ref)
	if err != nil {
		return nil, err
	}
	w := &whyWalk{c: c, half: max(1, limit/2), chain: &Chain{Target: ref.String(), Exact: true}}
	p := pass{ctx: ctx, total: c.log.Len()}
	for {
		if err := p.step(0); err != nil {
			return nil, err
		}
		l, err := c.link(d)
		if err != nil {
			return nil, err
		}
		next, more, err := w.add(d, l)
		if err != nil {
			return nil, err
		}
		if !more {
			return w.finish()
		}
		d = next
	}
}

// whyWalk follows a chain from the thing to its root.
type whyWalk struct {
	c     *Causes
	half  int
	chain *Chain
	near  []Link     // from the thing, nearest first
	ring  []Delivery // the last deliveries behind near, so that the root's end can be told
	notes map[Delivery]string
	far   int // deliveries behind near
}

// add takes one link in and gives the delivery that it came from.
func (w *whyWalk) add(d Delivery, l Link) (next Delivery, more bool, err error) {
	switch {
	case l.Kind == LinkInput, l.Kind == LinkInject, l.Kind == LinkOther:
	case l.Receive == NoEvent && (l.Kind == LinkFinish || l.Kind == LinkError && l.Agent == ""):
		// Nothing had run before: the run itself is the root.
	case l.Receive == NoEvent:
		w.chain.Broken = fmt.Sprintf("event %d follows no receive of its own step", d.Event)
		w.chain.Exact = false
	default:
		var note string
		next, note, more, err = w.c.cause(l.Receive)
		if err != nil {
			return next, false, err
		}
		if note != "" {
			w.chain.Exact = false
			l.Note = joinNotes(l.Note, note)
		}
		if !more {
			w.chain.Broken = note
		}
	}
	w.keep(d, l)
	return next, more, nil
}

func joinNotes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func (w *whyWalk) keep(d Delivery, l Link) {
	if len(w.near) < w.half {
		w.near = append(w.near, l)
		return
	}
	if l.Note != "" {
		if w.notes == nil {
			w.notes = map[Delivery]string{}
		}
		w.notes[d] = l.Note
	}
	if len(w.ring) < w.half {
		w.ring = append(w.ring, d)
	} else {
		old := w.ring[w.far%w.half]
		delete(w.notes, old)
		w.ring[w.far%w.half] = d
	}
	w.far++
}

func (w *whyWalk) finish() (*Chain, error) {
	for i := 1; i <= len(w.ring); i++ {
		d := w.ring[(w.far-i)%w.half]
		l, err := w.c.link(d)
		if err != nil {
			return nil, err
		}
		if n := w.notes[d]; n != "" {
			l.Note = n
		}
		w.chain.Links = append(w.chain.Links, l)
	}
	w.chain.Skipped = w.far - len(w.ring)
	w.chain.SkipAt = len(w.ring)
	for i := len(w.near) - 1; i >= 0; i-- {
		w.chain.Links = append(w.chain.Links, w.near[i])
	}
	return w.chain, nil
}

// lookAround is how many other messages are compared when a receive did not take the one it had to.
const lookAround = 64

// cause is what delivered the message that a receive took: the head of the inbox when it is that message, byte for
// byte; in a trace that breaks FIFO the nearest delivery of the same message, with a note. ok is false when nothing
// delivered it.
func (c *Causes) cause(receive int) (d Delivery, note string, ok bool, err error) {
	e, err := c.log.Event(receive)
	if err != nil {
		return d, "", false, err
	}
	if e.Type != Receive {
		return d, fmt.Sprintf("event %d cannot be read as a receive", receive), false, nil
	}
	head, waits := c.index.Waiting(e.Agent, receive, 0)
	if waits {
		same, err := c.delivers(head, e.Message)
		if err != nil || same {
			return head, "", same, err
		}
	}
	for i := 1; waits && i < lookAround; i++ {
		d, ok := c.index.Waiting(e.Agent, receive, i)
		if !ok {
			break
		}
		same, err := c.delivers(d, e.Message)
		if err != nil {
			return d, "", false, err
		}
		if same {
			return d, fmt.Sprintf("event %d takes it out of turn: it is [%d] in the inbox", receive, i), true, nil
		}
	}
	if d, ok, err := c.earlier(e, head, waits, receive); ok || err != nil {
		return d, fmt.Sprintf("event %d takes it out of turn: by the order of the inbox it was taken before", receive), ok, err
	}
	if waits {
		return head, fmt.Sprintf("the message that event %d takes is not, byte for byte, the one that waited", receive), true, nil
	}
	return d, fmt.Sprintf("nothing delivered the message that event %d takes", receive), false, nil
}

// earlier looks among the deliveries before the head, which the order of the inbox counts as taken.
func (c *Causes) earlier(e *Event, head Delivery, waits bool, receive int) (Delivery, bool, error) {
	n := c.index.Delivered(e.Agent, head.Event) - 1
	if !waits {
		n = c.deliveriesBefore(e.Agent, receive) - 1
	}
	for low := max(0, n-lookAround); n >= low; n-- {
		d, ok := c.index.DeliveryAt(e.Agent, n)
		if !ok || d.Event >= receive {
			continue
		}
		if same, err := c.delivers(d, e.Message); same || err != nil {
			return d, same, err
		}
	}
	return Delivery{}, false, nil
}

// deliveriesBefore counts the deliveries to an agent before an event.
func (c *Causes) deliveriesBefore(agent string, event int) int {
	lo, hi := 0, event+2 // no more than one delivery per event, and the input
	for lo < hi {
		mid := (lo + hi) / 2
		if d, ok := c.index.DeliveryAt(agent, mid); !ok || d.Event >= event {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
