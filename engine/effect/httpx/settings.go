package httpx

import (
	"context"
	"net/http"
	"time"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/clock"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// The defaults of the settings that all providers over HTTP have.
const (
	defaultTotal     = 10 * time.Minute
	defaultConnect   = 10 * time.Second
	defaultFirstByte = 2 * time.Minute
	defaultIdle      = time.Minute
	defaultBackoff   = 500 * time.Millisecond
	defaultAnswer    = 1 << 20
)

// UserAgent is sent with every request that has none.
const UserAgent = "flowdbg"

// NewClient makes the client of an op from its settings. Nothing is connected.
func NewClient(set effect.Setup) *Client {
	return &Client{
		Op: set.Op, Class: set.Class, Transport: NewTransport(),
		Limits: clock.Limits{
			Connect:   set.Millis("connect_timeout_ms", defaultConnect),
			FirstByte: set.Millis("first_byte_timeout_ms", defaultFirstByte),
			Idle:      set.Millis("idle_timeout_ms", defaultIdle),
			Total:     set.Millis("timeout_ms", defaultTotal),
		},
		Retries: int(set.Int("retries", 2)),
		Backoff: set.Millis("backoff_ms", defaultBackoff),
		Rate:    PerMinute(set.Float("requests_per_minute", 0)),
		CostUSD: set.Float("cost_usd", 0),
	}
}

// Close gives idle connections back.
func (c *Client) Close() error {
	if t, ok := c.Transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
	return nil
}

// AnswerLimit is max_answer_bytes.
func AnswerLimit(set effect.Setup) int64 { return set.Int("max_answer_bytes", defaultAnswer) }

// Headers puts the headers of the settings into a request; secrets get their values here and nowhere else.
func Headers(set effect.Setup, req *http.Request) error {
	req.Header.Set("User-Agent", UserAgent)
	if token := set.Settings.Get("bearer_token"); !token.IsAbsent() && !token.IsNull() {
		value, err := set.Vault.Text(token)
		if err != nil {
			return &Fault{Class: ClassSecret, Detail: err.Error()}
		}
		req.Header.Set("Authorization", "Bearer "+value)
	}
	for _, h := range set.Texts("headers") {
		value, err := set.Vault.Text(h.Value)
		if err != nil {
			return &Fault{Class: ClassSecret, Detail: err.Error()}
		}
		req.Header.Set(h.Key, value)
	}
	return nil
}

// NewRequest makes a request with a body, which may be nil, and the headers of the settings.
func NewRequest(ctx context.Context, set effect.Setup, method, url string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, reader(body))
	if err != nil {
		return nil, &Fault{Class: ClassRequest, Detail: err.Error()}
	}
	return req, Headers(set, req)
}

// maxAnswerDepth leaves room for what an answer's JSON is wrapped in before it meets the limit on messages.
const maxAnswerDepth = trace.MaxNesting - 16

// ReadJSON reads foreign JSON under the one rule for integers: beyond ±(2^53−1) they become strings of their own
// spelling (design 02). notes name them as big_integer:<pointer>, below the pointer at.
func ReadJSON(data []byte, at string) (v canon.Value, notes []string, err error) {
	v, findings, err := canon.Parse(data, canon.Options{Integers: canon.IntegersAsString, MaxDepth: maxAnswerDepth})
	if err != nil {
		return canon.Value{}, nil, &Fault{Class: ClassBadAnswer, Detail: "the answer is no JSON: " + err.Error()}
	}
	for _, f := range findings {
		if f.Kind == canon.FindingBigInteger {
			notes = append(notes, "big_integer:"+at+f.Pointer)
		}
	}
	return v, notes, nil
}
