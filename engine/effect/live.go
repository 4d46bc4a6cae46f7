package effect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"flowdbg/engine/effect/secret"
	"flowdbg/trace/canon"
)

// Live says which ops may reach the world: none (the zero value), all, or those named. It is what --live and
// --live=llm,http mean.
type Live struct {
	all bool
	ops map[string]bool
}

// LiveAll lets every op through.
var LiveAll = Live{all: true}

// LiveOps lets the named ops through.
func LiveOps(ops ...string) Live {
	l := Live{ops: map[string]bool{}}
	for _, op := range ops {
		l.ops[op] = true
	}
	return l
}

// ParseLive reads the value of --live: "all" (what the bare flag stands for) or ops joined by commas.
func ParseLive(text string) (Live, error) {
	var l Live
	for _, op := range strings.Split(text, ",") {
		switch op = strings.TrimSpace(op); op {
		case "":
			return Live{}, fmt.Errorf("--live=%s: an op has no name; write --live for all, or --live=llm,http", text)
		case "all":
			l.all = true
		default:
			if l.ops == nil {
				l.ops = map[string]bool{}
			}
			l.ops[op] = true
		}
	}
	return l, nil
}

// Has tells whether an op is let through.
func (l Live) Has(op string) bool { return l.all || l.ops[op] }

// IsZero is true when nothing is let through.
func (l Live) IsZero() bool { return !l.all && len(l.ops) == 0 }

// Named lists the ops that were named one by one, sorted.
func (l Live) Named() []string {
	names := make([]string, 0, len(l.ops))
	for op := range l.ops {
		names = append(names, op)
	}
	slices.Sort(names)
	return names
}

// Setup is what a Maker makes a provider from.
type Setup struct {
	Op       string
	Provider string        // the name it was found under
	Settings canon.Value   // effects.<op>, an object
	Class    Class         // of the op, as declared or by default
	Dir      string        // the flow's folder: relative paths in settings begin here; "" is the working directory
	Vault    *secret.Vault // values of the secrets that the flow names, for the moment of a call
}

// Maker makes the provider of one op. It neither connects nor starts anything. The problems' pointers are relative to
// the op's settings; with one that is no warning the provider is nil. A provider that is also an io.Closer is closed
// with the bus.
type Maker func(Setup) (Provider, []Problem)

// Options make ops of a bus live.
type Options struct {
	Live      Live
	Providers map[string]Maker            // by provider name
	Dir       string                      // the flow's folder
	LookupEnv func(string) (string, bool) // nil: the process's environment
	Secrets   []string                    // names of secrets that the flow uses outside of effects (mcpServers)
}

// GoLive is a bus like b whose live ops have their real providers. Ops that no setting gives to a real provider stay as
// they are: --live never turns a mock into something that costs money. Problems are at /effects/<op>/…; with one that
// is no warning the bus is nil and nothing was changed. A secret that the environment holds and that is too short is
// such a problem; one that is missing shows when it is asked for.
func (b *Bus) GoLive(opt Options) (*Bus, []Problem) {
	n := *b
	n.providers, n.notLive, n.live = map[string]Provider{}, map[string]string{}, map[string]bool{}
	for op, p := range b.providers {
		n.providers[op] = p
	}
	n.vault = secret.NewVault(opt.LookupEnv, append(slices.Clone(opt.Secrets), b.vault.Names()...)...)
	var problems []Problem
	for _, name := range n.vault.TooShort() {
		problems = append(problems, Problem{Pointer: b.secretPlace(name), What: (&secret.TooShort{Name: name}).Error(), Want: "use a longer secret"})
	}
	for _, op := range b.NotLive() {
		if !opt.Live.Has(op) {
			n.notLive[op] = b.notLive[op]
			continue
		}
		p, found := n.makeProvider(op, b.notLive[op], opt)
		problems = append(problems, found...)
		if p != nil {
			n.providers[op], n.live[op] = p, true
		}
	}
	for _, p := range problems {
		if !p.Warning {
			_ = n.Close()
			return nil, problems
		}
	}
	return &n, problems
}

func (b *Bus) makeProvider(op, name string, opt Options) (Provider, []Problem) {
	set := Setup{Op: op, Provider: name, Settings: b.settings[op], Class: ClassOf(op, b.settings[op]), Dir: opt.Dir, Vault: b.vault}
	if set.Settings.IsAbsent() {
		set.Settings = canon.EmptyObject
	}
	at := canon.AppendPointer("/effects", op)
	maker := opt.Providers[set.Provider]
	if maker == nil {
		return nil, []Problem{{Pointer: at + "/provider", What: fmt.Sprintf("no provider %q can answer the op %q", set.Provider, op), Want: wantProvider(opt.Providers)}}
	}
	p, problems := maker(set)
	for i := range problems {
		problems[i].Pointer = at + problems[i].Pointer
	}
	return p, problems
}

func wantProvider(known map[string]Maker) string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	return "there are " + strings.Join(names, ", ")
}

// secretPlace is where the flow names a secret: the settings of an op, or what only Options know.
func (b *Bus) secretPlace(name string) string {
	ops := make([]string, 0, len(b.settings))
	for op := range b.settings {
		ops = append(ops, op)
	}
	slices.Sort(ops)
	for _, op := range ops {
		if slices.Contains(secret.Names(b.settings[op]), name) {
			return canon.AppendPointer("/effects", op)
		}
	}
	return ""
}

// Scanner finds the values of the secrets that the flow names, as the environment holds them now: for whoever is about
// to write a file of this run.
func (b *Bus) Scanner() *secret.Scanner { return b.vault.Scanner() }

// IsLive tells whether an op is answered by a real provider outside of this process.
func (b *Bus) IsLive(op string) bool { return b.live[op] }

// Close ends what live providers keep open. The first error is returned, all are closed.
func (b *Bus) Close() error {
	var first error
	for op := range b.live {
		if c, ok := b.providers[op].(io.Closer); ok {
			if err := c.Close(); err != nil && first == nil {
				first = fmt.Errorf("closing the provider of %s: %w", op, err)
			}
		}
	}
	return first
}
