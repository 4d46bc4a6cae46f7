package mcpx

import (
	"context"
	"strings"
	"time"

	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Declared is what the platform says of a tool beside what its server does.
type Declared struct {
	USD   float64      // of one answered call; 0 is "declared free"
	Class effect.Class // "" = by the tool's annotations
}

// Provider answers the op `mcp`: input {server, tool, arguments}, output the tools/call result as it came. A result with
// isError is an answer. Side holds {mcp: {server, class, elapsed_ms}}.
type Provider struct {
	Pool     *Pool
	Declared func(server, tool string) Declared // nil: nothing is declared
	Now      func() time.Time                   // for elapsed_ms only
}

// Do makes one call.
func (p *Provider) Do(ctx context.Context, c effect.Call) (effect.Answer, error) {
	const op = "mcp"
	in := c.Request.Input
	server, tool, arguments, err := p.request(in)
	if err != nil {
		return effect.Answer{}, Failed(op, err)
	}
	client := p.Pool.Client(server)
	if client == nil {
		return effect.Answer{}, Failed(op, &Error{Class: ClassUnknownServer, Server: server, Text: "there is no such server" + p.known()})
	}
	began := p.Now()
	listing, err := client.List(ctx) // its annotations say what the call may do
	if err != nil {
		return effect.Answer{}, Failed(op, err)
	}
	var declared Declared
	if p.Declared != nil {
		declared = p.Declared(server, tool)
	}
	if declared.Class == "" {
		declared.Class = ClassOf(listing.Tool(tool))
	}
	reply, err := client.Call(ctx, tool, []byte(arguments), nil)
	if err != nil {
		return effect.Answer{}, Failed(op, err)
	}
	out, notes, err := ParseResult(reply.Received)
	if err != nil {
		return effect.Answer{}, Failed(op, &Error{Class: ClassBadAnswer, Server: server, Text: err.Error(), Sent: true})
	}
	side := canon.Object(canon.Member{Key: op, Value: canon.Object(
		canon.Member{Key: "server", Value: canon.String(server)},
		canon.Member{Key: "class", Value: canon.String(string(declared.Class))},
		canon.Member{Key: "elapsed_ms", Value: canon.Int(p.Now().Sub(began).Milliseconds())})})
	return effect.Answer{Output: out, Usage: trace.Usage{USD: declared.USD}, Side: Noted(side, notes)}, nil
}

// request reads {server, tool, arguments}; absent arguments are an empty object.
func (p *Provider) request(in canon.Value) (server, tool, arguments string, err error) {
	bad := func(text string) (string, string, string, error) {
		return "", "", "", &Error{Class: ClassBadRequest, Server: server, Text: text}
	}
	if in.Kind() != canon.KindObject {
		return bad("the input is no object {server, tool, arguments}")
	}
	server, ok := in.Get("server").Str()
	if !ok {
		return bad("server is no name" + p.known())
	}
	tool, ok = in.Get("tool").Str()
	if !ok || tool == "" {
		return bad("tool is no name")
	}
	switch v := in.Get("arguments"); v.Kind() {
	case canon.KindObject:
		arguments = v.Text()
	case canon.Absent, canon.KindNull:
		arguments = "{}"
	default:
		return bad("arguments are no object")
	}
	return server, tool, arguments, nil
}

func (p *Provider) known() string {
	if len(p.Pool.Names()) == 0 {
		return ": the flow has no MCP servers"
	}
	return "; the servers are " + strings.Join(p.Pool.Names(), ", ")
}

// Close ends the servers.
func (p *Provider) Close() error { return p.Pool.Close() }
