// Package flow holds FlowSpec version 1 (seed 002): its types, reading a flow with positions, every diagnostic about a flow,
// the checks of its message schemas, and the canonical layout of a flow file.
//
// What may live here: anything that can be said about a flow without running it. What may not: behaviours, effects, runs,
// output to a terminal, the network, and files (callers hand in bytes). Whether a kind exists is asked through Options.
//
// A flow is read strictly. All errors are reported at once, of syntax errors the first; each has a position, a JSON Pointer,
// what is wrong and what would be right. Fields that the seed does not have (ports, contract_version, effects, mcpServers,
// contracts, messages, budget.allow_unmetered) are ours; leaving them out changes no hash of a run.
package flow
