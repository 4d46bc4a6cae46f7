package mcpx

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// wire is the HTTP side of a streamable server: it adds the server's headers, bounds bodies, and shows every message to the
// tap. The SDK's connection is left as it is, because it needs methods that a wrapper could not have.
type wire struct {
	server  *Server
	headers map[string]string
	tap     *tap
	base    http.RoundTripper

	mu    sync.Mutex
	cause *Error
}

// RoundTrip sends one request.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, value := range w.headers {
		req.Header.Set(name, value)
	}
	if req.Body != nil && req.Method == http.MethodPost {
		data, err := io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
		if msg, err := jsonrpc.DecodeMessage(data); err == nil {
			w.tap.sent(msg)
		}
		req.Body = io.NopCloser(bytes.NewReader(data))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	}
	res, err := w.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 400 && req.Method == http.MethodPost {
		w.broken(&Error{Class: ClassTransport, Text: "it answers with HTTP " + res.Status})
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		res.Body = &tappedBody{body: res.Body, wire: w, feed: &wholeBody{}}
	case "text/event-stream":
		res.Body = &tappedBody{body: res.Body, wire: w, feed: &events{}}
	}
	return res, nil
}

func (w *wire) broken(e *Error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cause == nil {
		e.Server = w.server.Name
		w.cause = e
	}
}

func (w *wire) why() *Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cause == nil {
		return nil
	}
	e := *w.cause
	return &e
}

// feed turns a body's bytes into messages.
type feed interface {
	// write takes bytes and gives the messages that are whole now; held is how many bytes wait.
	write(p []byte) (messages [][]byte, held int)
	// close gives what is left.
	close() [][]byte
}

// tappedBody passes a body on, shows its messages to the tap and breaks off when one is too large.
type tappedBody struct {
	body io.ReadCloser
	wire *wire
	feed feed
	done bool
}

// Read is the body's.
func (b *tappedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	messages, held := b.feed.write(p[:n])
	if err != nil && !b.done {
		b.done = true
		messages = append(messages, b.feed.close()...)
	}
	for _, text := range messages {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		msg, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			b.wire.broken(&Error{Class: ClassGarbage, Text: "it sent something that is no JSON-RPC message: " + preview(text)})
			continue
		}
		b.wire.tap.received(msg)
	}
	if held > b.wire.server.MaxAnswer {
		b.wire.broken(&Error{Class: ClassTooLarge, Text: fmt.Sprintf("one message is above %d bytes (max_answer_bytes)", b.wire.server.MaxAnswer)})
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// Close is the body's.
func (b *tappedBody) Close() error { return b.body.Close() }

// wholeBody is a body that is one message.
type wholeBody struct{ data []byte }

func (w *wholeBody) write(p []byte) ([][]byte, int) {
	w.data = append(w.data, p...)
	return nil, len(w.data)
}

func (w *wholeBody) close() [][]byte { return [][]byte{w.data} }

// events is a stream of server-sent events: the data lines of one event are one message.
type events struct{ line, data []byte }

func (e *events) write(p []byte) (messages [][]byte, held int) {
	for _, c := range p {
		if c != '\n' {
			e.line = append(e.line, c)
			continue
		}
		line := strings.TrimSuffix(string(e.line), "\r")
		e.line = e.line[:0]
		if text, ok := strings.CutPrefix(line, "data:"); ok {
			if len(e.data) > 0 {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, strings.TrimPrefix(text, " ")...)
		} else if line == "" && len(e.data) > 0 {
			messages, e.data = append(messages, e.data), nil
		}
	}
	return messages, len(e.line) + len(e.data)
}

func (e *events) close() [][]byte { return nil } // an event without its empty line is not dispatched
