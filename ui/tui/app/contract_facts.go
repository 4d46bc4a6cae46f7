package app

import (
	"strings"

	"flowdbg/contract/meta"
	"flowdbg/contract/require"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
)

// contractFacts are what the flow's platform and its lock say. Nothing of it depends on the position.
type contractFacts struct {
	negotiation *platform.Negotiation
	tools       map[string]*platform.Tool
	servers     map[string]platform.LockedServer
	why         string // there is nothing
}

// readFacts reads the platform's files and the lock.
func readFacts(f *flow.Flow, flowPath string, today meta.Date) *contractFacts {
	x := &contractFacts{tools: map[string]*platform.Tool{}, servers: map[string]platform.LockedServer{}}
	switch {
	case f == nil:
		x.why = "there is no flow, so no platform: only calls are known"
		return x
	case !platform.Uses(f):
		x.why = "the flow names no platform and no servers"
		return x
	case flowPath == "":
		x.why = "the flow has no file, so its platform cannot be read"
		return x
	}
	p, diags := platform.Open(f, dirOf(flowPath))
	if p == nil {
		x.why = "the platform cannot be read: " + firstError(diags)
		return x
	}
	lock, err := platform.ReadLock(platform.LockPath(flowPath))
	if err == nil {
		x.negotiation, err = p.NegotiateWith(lock, today)
	}
	if err != nil {
		x.why = err.Error()
		return x
	}
	if lock == nil {
		x.why = x.negotiation.Why
		return x
	}
	x.servers = lock.Servers
	listings := lock.Listings()
	for _, t := range x.negotiation.Tools {
		if d, err := p.Describe(t.Server, listings[t.Server], t.Tool, lock, today); err == nil {
			x.tools[t.Tool] = d
		}
	}
	return x
}

func firstError(diags []flow.Diagnostic) string {
	for _, d := range diags {
		if d.Severity == flow.Error {
			return d.String()
		}
	}
	return "nothing says why"
}

// verdictOf is what the negotiation says of a tool: its own requirement, else that of its component.
func verdictOf(n *platform.Negotiation, name string) *require.Verdict {
	if n.Report == nil {
		return nil
	}
	for i := range n.Report.Verdicts {
		if v := &n.Report.Verdicts[i]; v.Name == name || strings.HasPrefix(name, v.Name+".") {
			return v
		}
	}
	return nil
}
