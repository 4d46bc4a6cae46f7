package tool

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/engine/platform"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

const op = "tool"

// Classes of failures beside those of mcpx. Everything that the contract refuses is an answer and none of them.
const (
	ClassUnknownTool   = "unknown_tool"   // no server lists it
	ClassAmbiguousTool = "ambiguous_tool" // several do, and the platform's file does not say which is meant
	ClassBadRule       = "bad_rule"       // the servers' schemas show that a rule file leaves a tool out
	ClassBadPlatform   = "bad_platform"   // what a server says of the tool cannot be read
)

// Provider answers the op `tool`: input {tool, arguments, _meta?}, output the tools/call result in the agent's contract
// version, or a refusal as an answer with zero usage. Its calls take turns.
type Provider struct {
	Platform *platform.Platform
	Pool     *mcpx.Pool
	Lock     *platform.Lock   // what was seen before; nil = nothing
	Now      func() time.Time // the clock of "today" and of elapsed_ms; both are recorded

	mu    sync.Mutex
	known map[string]*known // by tool
}

// known is what was found out about a tool, as long as everything that it follows from stays the same.
type known struct {
	server             string
	listed, initialize []byte
	memory             platform.LockedTool
	today              meta.Date

	tool    *platform.Tool
	carrier *translate.Platform
	rules   string
}

// call is one call under way.
type call struct {
	p       *Provider
	tool    string
	in      translate.Call
	began   time.Time
	known   *platform.Tool
	client  *mcpx.Client
	d       Details
	today   meta.Date
	carrier *translate.Platform
	midway  struct{ input, output []string } // documents inside the chain of a side, "" for one above maxStep bytes
}

// Do makes one call in the order of design 03.
func (p *Provider) Do(ctx context.Context, c effect.Call) (effect.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	began := p.Now()
	x := &call{p: p, began: began, today: meta.DateOf(began)}
	x.d.Today = x.today.String()
	if err := x.request(c.Request.Input); err != nil {
		return effect.Answer{}, x.failed(err)
	}
	if err := x.find(ctx); err != nil {
		return effect.Answer{}, x.failed(err)
	}
	ready, journal, err := x.carrier.Prepare(x.in, x.known.Tool)
	x.d.Journal = journal
	if r, ok := translate.AsRefusal(err); ok {
		x.d.AgentVersion = int(r.AgentVersion)
		return x.answer(translate.Answer(r), r, 0)
	}
	if err != nil {
		return effect.Answer{}, x.failed(&mcpx.Error{Class: mcpx.ClassBadRequest, Server: x.d.Server, Text: err.Error()})
	}
	x.prepared(ready)
	reply, err := x.client.Call(ctx, x.tool, ready.Arguments, ready.Meta)
	if err != nil {
		return effect.Answer{}, x.failed(err)
	}
	return x.finish(ready, reply)
}

// prepared records the plan of a call that may be sent.
func (x *call) prepared(ready *translate.Prepared) {
	if ready.Plan != nil {
		x.d.AgentVersion = ready.Plan.AgentVersion
	}
	x.d.plan(ready.Plan)
	x.d.noted(SideInput, ready.Notes)
	x.d.between(SideInput, x.midway.input)
}

// request reads {tool, arguments, _meta?}.
func (x *call) request(in canon.Value) error {
	bad := func(text string) error { return &mcpx.Error{Class: mcpx.ClassBadRequest, Text: text} }
	if in.Kind() != canon.KindObject {
		return bad("the input is no object {tool, arguments}")
	}
	name, ok := in.Get("tool").Str()
	if !ok || name == "" {
		return bad("tool is no name")
	}
	x.tool, x.d.Tool = name, name
	for _, m := range [...]struct {
		key string
		to  *[]byte
	}{{"arguments", &x.in.Arguments}, {"_meta", &x.in.Meta}} {
		switch v := in.Get(m.key); v.Kind() {
		case canon.KindObject:
			*m.to = []byte(v.Text())
		case canon.Absent, canon.KindNull:
		default:
			return bad(m.key + " is no object")
		}
	}
	x.in.Midway = x.midwayOf
	return nil
}

// find looks the tool up: which server, which versions, which rules.
func (x *call) find(ctx context.Context) error {
	server, listings, err := x.server(ctx)
	if err != nil {
		return err
	}
	x.client = x.p.Pool.Client(server)
	return x.know(server, listings[server])
}

// know gathers what is known of the tool on its server.
func (x *call) know(server string, listing *mcpx.Listing) error {
	x.d.Server = server
	k, err := x.p.lookUp(x.tool, server, listing, x.today)
	if err != nil {
		return err
	}
	t := k.tool
	x.known, x.carrier, x.d.Rules = t, k.carrier, k.rules
	x.d.ToolVersions, x.d.Source, x.d.Sunset = t.Versions.Versions, string(t.Versions.Source), t.Sunset.Date.String()
	x.d.Class, x.d.Semver = string(t.Class), t.Version
	x.p.remember(t)
	return nil
}

