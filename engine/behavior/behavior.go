// Package behavior is what agents do: the call contract, the registry of kinds and the built-in kinds. A behaviour is a
// pure function of (config, state, message); it may not read a clock, a file or another agent, and it may not keep
// anything between calls outside its state. Scripted behaviours live in a package below this one.
package behavior

import (
	"fmt"
	"sort"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Call is everything a behaviour may look at.
type Call struct {
	Agent   string
	State   canon.Value // null at first, unless the kind has an init state
	Message trace.Message
}

// Effect is what a behaviour asks of the world: at most one per call (seed 002 §4). The engine fills in the defaults
// that can change the answer before it is recorded.
type Effect struct {
	Op    string
	Input canon.Value
}

// Result is what one call decides. State absent means unchanged; null means null.
type Result struct {
	State  canon.Value
	Sends  []trace.Send
	Effect *Effect
}

// Behavior is one agent's behaviour with its config already read. An error becomes a BehaviorError event: the message is
// consumed, state and sends are not applied.
type Behavior interface {
	Act(Call) (Result, error)
}

// Initializer is a Behavior whose agent does not start at null. The state is recorded as x-init.
type Initializer interface {
	Init() (canon.Value, error)
}

// BadValue is an error for a result that is not JSON: pointer into the result, and why. The event's text is
// "BadValue: <pointer>: <why>".
type BadValue struct{ Pointer, Why string }

// Error is "<pointer>: <why>".
func (e *BadValue) Error() string { return e.Pointer + ": " + e.Why }

// Problem is something wrong with an agent's config: where, what, and what would be right. A warning does not keep the
// flow from running.
type Problem struct {
	Pointer, What, Want string
	Warning             bool
}

// Field documents one config member.
type Field struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default,omitempty"`
	Doc     string `json:"doc"`
}

// Port documents one sending port.
type Port struct {
	Name  string `json:"name"`
	Sends string `json:"sends"`
}

// Kind is a registered behaviour: its name in flows, its documentation, and how to make one from a config.
type Kind struct {
	Name     string   `json:"name"`
	Summary  string   `json:"summary"`
	Receives []string `json:"receives"`
	Ports    []Port   `json:"ports"`
	Config   []Field  `json:"config"`
	State    string   `json:"state"`
	Effects  []string `json:"effects,omitempty"`

	New func(config canon.Value) (Behavior, []Problem) `json:"-"`
}

// Registry maps kind names to kinds.
type Registry struct{ kinds map[string]Kind }

// Builtin is a registry with every built-in kind.
func Builtin() *Registry {
	r := &Registry{kinds: map[string]Kind{}}
	for _, k := range []Kind{researcherKind, criticKind, writerKind, echoKind, routerKind, counterKind, gateKind, collectKind} {
		r.kinds[k.Name] = k
	}
	return r
}

// Register adds a kind; a name that is taken or empty is an error.
func (r *Registry) Register(k Kind) error {
	if k.Name == "" || k.New == nil {
		return fmt.Errorf("a kind needs a name and a constructor")
	}
	if _, ok := r.kinds[k.Name]; ok {
		return fmt.Errorf("kind %q is registered already", k.Name)
	}
	r.kinds[k.Name] = k
	return nil
}

// Find is the kind of that name.
func (r *Registry) Find(name string) (Kind, bool) {
	k, ok := r.kinds[name]
	return k, ok
}

// Names lists the kinds in alphabetical order.
func (r *Registry) Names() []string {
	names := make([]string, 0, len(r.kinds))
	for n := range r.kinds {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
