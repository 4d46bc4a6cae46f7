package trace

import "context"

// inboxIndex is what causality asks of a trace: who put what into which inbox, and who took it. A Store has it from
// indexing; for any other log it is made in one pass.
type inboxIndex interface {
	Waiting(agent string, k, i int) (Delivery, bool)
	Consumer(agent string, event int) (receive int, ok bool)
	Delivered(agent string, event int) (place int)
	DeliveryAt(agent string, n int) (Delivery, bool)
	StateEventBefore(agent string, k int) int
	OutputEvent(key string, i int) int
	OutputCount(key string) int
	Input() (to string, m Message)
}

var _ inboxIndex = (*Store)(nil)

// memIndex is the inboxIndex of a log that has none: the same lists as a Store's, keyed by agent.
type memIndex struct {
	agents  map[string]*posting
	outputs map[string][]uint32
	to      string
	input   Message
}

// indexOf is the log's own index, or one made of its events.
func indexOf(ctx context.Context, log Log, progress Progress) (inboxIndex, error) {
	if s, ok := log.(*Store); ok {
		return s, nil
	}
	x := &memIndex{agents: map[string]*posting{}, outputs: map[string][]uint32{}}
	if err := x.findInput(log); err != nil {
		return nil, err
	}
	p := pass{ctx: ctx, progress: progress, total: log.Len()}
	for i := range p.total {
		if err := p.step(0); err != nil {
			return nil, err
		}
		e, err := log.Event(i)
		if err != nil {
			return nil, err
		}
		if !e.Cancelled() {
			x.add(i, e)
		}
	}
	p.end()
	return x, nil
}

// findInput looks no further than the first message without a sender.
func (x *memIndex) findInput(log Log) error {
	var in inputSearch
	for i := range log.Len() {
		e, err := log.Event(i)
		if err != nil {
			return err
		}
		if x.to, x.input = in.look(e); !x.input.IsZero() {
			x.deliver(x.to, inputEvent)
			return nil
		}
		if in.over {
			return nil
		}
	}
	return nil
}

func (x *memIndex) agent(id string) *posting {
	p, ok := x.agents[id]
	if !ok {
		p = &posting{}
		x.agents[id] = p
	}
	return p
}

func (x *memIndex) deliver(agent string, event uint32) {
	p := x.agent(agent)
	p.deliveries = append(p.deliveries, event)
	p.waiting++
}

func (x *memIndex) add(i int, e *Event) {
	at := uint32(i)
	switch e.Type {
	case Receive:
		p := x.agent(e.Agent)
		p.receives = append(p.receives, at)
		if p.waiting > 0 {
			p.waiting--
			p.pops = append(p.pops, at)
		}
	case Act:
		if !e.State.IsAbsent() {
			x.agent(e.Agent).states = append(x.agent(e.Agent).states, at)
		}
	case XInit:
		x.agent(e.Agent).states = append(x.agent(e.Agent).states, at)
	case SendEvent:
		if e.HasTo() {
			x.deliver(e.To, at)
		} else {
			key := OutputKey(e.Agent, e.Port)
			x.outputs[key] = append(x.outputs[key], at)
		}
	case EffectEvent:
		if p := x.agent(e.Agent); p.waiting < MaxInbox && CheckMessage(e.AnswerMessage()) == nil {
			x.deliver(e.Agent, at)
		}
	case XIntervene:
		x.edit(at, e)
	}
}

// edit enters a person's edit; see Store.postEdit.
func (x *memIndex) edit(at uint32, e *Event) {
	do, _ := e.Extra.Get("do").Str()
	if e.Agent == "" || do == DoBudget {
		return
	}
	p := x.agent(e.Agent)
	switch do {
	case DoInject:
		if _, ok := injectedMessage(e); ok {
			x.deliver(e.Agent, at)
		}
	case DoState:
		if !e.Extra.Get("state").IsAbsent() {
			p.states = append(p.states, at)
		}
	case DoDrop, DoAnswer:
		n, ok := e.Extra.Get("index").Int()
		refs := p.inboxAt(int(at))
		if !ok || n < 0 || int(n) >= len(refs) {
			return
		}
		if do == DoAnswer {
			refs[n].edit = at
		} else {
			refs = append(refs[:n], refs[n+1:]...)
			p.waiting--
		}
		p.rebases = append(p.rebases, rebase{at: at, deliveries: len(p.deliveries), pops: len(p.pops), refs: refs})
	}
}

func (x *memIndex) Waiting(agent string, k, i int) (Delivery, bool) {
	p, ok := x.agents[agent]
	if !ok {
		return Delivery{}, false
	}
	r, ok := p.waitingAt(k, i)
	return r.delivery(), ok
}

func (x *memIndex) Consumer(agent string, event int) (int, bool) {
	p, ok := x.agents[agent]
	if !ok {
		return 0, false
	}
	return p.consumer(refOf(event))
}

func (x *memIndex) Delivered(agent string, event int) int {
	if p, ok := x.agents[agent]; ok {
		return p.deliveryIndex(event)
	}
	return -1
}

func (x *memIndex) DeliveryAt(agent string, n int) (Delivery, bool) {
	p, ok := x.agents[agent]
	if !ok || n < 0 || n >= len(p.deliveries) {
		return Delivery{}, false
	}
	return ref{p.deliveries[n], noEvent}.delivery(), true
}

func (x *memIndex) StateEventBefore(agent string, k int) int {
	if p, ok := x.agents[agent]; ok {
		if n := upTo(p.states, k); n > 0 {
			return int(p.states[n-1])
		}
	}
	return NoEvent
}

func (x *memIndex) OutputEvent(key string, i int) int {
	if list := x.outputs[key]; i >= 0 && i < len(list) {
		return int(list[i])
	}
	return NoEvent
}

func (x *memIndex) OutputCount(key string) int { return len(x.outputs[key]) }

func (x *memIndex) Input() (string, Message) { return x.to, x.input }

// isCancelled is true for an event of a step that was taken back.
func isCancelled(log Log, i int) bool {
	if s, ok := log.(*Store); ok {
		return s.cancelledAt(i)
	}
	e, err := log.Event(i)
	return err == nil && e.Cancelled()
}
