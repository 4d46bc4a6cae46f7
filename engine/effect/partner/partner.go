// Package partner is a server for tests of providers: it stalls, refuses, floods and hangs up on order, on the loopback
// interface, and counts what reaches it. Nothing but tests may import it.
package partner

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Step answers one request.
type Step func(w http.ResponseWriter, r *http.Request)

// Seen is a request that reached the server.
type Seen struct {
	Method, URL, Body string
	Header            http.Header
}

// Server plays its steps one request after the other; the last one goes on for ever. Came gets a token per request, as
// far as it has room.
type Server struct {
	URL   string
	Came  chan struct{}
	mu    sync.Mutex
	steps []Step
	seen  []Seen
}

// New starts a server that ends with the test.
func New(t testing.TB, steps ...Step) *Server {
	t.Helper()
	s := &Server{steps: steps, Came: make(chan struct{}, 16)}
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = h.URL
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return s
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	n := len(s.seen)
	s.seen = append(s.seen, Seen{r.Method, r.URL.String(), string(body), r.Header.Clone()})
	step := s.steps[min(n, len(s.steps)-1)]
	s.mu.Unlock()
	select {
	case s.Came <- struct{}{}:
	default:
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	step(w, r)
}

// Requests are what reached the server so far.
func (s *Server) Requests() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Seen(nil), s.seen...)
}

// Reply answers with a status and a body; headers come in pairs.
func Reply(status int, body string, headers ...string) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// JSON answers 200 with a JSON body.
func JSON(body string) Step { return Reply(http.StatusOK, body, "Content-Type", "application/json") }

// Stall never answers: not a byte, until the client goes away.
func Stall(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// Stream sends server-sent events, flushed one by one.
func Stream(frames ...string) Step {
	return func(w http.ResponseWriter, _ *http.Request) { stream(w, frames) }
}

func stream(w http.ResponseWriter, frames []string) {
	w.Header().Set("Content-Type", "text/event-stream") // a second time it has no effect
	for _, f := range frames {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", f)
		_ = http.NewResponseController(w).Flush()
	}
}

// StreamThenStall sends some frames and then nothing until the client goes away.
func StreamThenStall(frames ...string) Step {
	return func(w http.ResponseWriter, r *http.Request) {
		stream(w, frames)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// StreamForever sends one frame over and over until the client goes away.
func StreamForever(frame string) Step {
	return func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			stream(w, []string{frame})
		}
	}
}

// StreamThenHangUp sends some frames and breaks the connection.
func StreamThenHangUp(frames ...string) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		stream(w, frames)
		panic(http.ErrAbortHandler)
	}
}

// Flood sends a body of n bytes.
func Flood(n int, contentType string) Step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		piece := strings.Repeat("x", 64<<10)
		for n := n; n > 0 && r.Context().Err() == nil; n -= len(piece) {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	}
}

// Chunk is one frame of a chat stream that brings text.
func Chunk(text string) string {
	return fmt.Sprintf(`{"id":"c","object":"chat.completion.chunk","model":"m-2026","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text)
}

// Stop is the frame that ends a chat's text.
const Stop = `{"id":"c","object":"chat.completion.chunk","model":"m-2026","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// Usage is the frame that include_usage asks for.
func Usage(prompt, completion, cached int) string {
	return fmt.Sprintf(`{"id":"c","object":"chat.completion.chunk","model":"m-2026","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`,
		prompt, completion, prompt+completion, cached)
}

// Done is the end of a stream.
const Done = "[DONE]"
