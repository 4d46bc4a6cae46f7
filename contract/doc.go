// Package contract is the typed tool contract of seed 000 as a pure library: the types, their JSON Schema, validation with
// every error and its instance pointer, the capability check of a request, and the choice of a tool before any call.
//
// It may hold types, schemas and decisions over bytes that the caller hands in. It may not read a clock, a file or a network,
// and it imports nothing of trace (canonical JSON aside), engine or ui. What has more than one page of rules lives below:
// require (semantic versions), meta and translate (contract integers), compat (levels of change), design (deltas), judge.
//
// Four numbers are kept apart everywhere and never compared with each other: a tool's semantic version ("1.3.1"), the
// contract package's semantic version, the contract integer (2), and the protocol date ("2026-07-28").
package contract
