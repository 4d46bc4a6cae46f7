package trace

// StoreSetup is another version of the flow for looking at a Store: what it says of kinds, ports and budget is in force
// instead of what the Store was opened with. It is never changed.
type StoreSetup struct {
	setup Setup
	defs  map[string]AgentDef
}

// As makes a setup that the states of the store can be shown with. ok is false when the index, which was made with
// another flow, does not have those agents or that input: then the events have to be folded.
func (s *Store) As(setup Setup) (as *StoreSetup, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.setup.Flowless || setup.Flowless || setup.InputTo != s.setup.InputTo || setup.Input != s.setup.Input || len(setup.Agents) != len(s.setup.Agents) {
		return nil, false
	}
	as = &StoreSetup{setup: setup, defs: make(map[string]AgentDef, len(setup.Agents))}
	for _, def := range setup.Agents {
		as.defs[def.ID] = def
	}
	for _, def := range s.setup.Agents {
		if _, ok := as.defs[def.ID]; !ok {
			return nil, false
		}
	}
	return as, true
}

// ViewAs is ViewAt with a setup of As; nil is the store's own.
func (s *Store) ViewAs(k int, as *StoreSetup) View { return &storeView{s: s, k: k, as: as} }

// FoldAs is FoldAt with a setup of As; nil is the store's own.
func (s *Store) FoldAs(k int, as *StoreSetup) (*State, error) {
	st, err := s.ForkAs(k, as)
	if err != nil {
		return nil, err
	}
	if err := st.Load(); err != nil {
		return nil, err
	}
	return st, nil
}

// in is the setup that a view shows.
func (as *StoreSetup) in(s *Store) *Setup {
	if as == nil {
		return &s.setup
	}
	return &as.setup
}

// def is what the flow says of an agent.
func (v *storeView) def(p *posting) AgentDef {
	if v.as == nil {
		return p.def
	}
	return v.as.defs[v.s.names.list[p.name]]
}
