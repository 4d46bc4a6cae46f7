package platform

import (
	"encoding/json"
	"fmt"
	"slices"

	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/trace/canon"
)

// Tool is everything that is known of one tool at the time of a call.
type Tool struct {
	translate.Tool // name, contract versions with their source and journal, sunset

	Server     string
	Listed     json.RawMessage // its entry in tools/list
	Class      effect.Class
	USD        float64
	Version    string // semantic; "" = nobody states one
	Capability *contract.ToolCapability
	HasOwnList bool // its `_meta` has a contract_versions, usable or not
}

// Describe gathers what a listing, the platform and the lock (nil = none) say of a tool on one day. Versions follow the
// order of seed 003: the tool's `_meta`, initialize, the connection's pin, the last known one.
func (p *Platform) Describe(server string, l *mcpx.Listing, name string, lock *Lock, today meta.Date) (*Tool, error) {
	raw := l.Tool(name)
	if raw == nil {
		return nil, fmt.Errorf("the server %s lists no tool %q", server, name)
	}
	listed, err := translate.ToolList(oneTool(raw))
	if err != nil {
		return nil, fmt.Errorf("the tool %s of the server %s: %w", name, server, err)
	}
	t := &Tool{Server: server, Listed: raw}
	memory := lock.remembered(name)
	sources := meta.Sources{Tool: listed[0].Meta, LastKnown: memory.LastKnown, Listed: memory.Listed, Current: p.Current}
	var early []meta.Entry
	if sources.Initialize, err = meta.OfAnswer(l.Initialize); err != nil {
		early = append(early, meta.Entry{Level: meta.LevelError, Code: meta.CodeConfiguration, Tool: name, Source: meta.SourceInitialize, Text: err.Error()})
	}
	for _, s := range p.Servers {
		if s.Name == server {
			sources.Pinned = s.Pinned
		}
	}
	t.Tool = translate.Describe(p.Keys, name, sources, today)
	if e := meta.SchemaFinding(p.Keys, name, listed[0].Arguments()); e != nil {
		early = append(early, *e)
	}
	_, t.HasOwnList = listed[0].Meta[p.Keys.Versions]
	declared := p.Declare(server, name)
	t.Class, t.USD = declared.Class, declared.USD
	if t.Class == "" {
		t.Class = mcpx.ClassOf(raw)
	}
	early = append(early, t.stated(raw, declared)...)
	t.Versions.Journal = append(early, t.Versions.Journal...)
	return t, nil
}

func oneTool(raw json.RawMessage) []byte {
	return append(append([]byte(`{"tools":[`), raw...), `]}`...)
}

// stated fills in the semantic version and the capability: the server's own word, else the platform's. A statement that
// cannot be used is a configuration error.
func (t *Tool) stated(raw json.RawMessage, declared Declared) []meta.Entry {
	t.Version, t.Capability = declared.Version, declared.Capability
	v, _, err := canon.Parse(oneTool(raw), canon.Options{Integers: canon.IntegersAccept})
	if err != nil {
		return nil // told by whoever reads the list first
	}
	tools, err := contract.ReadTools(v)
	if err != nil || len(tools) != 1 {
		return nil
	}
	if tools[0].Version != "" {
		t.Version = tools[0].Version
	}
	if tools[0].Capability != nil {
		t.Capability = tools[0].Capability
	}
	var journal []meta.Entry
	for _, f := range tools[0].Findings {
		if f.Severity == contract.SeverityError {
			journal = append(journal, meta.Entry{Level: meta.LevelError, Code: meta.CodeConfiguration, Tool: t.Name, Source: meta.SourceTool,
				Text: fmt.Sprintf("%s %s: %s", contract.MetaCapability, f.Pointer, f.Message)})
		}
	}
	return journal
}

// Translator is what carries calls of these tools: rules, schemas of the snapshots and of the tools as listed, capabilities.
// A tool's listed schema is that of the version it implements, if that is only one. The error is a translate.RuleErrors when
// the listed schemas show that a rule file leaves a tool out.
func (p *Platform) Translator(tools ...*Tool) (*translate.Platform, error) {
	catalog, err := p.catalog()
	if err != nil {
		return nil, err
	}
	capabilities := map[string]*contract.ToolCapability{}
	for _, t := range tools {
		capabilities[t.Name] = t.Capability
		if len(t.Versions.Versions) != 1 {
			continue
		}
		if err := catalog.AddToolList(t.Versions.Versions[0], oneTool(t.Listed)); err != nil {
			return nil, fmt.Errorf("the tool %s: %w", t.Name, err)
		}
	}
	rules, err := translate.Load(p.sources, catalog)
	if err != nil {
		return nil, err
	}
	return &translate.Platform{Rules: rules, Catalog: catalog, Keys: p.Keys, Current: p.Current,
		Capable: translate.CapableBy(func(tool string) *contract.ToolCapability { return capabilities[tool] }, nil)}, nil
}

// Where lists the servers that have a tool, among listings by server name. A declared server is the only answer.
func (p *Platform) Where(tool string, listings map[string]*mcpx.Listing) []string {
	if d := p.Tools[tool]; d.Server != "" {
		if l := listings[d.Server]; l != nil && l.Tool(tool) != nil {
			return []string{d.Server}
		}
		return nil
	}
	var servers []string
	for name, l := range listings {
		if l.Tool(tool) != nil {
			servers = append(servers, name)
		}
	}
	slices.Sort(servers)
	return servers
}
