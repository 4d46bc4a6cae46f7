package effect

import (
	"context"
	"slices"
	"sort"
	"time"

	"flowdbg/contract"
	"flowdbg/engine/effect/secret"
	"flowdbg/trace/canon"
)

// Provider answers the requests of one op.
type Provider interface {
	Do(ctx context.Context, c Call) (Answer, error)
}

// mockName is the provider that answers without the world; it is the default for llm and search.
const mockName = "mock"

// Bus routes each op to its provider. It is immutable after NewBus; GoLive makes another one.
type Bus struct {
	settings  map[string]canon.Value
	providers map[string]Provider
	defaults  map[string][]canon.Member // op → members that fill a request
	notLive   map[string]string         // op → real provider that was not made live
	live      map[string]bool           // ops answered by a real provider outside of this process
	vault     *secret.Vault             // the secrets that the settings name
}

// resolvable lists, per op, the members of a request that have defaults and can change the answer. Endpoints, keys and
// timeouts are not among them: they belong to no request (ours).
var resolvable = map[string][]string{
	"llm":    {"model", "temperature", "top_p", "max_tokens", "seed", "stop", "response_format"},
	"search": {"limit"},
	"judge":  {"signed_by", "regret_kind"},
}

// builtIn are the last defaults.
var builtIn = map[string]map[string]canon.Value{
	"llm":    {"model": canon.String("mock-fast")},
	"search": {"limit": canon.Int(3)},
	"judge":  {"signed_by": canon.String("Judge/v1.0.0"), "regret_kind": canon.String(contract.RegretScalar)},
}

// ownProvider is the provider of an op that has one of its own name, when its settings do not name another.
var ownProvider = map[string]string{"http": "http", "exec": "exec", "mcp": "mcp", "tool": "tool"}

// NewBus makes the bus of a flow from its settings per op (the flow's member "effects").
func NewBus(settings map[string]canon.Value) *Bus {
	b := &Bus{settings: settings, defaults: map[string][]canon.Member{}, notLive: map[string]string{}}
	b.providers = map[string]Provider{"llm": mockLLM{}, "search": mockSearch{}, "judge": judgeProvider{time.Now}}
	ops := map[string]bool{"llm": true, "search": true, "judge": true}
	var names []string
	for op, set := range settings {
		ops[op] = true
		names = append(names, secret.Names(set)...)
		names = append(names, stringsIn(set.Get("secrets"))...)
	}
	b.vault = secret.NewVault(nil, names...)
	for op := range ops {
		b.configure(op, settings[op])
	}
	return b
}

func (b *Bus) configure(op string, set canon.Value) {
	for _, key := range resolvable[op] {
		v := set.Get(key)
		if v.IsAbsent() || v.IsNull() {
			v = builtIn[op][key]
		}
		if !v.IsAbsent() {
			b.defaults[op] = append(b.defaults[op], canon.Member{Key: key, Value: v})
		}
	}
	text := ownProvider[op]
	if name := set.Get("provider"); !name.IsAbsent() && !name.IsNull() {
		ok := false
		if text, ok = name.Str(); !ok {
			text = name.Text() // no provider has such a name; the mock must not stand in for it
		}
	}
	if text != "" && text != mockName && !(op == "judge" && text == "judge") {
		b.notLive[op] = text
		delete(b.providers, op)
	}
}

// stringsIn lists the strings of an array.
func stringsIn(list canon.Value) []string {
	var names []string
	for _, e := range list.Elems() {
		if s, ok := e.Str(); ok {
			names = append(names, s)
		}
	}
	return names
}

// Resolve fills into a request's input every default that can change the answer. Precedence: the request's own member,
// the agent's config, effects.<op>, what is built in; null counts as absent in all of them, because a provider would put
// its own default there, which no hash sees. An input that is not an object is left alone.
func (b *Bus) Resolve(op string, input, config canon.Value) canon.Value {
	keys := resolvable[op]
	if len(keys) == 0 || input.Kind() != canon.KindObject {
		return input
	}
	var room [12]canon.Member // enough for most requests, on the stack
	all := room[:0]
	for k, v := range input.Members() {
		all = append(all, canon.Member{Key: k, Value: v})
	}
	own := len(all)
	for _, key := range keys {
		if own := input.Get(key); !own.IsAbsent() && !own.IsNull() {
			continue
		}
		if v := b.fallback(op, key, config); !v.IsAbsent() {
			all = append(all, canon.Member{Key: key, Value: v}) // of two members the later counts, so a null gives way
		}
	}
	if len(all) == own {
		return input
	}
	return canon.Object(all...)
}

// fallback is what a request without the member gets, absent when nothing is known.
func (b *Bus) fallback(op, key string, config canon.Value) canon.Value {
	if v := config.Get(key); !v.IsAbsent() && !v.IsNull() {
		return v
	}
	for _, d := range b.defaults[op] {
		if d.Key == key {
			return d.Value
		}
	}
	return canon.Value{}
}

// Ops are the ops that a provider is there for, live or not, in alphabetical order.
func (b *Bus) Ops() []string {
	ops := b.NotLive()
	for op := range b.providers {
		if !slices.Contains(ops, op) {
			ops = append(ops, op)
		}
	}
	sort.Strings(ops)
	return ops
}

// Answer asks the op's provider. An op that the flow gives to a real provider which is not live is *NotLive.
func (b *Bus) Answer(ctx context.Context, c Call) (Answer, error) {
	op := c.Request.Op
	if name, ok := b.notLive[op]; ok {
		return Answer{}, &NotLive{Op: op, Provider: name}
	}
	p, ok := b.providers[op]
	if !ok {
		return Answer{}, &Failure{Op: op, Class: ClassNoProvider}
	}
	if b.live[op] {
		return b.deliver(ctx, p, c)
	}
	return p.Do(ctx, c)
}

// NotLive lists the ops that would need a real provider.
func (b *Bus) NotLive() []string {
	ops := make([]string, 0, len(b.notLive))
	for op := range b.notLive {
		ops = append(ops, op)
	}
	sort.Strings(ops)
	return ops
}
