package debug

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"flowdbg/engine/behavior/script"
	"flowdbg/engine/effect"
	"flowdbg/engine/query"
	"flowdbg/trace"
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
	From     int       `json:"from,omitempty"`    // stop from this hit on; 0 and 1 are every hit
	PerAgent bool      `json:"per_agent,omitempty"`
	Once     bool      `json:"once,omitempty"`     // disabled by its first stop
	LogOnly  bool      `json:"log_only,omitempty"` // notes the hit and goes on
	Enabled  bool      `json:"enabled"`
	Unbound  bool      `json:"unbound,omitempty"` // the flow has no agent, or runs no script, of that name now
	Hits     int       `json:"hits"`

	query *query.Query
	seen  map[string][]int // matches so far, ascending event indices, by agent when PerAgent
}

// String is "#1 agent critic when payload.score > 0.5".
func (b *Breakpoint) String() string {
	s := fmt.Sprintf("#%d %s", b.ID, b.spec())
	if b.From > 1 {
		s += fmt.Sprintf(" from hit %d", b.From)
	}
	if b.PerAgent {
		s += " per agent"
	}
	if b.Once {
		s += " once"
	}
	if b.LogOnly {
		s += " log"
	}
	return s
}

// spec is what ParseBreakpoint reads.
func (b *Breakpoint) spec() string {
	parts := []string{string(b.Kind)}
	switch b.Kind {
	case BreakUSD, BreakTokens, BreakSteps:
		parts = append(parts, strconv.FormatFloat(b.Limit, 'g', -1, 64))
	case BreakLine:
		parts = append(parts, fmt.Sprintf("%s:%d", b.Name, b.Line))
	case BreakWhen:
		return "when " + b.When
	default:
		if b.Name != "" {
			parts = append(parts, b.Name)
		}
		if b.Pointer != "" {
			parts = append(parts, b.Pointer)
		}
	}
	if b.When != "" {
		parts = append(parts, "when", b.When)
	}
	return strings.Join(parts, " ")
}

// ParseBreakpoint reads a breakpoint: "agent NAME", "tag NAME", "port AGENT.PORT", "edge AGENT.PORT>AGENT", "op NAME",
// "error", "usd N", "tokens N", "steps N", "changed AGENT /pointer", "hash", "contract [VERDICT]",
// "certificate [VERDICT]", "line FILE:N" or "when EXPRESSION"; any of them may end in "when EXPRESSION". A single other
// word is a line when it is FILE.star:N, else an agent. Options stand behind the specification and before the condition,
// which takes the rest of the line: "from N", "per agent", "once", "log".
func ParseBreakpoint(text string) (Breakpoint, error) {
	head, when := splitWhen(strings.TrimSpace(text))
	b := Breakpoint{When: when}
	fields, err := b.options(strings.Fields(head))
	if err != nil {
		return b, err
	}
	switch {
	case len(fields) == 0 && when != "":
		b.Kind = BreakWhen
	case len(fields) == 0:
		return b, badBreak(text)
	case len(fields) == 1 && !breakKinds[BreakKind(fields[0])]:
		b.Kind, b.Name = BreakAgent, fields[0]
		if file, line, ok := placeOf(fields[0]); ok && strings.HasSuffix(file, ".star") {
			b.Kind, b.Name, b.Line = BreakLine, file, line
		}
	default:
		b.Kind = BreakKind(fields[0])
		if err := b.read(fields[1:]); err != nil {
			return b, fmt.Errorf("%w: %w", badBreak(text), err)
		}
	}
	_, err = b.condition()
	return b, err
}

// condition checks the condition and compiles it; nil without one, and for a line, whose variables only a call knows.
func (b *Breakpoint) condition() (*query.Query, error) {
	switch {
	case b.When == "":
		return nil, nil
	case b.Kind == BreakLine:
		return nil, script.CheckExpr(b.When)
	}
	return query.Compile(b.When)
}

// placeOf reads "FILE:N".
func placeOf(text string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(text[i+1:])
	return text[:i], n, err == nil && n > 0
}

// options takes the options off the end.
func (b *Breakpoint) options(f []string) ([]string, error) {
	for n := len(f); n > 1; n = len(f) {
		switch {
		case f[n-1] == "once":
			b.Once, f = true, f[:n-1]
		case f[n-1] == "log":
			b.LogOnly, f = true, f[:n-1]
		case f[n-2] == "per" && f[n-1] == "agent":
			b.PerAgent, f = true, f[:n-2]
		case f[n-2] == "from":
			k, err := strconv.Atoi(f[n-1])
			if err != nil || k < 1 {
				return f, fmt.Errorf("from %q: write the first hit to stop at, from 1", f[n-1])
			}
			b.From, f = k, f[:n-2]
		default:
			return f, nil
		}
	}
	return f, nil
}

func badBreak(text string) error {
	return fmt.Errorf("cannot read breakpoint %q; write agent NAME, tag NAME, port AGENT.PORT, edge AGENT.PORT>AGENT, op NAME, error, usd N, tokens N, steps N, changed AGENT /pointer, hash, contract [VERDICT], certificate [VERDICT], line FILE:N or when EXPRESSION", text)
}

