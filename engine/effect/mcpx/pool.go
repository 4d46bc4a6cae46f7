package mcpx

import (
	"errors"
	"slices"

	"flowdbg/engine/effect/secret"
)

// Pool holds the clients of a flow's servers by name. It starts nothing itself.
type Pool struct {
	clients map[string]*Client
	names   []string
}

// NewPool makes clients for servers with different names; vault gives the secrets that they name.
func NewPool(servers []*Server, vault *secret.Vault) *Pool {
	p := &Pool{clients: map[string]*Client{}}
	for _, s := range servers {
		p.clients[s.Name] = New(s, vault)
		p.names = append(p.names, s.Name)
	}
	slices.Sort(p.names)
	return p
}

// Names lists the servers, sorted.
func (p *Pool) Names() []string { return p.names }

// Client is the client of a server, nil when there is none of that name.
func (p *Pool) Client(name string) *Client { return p.clients[name] }

// Close ends all connections and the servers that were started, at the same time.
func (p *Pool) Close() error {
	done := make(chan error, len(p.clients))
	for _, c := range p.clients {
		go func() { done <- c.Close() }()
	}
	var errs []error
	for range p.clients {
		errs = append(errs, <-done)
	}
	return errors.Join(errs...)
}
