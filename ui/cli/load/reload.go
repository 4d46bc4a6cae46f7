package load

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
)

// Reloader reads a flow's file again, for a session that is open on it.
type Reloader struct {
	Path   string // the file to watch and to read
	Strict bool   // unknown fields are errors
	Live   effect.Live
}

// ErrNotFlow is wrapped by Reload when the file holds a trace now.
var ErrNotFlow = errors.New("the file holds a trace now, not a flow")

// Reload reads and checks the file. The machine is nil iff a diagnostic is an error; data is what was read, for excerpts.
// An err means that nothing could be checked (the file is gone, empty or no flow), and the rest is nil.
func (r *Reloader) Reload(_ context.Context) (m *engine.Machine, diags []flow.Diagnostic, data []byte, err error) {
	f, err := Read(r.Path, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	if f.Kind != Flow {
		return nil, nil, nil, fmt.Errorf("%s: %w", r.Path, ErrNotFlow)
	}
	m, diags = f.Machine(r.Strict, nil)
	if m != nil {
		more := f.GoLive(m, r.Live)
		if diags = append(diags, more...); flow.HasErrors(more) {
			m = nil
		}
	}
	return m, diags, f.Data, nil
}

// Named lists the files that a flow's text names besides its scripts: what its platform is read from, and price tables.
// Whether they are there does not matter. ok is false for a text that is no valid flow: what it names is not known.
func (r *Reloader) Named(text []byte) (n platform.Named, ok bool) {
	f, _ := flow.Parse(r.Path, text, flow.Options{Strict: r.Strict})
	if f == nil {
		return n, false
	}
	n = platform.Files(f, r.Path)
	for _, settings := range f.Effects {
		if name, ok := settings.Get("prices").Str(); ok {
			if !filepath.IsAbs(name) {
				name = filepath.Join(filepath.Dir(r.Path), filepath.FromSlash(name))
			}
			n.Files = append(n.Files, name)
		}
	}
	slices.Sort(n.Files)
	n.Files = slices.Compact(n.Files)
	return n, true
}