var breakKinds = map[BreakKind]bool{BreakAgent: true, BreakTag: true, BreakPort: true, BreakEdge: true, BreakOp: true, BreakError: true,
	BreakUSD: true, BreakTokens: true, BreakSteps: true, BreakChanged: true, BreakHash: true, BreakContract: true, BreakCertificate: true, BreakLine: true, BreakWhen: true}

// splitWhen cuts "… when EXPRESSION" at the word.
func splitWhen(text string) (head, when string) {
	if rest, ok := strings.CutPrefix(text, "when "); ok {
		return "", strings.TrimSpace(rest)
	}
	if i := strings.Index(text, " when "); i >= 0 {
		return text[:i], strings.TrimSpace(text[i+len(" when "):])
	}
	return text, ""
}

func (b *Breakpoint) read(args []string) error {
	want := map[BreakKind]int{BreakAgent: 1, BreakTag: 1, BreakPort: 1, BreakEdge: 1, BreakOp: 1, BreakUSD: 1, BreakTokens: 1, BreakSteps: 1, BreakChanged: 2, BreakLine: 1}
	optional := b.Kind == BreakContract || b.Kind == BreakCertificate
	if !breakKinds[b.Kind] {
		return fmt.Errorf("there is no kind %q", b.Kind)
	}
	if n := want[b.Kind]; len(args) != n && !(optional && len(args) == 1) {
		return fmt.Errorf("%s takes %d words", b.Kind, n)
	}
	switch b.Kind {
	case BreakUSD, BreakTokens, BreakSteps:
		f, err := strconv.ParseFloat(args[0], 64)
		if err != nil || f < 0 {
			return fmt.Errorf("%q is no number from 0 on", args[0])
		}
		b.Limit = f
	case BreakLine:
		var ok bool
		if b.Name, b.Line, ok = placeOf(args[0]); !ok {
			return fmt.Errorf("%q is no FILE:LINE", args[0])
		}
	case BreakChanged:
		if args[1] != "" && args[1][0] != '/' {
			return fmt.Errorf("%q is no JSON Pointer", args[1])
		}
		b.Name, b.Pointer = args[0], args[1]
	default:
		if len(args) > 0 {
			b.Name = args[0]
		}
	}
	return nil
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
			p.Enabled, p.From, p.PerAgent, p.Once, p.LogOnly = true, b.From, b.PerAgent, b.Once, b.LogOnly
			return p, nil
		}
	}
	n := b
	n.Enabled, n.Hits, n.seen = true, 0, map[string][]int{}
	var err error
	if n.query, err = n.condition(); err != nil {
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

// BreakAt is the breakpoint on an agent, nil when there is none.
func (s *Session) BreakAt(agent string) *Breakpoint {
	for _, p := range s.breaks.list {
		if p.Kind == BreakAgent && p.Name == agent {
			return p
		}
	}
	return nil
}

// bindBreaks marks breakpoints whose agent the flow does not have.
func (s *Session) bindBreaks() {
	view := s.State()
	for _, p := range s.breaks.list {
		name := ""
		switch p.Kind {
		case BreakAgent, BreakChanged:
			name = p.Name
		case BreakPort, BreakEdge:
			name, _, _ = strings.Cut(p.Name, ".")
		}
		p.Unbound = p.Kind == BreakLine && !s.runsScript(p.Name)
		if name != "" {
			_, ok := view.Agent(name)
			p.Unbound = !ok
		}
	}
}

// SaveBreaks is what <flow>.dbg/breaks.json holds.
func (s *Session) SaveBreaks() ([]byte, error) {
	data, err := json.MarshalIndent(append([]*Breakpoint{}, s.breaks.list...), "", "  ")
	return append(data, '\n'), err
}

// RestoreBreaks adds the breakpoints of a saved file. A condition that no longer compiles is an error; the others are
// added.
func (s *Session) RestoreBreaks(data []byte) error {
	var list []Breakpoint
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("reading the saved breakpoints: %w", err)
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

// ordinal notes a match and says which of its kind it is, counted from 1 in the order of events whatever the direction.
func (b *Breakpoint) ordinal(event int, agent string) int {
	key := ""
	if b.PerAgent {
		key = agent
	}
	list := b.seen[key]
	at := sort.SearchInts(list, event)
	if at == len(list) || list[at] != event {
		list = append(list, 0)
		copy(list[at+1:], list[at:])
		list[at] = event
		b.seen[key] = list
	}
	return at + 1
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

// answered counts the effects of the run that an op breakpoint with a hit count has passed.
func (s *Session) answered(b *Breakpoint, agent string) int {
	if b.From <= 1 {
		return 0
	}
	n := 0
	for i := range s.Len() {
		h := s.Header(i)
		if h.Cancelled || h.Type != trace.EffectEvent && h.Type != trace.ErrorEvent || b.PerAgent && h.Agent != agent {
			continue
		}
		if b.names(s.Event(i)) {
			n++
		}
	}
	return n
}
