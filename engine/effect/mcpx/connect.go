package mcpx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"flowdbg/engine/effect/clock"
)

// connect makes a connection unless there is one that holds.
func (c *Client) connect(ctx context.Context) error {
	if c.session != nil {
		if c.link.why() == nil {
			return nil
		}
		c.drop(false)
	}
	if err := context.Cause(ctx); err != nil {
		return &Error{Class: ClassConnect, Server: c.server.Name, Text: err.Error(), Cause: ctx.Err()}
	}
	transport, err := c.transport()
	if err != nil {
		return &Error{Class: ClassSecret, Server: c.server.Name, Text: err.Error(), Cause: err}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "flowdbg", Version: "1"}, &mcp.ClientOptions{
		Logger:                 slog.New(slog.NewTextHandler(io.Discard, nil)),
		Capabilities:           &mcp.ClientCapabilities{}, // no roots, no sampling: a server gets nothing from us but calls
		MultiRoundTrip:         &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.stale.Store(true) },
	})
	c.starts++
	started, cancel := context.WithTimeoutCause(ctx, c.server.StartTimeout, &clock.Expired{Clock: clock.Connect, After: c.server.StartTimeout})
	defer cancel()
	session, err := client.Connect(started, transport, &mcp.ClientSessionOptions{ProtocolVersion: Protocol})
	if err != nil {
		return c.notConnected(started, err)
	}
	c.session = session
	return nil
}

// transport makes the way to the server; nothing is started yet.
func (c *Client) transport() (mcp.Transport, error) {
	c.tap, c.listing = newTap(), nil
	if c.server.URL == "" {
		environ, err := c.server.environment(c.vault)
		if err != nil {
			return nil, err
		}
		s := &stdio{server: c.server, environ: environ, tap: c.tap}
		c.link = s
		return s, nil
	}
	headers, err := resolved(c.server.Headers, c.vault)
	if err != nil {
		return nil, err
	}
	w := &wire{server: c.server, headers: headers, tap: c.tap, base: http.DefaultTransport}
	c.link = w
	return &mcp.StreamableClientTransport{
		Endpoint: c.server.URL,
		HTTPClient: &http.Client{Transport: w, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // headers may hold a secret: they go where the settings say
		}},
		MaxRetries:           1, // a broken stream is taken up again once; a request is never sent again
		DisableStandaloneSSE: true,
		MaxEventSize:         c.server.MaxAnswer,
	}, nil
}

// notConnected is the error of a connection that was not made. What was started is ended.
func (c *Client) notConnected(ctx context.Context, err error) error {
	e := &Error{Class: ClassConnect, Server: c.server.Name, Text: err.Error(), Cause: err}
	var own *Error
	rpc := c.tap.of(methodInitialize).refusal
	switch {
	case errors.As(err, &own):
		return own
	case clock.Of(ctx) != nil, ctx.Err() != nil:
		c.link.kill()
		c.timedOut(ctx, e)
	case rpc != nil:
		e.Class, e.Text, e.Code = ClassRPC, "initialize: "+rpc.Message, rpc.Code
	}
	return c.explained(e)
}

// timedOut fills in which clock ended the context, or that the caller did.
func (c *Client) timedOut(ctx context.Context, e *Error) {
	expired := clock.Of(ctx)
	switch {
	case expired == nil:
		e.Text, e.Cause = "cancelled", ctx.Err()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			e.Class, e.Text = string(clock.Total)+"_timeout", "the caller's deadline has passed"
		}
		return
	case expired.Clock == clock.Connect:
		e.Text = fmt.Sprintf("no answer to initialize: %v (start_timeout_ms)", expired)
	default:
		e.Text = fmt.Sprintf("no answer: %v (timeout_ms)", expired)
	}
	e.Class, e.Cause = expired.Class(), expired
}

// explained adds what the link knows: the first reason it broke for, how the process ended, what it said.
func (c *Client) explained(e *Error) *Error {
	why := c.link.why()
	switch {
	case why == nil:
	case e.Class == ClassConnect, e.Class == ClassTransport, e.Class == ClassExited:
		if !errors.Is(e.Cause, context.Canceled) {
			e.Class, e.Text = why.Class, why.Text
		}
		e.Exit = why.Exit
	default:
		e.Exit = why.Exit
	}
	e.Stderr = c.link.said()
	return e
}

// failed is the error of a request that has no answer. Anything but a JSON-RPC error ends the connection, because nobody
// knows what the server is doing then.
func (c *Client) failed(ctx context.Context, err error, x exchange, sent bool) error {
	e := &Error{Class: ClassExited, Server: c.server.Name, Text: err.Error(), Cause: err, Sent: sent}
	if c.server.URL != "" {
		e.Class = ClassTransport
	}
	if rpc := x.refusal; rpc != nil && ctx.Err() == nil { // the SDK has errors of its own that look like a server's
		e.Class, e.Text, e.Code = ClassRPC, rpc.Message, rpc.Code
		return c.explained(e)
	}
	if ctx.Err() != nil {
		c.timedOut(ctx, e)
	}
	c.drop(clock.Of(ctx) != nil)
	return c.explained(e)
}

// drop ends the connection; kill does not wait for the server to agree.
func (c *Client) drop(kill bool) {
	if c.session == nil {
		return
	}
	if kill {
		c.link.kill()
	}
	_ = c.session.Close()
	c.session, c.listing = nil, nil
}

// Close ends the connection and the server's process, if there are any. The client may be used again.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(false)
	return nil
}
