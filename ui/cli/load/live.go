package load

import (
	"path/filepath"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/providers"
	"flowdbg/engine/effect/tool"
	"flowdbg/engine/flow"
)

// GoLive gives the ops that live lets through their real providers; files that settings name lie beside the flow. With
// an error among the diagnostics the machine stays as it was.
func (f *File) GoLive(m *engine.Machine, live effect.Live) []flow.Diagnostic {
	if live.IsZero() {
		return nil
	}
	opt := effect.Options{Live: live, Providers: providers.All(), Dir: filepath.Dir(f.Path)}
	tool.AddTo(&opt, m.Flow(), f.Path)
	return m.GoLive(opt)
}
