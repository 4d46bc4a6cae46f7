package httpx

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/clock"
	"flowdbg/trace/canon"
)

// Search answers the op search from any server that answers a query with a JSON list. Its input is {query, limit}, its
// answer {hits: [{title, url, snippet}]}, as with the mock; the settings say under which names the server has them.
type Search struct {
	set    effect.Setup
	client *Client
	limit  int64
}

// NewSearch makes the provider of the op search.
func NewSearch(set effect.Setup) (effect.Provider, []effect.Problem) {
	if set.Text("base_url", "") == "" {
		return nil, []effect.Problem{{What: "the op has no base_url", Want: "write the address that answers searches"}}
	}
	return &Search{set: set, client: NewClient(set), limit: AnswerLimit(set)}, nil
}

// Close gives idle connections back.
func (s *Search) Close() error { return s.client.Close() }

// Do asks the server.
func (s *Search) Do(ctx context.Context, c effect.Call) (effect.Answer, error) {
	var out canon.Value
	log, err := s.client.Do(ctx, Exchange{
		PerRead: true,
		New:     func(ctx context.Context) (*http.Request, error) { return s.request(ctx, c.Request.Input) },
		Read: func(a *Attempt, resp *http.Response, body *clock.Reader) error {
			data, err := ReadAll(body, s.limit)
			if err != nil {
				return err
			}
			if resp.StatusCode != http.StatusOK {
				return StatusFault(resp, cut(string(data), 300), time.Now())
			}
			out, err = s.hits(data, c.Request.Input)
			return err
		},
	})
	if err != nil {
		return effect.Answer{}, err
	}
	usage, _ := log.Usage()
	return effect.Answer{Output: out, Usage: usage, Side: log.Side()}, nil
}

func (s *Search) request(ctx context.Context, input canon.Value) (*http.Request, error) {
	query, ok := input.Get("query").Str()
	if !ok {
		return nil, &Fault{Class: ClassRequest, Detail: "the request has no query"}
	}
	params := url.Values{}
	members := []canon.Member{}
	put := func(key string, v canon.Value) {
		text, isText := v.Str()
		if !isText {
			text = v.Text()
		}
		params.Set(key, text)
		members = append(members, canon.Member{Key: key, Value: v})
	}
	for _, m := range s.set.Texts("params") {
		text, err := s.set.Vault.Text(m.Value)
		if err != nil {
			return nil, &Fault{Class: ClassSecret, Detail: err.Error()}
		}
		put(m.Key, canon.String(text))
	}
	put(s.set.Text("query_param", "q"), canon.String(query))
	if key := s.set.Text("limit_param", "limit"); key != "" && input.Get("limit").Kind() == canon.KindNumber {
		put(key, input.Get("limit"))
	}
	target, err := url.Parse(s.set.Text("base_url", ""))
	if err != nil {
		return nil, &Fault{Class: ClassRequest, Detail: err.Error()}
	}
	var body []byte
	if s.set.Text("method", http.MethodGet) == http.MethodPost {
		body = []byte(canon.Object(members...).Text())
	} else {
		target.RawQuery = params.Encode()
	}
	req, err := NewRequest(ctx, s.set, s.set.Text("method", http.MethodGet), target.String(), body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	return req, nil
}

// hits reads the server's list. A hit without a title, url or snippet has an empty one; more hits than were asked for
// are left out, because a server need not know the limit.
func (s *Search) hits(data []byte, input canon.Value) (canon.Value, error) {
	doc, _, err := ReadJSON(data, "")
	if err != nil {
		return canon.Value{}, err
	}
	at := s.set.Text("hits", "/hits")
	list, err := doc.Pointer(at)
	if err != nil || list.Kind() != canon.KindArray {
		return canon.Value{}, &Fault{Class: ClassBadAnswer, Detail: fmt.Sprintf("the answer has no list of hits at %q", at)}
	}
	limit, ok := input.Get("limit").Int()
	if !ok {
		limit = int64(list.Count())
	}
	var hits []canon.Value
	for i, h := range list.Elems() {
		if int64(i) >= limit {
			break
		}
		hits = append(hits, canon.Object(
			canon.Member{Key: "snippet", Value: s.part(h, "snippet")},
			canon.Member{Key: "title", Value: s.part(h, "title")},
			canon.Member{Key: "url", Value: s.part(h, "url")},
		))
	}
	return canon.Object(canon.Member{Key: "hits", Value: canon.Array(hits...)}), nil
}

func (s *Search) part(hit canon.Value, name string) canon.Value {
	v, err := hit.Pointer(s.set.Text(name, "/"+name))
	if err != nil || v.Kind() != canon.KindString {
		return canon.String("")
	}
	return v
}
