package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/clock"
	"flowdbg/engine/effect/httpx"
	"flowdbg/engine/effect/partner"
	"flowdbg/engine/effect/secret"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

func watched(t testing.TB, body string) *clock.Reader {
	w := clock.Start(context.Background(), clock.Limits{})
	t.Cleanup(w.Stop)
	return &clock.Reader{R: strings.NewReader(body), Watch: w}
}

// Whatever a server streams, it becomes an answer within the limit or a fault; nothing panics, and the answer is canonical.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"data: " + partner.Chunk("a") + "\n\ndata: " + partner.Stop + "\n\ndata: [DONE]\n\n",
		"data: " + partner.Usage(1, 2, 1) + "\n\n",
		": ping\n\nevent: x\ndata:" + partner.Stop + "\r\n\r\n",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":3,"id":"a","function":{"name":"n","arguments":"{"}},{"index":-1}]},"finish_reason":"stop"}]}` + "\n",
		`data: {"error":{"message":["a","b"],"code":5}}` + "\n", `data: {"error":"x"}` + "\n", "data: [1]\n", "data: null\n", "\x00",
		`data: {"choices":[{"delta":{"content":"{\"a\":1e400}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1e300,"completion_tokens":-1}}` + "\n",
	} {
		f.Add(seed, true)
		f.Add(strings.TrimPrefix(strings.TrimSpace(seed), "data: "), false)
	}
	f.Fuzz(func(t *testing.T, body string, stream bool) {
		const limit = 1000
		r := &reply{limit: limit}
		var err error
		if stream {
			err = r.readStream(watched(t, body))
		} else {
			err = r.readWhole([]byte(body))
		}
		var fault *httpx.Fault
		if err != nil {
			if !errors.As(err, &fault) || fault.Class == "" {
				t.Fatalf("an error without a class: %v", err)
			}
			return
		}
		if r.text.Len() > limit {
			t.Fatalf("%d bytes of text", r.text.Len())
		}
		out, notes := r.output()
		if err := canon.OracleCheck([]byte(out.Text())); err != nil {
			t.Fatal(err)
		}
		if tokens, ok := r.tokens(); ok && !tokens.Valid() {
			t.Fatalf("%+v", tokens)
		}
		_ = r.side(canon.Value{}, notes, true).Text()
	})
}

// canned answers every request with the same stream, without a network.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

// A whole call without the network: request, clocks, frames, usage, price.
func BenchmarkCall(b *testing.B) {
	set, _, err := canon.ParseString(`{"model":"m","api_key":{"$secret":"KEY"},"prices":{"m":{"input_per_mtok":1,"output_per_mtok":2}}}`, canon.Options{})
	if err != nil {
		b.Fatal(err)
	}
	vault := secret.NewVault(func(string) (string, bool) { return "sk-0123456789abcdef", true }, "KEY")
	made, problems := New(effect.Setup{Op: "llm", Settings: set, Class: effect.Idempotent, Vault: vault})
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	p := made.(*Provider)
	p.client.Transport = canned("data: " + partner.Chunk("An answer in one frame.") + "\n\ndata: " + partner.Stop + "\n\ndata: " + partner.Usage(100, 10, 0) + "\n\ndata: [DONE]\n\n")
	input, _, _ := canon.ParseString(`{"messages":[{"content":"hello","role":"user"}],"model":"m"}`, canon.Options{})
	req := trace.NewRequest("llm", input)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Do(context.Background(), effect.Call{Agent: "a", Step: 1, Request: req}); err != nil {
			b.Fatal(err)
		}
	}
}
