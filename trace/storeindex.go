package trace

import (
	"bytes"
	"fmt"
	"sort"

	"flowdbg/trace/canon"
)

// indexEvent adds one event to the columns and posting lists. Lines in the seed's member order were read by their
// prefix; any other spelling was decoded.
func (s *Store) indexEvent(off int64, text []byte, sh *shape) error {
	c := column{off: off, size: uint32(len(text)), step: uint32(sh.step), agent: noName, to: noName, kind: sh.kind}
	var p *posting
	if len(sh.agent) > 0 {
		p = s.agentOf(sh.agent)
		c.agent = p.name
	}
	if sh.hasTo {
		c.to = s.agentOf(sh.to).name
	}
	return s.addColumn(c, sh, text, p)
}

func (s *Store) addColumn(c column, sh *shape, text []byte, p *posting) error {
	if s.cols.n >= maxStoreEvents {
		return fmt.Errorf("a trace of more than %d events cannot be indexed", maxStoreEvents)
	}
	i := s.cols.n
	s.cols.add(c)
	s.post(i, sh, text, p)
	return nil
}

// agentOf is agent of a name in a buffer; the look-up does not allocate.
func (s *Store) agentOf(id []byte) *posting {
	if n, ok := s.names.ids[string(id)]; ok {
		return s.ags[n]
	}
	return s.agent(string(id))
}

// agent finds or adds an agent.
func (s *Store) agent(id string) *posting {
	if n, ok := s.names.ids[id]; ok {
		return s.ags[n]
	}
	n := uint32(len(s.names.list))
	s.names.ids[id] = n
	s.names.list = append(s.names.list, id)
	p := &posting{name: n, def: AgentDef{ID: id}}
	s.ags = append(s.ags, p)
	s.rank = append(s.rank, int(n))
	s.stale = true
	return p
}

func (s *Store) sortAgents() {
	sort.Slice(s.rank, func(i, j int) bool { return s.names.list[s.rank[i]] < s.names.list[s.rank[j]] })
	s.stale = false
}

// post enters the event in the posting lists.
func (s *Store) post(i int, sh *shape, text []byte, p *posting) {
	at := uint32(i)
	switch sh.kind {
	case kindReceive:
		s.postReceive(i, sh, p)
	case kindAct, kindInit:
		if p != nil {
			p.states = append(p.states, at)
		}
	case kindSend:
		if sh.hasTo {
			s.deliver(s.ags[s.cols.at(i).to], at)
			return
		}
		key := OutputKey(string(sh.agent), string(sh.port))
		list, ok := s.outputs[key]
		if !ok {
			list = &[]uint32{}
			s.outputs[key] = list
			s.outKeys = append(s.outKeys, key)
			sort.Slice(s.outKeys, func(a, b int) bool { return canon.CompareKeys(s.outKeys[a], s.outKeys[b]) < 0 })
		}
		*list = append(*list, at)
	case kindEffect:
		s.postCost(i, sh)
		if p != nil && !s.refused(i, text, p) {
			s.deliver(p, at)
		}
	case kindError:
		s.errs = append(s.errs, at)
		s.postCost(i, sh)
	case kindFinish:
		s.finishes = append(s.finishes, at)
	case kindCancel:
		s.postCancel(i, sh)
	case kindIntervene:
		s.postEdit(i, sh, p)
	case kindDamage, kindOther:
		if s.unknown < 0 && (sh.kind == kindDamage || sh.event != nil && !sh.event.Type.IsExtension()) {
			s.unknown = i
		}
	}
}

// postReceive also guesses the input of a trace without a flow; see inputSearch.
func (s *Store) postReceive(i int, sh *shape, p *posting) {
	if p == nil {
		return
	}
	if s.setup.Flowless && !s.input.over && !s.setup.found() {
		if e, err := s.event(i); err == nil && e.Type == Receive {
			if to, m := s.input.look(e); !m.IsZero() {
				s.setup.InputTo, s.setup.Input = to, m
				s.deliverInput()
			}
		}
	}
	p.receives = append(p.receives, uint32(i))
	if p.waiting > 0 {
		p.waiting--
		p.pops = append(p.pops, uint32(i))
	}
}

