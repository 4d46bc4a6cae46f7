package httpx

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/clock"
	"flowdbg/trace/canon"
)

// Provider answers the op http. Its input is
//
//	{url, method?, query?, body? | json?}
//
// url is absolute, or relative to base_url; method is GET, or POST when there is a body or json; query is an object of
// texts and numbers. Strings may be {"$secret": NAME} for names that the settings list. Headers come from the settings
// alone, because they are never recorded. The answer is
//
//	{status, json}      a body that is JSON
//	{status, text}      a body that is UTF-8
//	{status, base64}    any other body
//
// Every status is an answer, for an effect fails in transport only; 408, 409, 429 and 5xx are retried first.
type Provider struct {
	set    effect.Setup
	client *Client
	base   *url.URL
	hosts  []string
	limit  int64
}

// New makes the provider of the op http.
func New(set effect.Setup) (effect.Provider, []effect.Problem) {
	p := &Provider{set: set, client: NewClient(set), hosts: set.Strings("hosts"), limit: AnswerLimit(set)}
	if text := set.Text("base_url", ""); text != "" {
		base, err := url.Parse(text)
		if err != nil {
			return nil, []effect.Problem{{Pointer: "/base_url", What: "base_url is no address: " + err.Error()}}
		}
		p.base = base
	}
	if p.base == nil && len(p.hosts) == 0 {
		return nil, []effect.Problem{{What: "the op has no base_url and no hosts", Want: "say where requests may go"}}
	}
	p.client.Redirect = p.redirect
	return p, nil
}

// Close gives idle connections back.
func (p *Provider) Close() error { return p.client.Close() }

// Do makes the request.
func (p *Provider) Do(ctx context.Context, c effect.Call) (effect.Answer, error) {
	var out canon.Value
	var notes []string
	log, err := p.client.Do(ctx, Exchange{
		PerRead: true,
		New:     func(ctx context.Context) (*http.Request, error) { return p.request(ctx, c.Request.Input) },
		Read: func(a *Attempt, resp *http.Response, body *clock.Reader) error {
			data, err := ReadAll(body, p.limit)
			if err != nil {
				return err
			}
			out, notes = answer(resp.StatusCode, data)
			if f := StatusFault(resp, "", time.Now()); f.Retry {
				return f
			}
			return nil
		},
	})
	var failed *effect.Failure
	if errors.As(err, &failed) && strings.HasPrefix(failed.Class, "http_") && !out.IsAbsent() {
		err = nil // the last answer of a server that goes on refusing is the answer
	}
	if err != nil {
		return effect.Answer{}, err
	}
	usage, _ := log.Usage()
	return effect.Answer{Output: out, Usage: usage, Side: withNotes(log.Side(), notes)}, nil
}

func withNotes(side canon.Value, notes []string) canon.Value {
	for _, n := range notes {
		side = effect.Noted(side, n)
	}
	return side
}

// answer is {status, json | text | base64}.
func answer(status int, data []byte) (canon.Value, []string) {
	members := []canon.Member{{Key: "status", Value: canon.Int(int64(status))}}
	v, notes, err := ReadJSON(data, "/json")
	switch {
	case err == nil:
		members = append(members, canon.Member{Key: "json", Value: v})
	case utf8.Valid(data):
		members = append(members, canon.Member{Key: "text", Value: canon.String(string(data))})
	default:
		members = append(members, canon.Member{Key: "base64", Value: canon.String(base64.StdEncoding.EncodeToString(data))})
	}
	return canon.Object(members...), notes
}

