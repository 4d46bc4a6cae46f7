package trace

import "context"

// Fate says what became of a message.
type Fate string

// The fates of messages. Only a consumed one has children.
const (
	FateConsumed Fate = "consumed"
	FateWaiting  Fate = "waiting"
	FateOutput   Fate = "output"
	FateDropped  Fate = "dropped" // by a person, or because it broke a limit
)

// Node is one message, or the step that the question began with, in the tree of what came of it.
type Node struct {
	Link
	Fate     Fate `json:"fate,omitempty"`
	Consumed int  `json:"consumed"` // the receive that took it, or -1
	// Steps and Messages count everything below this node, shown or not: steps begun, messages made.
	Steps    int     `json:"steps"`
	Messages int     `json:"messages"`
	Children []*Node `json:"children,omitempty"`
	More     int     `json:"more,omitempty"` // children that are not shown
}

// TreeLimits bound what CameOf shows; zero members mean the defaults. Counts are true whatever is shown.
type TreeLimits struct{ Depth, Breadth, Nodes int }

// The default bounds of a tree.
const (
	DefaultDepth   = 8
	DefaultBreadth = 16
	DefaultNodes   = 1000
)

// below counts what came of one event.
type below struct{ steps, messages uint32 }

// CameOf is the tree of what came of an event (or of InputEvent): the messages of its step, who took them, and what
// they made of it. Its memory is 8 bytes for each event behind the given one, and the nodes shown.
func (c *Causes) CameOf(ctx context.Context, event int, lim TreeLimits, progress Progress) (*Node, error) {
	d, err := c.made(EventRef(event))
	if err != nil {
		return nil, err
	}
	lim.Depth, lim.Breadth, lim.Nodes = orDefault(lim.Depth, DefaultDepth), orDefault(lim.Breadth, DefaultBreadth), orDefault(lim.Nodes, DefaultNodes)
	t := &treeBuilder{c: c, ctx: ctx, lim: lim, from: event}
	if event == InputEvent {
		t.from = NoEvent
	}
	if err := t.count(progress); err != nil {
		return nil, err
	}
	return t.build(d)
}

func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}

type treeBuilder struct {
	c     *Causes
	ctx   context.Context
	lim   TreeLimits
	from  int // nothing at or before this event is counted
	len   int
	acc   []below // by event − from − 1
	input below
	nodes int
}

// count goes through the trace from its end: a receive passes what its step made on to the delivery that it took.
func (t *treeBuilder) count(progress Progress) error {
	t.len = t.c.log.Len()
	n := t.len - t.from - 1
	t.acc = make([]below, n)
	p := pass{ctx: t.ctx, progress: progress, total: n}
	var step below // what the events of the step under way made
	for i := t.len - 1; i > t.from; i-- {
		if err := p.step(0); err != nil {
			return err
		}
		h := t.c.log.Header(i)
		switch h.Type {
		case SendEvent, EffectEvent:
			if !isCancelled(t.c.log, i) {
				b := t.acc[i-t.from-1]
				step.steps += b.steps
				step.messages += b.messages + 1
			}
		case Receive:
			if isCancelled(t.c.log, i) {
				step = below{}
				continue
			}
			t.acc[i-t.from-1] = step
			if d, ok := t.c.index.Waiting(h.Agent, i, 0); ok {
				t.pass(d.Event, below{step.steps + 1, step.messages})
			}
			step = below{}
		}
	}
	p.end()
	return nil
}

func (t *treeBuilder) pass(delivery int, b below) {
	switch {
	case delivery == InputEvent:
		t.input = b
	case delivery > t.from:
		t.acc[delivery-t.from-1] = b
	}
}

// at is what came of an event behind from.
func (t *treeBuilder) at(event int) below {
	switch {
	case event == InputEvent:
		return t.input
	case event > t.from:
		return t.acc[event-t.from-1]
	}
	return below{}
}

// build makes the shown part of the tree, breadth first, so that what is near is shown rather than what is deep.
func (t *treeBuilder) build(d Delivery) (*Node, error) {
	root, made, err := t.node(d)
	if err != nil {
		return nil, err
	}
	type todo struct {
		n     *Node
		made  []int
		depth int
	}
	queue := []todo{{root, made, 0}}
	for first := true; len(queue) > 0; first = false {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		at := queue[0]
		queue = queue[1:]
		if first {
			t.countRoot(at.n, at.made)
		}
		for i, m := range at.made {
			if at.depth >= t.lim.Depth || i >= t.lim.Breadth || t.nodes >= t.lim.Nodes {
				at.n.More = len(at.made) - i
				break
			}
			child, made, err := t.node(Delivery{m, NoEvent})
			if err != nil {
				return nil, err
			}
			at.n.Children = append(at.n.Children, child)
			queue = append(queue, todo{child, made, at.depth + 1})
		}
	}
	return root, nil
}

// countRoot sums the root's counts from its children: the root's own place is before everything counted.
func (t *treeBuilder) countRoot(n *Node, made []int) {
	if n.Kind == LinkInput {
		return
	}
	n.Steps, n.Messages = 0, 0
	if n.Fate == FateConsumed {
		n.Steps = 1
	}
	for _, m := range made {
		b := t.at(m)
		n.Steps += int(b.steps)
		n.Messages += int(b.messages) + 1
	}
}

// node describes a message (or a step's event) and lists the messages that came of it.
func (t *treeBuilder) node(d Delivery) (*Node, []int, error) {
	t.nodes++
	l, err := t.c.link(d)
	if err != nil {
		return nil, nil, err
	}
	n := &Node{Link: l, Consumed: NoEvent}
	b := t.at(d.Event)
	n.Steps, n.Messages = int(b.steps), int(b.messages)
	to := l.Agent
	switch l.Kind {
	case LinkReceive, LinkAct:
		made, err := t.made(l.Receive)
		return n, made, err
	case LinkOutput:
		n.Fate = FateOutput
		return n, nil, nil
	case LinkSend:
		to = t.c.log.Header(d.Event).To
	case LinkInput, LinkEffect, LinkInject:
	default:
		return n, nil, nil
	}
	r, ok := t.c.index.Consumer(to, d.Event)
	if !ok {
		n.Fate = t.unconsumed(to, d)
		return n, nil, nil
	}
	n.Fate, n.Consumed = FateConsumed, r
	made, err := t.made(r)
	return n, made, err
}

// unconsumed tells a message that still waits from one that was dropped.
func (t *treeBuilder) unconsumed(agent string, d Delivery) Fate {
	for i := 0; ; i++ {
		w, ok := t.c.index.Waiting(agent, t.len, i)
		if !ok {
			return FateDropped
		}
		if w.Event == d.Event {
			return FateWaiting
		}
	}
}

// made lists the sends and the effect of the step that a receive began.
func (t *treeBuilder) made(receive int) ([]int, error) {
	var list []int
	if receive == NoEvent {
		return nil, nil
	}
	for i := receive + 1; i < t.len; i++ {
		switch t.c.log.Header(i).Type {
		case Receive, FinishEvent:
			return list, nil
		case SendEvent, EffectEvent:
			if !isCancelled(t.c.log, i) {
				list = append(list, i)
			}
		}
	}
	return list, t.ctx.Err()
}