// deliverInput puts the input before what a person injected, where nothing was taken since.
func (s *Store) deliverInput() {
	p := s.agent(s.setup.InputTo)
	s.deliver(p, inputEvent)
	if n := len(p.deliveries); n > 1 && len(p.pops) == 0 && len(p.rebases) == 0 {
		copy(p.deliveries[1:], p.deliveries[:n-1])
		p.deliveries[0] = inputEvent
	}
}

func (s *Store) deliver(p *posting, event uint32) {
	p.deliveries = append(p.deliveries, event)
	p.waiting++
}

// refused is true for an answer that broke a limit and was never enqueued. Only a line that could hold one is decoded.
func (s *Store) refused(i int, text []byte, p *posting) bool {
	if p.waiting+1 > MaxInbox {
		return true
	}
	const room = 1024 // what a line holds beside the answer, at the least
	if len(text) < MaxMessageBytes-room && bytes.Count(text, []byte{'['})+bytes.Count(text, []byte{'{'}) <= MaxNesting {
		return false
	}
	e := decodeText(text, i)
	return e.Type == EffectEvent && CheckMessage(e.AnswerMessage()) != nil
}

func (s *Store) postCost(i int, sh *shape) {
	u, unknown := sh.usage, false
	if sh.event != nil {
		u, unknown = sh.event.Usage, sh.event.UsageUnknown()
	}
	if u.IsZero() && !unknown {
		return
	}
	l := s.ledgers.last().Add(u)
	if unknown {
		l.Unknown++
	}
	s.ledgers.add(ledgerPoint{uint32(i), l})
}

// postCancel takes the cancelled step's events out of the lists; they are the last entries.
func (s *Store) postCancel(i int, sh *shape) {
	s.cancels = append(s.cancels, uint32(i))
	for k := i - 1; k >= 0; k-- {
		c := s.cols.at(k)
		if c.kind == kindOther || c.kind == kindIntent || c.kind == kindInit || c.kind == kindIntervene {
			continue
		}
		if int(c.step) != sh.step || c.kind&kindCancelled != 0 {
			return
		}
		s.cols.cancel(k)
		s.unpost(k, c)
		if c.kind == kindReceive {
			break
		}
	}
	s.cache.drop()
}

func (s *Store) unpost(k int, c column) {
	last := func(list *[]uint32) bool {
		if n := len(*list); n > 0 && (*list)[n-1] == uint32(k) {
			*list = (*list)[:n-1]
			return true
		}
		return false
	}
	if c.agent != noName {
		p := s.ags[c.agent]
		last(&p.states)
		last(&p.receives)
		if last(&p.pops) {
			p.waiting++
		}
		if c.kind == kindEffect && last(&p.deliveries) {
			p.waiting--
		}
	}
	if c.to != noName {
		if p := s.ags[c.to]; last(&p.deliveries) {
			p.waiting--
		}
	}
	s.ledgers.drop(uint32(k))
	last(&s.errs)
	for _, list := range s.outputs {
		last(list)
	}
}

// postEdit enters a person's edit. One that FIFO counting cannot express spells the inbox out.
func (s *Store) postEdit(i int, sh *shape, p *posting) {
	if s.setup.Flowless && !s.setup.found() {
		s.input.look(sh.event)
	}
	do, _ := sh.event.Extra.Get("do").Str()
	switch {
	case do == DoBudget:
		if _, err := BudgetFrom(sh.event.Extra.Get("budget")); err == nil {
			s.budgets = append(s.budgets, uint32(i))
		}
	case p == nil:
	case do == DoState:
		if !sh.event.Extra.Get("state").IsAbsent() {
			p.states = append(p.states, uint32(i))
		}
	case do == DoInject:
		if _, ok := sh.event.Extra.Get("message").Get("tag").Str(); ok {
			s.deliver(p, uint32(i))
		}
	case do == DoDrop, do == DoAnswer:
		at, ok := sh.event.Extra.Get("index").Int()
		refs := p.inboxAt(i)
		if !ok || at < 0 || int(at) >= len(refs) {
			return
		}
		if do == DoAnswer {
			refs[at].edit = uint32(i)
		} else {
			refs = append(refs[:at], refs[at+1:]...)
			p.waiting--
		}
		p.rebases = append(p.rebases, rebase{at: uint32(i), deliveries: len(p.deliveries), pops: len(p.pops), refs: refs})
	}
}
