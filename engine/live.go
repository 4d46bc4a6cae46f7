package engine

import (
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/secret"
	"flowdbg/engine/flow"
	"flowdbg/trace/canon"
)

// checkEffects holds effects.<op> to what the op's provider understands.
func checkEffects(f *flow.Flow) []flow.Diagnostic {
	var diags []flow.Diagnostic
	for op, set := range f.Effects {
		at := canon.AppendPointer("/effects", op)
		for _, p := range effect.CheckSettings(op, set) {
			p.Pointer = at + p.Pointer
			diags = append(diags, diagnoseEffect(f, p))
		}
	}
	return diags
}

func diagnoseEffect(f *flow.Flow, p effect.Problem) flow.Diagnostic {
	sev := flow.Error
	if p.Warning {
		sev = flow.Warning
	}
	return f.Diagnose(sev, CodeBadConfig, p.Pointer, p.What, p.Want)
}

// GoLive gives the ops that opt.Live lets through their real providers. Nothing is connected or started before an effect
// asks for it. With an error among the diagnostics the machine stays as it was. Whoever makes a machine live closes its
// bus in the end.
func (m *Machine) GoLive(opt effect.Options) []flow.Diagnostic {
	opt.Secrets = append(opt.Secrets, serverSecrets(m.flow)...)
	bus, problems := m.bus.GoLive(opt)
	diags := make([]flow.Diagnostic, 0, len(problems))
	for _, p := range problems {
		diags = append(diags, diagnoseEffect(m.flow, p))
	}
	flow.SortDiagnostics(diags)
	if bus != nil {
		m.bus = bus
	}
	return diags
}

// serverSecrets lists the secrets that the flow's MCP servers are given.
func serverSecrets(f *flow.Flow) []string {
	var list []string
	for _, set := range f.MCPServers {
		list = append(list, secret.Names(set)...)
	}
	return list
}

// SecretScanner finds the values of the secrets that the flow names, as the environment holds them now. Whoever is about
// to write a file of a run asks it first.
func (m *Machine) SecretScanner() *secret.Scanner {
	return m.bus.Scanner()
}
