package flow

// Limits of FlowSpec version 1, ours. They are counted in canonical bytes (RFC 8785), not in bytes of the file, so that every
// machine and every layout of a file comes to the same verdict. Raising one changes what a run does: that is a new version.
const (
	MaxMessageBytes = 1 << 20  // canonical bytes of one message: the object {tag, payload, from?}
	MaxStateBytes   = 16 << 20 // canonical bytes of one agent's state
	MaxInbox        = 10_000   // messages waiting in one inbox
	MaxNesting      = 256      // arrays and objects inside each other, in any document or value
	MaxSendsPerAct  = 1_000    // messages out of one act, counted once per edge they travel
)

// Bounds of names in a flow, ours (a recorded trace of another runtime may hold others and still opens).
const (
	MaxIDBytes = 128      // UTF-8 bytes of an agent's id
	EffectName = "effect" // sender and tag of an effect's answer (seed 002 §2, §3): no agent may have this id
)
