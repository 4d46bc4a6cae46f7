package effect

// Terms is what a source can say about a call before it is made. A run that is recorded asks for it: before a call that
// may cost something it notes on the disk that the call is about to be sent, so that nobody pays twice after a crash.
// A source without Terms is taken for one that costs.
type Terms interface {
	// Ready is the error that Answer would come back with without asking anybody, nil when the call would be sent.
	Ready(c Call) error
	// Paid is true when the call may cost something or change the world: its class is not pure, or its price is not
	// known to be zero (design 02).
	Paid(c Call) bool
}

var _ Terms = (*Bus)(nil)

// Ready is *NotLive, or a Failure for an op that nobody answers.
func (b *Bus) Ready(c Call) error {
	op := c.Request.Op
	if name, ok := b.notLive[op]; ok {
		return &NotLive{Op: op, Provider: name}
	}
	if _, ok := b.providers[op]; !ok {
		return &Failure{Op: op, Class: ClassNoProvider}
	}
	return nil
}

// Paid is false for what is answered in this process: the mocks and the judge. A live op is free when its class is pure
// and nothing says that it costs; models are billed by usage, so they never are.
func (b *Bus) Paid(c Call) bool {
	op := c.Request.Op
	if !b.live[op] {
		return false
	}
	set := b.settings[op]
	if op == "llm" || ClassOf(op, set) != Pure {
		return true
	}
	cost := set.Get("cost_usd")
	if usd, ok := cost.Float(); !cost.IsAbsent() && !cost.IsNull() && (!ok || usd != 0) {
		return true
	}
	return !set.Get("prices").IsAbsent()
}
