package flow

import (
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Flow is a FlowSpec version 1 that was read without an error (seed 002 §1). It is immutable: share it freely, change nothing.
type Flow struct {
	Version    int                    // 1
	ID         string                 // the flow's name
	Agents     []Agent                // in the order of the file; see Order for the scheduler's
	Edges      []Edge                 // in the order of the file, which is the order of delivery
	Budget     *Budget                // nil: nothing is bounded
	Input      *Input                 // nil: the run finishes at once with 0 steps
	Effects    map[string]canon.Value // ours: op → settings, always objects; nil when absent
	MCPServers map[string]canon.Value // ours: name → settings as MCP clients write them, always objects; nil when absent
	Contracts  *Contracts             // ours; nil when absent
	Messages   []MessageRule          // ours, in the order of the file; see CheckMessage

	index     index
	doc       *canon.Doc
	file      string
	canonical canon.Value
	sha256    string
	rules     messageRules
}

// Agent is one agent of a flow.
type Agent struct {
	ID              string      // unique; sorts by UTF-8 bytes
	Kind            string      // the name its behaviour is registered under
	Config          canon.Value // null when absent
	Ports           []string    // ours: ports that are terminal on purpose, so that sending there is no mistake
	ContractVersion int64       // ours: the tool contract's version this agent speaks, ≥ 1; 0 when absent
}

// Edge carries what From sends on Port to To's inbox. A port without an edge is a terminal output (seed 002 §1).
type Edge struct {
	From, Port, To string
}

// Budget bounds a run. A nil member is unlimited. USD and Tokens of 0 are literally zero: only free effects pass; ours, since
// the seed says it only of steps, where 0 means unlimited.
type Budget struct {
	USD            *float64 // US dollars, finite, ≥ 0
	Tokens         *int64   // input plus output tokens, ≥ 0
	Steps          int64    // ≥ 0; 0 is unlimited
	AllowUnmetered bool     // ours: answers without usage pass although money or tokens are bounded
}

// Input is the first message of a run and the agent that gets it. It has no sender.
type Input struct {
	To      string
	Tag     string
	Payload canon.Value // null when absent
}

// Message is the message as it lies in the inbox: {payload, tag}.
func (in *Input) Message() trace.Message { return trace.NewInput(in.Tag, in.Payload) }

// Contracts says what a flow asks of the platform's tools (ours; seed 000 has it as the client's required_contracts).
type Contracts struct {
	Requires []Requirement // in the order of the file
	Version  int64         // the contract version of agents that state none of their own, ≥ 1; 0 when absent
	Platform string        // path of the platform's file, relative to the flow's folder; "" when absent
	Rules    []string      // paths of translation rule files, or of folders of them, relative to the flow's folder
	Prefix   string        // domain before the "/" of the _meta keys; "" is the default
}

// ContractVersion is the contract version that an agent's calls carry: its own, else the flow's; 0 when there is none.
func (f *Flow) ContractVersion(agent string) int64 {
	if a, ok := f.Agent(agent); ok && a.ContractVersion > 0 {
		return a.ContractVersion
	}
	if f.Contracts != nil {
		return f.Contracts.Version
	}
	return 0
}

// Requirement asks for versions of one component or tool. The constraint's grammar is not checked here.
type Requirement struct {
	Name       string // "iPL" or "iPL.place"
	Constraint string // ">= 1.2.0, < 2.0.0"
}

// File is the name that the flow was read under.
func (f *Flow) File() string { return f.file }

// Canonical is the whole flow as canonical JSON, unknown fields included.
func (f *Flow) Canonical() canon.Value { return f.canonical }

// SHA256 is the lower-case hex hash of Canonical. Layout, key order and number spelling do not change it, so Format keeps it.
func (f *Flow) SHA256() string { return f.sha256 }

// Agent finds an agent by its id.
func (f *Flow) Agent(id string) (*Agent, bool) {
	i, ok := f.index.byID[id]
	if !ok {
		return nil, false
	}
	return &f.Agents[i], true
}

// Order lists indices into Agents by id in UTF-8 byte order: the order of scheduling and of the state hash (seed 002 §3).
// Callers do not change it.
func (f *Flow) Order() []int { return f.index.order }

// Targets lists the agents that get what from sends on port, in the order of Edges; nil when the port is terminal.
// Callers do not change it.
func (f *Flow) Targets(from, port string) []string { return f.index.targets[portKey{from, port}] }

// WiredPorts lists the ports of an agent that have an edge, in UTF-8 byte order; nil when it has none. Callers do not change it.
func (f *Flow) WiredPorts(from string) []string { return f.index.ports[from] }

// PortsValue is the member "ports" of an agent in the state document: {port: [targets in edge order]} (seed 002 §6).
func (f *Flow) PortsValue(from string) canon.Value {
	ports := f.index.ports[from]
	if len(ports) == 0 {
		return canon.EmptyObject
	}
	members := make([]canon.Member, len(ports))
	for i, port := range ports {
		targets := f.Targets(from, port)
		list := make([]canon.Value, len(targets))
		for j, to := range targets {
			list[j] = canon.String(to)
		}
		members[i] = canon.Member{Key: port, Value: canon.Array(list...)}
	}
	return canon.Object(members...)
}

// DeclaresTerminal tells whether the agent lists the port as terminal on purpose.
func (a *Agent) DeclaresTerminal(port string) bool {
	for _, p := range a.Ports {
		if p == port {
			return true
		}
	}
	return false
}

// Kinds maps every agent's id to its kind.
func (f *Flow) Kinds() map[string]string {
	m := make(map[string]string, len(f.Agents))
	for i := range f.Agents {
		m[f.Agents[i].ID] = f.Agents[i].Kind
	}
	return m
}
