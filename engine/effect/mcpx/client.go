package mcpx

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"flowdbg/engine/effect/clock"
	"flowdbg/engine/effect/secret"
)

// Protocol is the MCP revision that clients ask for (see the package comment).
const Protocol = "2025-11-25"

// Client is a server and, from the first call on, a connection to it. A connection that broke is made anew by the next
// call. Its methods may be called from several goroutines; they take turns.
type Client struct {
	server *Server
	vault  *secret.Vault

	mu      sync.Mutex
	session *mcp.ClientSession
	link    link
	tap     *tap
	listing *Listing
	stale   atomic.Bool // the server said that its list changed
	starts  int
}

// link is what the two transports have in common beside the SDK's interface.
type link interface {
	why() *Error  // what broke the connection, nil while nothing did
	said() string // the end of the server's standard error
	kill()
}

func (w *wire) said() string { return "" }
func (w *wire) kill()        {}

// New makes a client that is not connected. vault gives the values of the secrets that the settings name.
func New(s *Server, vault *secret.Vault) *Client { return &Client{server: s, vault: vault} }

// Server is what the client speaks to.
func (c *Client) Server() *Server { return c.server }

// Starts is how often a connection was made.
func (c *Client) Starts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.starts
}

// Listing is what a server says of itself and its tools, as JSON texts exactly as they came.
type Listing struct {
	Protocol   string            // the revision agreed on
	Name       string            // serverInfo
	Version    string            // serverInfo: the server's own version, not its tools'
	Initialize json.RawMessage   // the whole initialize result
	Tools      []json.RawMessage // of all pages, in the server's order; not changed any more

	once   sync.Once
	byName map[string]json.RawMessage
}

// Document is the listing as one tools/list result.
func (l *Listing) Document() []byte {
	return append(append([]byte(`{"tools":[`), bytes.Join(rawBytes(l.Tools), []byte(","))...), `]}`...)
}

func rawBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, t := range list {
		out[i] = t
	}
	return out
}

// Reply is one answered call.
type Reply struct {
	Sent     json.RawMessage // params of the request as they went over the wire
	Received json.RawMessage // the result as it came
}

// List connects if need be and lists the server's tools, once per connection and again after the server said that they
// changed. Errors are *Error.
func (c *Client) List(ctx context.Context) (*Listing, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list(ctx)
}

func (c *Client) list(ctx context.Context) (*Listing, error) {
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	if c.listing != nil && !c.stale.Load() {
		return c.listing, nil
	}
	c.stale.Store(false)
	ctx, stop := clock.WithTotal(ctx, c.server.Timeout)
	defer stop()
	init := c.tap.of(methodInitialize)
	l := &Listing{Initialize: init.result}
	if res := c.session.InitializeResult(); res != nil {
		l.Protocol = res.ProtocolVersion
		if res.ServerInfo != nil {
			l.Name, l.Version = res.ServerInfo.Name, res.ServerInfo.Version
		}
	}
	seen := map[string]bool{}
	for cursor := ""; ; {
		_, err := c.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		x := c.tap.of(methodListTools)
		if err != nil && x.result == nil {
			return nil, c.failed(ctx, err, x, false)
		}
		var page struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(x.result, &page); err != nil {
			return nil, &Error{Class: ClassBadAnswer, Server: c.server.Name, Text: "tools/list: " + err.Error(), Cause: err}
		}
		l.Tools = append(l.Tools, page.Tools...)
		if page.Next == "" || seen[page.Next] {
			break
		}
		seen[page.Next] = true
		cursor = page.Next
	}
	c.listing = l
	return l, nil
}

// Call calls a tool. arguments is a JSON object, callMeta one or absent; both go out as they are. An answer with isError is
// an answer; errors are *Error.
func (c *Client) Call(ctx context.Context, tool string, arguments, callMeta []byte) (*Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	// A fresh map, because the SDK writes into it; raw members, because it would round their numbers.
	var fresh map[string]json.RawMessage
	if len(callMeta) > 0 {
		if err := json.Unmarshal(callMeta, &fresh); err != nil {
			return nil, &Error{Class: ClassBadRequest, Server: c.server.Name, Text: "_meta: " + err.Error(), Cause: err}
		}
	}
	params := &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)}
	for key, v := range fresh {
		if params.Meta == nil {
			params.Meta = mcp.Meta{}
		}
		params.Meta[key] = v
	}
	if len(arguments) == 0 {
		params.Arguments = json.RawMessage("{}")
	}
	ctx, stop := clock.WithTotal(ctx, c.server.Timeout)
	defer stop()
	_, err := c.session.CallTool(ctx, params)
	x := c.tap.of(methodCallTool)
	if err != nil && (x.result == nil || ctx.Err() != nil) {
		return nil, c.failed(ctx, err, x, true)
	}
	if result := bytes.TrimSpace(x.result); len(result) == 0 || result[0] != '{' {
		return nil, &Error{Class: ClassBadAnswer, Server: c.server.Name, Sent: true, Text: "the result is no object: " + preview(result)}
	}
	return &Reply{Sent: x.params, Received: x.result}, nil
}
