package httpx_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/partner"
	"flowdbg/engine/effect/providers"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

const token = "tok/secret+value=1"

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func live(t testing.TB, op, settings string) *effect.Bus {
	t.Helper()
	set := map[string]canon.Value{op: parse(t, settings)}
	if p := effect.CheckSettings(op, set[op]); len(p) > 0 {
		t.Fatal(p)
	}
	bus, problems := effect.NewBus(set).GoLive(effect.Options{Live: effect.LiveAll, Providers: providers.All(),
		LookupEnv: func(n string) (string, bool) { return token, n == "TOK" }})
	if bus == nil {
		t.Fatal(problems)
	}
	t.Cleanup(func() { _ = bus.Close() })
	return bus
}

func ask(t testing.TB, bus *effect.Bus, op, input string) (effect.Answer, error) {
	t.Helper()
	return bus.Answer(context.Background(), effect.Call{Agent: "a", Step: 1, Request: trace.NewRequest(op, bus.Resolve(op, parse(t, input), canon.Null))})
}

func class(err error) string {
	var f *effect.Failure
	if errors.As(err, &f) {
		return f.Class
	}
	return fmt.Sprint(err)
}

func TestHTTPAnswers(t *testing.T) {
	cases := map[string]struct {
		step partner.Step
		want string
	}{
		"JSON":       {partner.JSON(`{"b":1, "a":[1.0]}`), `{"json":{"a":[1],"b":1},"status":200}`},
		"text":       {partner.Reply(200, "plain"), `{"status":200,"text":"plain"}`},
		"nothing":    {partner.Reply(204, ""), `{"status":204,"text":""}`},
		"bytes":      {partner.Reply(200, "\xff\x00"), `{"base64":"/wA=","status":200}`},
		"twice":      {partner.Reply(200, `{"a":1,"a":2}`), `{"status":200,"text":"{\"a\":1,\"a\":2}"}`},
		"not found":  {partner.Reply(404, "no"), `{"status":404,"text":"no"}`},
		"overloaded": {partner.Reply(503, "later"), `{"status":503,"text":"later"}`},
		"big":        {partner.JSON(`{"id":9007199254740993}`), `{"json":{"id":"9007199254740993"},"status":200}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := partner.New(t, c.step)
			a, err := ask(t, live(t, "http", `{"base_url":"`+s.URL+`/api","backoff_ms":1}`), "http", `{"url":"x"}`)
			if err != nil || a.Output.Text() != c.want || a.UsageUnknown || !a.Usage.IsZero() {
				t.Fatalf("%v %s", err, a.Output)
			}
			if name == "big" && a.Side.Get("notes").Text() != `["big_integer:/json/id"]` {
				t.Fatalf("%s", a.Side)
			}
			if n := len(s.Requests()); n != 1 {
				t.Fatalf("%d requests of an unsafe op", n)
			}
		})
	}
}

func TestHTTPRequest(t *testing.T) {
	s := partner.New(t, partner.Reply(200, "ok"))
	host := strings.TrimPrefix(s.URL, "http://")
	bus := live(t, "http", `{"base_url":"`+s.URL+`/api/v1","hosts":["`+host+`"],"secrets":["TOK"],"headers":{"X-Key":{"$secret":"TOK"}},"bearer_token":{"$secret":"TOK"},"cost_usd":0.5}`)
	cases := []struct{ input, method, url, body, kind string }{
		{`{"url":"items/7"}`, "GET", "/api/v1/items/7", "", ""},
		{`{"url":"items?x=1","query":{"q":"a b","n":2}}`, "GET", "/api/v1/items?n=2&q=a+b&x=1", "", ""},
		{`{"url":"items","json":{"b":1,"a":{"$secret":"TOK"}}}`, "POST", "/api/v1/items", `{"a":"` + token + `","b":1}`, "application/json"},
		{`{"url":"items","body":"text","method":"put"}`, "PUT", "/api/v1/items", "text", "text/plain; charset=utf-8"},
		{`{"url":"` + s.URL + `/other","method":"DELETE"}`, "DELETE", "/other", "", ""},
		{`{"url":"items","query":{"key":{"$secret":"TOK"}}}`, "GET", "/api/v1/items?key=" + url.QueryEscape(token), "", ""},
	}
	for i, c := range cases {
		a, err := ask(t, bus, "http", c.input)
		if err != nil || a.Usage.USD != 0.5 {
			t.Fatalf("%s: %v %+v", c.input, err, a.Usage)
		}
		got := s.Requests()[i]
		if got.Method != c.method || got.URL != c.url || got.Body != c.body || got.Header.Get("Content-Type") != c.kind || got.Header.Get("X-Key") != token || got.Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("%s: %+v", c.input, got)
		}
	}
	refused := map[string]string{
		`{"url":"http://example.invalid/"}`:     "not_allowed",
		`{"url":"file:///etc/passwd"}`:          "not_allowed",
		`{"url":"http://u:p@` + host + `/"}`:    "not_allowed",
		`{}`:                                    "bad_request",
		`{"url":"x","body":"a","json":1}`:       "bad_request",
		`{"url":"x","body":5}`:                  "bad_request",
		`{"url":"x","method":"A B"}`:            "bad_request",
		`{"url":"x","headers":{"A":"b"}}`:       "bad_request",
		`{"url":"x","json":{"$secret":"HOME"}}`: "secret",
	}
	for input, want := range refused {
		if _, err := ask(t, bus, "http", input); class(err) != want {
			t.Errorf("%s: %v", input, err)
		}
	}
	only := live(t, "http", `{"base_url":"`+s.URL+`/api"}`)
	for input, ok := range map[string]bool{`{"url":"` + s.URL + `/api/x"}`: true, `{"url":"` + s.URL + `/apix"}`: false, `{"url":"../secret"}`: false, `{"url":"` + s.URL + `/api/../x"}`: false} {
		if _, err := ask(t, only, "http", input); (err == nil) != ok {
			t.Errorf("%s: %v", input, err)
		}
	}
}

func TestRedirectsStayAtHome(t *testing.T) {
	other := partner.New(t, partner.Reply(200, "stolen"))
	home := partner.New(t, partner.Reply(302, "", "Location", "/b"), partner.Reply(200, "home"), partner.Reply(302, "", "Location", other.URL+"/c"))
	bus := live(t, "http", `{"hosts":["*"],"headers":{"X-Key":{"$secret":"TOK"}},"class":"pure","retries":0}`)
	a, err := ask(t, bus, "http", `{"url":"`+home.URL+`/a"}`)
	if err != nil || a.Output.Get("text").Text() != `"home"` {
		t.Fatalf("%v %s", err, a.Output)
	}
	if _, err = ask(t, bus, "http", `{"url":"`+home.URL+`/a"}`); class(err) != "not_allowed" || len(other.Requests()) != 0 {
		t.Fatalf("%v", err)
	}
}

// A secret that the server sends back, in the body or in the address of an error, is gone before delivery.
func TestHTTPRedacts(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte("id:" + token))
	s := partner.New(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"raw":%q,"url":%q,"b64":%q,%q:1}`, token, url.QueryEscape(token), encoded, token)
	})
	bus := live(t, "http", `{"base_url":"`+s.URL+`","secrets":["TOK"],"retries":0}`)
	a, err := ask(t, bus, "http", `{"url":"x"}`)
	if err != nil || bus.Scanner().Find(a.Output.Text()+a.Side.Text()) != nil || strings.Count(a.Output.Text(), "[redacted:TOK]") != 4 {
		t.Fatalf("%v %s", err, a.Output)
	}
	closed := live(t, "http", `{"hosts":["127.0.0.1:1"],"secrets":["TOK"],"retries":0}`)
	_, err = ask(t, closed, "http", `{"url":"http://127.0.0.1:1/","query":{"k":{"$secret":"TOK"}}}`)
	var f *effect.Failure
	if !errors.As(err, &f) || f.Class != "connect" || closed.Scanner().Find(f.Side.Text()) != nil || !strings.Contains(f.Side.Text(), "[redacted:TOK]") {
		t.Fatalf("%v %s", err, f.Side)
	}
}