// server asks as few servers as it can: the declared one, else the one that the lock knows, else all of them.
func (x *call) server(ctx context.Context) (string, map[string]*mcpx.Listing, error) {
	p := x.p
	candidates := p.Pool.Names()
	if d := p.Platform.Tools[x.tool]; d.Server != "" {
		candidates = []string{d.Server}
	} else if p.Lock != nil {
		if locked := p.Lock.Tools[x.tool].Servers; len(locked) == 1 && slices.Contains(candidates, locked[0]) {
			candidates = locked
		}
	}
	for {
		listings := map[string]*mcpx.Listing{}
		for _, name := range candidates {
			client := p.Pool.Client(name)
			if client == nil {
				return "", nil, &mcpx.Error{Class: mcpx.ClassUnknownServer, Server: name, Text: "there is no such server"}
			}
			l, err := client.List(ctx)
			if err != nil {
				return "", nil, err
			}
			listings[name] = l
		}
		servers := p.Platform.Where(x.tool, listings)
		switch {
		case len(servers) == 1:
			return servers[0], listings, nil
		case len(servers) > 1:
			return "", nil, &mcpx.Error{Class: ClassAmbiguousTool, Server: strings.Join(servers, ", "),
				Text: fmt.Sprintf("several servers list %s: the platform's file must say which one is meant", x.tool)}
		case len(candidates) < len(p.Pool.Names()) && p.Platform.Tools[x.tool].Server == "":
			candidates = p.Pool.Names() // it moved since the lock was written
		default:
			return "", nil, &mcpx.Error{Class: ClassUnknownTool, Server: strings.Join(candidates, ", "), Text: "none lists the tool " + x.tool}
		}
	}
}

// finish carries the answer back.
func (x *call) finish(ready *translate.Prepared, reply *mcpx.Reply) (effect.Answer, error) {
	x.d.Sent, x.d.Received = string(reply.Sent), string(reply.Received)
	done, err := x.carrier.Finish(ready, reply.Received)
	if x.midway.output != nil {
		x.d.between(SideOutput, x.midway.output)
	} else if x.d.chained(SideOutput) { // nothing was carried: an error of the tool's, or no strict JSON
		x.d.alone(x.carrier.Rules, SideOutput, []byte(member(x.d.Received, "structuredContent")))
	}
	if r, ok := translate.AsRefusal(err); ok {
		return x.answer(translate.Answer(r), r, x.known.USD) // the call was made, so it is paid for
	}
	if err != nil {
		return effect.Answer{}, x.failed(&mcpx.Error{Class: mcpx.ClassBadAnswer, Server: x.d.Server, Text: err.Error(), Sent: true})
	}
	x.d.noted(SideOutput, done.Notes)
	x.d.Journal = append(x.d.Journal, done.Journal...)
	return x.answer(done.Result, nil, x.known.USD)
}

// answer is what the agent gets, with the record of the call beside it.
func (x *call) answer(result []byte, refusal *contract.Refusal, usd float64) (effect.Answer, error) {
	out, notes, err := mcpx.ParseResult(result)
	if err != nil {
		return effect.Answer{}, x.failed(&mcpx.Error{Class: mcpx.ClassBadAnswer, Server: x.d.Server, Text: err.Error(), Sent: x.d.Sent != ""})
	}
	x.d.Refusal, x.d.USD = refusal, usd
	return effect.Answer{Output: out, Usage: trace.Usage{USD: usd}, Side: mcpx.Noted(canon.Object(x.side()), notes)}, nil
}

func (x *call) side() canon.Member {
	x.d.ElapsedMS = x.p.Now().Sub(x.began).Milliseconds()
	return canon.Member{Key: SideKey, Value: x.d.value()}
}

// failed is a failure of transport, with as much of the record as there is.
func (x *call) failed(err error) error {
	return mcpx.Failed(op, err, x.side())
}

// lookUp describes a tool and makes what carries its calls, anew only when something changed that they follow from.
func (p *Provider) lookUp(name, server string, listing *mcpx.Listing, today meta.Date) (*known, error) {
	want := known{server: server, listed: listing.Tool(name), initialize: listing.Initialize, today: today}
	if p.Lock != nil {
		m := p.Lock.Tools[name]
		want.memory = platform.LockedTool{LastKnown: m.LastKnown, Listed: m.Listed}
	}
	if k := p.known[name]; k != nil && k.same(&want) {
		return k, nil
	}
	var err error
	if want.tool, err = p.Platform.Describe(server, listing, name, p.Lock, today); err != nil {
		return nil, &mcpx.Error{Class: ClassBadPlatform, Server: server, Text: err.Error()}
	}
	if want.carrier, err = p.Platform.Translator(want.tool); err != nil {
		return nil, &mcpx.Error{Class: ClassBadRule, Server: server, Text: err.Error()}
	}
	want.rules = want.carrier.Rules.Hash()
	if p.known == nil || len(p.known) > 1000 { // names come from the agent
		p.known = map[string]*known{}
	}
	p.known[name] = &want
	return &want, nil
}

func (k *known) same(o *known) bool {
	return k.server == o.server && k.today == o.today && k.memory.LastKnown == o.memory.LastKnown && k.memory.Listed == o.memory.Listed &&
		bytes.Equal(k.listed, o.listed) && bytes.Equal(k.initialize, o.initialize)
}

// remember keeps the highest version seen for a tool, for the calls after its server forgets to say it. The lock in memory
// is the provider's own; its file is written by flowdbg platform alone.
func (p *Provider) remember(t *platform.Tool) {
	switch t.Versions.Source {
	case meta.SourceTool, meta.SourceInitialize, meta.SourcePinned:
	default:
		return
	}
	if p.Lock == nil {
		p.Lock = &platform.Lock{Form: 1}
	}
	if p.Lock.Tools == nil {
		p.Lock.Tools = map[string]platform.LockedTool{}
	}
	seen := p.Lock.Tools[t.Name]
	seen.LastKnown = max(seen.LastKnown, slices.Max(t.Versions.Versions))
	seen.Listed = seen.Listed || t.HasOwnList
	p.Lock.Tools[t.Name] = seen
}

// Close ends the servers.
func (p *Provider) Close() error { return p.Pool.Close() }
