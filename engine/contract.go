package engine

import (
	"maps"

	"flowdbg/contract/meta"
	"flowdbg/engine/behavior"
	"flowdbg/engine/flow"
	"flowdbg/trace/canon"
)

// The ops that the platform's servers answer.
const (
	opTool = "tool"
	opMCP  = "mcp"
)

// opSettings are the flow's settings per op. A flow with servers or a platform has the ops tool and mcp without saying
// so again under "effects".
func opSettings(f *flow.Flow) map[string]canon.Value {
	if len(f.MCPServers) == 0 && (f.Contracts == nil || f.Contracts.Platform == "") {
		return f.Effects
	}
	all := maps.Clone(f.Effects)
	if all == nil {
		all = map[string]canon.Value{}
	}
	for _, op := range []string{opTool, opMCP} {
		if _, ok := all[op]; !ok {
			all[op] = canon.EmptyObject
		}
	}
	return all
}

// request is the input of an agent's effect with every default that can change the answer. The contract version of a tool
// call is one of them: a tool answers in another form to another version. It goes into `_meta` and never into the arguments
// (seed 003), unless the request has one there already.
func (m *Machine) request(e *behavior.Effect, agent *flow.Agent) canon.Value {
	input := m.bus.Resolve(e.Op, e.Input, agent.Config)
	version := m.flow.ContractVersion(agent.ID)
	if e.Op != opTool || version == 0 || input.Kind() != canon.KindObject {
		return input
	}
	keys, err := metaKeys(m.flow)
	if err != nil { // told as a diagnostic; no machine has such a flow
		return input
	}
	return withContractVersion(input, keys.Version, version)
}

func withContractVersion(input canon.Value, key string, version int64) canon.Value {
	own := input.Get("_meta")
	switch {
	case own.IsAbsent(), own.IsNull():
		own = canon.EmptyObject
	case own.Kind() != canon.KindObject || !own.Get(key).IsAbsent():
		return input
	}
	return withMember(input, "_meta", withMember(own, key, canon.Int(version)))
}

// metaKeys are the keys of contract versions under the flow's prefix.
func metaKeys(f *flow.Flow) (meta.Keys, error) {
	if f.Contracts == nil || f.Contracts.Prefix == "" {
		return meta.DefaultKeys(), nil
	}
	return meta.NewKeys(f.Contracts.Prefix, "")
}

// prefixProblem tells of a prefix that `_meta` keys cannot have.
func prefixProblem(f *flow.Flow) []flow.Diagnostic {
	if _, err := metaKeys(f); err != nil {
		return []flow.Diagnostic{f.Diagnose(flow.Error, CodeBadConfig, "/contracts/prefix", err.Error(), "write a domain such as "+meta.DefaultPrefix)}
	}
	return nil
}
