package flow

import "flowdbg/trace"

// Limits of FlowSpec version 1, ours. They are counted in canonical bytes (RFC 8785), not in bytes of the file, so that every
// machine and every layout of a file comes to the same verdict. The numbers stand in package trace, which must hold a foreign
// trace to them without knowing any flow.
const (
	MaxMessageBytes = trace.MaxMessageBytes // canonical bytes of one message: the object {from?, payload, tag}
	MaxStateBytes   = trace.MaxStateBytes   // canonical bytes of one agent's state
	MaxInbox        = trace.MaxInbox        // messages waiting in one inbox
	MaxNesting      = trace.MaxNesting      // arrays and objects inside each other, in any value
	MaxSendsPerAct  = trace.MaxSendsPerAct  // messages out of one act, counted once per edge they travel
)

// Bounds of names in a flow, ours (a recorded trace of another runtime may hold others and still opens).
const (
	MaxIDBytes = 128              // UTF-8 bytes of an agent's id
	EffectName = trace.FromEffect // sender and tag of an effect's answer (seed 002 §2, §3): no agent may have this id
)
