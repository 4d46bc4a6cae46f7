package tool

import (
	"path/filepath"
	"sync"
	"time"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/engine/effect/secret"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/trace/canon"
)

// AddTo makes the ops tool and mcp of a flow ready to go live: it adds their makers, and the names of the secrets that their
// servers use, to the options of effect.Bus.GoLive. flowPath is the flow's file; its platform, rules and lock are read when a
// maker is asked, and a server is started when a call needs it.
func AddTo(opt *effect.Options, f *flow.Flow, flowPath string) {
	if !platform.Uses(f) {
		return
	}
	s := &shared{flow: f, path: flowPath, lookup: opt.LookupEnv}
	if opt.Providers == nil {
		opt.Providers = map[string]effect.Maker{}
	}
	opt.Providers["tool"] = s.makeTool
	opt.Providers["mcp"] = s.makeMCP
	if p, _ := platform.Open(f, filepath.Dir(flowPath)); p != nil { // its errors are told by the makers
		opt.Secrets = append(opt.Secrets, p.SecretNames()...)
	}
}

// shared is the platform of both ops: one connection to a server serves them.
type shared struct {
	flow   *flow.Flow
	path   string
	lookup func(string) (string, bool)

	once     sync.Once
	platform *platform.Platform
	lock     *platform.Lock
	pool     *mcpx.Pool
	problems []effect.Problem
}

func (s *shared) open() {
	p, diags := platform.Open(s.flow, filepath.Dir(s.path))
	for _, d := range diags {
		s.problems = append(s.problems, effect.Problem{What: d.String(), Warning: d.Severity != flow.Error})
	}
	if p == nil {
		return
	}
	lock, err := platform.ReadLock(platform.LockPath(s.path))
	if err != nil {
		s.problems = append(s.problems, effect.Problem{What: err.Error(), Want: "write it anew with flowdbg platform --live --save"})
		return
	}
	s.platform, s.lock = p, lock
	s.pool = mcpx.NewPool(p.Servers, secret.NewVault(s.lookup, p.SecretNames()...))
}

func (s *shared) makeTool(set effect.Setup) (effect.Provider, []effect.Problem) {
	s.once.Do(s.open)
	problems := append(unread(set), s.problems...)
	if s.pool == nil {
		return nil, problems
	}
	return &Provider{Platform: s.platform, Pool: s.pool, Lock: s.lock, Now: time.Now}, problems
}

// unread warns of settings of the op: everything about a server stands with the server.
func unread(set effect.Setup) []effect.Problem {
	var problems []effect.Problem
	for name := range set.Settings.Members() {
		if name != "provider" {
			problems = append(problems, effect.Problem{Pointer: canon.AppendPointer("", name), Warning: true,
				What: "the op " + set.Op + " has no settings of its own", Want: "write clocks and bounds into the server's settings, class and price into the platform's file"})
		}
	}
	return problems
}

func (s *shared) makeMCP(set effect.Setup) (effect.Provider, []effect.Problem) {
	s.once.Do(s.open)
	problems := append(unread(set), s.problems...)
	if s.pool == nil {
		return nil, problems
	}
	return &mcpx.Provider{Pool: s.pool, Now: time.Now, Declared: func(server, tool string) mcpx.Declared {
		d := s.platform.Declare(server, tool)
		return mcpx.Declared{USD: d.USD, Class: d.Class}
	}}, problems
}
