package mcpx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"flowdbg/engine/effect/secret"
)

func httpServer(t *testing.T, h http.Handler, more string) *Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	s, err := ParseServer("web", parse(t, fmt.Sprintf(`{"url":%q%s}`, srv.URL, more)), "/")
	if err != nil {
		t.Fatal(err)
	}
	return client(t, s)
}

// echoServer is a server made with the SDK: what a call carried comes back in the structured content.
func echoServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1.2.3"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: map[string]any{"type": "object"}, Meta: mcp.Meta{"ai-norm.com/contract_versions": []int{3}}},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(fmt.Sprintf(`{"arguments":%s,"version":%v}`,
				req.Params.Arguments, req.Params.Meta["ai-norm.com/contract_version"]))}, nil
		})
	return s
}

// Both forms of an answer over streamable HTTP, a stream of events and plain JSON, give the bytes as they came.
func TestStreamableHTTP(t *testing.T) {
	for name, opt := range map[string]*mcp.StreamableHTTPOptions{"events": nil, "json": {JSONResponse: true}, "stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			server := echoServer()
			var unauthorised atomic.Int32
			inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, opt)
			t.Setenv("FLOWDBG_TEST_TOKEN", "Bearer 0123456789")
			c := httpServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer 0123456789" {
					unauthorised.Add(1)
				}
				inner.ServeHTTP(w, r)
			}), `,"headers":{"Authorization":{"$secret":"FLOWDBG_TEST_TOKEN"}}`)
			l, err := c.List(context.Background())
			if err != nil || len(l.Tools) != 1 || !strings.Contains(string(l.Tools[0]), `"ai-norm.com/contract_versions":[3]`) || l.Protocol != Protocol {
				t.Fatalf("%v %+v", err, l)
			}
			for range 2 {
				r, err := c.Call(context.Background(), "echo", []byte(`{"n":9007199254740993}`), []byte(`{"ai-norm.com/contract_version":3}`))
				if err != nil {
					t.Fatal(err)
				}
				if got := string(r.Received); !strings.Contains(got, `"n":9007199254740993`) || !strings.Contains(got, `"version":3`) {
					t.Errorf("%s", got)
				}
				if !strings.Contains(string(r.Sent), `"n":9007199254740993`) {
					t.Errorf("sent %s", r.Sent)
				}
			}
			if unauthorised.Load() > 0 || c.Starts() != 1 {
				t.Errorf("%d requests had no header, %d starts", unauthorised.Load(), c.Starts())
			}
		})
	}
}

// broken answers initialize properly and each call in a broken way.
func broken(how func(w http.ResponseWriter, id string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var m message
		if json.Unmarshal(body, &m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if m.Method == "tools/call" {
			how(w, string(m.ID))
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"9"},"tools":[]}}`, m.ID)
	})
}

func TestHTTPFailures(t *testing.T) {
	for name, x := range map[string]struct {
		how         func(w http.ResponseWriter, id string)
		class, text string
	}{
		"status":  {func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusBadGateway) }, ClassTransport, "502"},
		"garbage": {func(w http.ResponseWriter, _ string) { fmt.Fprint(w, "<html>sorry</html>") }, ClassGarbage, "sorry"},
		"huge": {func(w http.ResponseWriter, id string) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":"%s"}}`, id, strings.Repeat("x", 60<<10))
		}, ClassTooLarge, "max_answer_bytes"},
		"huge event": {func(w http.ResponseWriter, id string) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[],\"structuredContent\":\"%s\"}}\n\n", id, strings.Repeat("x", 60<<10))
		}, ClassTooLarge, "max_answer_bytes"},
		"cut": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Length", "500")
			fmt.Fprint(w, `{"jsonrpc":`)
			panic(http.ErrAbortHandler)
		}, ClassTransport, "EOF"},
		"stalls": {nil, "total_timeout", "timeout_ms"},
		"rpc error": {func(w http.ResponseWriter, id string) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"unknown tool"}}`, id)
		}, ClassRPC, "unknown tool"},
	} {
		t.Run(name, func(t *testing.T) {
			stop := make(chan struct{})
			how := x.how
			if how == nil {
				how = func(w http.ResponseWriter, _ string) { w.(http.Flusher).Flush(); <-stop }
			}
			c := httpServer(t, broken(how), `,"max_answer_bytes":20000,"timeout_ms":500`)
			t.Cleanup(func() { close(stop) })
			for range 2 {
				_, err := c.Call(context.Background(), "echo", nil, nil)
				var e *Error
				if !errors.As(err, &e) || e.Class != x.class || !strings.Contains(e.Error(), x.text) {
					t.Fatalf("%v", err)
				}
			}
		})
	}
}

func TestHTTPNobodyThere(t *testing.T) {
	s, err := ParseServer("web", parse(t, `{"url":"http://127.0.0.1:1/mcp"}`), "/")
	if err != nil {
		t.Fatal(err)
	}
	var e *Error
	if _, err := New(s, secret.NewVault(nil)).List(context.Background()); !errors.As(err, &e) || e.Class != ClassConnect {
		t.Fatalf("%v", err)
	}
}

// A redirect is not followed: the headers go where the settings say and nowhere else.
func TestHTTPRedirect(t *testing.T) {
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer other.Close()
	c := httpServer(t, http.RedirectHandler(other.URL, http.StatusTemporaryRedirect), "")
	if _, err := c.List(context.Background()); err == nil || reached.Load() > 0 {
		t.Fatalf("%v, reached %d times", err, reached.Load())
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: {\"a\":1}\n\ndata:x\r\ndata: y\r\n\r\n: note\nid: 5\n\n"), 3)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		whole, parts := &events{}, &events{}
		a, _ := whole.write(data)
		n := 0
		if len(data) > 0 {
			n = ((cut % len(data)) + len(data)) % len(data)
		}
		b, _ := parts.write(data[:n])
		more, _ := parts.write(data[n:])
		if fmt.Sprintf("%q", a) != fmt.Sprintf("%q", append(b, more...)) {
			t.Fatalf("%q and %q depend on where the stream is cut", a, b)
		}
	})
}