func TestHTTPFloodAndStall(t *testing.T) {
	for want, c := range map[string]struct {
		step     partner.Step
		settings string
	}{
		"answer_too_large":   {partner.Flood(50<<20, "text/plain"), `"max_answer_bytes":1000`},
		"first_byte_timeout": {partner.Stall, `"first_byte_timeout_ms":50`},
		"total_timeout":      {partner.Stall, `"timeout_ms":50`},
	} {
		s := partner.New(t, c.step)
		if _, err := ask(t, live(t, "http", `{"base_url":"`+s.URL+`",`+c.settings+`}`), "http", `{"url":"x"}`); class(err) != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestSearch(t *testing.T) {
	s := partner.New(t, partner.JSON(`{"web":{"results":[{"t":"A","link":{"href":"http://a"},"s":"about a"},{"t":5},{"t":"C"}]}}`))
	const names = `"hits":"/web/results","title":"/t","url":"/link/href","snippet":"/s","query_param":"query","limit_param":"count","params":{"key":{"$secret":"TOK"}}`
	a, err := ask(t, live(t, "search", `{"provider":"http","base_url":"`+s.URL+`/find",`+names+`}`), "search", `{"query":"nets & more","limit":2}`)
	want := `{"hits":[{"snippet":"about a","title":"A","url":"http://a"},{"snippet":"","title":"","url":""}]}`
	if err != nil || a.Output.Text() != want || !a.Usage.IsZero() || a.UsageUnknown {
		t.Fatalf("%v %s", err, a.Output)
	}
	if got := s.Requests()[0]; got.Method != "GET" || got.URL != "/find?count=2&key="+url.QueryEscape(token)+"&query=nets+%26+more" {
		t.Fatalf("%+v", got)
	}
	if _, err = ask(t, live(t, "search", `{"provider":"http","method":"POST","base_url":"`+s.URL+`/find",`+names+`}`), "search", `{"query":"q"}`); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests()[1]; got.Method != "POST" || got.URL != "/find" || got.Body != `{"count":3,"key":"`+token+`","query":"q"}` {
		t.Fatalf("%+v", got)
	}
	s = partner.New(t, partner.Reply(500, "x"), partner.JSON(`{"hits":[]}`), partner.JSON(`{"hits":5}`), partner.Reply(403, "who?"))
	bus := live(t, "search", `{"provider":"http","base_url":"`+s.URL+`","backoff_ms":1}`)
	if a, err = ask(t, bus, "search", `{"query":"q"}`); err != nil || a.Output.Text() != `{"hits":[]}` || a.Side.Get("attempts").Count() != 2 {
		t.Fatalf("%v %s %s", err, a.Output, a.Side)
	}
	for _, want := range []string{"bad_answer", "http_403"} {
		if _, err = ask(t, bus, "search", `{"query":"q"}`); class(err) != want {
			t.Fatalf("%s: %v", want, err)
		}
	}
	if _, err = ask(t, bus, "search", `{"limit":1}`); class(err) != "bad_request" {
		t.Fatal(err)
	}
}
