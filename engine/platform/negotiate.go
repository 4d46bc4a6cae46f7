package platform

import (
	"fmt"
	"maps"
	"slices"

	"flowdbg/contract/meta"
	"flowdbg/contract/require"
	"flowdbg/contract/translate"
)

// Verdicts of a negotiation.
const (
	Connects        = "connects"
	DoesNotConnect  = "does not connect"
	NotNegotiated   = "not negotiated"   // there is no lock, or it does not know every server
	NothingRequired = "nothing required" // the flow requires no versions
)

// Negotiation is what a flow requires held against what its lock says the platform provides (seed 000), and the way of every
// contract version in use to every tool (seed 003).
type Negotiation struct {
	Verdict  string          `json:"verdict"`
	OK       bool            `json:"ok"`
	Lock     string          `json:"lock,omitempty"` // path
	Day      string          `json:"day,omitempty"`  // of the lock
	Today    string          `json:"today,omitempty"`
	Why      string          `json:"why,omitempty"` // of "not negotiated"
	Report   *require.Report `json:"report,omitempty"`
	Tools    []ToolState     `json:"tools"`
	Ways     []Way           `json:"ways"`
	Journal  []meta.Entry    `json:"journal"`
	Warnings []string        `json:"warnings"`
}

// ToolState is one tool of the lock on one day.
type ToolState struct {
	Tool     string   `json:"tool"`
	Server   string   `json:"server"`
	Version  string   `json:"version,omitempty"` // semantic
	Versions []int    `json:"versions"`          // contract versions
	Source   string   `json:"source"`
	Class    string   `json:"class"`
	USD      float64  `json:"usd"`
	Sunset   string   `json:"sunset,omitempty"`
	Excluded bool     `json:"excluded,omitempty"`
	Servers  []string `json:"ambiguous,omitempty"`
}

// Way is how calls of one contract version get to one tool.
type Way struct {
	Version     int      `json:"version"`
	Agents      []string `json:"agents"`
	Tool        string   `json:"tool"`
	OK          bool     `json:"ok"`
	ToolVersion int      `json:"tool_version,omitempty"`
	Steps       int      `json:"steps,omitempty"`
	Why         string   `json:"why,omitempty"`
}

// Negotiate decides offline, from the lock at path. today judges sunsets. The error is a lock that cannot be read.
func (p *Platform) Negotiate(path string, today meta.Date) (*Negotiation, error) {
	lock, err := ReadLock(path)
	if err != nil {
		return nil, err
	}
	n, err := p.NegotiateWith(lock, today)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if lock != nil {
		n.Lock = path
	}
	return n, nil
}

// NegotiateWith is Negotiate over a lock that is at hand; nil is none.
func (p *Platform) NegotiateWith(lock *Lock, today meta.Date) (*Negotiation, error) {
	n := &Negotiation{Today: today.String(), Tools: []ToolState{}, Ways: []Way{}, Journal: []meta.Entry{}, Warnings: []string{}}
	needsLock := len(p.Requires) > 0 || p.Flow.Contracts != nil && p.Flow.Contracts.Platform != ""
	if lock == nil {
		if n.Verdict, n.OK = NothingRequired, !needsLock; needsLock {
			n.Verdict, n.Why = NotNegotiated, "there is no lock: flowdbg platform --live --save asks the servers and writes it"
		}
		return n, nil
	}
	n.Day = lock.Day
	for _, s := range p.Servers {
		if _, ok := lock.Servers[s.Name]; !ok && needsLock {
			n.Verdict, n.Why = NotNegotiated, "the lock does not know the server "+s.Name+": ask anew with flowdbg platform --live --save"
			return n, nil
		}
	}
	if lock.Settings != p.settings.Hash() {
		n.Warnings = append(n.Warnings, "the servers' settings changed since the lock was written")
	}
	if lock.Prefix != p.Keys.Prefix {
		n.Warnings = append(n.Warnings, "the lock was written with the prefix "+lock.Prefix)
	}
	return n, n.judge(p, lock, today)
}

func (n *Negotiation) judge(p *Platform, lock *Lock, today meta.Date) error {
	tools, err := n.tools(p, lock, today)
	if err != nil {
		return err
	}
	var provided []require.Provided
	for _, t := range tools {
		if !t.Sunset.Excluded {
			provided = append(provided, require.Provided{Name: t.Name, Version: t.Version})
		}
	}
	report := require.Negotiate(p.Requires, provided)
	n.Report, n.OK, n.Verdict = &report, report.Connects, Connects
	switch {
	case !report.Connects:
		n.Verdict = DoesNotConnect
	case len(p.Requires) == 0:
		n.Verdict = NothingRequired
	}
	translator, err := p.Translator(tools...)
	if err != nil { // the servers' own schemas show that a rule file leaves a tool out
		n.OK, n.Verdict, n.Why = false, DoesNotConnect, err.Error()
		return nil
	}
	n.ways(p, translator, tools)
	return nil
}

// tools describes every tool that the lock's servers list, by name.
func (n *Negotiation) tools(p *Platform, lock *Lock, today meta.Date) ([]*Tool, error) {
	listings := lock.Listings()
	var tools []*Tool
	for _, name := range slices.Sorted(maps.Keys(lock.Tools)) {
		servers := p.Where(name, listings)
		if len(servers) == 0 {
			continue
		}
		t, err := p.Describe(servers[0], listings[servers[0]], name, lock, today)
		if err != nil {
			return nil, err
		}
		state := ToolState{Tool: name, Server: t.Server, Version: t.Version, Versions: t.Versions.Versions, Source: string(t.Versions.Source),
			Class: string(t.Class), USD: t.USD, Sunset: t.Sunset.Date.String(), Excluded: t.Sunset.Excluded}
		if len(servers) > 1 {
			state.Servers = servers
			n.Warnings = append(n.Warnings, "several servers list "+name+": the platform's file must say which one is meant")
		}
		if state.Versions == nil {
			state.Versions = []int{}
		}
		n.Tools = append(n.Tools, state)
		n.Journal = append(n.Journal, t.Versions.Journal...)
		tools = append(tools, t)
	}
	return tools, nil
}

// ways plans every contract version in use to every tool.
func (n *Negotiation) ways(p *Platform, translator *translate.Platform, tools []*Tool) {
	speakers := map[int][]string{}
	for _, i := range p.Flow.Order() {
		id := p.Flow.Agents[i].ID
		if v := int(p.Flow.ContractVersion(id)); v > 0 {
			speakers[v] = append(speakers[v], id)
		}
	}
	for _, version := range slices.Sorted(maps.Keys(speakers)) {
		for _, t := range tools {
			w := Way{Version: version, Agents: speakers[version], Tool: t.Name}
			plan, err := translator.Rules.Plan(translate.Question{Tool: t.Name, Agent: version, Native: t.Versions.Versions, Current: p.Current})
			switch {
			case t.Sunset.Excluded:
				w.Why = "tool_excluded: its sunset was " + t.Sunset.Date.String()
			case err != nil:
				w.Why = err.Error()
			default:
				w.OK, w.ToolVersion, w.Steps = true, plan.ToolVersion, len(plan.Input)
			}
			n.Ways = append(n.Ways, w)
		}
	}
}
