package effect

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Price is what a model's tokens cost, in US dollars per million.
type Price struct{ InputPerMTok, OutputPerMTok float64 }

// MockPrices is the price table of the mock models; an unknown model costs what mock-fast costs.
var MockPrices = map[string]Price{
	"mock-fast":   {0.5, 1.5},
	"mock-strong": {3, 15},
}

// Cost is usd for a number of tokens. Each product is rounded on its own: a fused multiply-add would give another last
// bit on some processors, and with it another state hash.
func (p Price) Cost(input, output float64) float64 {
	return float64(input*p.InputPerMTok)/1e6 + float64(output*p.OutputPerMTok)/1e6
}

// bytesPerToken is the mock's tokeniser: four bytes are a token, rounded up.
const bytesPerToken = 4

func mockTokens(bytes int) float64 { return float64((bytes + bytesPerToken - 1) / bytesPerToken) }

// hashStream gives small numbers from a request hash, the same everywhere.
type hashStream struct{ x uint64 }

func newHashStream(hash string) *hashStream {
	b, err := hex.DecodeString(hash[:16])
	var x uint64
	if err == nil {
		for _, c := range b {
			x = x<<8 | uint64(c)
		}
	}
	return &hashStream{x}
}

// next is a number in [0,n), by splitmix64.
func (s *hashStream) next(n int) int {
	s.x += 0x9e3779b97f4a7c15
	z := s.x
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// mockLLM answers in sentences made of the prompt's own words, with a score; text, score and usage come from the
// request hash alone, so one changed character of a request changes the answer.
type mockLLM struct{}

func (mockLLM) Do(_ context.Context, c Call) (Answer, error) {
	input := c.Request.Input
	var words []string
	bytes := 0
	for _, m := range input.Get("messages").Elems() {
		content, ok := m.Get("content").Str()
		if !ok {
			continue
		}
		bytes += len(content)
		if m.Get("role").Text() != `"system"` {
			words = longWords(words, content, 40)
		}
	}
	r := newHashStream(c.Request.Hash())
	text := mockText(r, words, c.Request.Hash()[:8])
	reason := "stop"
	if most, ok := input.Get("max_tokens").Int(); ok && most >= 0 && int64(len(text)) > most*bytesPerToken {
		text, reason = cutText(text, int(most)*bytesPerToken), "length"
	}
	hundredths := 30 + r.next(71)
	out := canon.Object(
		canon.Member{Key: "finish_reason", Value: canon.String(reason)},
		canon.Member{Key: "json", Value: canon.Object(canon.Member{Key: "score", Value: canon.Raw(hundredthsText(hundredths))})},
		canon.Member{Key: "text", Value: canon.String(text)},
	)
	model, _ := input.Get("model").Str()
	price, ok := MockPrices[model]
	if !ok {
		price = MockPrices["mock-fast"]
	}
	in, outTok := mockTokens(bytes), mockTokens(len(text))
	return Answer{Output: out, Usage: trace.Usage{InputTokens: in, OutputTokens: outTok, USD: price.Cost(in, outTok)}}, nil
}

// hundredthsText is n/100 in canonical form.
func hundredthsText(n int) string {
	return string(canon.AppendFloat(nil, float64(n)/100))
}

func mockText(r *hashStream, words []string, mark string) string {
	if len(words) == 0 {
		words = []string{"nothing", "was", "asked"}
	}
	word := func() string { return words[r.next(len(words))] }
	patterns := []func() string{
		func() string { return "The " + word() + " of " + word() + " depends on " + word() + "." },
		func() string { return "First " + word() + ", then " + word() + " and " + word() + "." },
		func() string { return "Sources agree that " + word() + " helps " + word() + "." },
		func() string { return "Without " + word() + " there is no " + word() + "." },
		func() string { return "It is open whether " + word() + " limits " + word() + "." },
	}
	var b strings.Builder
	for i := range 2 + r.next(2) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(patterns[r.next(len(patterns))]())
	}
	b.WriteString(" [" + mark + "]")
	return b.String()
}

// longWords appends the distinct words of at least four letters, up to a number.
func longWords(words []string, s string, most int) []string {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		if utf8.RuneCountInString(w) < 4 || len(words) >= most || len(w) > 60 {
			continue
		}
		known := false
		for _, k := range words {
			known = known || k == w
		}
		if !known {
			words = append(words, w)
		}
	}
	return words
}

func cutText(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:min(n, len(s))]
}

// mockSearch answers {hits:[{snippet, title, url}]} made of the query's words. It is free.
type mockSearch struct{}

func (mockSearch) Do(_ context.Context, c Call) (Answer, error) {
	query, _ := c.Request.Input.Get("query").Str()
	limit, ok := c.Request.Input.Get("limit").Int()
	if !ok || limit < 0 {
		limit = 3
	}
	words := longWords(nil, query, 40)
	if len(words) == 0 {
		words = []string{"nothing"}
	}
	r := newHashStream(c.Request.Hash())
	hits := make([]canon.Value, 0, min(limit, 20))
	for i := range min(limit, 20) {
		a, b := words[r.next(len(words))], words[r.next(len(words))]
		id := strconv.Itoa(1000 + r.next(9000))
		hits = append(hits, canon.Object(
			canon.Member{Key: "snippet", Value: canon.String("A study of " + a + " and " + b + ", number " + id + ".")},
			canon.Member{Key: "title", Value: canon.String(a + " and " + b)},
			canon.Member{Key: "url", Value: canon.String("https://example.org/" + strconv.Itoa(int(i)+1) + "/" + id)},
		))
	}
	return Answer{Output: canon.Object(canon.Member{Key: "hits", Value: canon.Array(hits...)})}, nil
}

// HasMock is true for an op that a mock provider can answer.
func HasMock(op string) bool { return op == "llm" || op == "search" }

// Mock answers with the mock provider, whatever provider the flow names.
func Mock(ctx context.Context, c Call) (Answer, error) {
	switch c.Request.Op {
	case "llm":
		return mockLLM{}.Do(ctx, c)
	case "search":
		return mockSearch{}.Do(ctx, c)
	}
	return Answer{}, &Failure{Op: c.Request.Op, Class: ClassNoProvider}
}