func (p *Provider) request(ctx context.Context, input canon.Value) (*http.Request, error) {
	if !input.Get("headers").IsAbsent() {
		return nil, &Fault{Class: ClassRequest, Detail: "headers belong into effects." + p.set.Op + ".headers: a request is recorded, headers are not"}
	}
	in, err := p.set.Vault.Resolve(input, p.set.Strings("secrets"))
	if err != nil {
		return nil, &Fault{Class: ClassSecret, Detail: err.Error()}
	}
	target, err := p.target(in)
	if err != nil {
		return nil, err
	}
	body, kind, err := requestBody(in)
	if err != nil {
		return nil, err
	}
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	if m, ok := in.Get("method").Str(); ok {
		method = strings.ToUpper(m)
	}
	req, err := NewRequest(ctx, p.set, method, target.String(), body)
	if err == nil && kind != "" && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", kind)
	}
	return req, err
}

func requestBody(in canon.Value) (body []byte, kind string, err error) {
	text, isText := in.Get("body").Str()
	doc := in.Get("json")
	switch {
	case isText && !doc.IsAbsent():
		return nil, "", &Fault{Class: ClassRequest, Detail: "the request has a body and json; it can send one of them"}
	case isText:
		return []byte(text), "text/plain; charset=utf-8", nil
	case !doc.IsAbsent():
		return []byte(doc.Text()), "application/json", nil
	case !in.Get("body").IsAbsent() && !in.Get("body").IsNull():
		return nil, "", &Fault{Class: ClassRequest, Detail: "body is no text; write json for a JSON value"}
	}
	return nil, "", nil
}

// target is where a request goes, if the settings let it.
func (p *Provider) target(in canon.Value) (*url.URL, error) {
	text, ok := in.Get("url").Str()
	u, err := url.Parse(text)
	if !ok || err != nil {
		return nil, &Fault{Class: ClassRequest, Detail: "the request has no url that can be read"}
	}
	if p.base != nil && u.Host == "" && u.Scheme == "" {
		u = p.base.JoinPath(u.EscapedPath())
		if at := strings.IndexByte(text, '?'); at >= 0 {
			u.RawQuery = text[at+1:]
		}
	}
	query := u.Query()
	for k, v := range in.Get("query").Members() {
		s, isText := v.Str()
		if !isText {
			s = v.Text()
		}
		query.Set(k, s)
	}
	if in.Get("query").Count() > 0 {
		u.RawQuery = query.Encode()
	}
	if !p.allowed(u) {
		return nil, &Fault{Class: ClassRefused, Detail: fmt.Sprintf("requests to %q are not let through by base_url and hosts", u.Host)}
	}
	return u, nil
}

// allowed holds an address to base_url and hosts.
func (p *Provider) allowed(u *url.URL) bool {
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return false
	}
	if p.base != nil && u.Scheme == p.base.Scheme && sameHost(u, p.base) {
		below := strings.TrimSuffix(p.base.EscapedPath(), "/")
		path := u.JoinPath().EscapedPath() // dots are resolved first
		if path == below || strings.HasPrefix(path, below+"/") || below == "" {
			return true
		}
	}
	return slices.Contains(p.hosts, "*") || slices.ContainsFunc(p.hosts, func(h string) bool {
		return strings.EqualFold(h, u.Host) || strings.EqualFold(h, u.Hostname()) && u.Port() == ""
	})
}

func sameHost(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		if p := u.Port(); p != "" {
			return p
		}
		return map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.EqualFold(net.JoinHostPort(a.Hostname(), port(a)), net.JoinHostPort(b.Hostname(), port(b)))
}

// maxRedirects bounds a chain of redirects.
const maxRedirects = 5

// redirect follows a server to addresses of the same host only: headers may hold secrets.
func (p *Provider) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return &Fault{Class: ClassRefused, Detail: fmt.Sprintf("more than %d redirects", maxRedirects)}
	}
	if first := via[0].URL; req.URL.Scheme != first.Scheme || !sameHost(req.URL, first) || !p.allowed(req.URL) {
		return &Fault{Class: ClassRefused, Detail: fmt.Sprintf("the server sends the request on to %q, which is not followed", req.URL.Host)}
	}
	return nil
}

func reader(body []byte) io.Reader {
	if body == nil {
		return nil
	}
	return bytes.NewReader(body)
}
