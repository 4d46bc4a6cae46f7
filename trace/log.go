package trace

// Header is what can be told about an event without decoding its values.
type Header struct {
	Type  Type
	Step  int
	Agent string // receive, act, effect, error: the agent; send: the sender
	To    string // send: the receiving agent, "" when it ends in the outputs
	Bytes int    // length of the event's text, 0 when it never had one

	Cancelled bool // of a step that was taken back by x-cancel
}

// Log is an ordered list of events, in memory or in a file. Events are shared: a caller changes nothing in them. Event
// fails only for a log in a file that cannot be read any more.
type Log interface {
	Len() int
	Header(i int) Header
	Event(i int) (*Event, error)
}

// MemLog is a Log in memory.
type MemLog []Event

// Len is the number of events.
func (l MemLog) Len() int { return len(l) }

// Event is the i-th event; it never fails.
func (l MemLog) Event(i int) (*Event, error) { return &l[i], nil }

// Header is the i-th event's header.
func (l MemLog) Header(i int) Header { return l[i].Header() }

// Header is the event's header; Bytes is not known.
func (e *Event) Header() Header {
	return Header{Type: e.Type, Step: e.Step, Agent: e.Agent, To: e.To, Cancelled: e.Cancelled()}
}

// View is what can be seen of the state at one position, whatever it was made by: a fold (State) or an index.
type View interface {
	AgentCount() int
	AgentAt(rank int) AgentView
	Agent(id string) (AgentView, bool)
	Rank(id string) int
	Next() (id string, ok bool)
	NextReady(from int) int
	ReadyCount() int
	InboxLen(id string) int
	InboxAt(id string, i int) (Message, bool)
	OutputKeys() []string
	OutputLen(key string) int
	OutputAt(key string, i int) (Message, bool)
	Ledger() Ledger
	Budget() *Budget
	Step() int
	Begun() int
	Finished() *Finish
	Failed() *ErrorInfo
	Flowless() bool
	Partial() bool
}

var _ View = (*State)(nil)
