package debug

import (
	"flowdbg/engine/effect"
	"flowdbg/engine/query"
)

// BreakKind is what a breakpoint looks at.
type BreakKind string

// The kinds of breakpoints. All stop right behind the event that they name, forward and in reverse alike; an op
// breakpoint also holds an effect back before it is sent.
const (
	BreakAgent       BreakKind = "agent"       // the agent consumes a message
	BreakTag         BreakKind = "tag"         // a message with the tag is consumed
	BreakPort        BreakKind = "port"        // a message leaves on agent.port
	BreakEdge        BreakKind = "edge"        // a message travels agent.port>agent
	BreakOp          BreakKind = "op"          // the effect was answered; live, it is held before it is sent
	BreakError       BreakKind = "error"       // an error event
	BreakUSD         BreakKind = "usd"         // the ledger passes the limit
	BreakTokens      BreakKind = "tokens"      // likewise
	BreakSteps       BreakKind = "steps"       // the step with this number begins
	BreakChanged     BreakKind = "changed"     // an act changes the value at the pointer of the agent's state
	BreakHash        BreakKind = "hash"        // the first event that differs from the recorded trace
	BreakContract    BreakKind = "contract"    // a contract call: translated, lossy, sunset, a refusal's code, or any
	BreakCertificate BreakKind = "certificate" // a certificate arrives with the verdict, or any
	BreakLine        BreakKind = "line"        // an act's call of a script runs the line; the condition is over its variables
	BreakWhen        BreakKind = "when"        // the condition alone
)

// Breakpoint stops Continue and ReverseContinue. It is bound by name, so it survives a reload.
type Breakpoint struct {
	ID       int       `json:"id"`
	Kind     BreakKind `json:"kind"`
	Name     string    `json:"name,omitempty"`
	Pointer  string    `json:"pointer,omitempty"` // changed
	Limit    float64   `json:"limit,omitempty"`   // usd, tokens, steps
	Line     int       `json:"line,omitempty"`    // line: from 1; Name is the script's file
	When     string    `json:"when,omitempty"`    // an expression that must hold too
	Print    string    `json:"print,omitempty"`   // an expression whose value is told with each hit
	From     int       `json:"from,omitempty"`    // stop from this hit on; 0 and 1 are every hit
	PerAgent bool      `json:"per_agent,omitempty"`
	Once     bool      `json:"once,omitempty"`     // disabled by its first stop
	LogOnly  bool      `json:"log_only,omitempty"` // notes the hit and goes on
	Enabled  bool      `json:"enabled"`
	Unbound  bool      `json:"unbound,omitempty"`    // what it names is not there now: it can stop nowhere
	Why      string    `json:"why,omitempty"`        // why it is unbound
	Bound    int       `json:"bound_line,omitempty"` // line: where it stops, when Line itself has no statement; 0 else
	Hits     int       `json:"hits"`
	Trouble  *Trouble  `json:"trouble,omitempty"` // the condition could not be told somewhere

	query *query.Query
	print *query.Query        // nil without Print, and for a line
	asked int                 // events at which the condition was evaluated
	from  int                 // events below it were asked already
	seen  map[string]*hitList // matches so far, by agent when PerAgent
	// counted is how far seen is complete.
	counted judged
	// passed counts for Session.answered, by agent when PerAgent.
	passed map[string]passed
}

type breakpoints struct {
	list    []*Breakpoint
	last    int
	holding string // the breakpoint that held an effect last
}

// Break adds a breakpoint, enabled; an equal one that exists is enabled and returned instead. The error is about its
// condition.
func (s *Session) Break(b Breakpoint) (*Breakpoint, error) {
	for _, p := range s.breaks.list {
		if p.spec() == b.spec() {
			q, err := b.printed()
			if err != nil {
				return nil, err
			}
			p.Enabled, p.From, p.PerAgent, p.Once, p.LogOnly = true, b.From, b.PerAgent, b.Once, b.LogOnly
			p.Print, p.print = b.Print, q
			return p, nil
		}
	}
	n := b
	n.Enabled, n.Hits, n.seen, n.Trouble = true, 0, map[string]*hitList{}, nil
	var err error
	if n.query, err = n.condition(); err != nil {
		return nil, err
	}
	if n.print, err = n.printed(); err != nil {
		return nil, err
	}
	s.breaks.last++
	n.ID = s.breaks.last
	s.breaks.list = append(s.breaks.list, &n)
	s.bindBreaks()
	return &n, nil
}

// Unbreak removes a breakpoint by id; false when there is none.
func (s *Session) Unbreak(id int) bool {
	for i, p := range s.breaks.list {
		if p.ID == id {
			s.breaks.list = append(s.breaks.list[:i], s.breaks.list[i+1:]...)
			return true
		}
	}
	return false
}

// Breakpoints lists them in the order of their ids.
func (s *Session) Breakpoints() []*Breakpoint { return s.breaks.list }

// BreakAt is the first breakpoint on an agent, enabled or not, nil when there is none.
func (s *Session) BreakAt(agent string) *Breakpoint {
	for _, p := range s.breaks.list {
		if p.Kind == BreakAgent && p.Name == agent {
			return p
		}
	}
	return nil
}

// SaveBreaks is what <flow>.dbg/breaks.json holds.
func (s *Session) SaveBreaks() ([]byte, error) {
	return saved(append([]*Breakpoint{}, s.breaks.list...))
}

// RestoreBreaks adds the breakpoints of a saved file. A condition that no longer compiles is an error; the others are
// added.
func (s *Session) RestoreBreaks(data []byte) error {
	list, err := readBreaks(data)
	if err != nil {
		return err
	}
	var first error
	for _, b := range list {
		n, err := s.Break(b)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		n.Enabled = b.Enabled
	}
	return first
}

// holds is true when an enabled op breakpoint names the op, and this effect is one of the hits that it stops at. Holding
// is its stop.
func (b *breakpoints) holds(s *Session, c effect.Call) bool {
	for _, p := range b.list {
		if !p.Enabled || p.LogOnly || p.Kind != BreakOp || p.Name != c.Request.Op || p.When != "" || s.answered(p, c.Agent)+1 < p.From {
			continue
		}
		b.holding = p.String()
		if p.Once {
			p.Enabled = false
		}
		return true
	}
	return false
}
