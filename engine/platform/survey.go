package platform

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"flowdbg/contract/meta"
	"flowdbg/engine/effect/mcpx"
)

// Survey asks every server for its tools, all at the same time, and makes the lock that follows. before is the lock until
// now, nil for none: what was seen once is remembered. The error joins those of all servers that gave no answer; the lock is
// nil then.
func (p *Platform) Survey(ctx context.Context, pool *mcpx.Pool, before *Lock, today meta.Date) (*Lock, []meta.Entry, error) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	listings := map[string]*mcpx.Listing{}
	errs := make([]error, len(p.Servers))
	for i, s := range p.Servers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			l, err := pool.Client(s.Name).List(ctx)
			mu.Lock()
			defer mu.Unlock()
			if errs[i] = err; err == nil {
				listings[s.Name] = l
			}
		}()
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	return p.Locked(listings, before, today)
}

// Locked is the lock of listings that were made on one day, with the journal of all tools in the order of their names.
func (p *Platform) Locked(listings map[string]*mcpx.Listing, before *Lock, today meta.Date) (*Lock, []meta.Entry, error) {
	lock := &Lock{Form: 1, Day: today.String(), Prefix: p.Keys.Prefix, Settings: p.settings.Hash(),
		Servers: map[string]LockedServer{}, Tools: map[string]LockedTool{}}
	if before != nil {
		for name, t := range before.Tools {
			t.Servers = nil // until it is listed again
			lock.Tools[name] = t
		}
	}
	var names []string
	for server, l := range listings {
		s := LockedServer{Protocol: l.Protocol, Name: l.Name, Version: l.Version, Tools: l.Tools}
		if s.Tools == nil {
			s.Tools = []json.RawMessage{}
		}
		var init struct {
			Meta json.RawMessage `json:"_meta"`
		}
		if json.Unmarshal(l.Initialize, &init) == nil {
			s.Initialize = init.Meta
		}
		lock.Servers[server] = s
		for _, raw := range l.Tools {
			names = append(names, mcpx.ToolName(raw))
		}
	}
	slices.Sort(names)
	var journal []meta.Entry
	for _, name := range slices.Compact(names) {
		locked, entries, err := p.lockTool(name, listings, before, today)
		if err != nil {
			return nil, nil, err
		}
		lock.Tools[name] = locked
		journal = append(journal, entries...)
	}
	return lock, journal, nil
}

func (p *Platform) lockTool(name string, listings map[string]*mcpx.Listing, before *Lock, today meta.Date) (LockedTool, []meta.Entry, error) {
	locked := before.remembered(name)
	locked.Servers, locked.LastSeen = p.Where(name, listings), today.String()
	if len(locked.Servers) == 0 { // declared to be elsewhere
		return locked, nil, nil
	}
	var journal []meta.Entry
	if len(locked.Servers) > 1 {
		journal = append(journal, meta.Entry{Level: meta.LevelError, Code: meta.CodeConfiguration, Tool: name, Source: meta.SourceTool,
			Text: "several servers list the tool: the platform's file must say which one is meant"})
	}
	server := locked.Servers[0]
	t, err := p.Describe(server, listings[server], name, before, today)
	if err != nil {
		return locked, nil, err
	}
	locked.Versions, locked.Source, locked.Version = t.Versions.Versions, string(t.Versions.Source), t.Version
	locked.Sunset, locked.Listed = t.Sunset.Date.String(), locked.Listed || t.HasOwnList
	switch t.Versions.Source {
	case meta.SourceTool, meta.SourceInitialize, meta.SourcePinned:
		locked.LastKnown = max(locked.LastKnown, slices.Max(t.Versions.Versions))
	}
	return locked, append(journal, t.Versions.Journal...), nil
}

// Listings are the locked servers as they would list themselves.
func (l *Lock) Listings() map[string]*mcpx.Listing {
	all := make(map[string]*mcpx.Listing, len(l.Servers))
	for name, s := range l.Servers {
		all[name] = s.Listing()
	}
	return all
}
