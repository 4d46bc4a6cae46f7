// Package llm answers the op llm from any server with an OpenAI-compatible chat endpoint: OpenAI itself, Ollama,
// llama.cpp, vLLM. It may hold the wire form of chats and what they cost. The request that is sent is the one that was
// hashed, member by member; the client library's own request type is not used, because it cannot send a temperature of 0.
package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/clock"
	"flowdbg/engine/effect/httpx"
	"flowdbg/engine/effect/price"
	"flowdbg/trace/canon"
)

// DefaultBaseURL is where requests go when the settings do not say.
const DefaultBaseURL = "https://api.openai.com/v1"

// ClassStream is the failure of an answer that turns into an error message halfway.
const ClassStream = "stream_error"

// Provider answers the op llm. Its input is a chat request, {model, messages: [{role, content}], …}; members that it
// does not know go to the server as they are. Its answer is
//
//	{text, finish_reason?, json?, refusal?, tool_calls?: [{id, name, arguments}]}
//
// where json is the text read as JSON, when it is an object or an array as a whole (a Markdown fence around it does not
// count), and arguments is the text that the model wrote.
type Provider struct {
	set    effect.Setup
	client *httpx.Client
	url    string
	prices price.Table
	stream bool
	limit  int64
}

// New makes the provider. A price file is read here.
func New(set effect.Setup) (effect.Provider, []effect.Problem) {
	p := &Provider{set: set, client: httpx.NewClient(set), stream: set.Bool("stream", true), limit: httpx.AnswerLimit(set)}
	p.client.Metered = true
	p.url = strings.TrimSuffix(set.Text("base_url", DefaultBaseURL), "/") + "/chat/completions"
	var problems []effect.Problem
	p.prices, problems = readPrices(set)
	if len(problems) > 0 {
		return nil, problems
	}
	return p, nil
}

// maxPriceFile bounds a price file, in bytes.
const maxPriceFile = 4 << 20

func readPrices(set effect.Setup) (price.Table, []effect.Problem) {
	v := set.Settings.Get("prices")
	if v.IsAbsent() || v.IsNull() {
		return nil, nil
	}
	name, isFile := v.Str()
	if isFile {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(set.Dir, path)
		}
		info, err := os.Stat(path)
		if err == nil && info.Size() > maxPriceFile {
			err = fmt.Errorf("it has more than %d bytes", maxPriceFile)
		}
		var data []byte
		if err == nil {
			data, err = os.ReadFile(path)
		}
		if err == nil {
			v, _, err = canon.Parse(data, canon.Options{})
		}
		if err != nil {
			return nil, []effect.Problem{{Pointer: "/prices", What: fmt.Sprintf("the price file %q cannot be read: %v", name, err), Want: "name a JSON file, relative to the flow"}}
		}
	}
	table, found := price.Read(v)
	var problems []effect.Problem
	for _, f := range found {
		p := effect.Problem{Pointer: "/prices", What: f.What, Want: f.Want}
		if isFile {
			p.What = fmt.Sprintf("price file %q at %q: %s", name, f.Pointer, f.What)
		} else {
			p.Pointer += f.Pointer
		}
		problems = append(problems, p)
	}
	return table, problems
}

// Close gives idle connections back.
func (p *Provider) Close() error { return p.client.Close() }

// Do asks the server, again if need be, and sums what all attempts used.
func (p *Provider) Do(ctx context.Context, c effect.Call) (effect.Answer, error) {
	body, err := p.body(c.Request.Input)
	if err != nil {
		return effect.Answer{}, &effect.Failure{Op: c.Request.Op, Class: httpx.ClassRequest, Side: effect.Detail(err.Error())}
	}
	model, _ := c.Request.Input.Get("model").Str()
	var got *reply
	log, err := p.client.Do(ctx, httpx.Exchange{
		New: func(ctx context.Context) (*http.Request, error) { return p.request(ctx, body) },
		Read: func(a *httpx.Attempt, resp *http.Response, r *clock.Reader) error {
			got = &reply{limit: p.limit}
			err := got.read(resp, r)
			p.meter(a, got, model)
			if err == nil && a.Tokens == nil {
				a.UsageUnknown = true
			}
			return err
		},
	})
	if err != nil {
		return effect.Answer{}, err
	}
	out, notes := got.output()
	usage, unknown := log.Usage()
	return effect.Answer{Output: out, Usage: usage, UsageUnknown: unknown, LowerBound: true, Side: got.side(log.Side(), notes, log[len(log)-1].USDUnknown)}, nil
}

// meter notes what an answer says it used. A model without a price has an unknown cost, never none.
func (p *Provider) meter(a *httpx.Attempt, got *reply, model string) {
	t, ok := got.tokens()
	if !ok {
		return
	}
	a.Tokens = &t
	usd, known := p.prices.USD(t, model, got.model)
	a.USD, a.USDUnknown = usd, !known
}

// body is the request that is sent: the recorded one, without nulls, which would be the server's to read, and with what
// belongs to the transport.
func (p *Provider) body(input canon.Value) ([]byte, error) {
	if input.Get("messages").Kind() != canon.KindArray {
		return nil, fmt.Errorf("the request has no list of messages")
	}
	var members []canon.Member
	for k, v := range input.Members() {
		if v.IsNull() || k == "stream" || k == "stream_options" {
			continue
		}
		members = append(members, canon.Member{Key: k, Value: v})
	}
	if p.stream {
		members = append(members, canon.Member{Key: "stream", Value: canon.True},
			canon.Member{Key: "stream_options", Value: canon.Object(canon.Member{Key: "include_usage", Value: canon.True})})
	}
	return []byte(canon.Object(members...).Text()), nil
}

func (p *Provider) request(ctx context.Context, body []byte) (*http.Request, error) {
	req, err := httpx.NewRequest(ctx, p.set, http.MethodPost, p.url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	if key := p.set.Settings.Get("api_key"); !key.IsAbsent() && !key.IsNull() {
		value, err := p.set.Vault.Text(key)
		if err != nil {
			return nil, &httpx.Fault{Class: httpx.ClassSecret, Detail: err.Error()}
		}
		req.Header.Set("Authorization", "Bearer "+value)
	}
	return req, nil
}

// read reads an answer in whichever of the two forms it has: servers that do not stream answer whole.
func (r *reply) read(resp *http.Response, body *clock.Reader) error {
	if resp.StatusCode != http.StatusOK {
		return r.refused(resp, body)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return r.readStream(body)
	}
	body.PerRead = true
	data, err := httpx.ReadAll(body, wireFactor*r.limit)
	if err != nil {
		return err
	}
	return r.readWhole(data)
}

// maxRefusal bounds how much of an error message is read.
const maxRefusal = 64 << 10

// refused reads {error: {message}} of an answer that is none.
func (r *reply) refused(resp *http.Response, body *clock.Reader) error {
	body.PerRead = true
	data, err := httpx.ReadAll(body, maxRefusal)
	if err != nil {
		data = nil // the status says enough
	}
	detail := string(data)
	var doc struct {
		Error *openai.APIError `json:"error"`
		Usage *usage           `json:"usage"`
	}
	if json.Unmarshal(data, &doc) == nil {
		r.usage = doc.Usage
		if doc.Error != nil && doc.Error.Message != "" {
			detail = doc.Error.Message
		}
	}
	return httpx.StatusFault(resp, detail, time.Now())
}
