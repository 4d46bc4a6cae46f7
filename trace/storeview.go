package trace

import "sort"

// ViewAt is the state behind the first k events, read off the index: an agent's state is its last act before k, its
// inbox is what was delivered minus what was taken. Nothing is folded, so every position costs the same.
func (s *Store) ViewAt(k int) View { return &storeView{s: s, k: k} }

type storeView struct {
	s  *Store
	k  int
	as *StoreSetup // nil: the store's own
}

// inboxAt lists the messages that wait behind the first k events, head first.
func (p *posting) inboxAt(k int) []ref {
	del, pops := upTo(p.deliveries, k), upTo(p.pops, k)
	var base []ref
	r := sort.Search(len(p.rebases), func(i int) bool { return int(p.rebases[i].at) >= k })
	fromDel, taken := 0, pops
	if r > 0 {
		b := p.rebases[r-1]
		base, fromDel, taken = b.refs, b.deliveries, pops-b.pops
	}
	n := len(base) + del - fromDel
	if taken >= n {
		return nil
	}
	refs := make([]ref, 0, n-taken)
	for i := taken; i < n; i++ {
		if i < len(base) {
			refs = append(refs, base[i])
		} else {
			refs = append(refs, ref{p.deliveries[fromDel+i-len(base)], noEvent})
		}
	}
	return refs
}

// inboxLen is len(inboxAt) without the list.
func (p *posting) inboxLen(k int) int {
	r := sort.Search(len(p.rebases), func(i int) bool { return int(p.rebases[i].at) >= k })
	del, pops := upTo(p.deliveries, k), upTo(p.pops, k)
	if r > 0 {
		b := p.rebases[r-1]
		return max(0, len(b.refs)+del-b.deliveries-(pops-b.pops))
	}
	return max(0, del-pops)
}

// message is the waiting message of a ref.
func (s *Store) message(r ref) (Message, bool) {
	m := s.setup.Input
	if r.event != inputEvent {
		e, err := s.event(int(r.event))
		if err != nil {
			return Message{}, false
		}
		m = deliveredBy(e)
	}
	if r.edit != noEvent {
		if e, err := s.event(int(r.edit)); err == nil {
			m = newMessage(m.From, m.HasFrom, m.Tag, e.Extra.Get("payload"))
		}
	}
	return m, !m.IsZero()
}

// deliveredBy is the message that an event puts into an inbox.
func deliveredBy(e *Event) Message {
	switch e.Type {
	case SendEvent:
		return e.Message
	case EffectEvent:
		return newMessage(FromEffect, true, TagEffect, e.Answer())
	case XIntervene:
		m := e.Extra.Get("message")
		tag, _ := m.Get("tag").Str()
		from, hasFrom := m.Get("from").Str()
		return newMessage(from, hasFrom, tag, m.Get("payload"))
	}
	return Message{}
}

func (v *storeView) AgentCount() int {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	return len(v.s.rank)
}

func (v *storeView) AgentAt(rank int) AgentView {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	return v.agent(v.s.ags[v.s.rank[rank]])
}

func (v *storeView) Agent(id string) (AgentView, bool) {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	n, ok := v.s.names.ids[id]
	if !ok {
		return AgentView{}, false
	}
	return v.agent(v.s.ags[n]), true
}

func (v *storeView) agent(p *posting) AgentView {
	s := v.s
	def := v.def(p)
	a := AgentView{ID: s.names.list[p.name], Kind: def.Kind, Ports: def.Ports, State: stateOf(s, p, v.k), Inbox: p.inboxLen(v.k)}
	if a.Ports.IsAbsent() {
		a.Ports = emptyPorts
	}
	if n := upTo(p.receives, v.k); n > 0 {
		a.Receives = n
		a.LastStep = s.cols.step(int(p.receives[n-1]))
	}
	if a.Inbox > 0 {
		a.Ready = true
		a.WaitSteps = max(0, v.step()-v.waitingSince(p, a.Inbox))
	}
	return a
}

// waitingSince is the step at which the inbox became non-empty: that of its last receive when that left something,
// else that of the delivery which filled it.
func (v *storeView) waitingSince(p *posting, waiting int) int {
	del := upTo(p.deliveries, v.k)
	since, at := 0, -1
	if first := del - waiting; first >= 0 && first < len(p.deliveries) && p.deliveries[first] != inputEvent {
		at = int(p.deliveries[first])
		since = v.stepBefore(at + 1)
	}
	if n := upTo(p.pops, v.k); n > 0 && int(p.pops[n-1]) > at {
		since = v.s.cols.step(int(p.pops[n-1]))
	}
	return since
}

// step is the step of the last event before k that has one.
func (v *storeView) step() int { return v.stepBefore(v.k) }

func (v *storeView) stepBefore(k int) int {
	for i := k - 1; i >= 0; i-- {
		if c := v.s.cols.at(i); c.kind <= kindError {
			return int(c.step)
		}
	}
	return 0
}

func (v *storeView) Rank(id string) int {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	n, ok := v.s.names.ids[id]
	if !ok {
		return -1
	}
	at := sort.Search(len(v.s.rank), func(i int) bool { return v.s.names.list[v.s.rank[i]] >= id })
	if at < len(v.s.rank) && v.s.rank[at] == int(n) {
		return at
	}
	return -1
}

func (v *storeView) Next() (string, bool) {
	r := v.NextReady(0)
	if r < 0 {
		return "", false
	}
	return v.AgentAt(r).ID, true
}

func (v *storeView) NextReady(from int) int {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	for r := from; r < len(v.s.rank); r++ {
		if v.s.ags[v.s.rank[r]].inboxLen(v.k) > 0 {
			return r
		}
	}
	return -1
}

func (v *storeView) ReadyCount() int {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	n := 0
	for _, p := range v.s.ags {
		if p.inboxLen(v.k) > 0 {
			n++
		}
	}
	return n
}

func (v *storeView) InboxLen(id string) int {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	if n, ok := v.s.names.ids[id]; ok {
		return v.s.ags[n].inboxLen(v.k)
	}
	return 0
}

func (v *storeView) InboxAt(id string, i int) (Message, bool) {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	n, ok := v.s.names.ids[id]
	if !ok {
		return Message{}, false
	}
	r, ok := v.s.ags[n].refAt(v.k, i)
	if !ok {
		return Message{}, false
	}
	return v.s.message(r)
}

// refAt is inboxAt(k)[i] without the list.
func (p *posting) refAt(k, i int) (ref, bool) {
	if len(p.rebases) > 0 {
		refs := p.inboxAt(k)
		if i < 0 || i >= len(refs) {
			return ref{}, false
		}
		return refs[i], true
	}
	del, pops := upTo(p.deliveries, k), upTo(p.pops, k)
	if i < 0 || pops+i >= del {
		return ref{}, false
	}
	return ref{p.deliveries[pops+i], noEvent}, true
}

func (v *storeView) OutputKeys() []string {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	var keys []string
	for _, k := range v.s.outKeys {
		if upTo(*v.s.outputs[k], v.k) > 0 {
			keys = append(keys, k)
		}
	}
	return keys
}

func (v *storeView) OutputLen(key string) int {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	list, ok := v.s.outputs[key]
	if !ok {
		return 0
	}
	return upTo(*list, v.k)
}

func (v *storeView) OutputAt(key string, i int) (Message, bool) {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	list, ok := v.s.outputs[key]
	if !ok || i < 0 || i >= upTo(*list, v.k) {
		return Message{}, false
	}
	e, err := v.s.event(int((*list)[i]))
	if err != nil {
		return Message{}, false
	}
	return e.Message, true
}
