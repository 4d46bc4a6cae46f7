package llm_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/partner"
	"flowdbg/engine/effect/price"
	"flowdbg/engine/effect/providers"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

const key = "sk-test/0123456789+abc"

// dollars is what tokens cost at the prices below.
func dollars(in, cached, out float64) float64 {
	return price.Price{InputPerMTok: 2, OutputPerMTok: 10, CachedInputPerMTok: 0.5}.USD(price.Tokens{Input: in, CachedInput: cached, Output: out})
}

const prices = `"prices":{"m":{"input_per_mtok":2,"output_per_mtok":10,"cached_input_per_mtok":0.5}}`

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// live makes a bus whose llm goes to url; settings are further members.
func live(t testing.TB, url, settings string) *effect.Bus {
	t.Helper()
	if settings != "" {
		settings = "," + settings
	}
	set := map[string]canon.Value{"llm": parse(t, `{"provider":"openai","base_url":"`+url+`/v1","model":"m","backoff_ms":1`+settings+`}`)}
	if p := effect.CheckSettings("llm", set["llm"]); len(p) > 0 {
		t.Fatal(p)
	}
	bus, problems := effect.NewBus(set).GoLive(effect.Options{Live: effect.LiveOps("llm"), Providers: providers.All(), Dir: t.TempDir(),
		LookupEnv: func(n string) (string, bool) { return key, n == "KEY" }})
	if bus == nil {
		t.Fatal(problems)
	}
	t.Cleanup(func() { _ = bus.Close() })
	return bus
}

const chat = `{"messages":[{"content":"hello","role":"user"}]}`

func ask(t testing.TB, bus *effect.Bus, input string) (effect.Answer, error) {
	t.Helper()
	req := trace.NewRequest("llm", bus.Resolve("llm", parse(t, input), canon.Null))
	return bus.Answer(context.Background(), effect.Call{Agent: "a", Step: 1, Request: req})
}

func usage(in, out, usd float64) trace.Usage {
	return trace.Usage{InputTokens: in, OutputTokens: out, USD: usd}
}

func TestStreamedChat(t *testing.T) {
	s := partner.New(t, partner.Stream(partner.Chunk("Hel"), partner.Chunk("lo\nwörld"), partner.Stop, partner.Usage(1000, 100, 400), partner.Done))
	bus := live(t, s.URL, prices+`,"api_key":{"$secret":"KEY"},"headers":{"X-Team":"eda"}`)
	a, err := ask(t, bus, `{"messages":[{"content":"hello","role":"user"}],"temperature":0,"stop":null,"top_k":3}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"finish_reason":"stop","text":"Hello\nwörld"}`; a.Output.Text() != want {
		t.Fatalf("%s", a.Output)
	}
	if want := usage(1000, 100, dollars(1000, 400, 100)); a.Usage != want || a.UsageUnknown {
		t.Fatalf("%+v, want %+v", a.Usage, want)
	}
	if a.Side.Get("model").Text() != `"m-2026"` || a.Side.Get("cached_input_tokens").Text() != "400" || !a.Side.Get("attempts").IsAbsent() {
		t.Fatalf("%s", a.Side)
	}
	seen := s.Requests()[0]
	want := `{"messages":[{"content":"hello","role":"user"}],"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0,"top_k":3}`
	if seen.Method != "POST" || seen.URL != "/v1/chat/completions" || seen.Body != want {
		t.Fatalf("%s %s %s", seen.Method, seen.URL, seen.Body)
	}
	if h := seen.Header; h.Get("Authorization") != "Bearer "+key || h.Get("X-Team") != "eda" || h.Get("User-Agent") != "flowdbg" {
		t.Fatalf("%v", h)
	}
}

func TestWholeAnswer(t *testing.T) {
	s := partner.New(t, partner.JSON(`{"model":"m-x","choices":[{"index":0,"message":{"role":"assistant","content":"`+"```json\\n{\\\"score\\\": 0.5, \\\"id\\\": 9007199254740993}\\n```"+`"},"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`))
	a, err := ask(t, live(t, s.URL, prices+`,"stream":false`), chat)
	if err != nil {
		t.Fatal(err)
	}
	if a.Output.Get("json").Text() != `{"id":"9007199254740993","score":0.5}` || a.Output.Get("finish_reason").Text() != `"length"` {
		t.Fatalf("%s", a.Output)
	}
	if a.Side.Get("notes").Text() != `["big_integer:/json/id"]` || a.Usage != usage(3, 4, dollars(3, 0, 4)) {
		t.Fatalf("%s %+v", a.Side, a.Usage)
	}
	if body := s.Requests()[0].Body; strings.Contains(body, "stream") {
		t.Fatal(body)
	}
}

func TestToolCallsAndRefusal(t *testing.T) {
	delta := func(d string) string { return `{"choices":[{"index":0,"delta":` + d + `}]}` }
	s := partner.New(t, partner.Stream(
		delta(`{"role":"assistant","content":null,"reasoning_content":"hm"}`),
		delta(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"place","arguments":"{\"x\":"}}]}`),
		delta(`{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"route","arguments":"{}"}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`),
		delta(`{"refusal":"no"}`),
		`{"choices":[{"index":1,"delta":{"content":"another choice"},"finish_reason":"stop"}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, partner.Done))
	a, err := ask(t, live(t, s.URL, ""), chat)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"finish_reason":"tool_calls","refusal":"no","text":"","tool_calls":[{"arguments":"{\"x\":1}","id":"c1","name":"place"},{"arguments":"{}","id":"c2","name":"route"}]}`
	if a.Output.Text() != want || a.Side.Get("reasoning").Text() != `"hm"` {
		t.Fatalf("%s %s", a.Output, a.Side)
	}
}

func TestUsageIsUnknown(t *testing.T) {
	stream := func(frames ...string) partner.Step {
		return partner.Stream(append([]string{partner.Chunk("x"), partner.Stop}, append(frames, partner.Done)...)...)
	}
	cases := map[string]struct {
		step     partner.Step
		settings string
		usage    trace.Usage
		side     string
	}{
		"no usage chunk":     {stream(), prices, trace.Usage{}, ""},
		"null usage":         {stream(`{"choices":[],"usage":null}`), prices, trace.Usage{}, ""},
		"empty usage":        {stream(`{"choices":[],"usage":{}}`), prices, trace.Usage{}, ""},
		"half a usage":       {stream(`{"choices":[],"usage":{"prompt_tokens":7}}`), prices, trace.Usage{}, ""},
		"negative":           {stream(`{"choices":[],"usage":{"prompt_tokens":-7,"completion_tokens":1}}`), prices, trace.Usage{}, ""},
		"more cached":        {stream(partner.Usage(5, 1, 6)), prices, trace.Usage{}, ""},
		"a whole answer":     {partner.JSON(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`), prices, trace.Usage{}, ""},
		"model has no price": {stream(partner.Usage(5, 1, 0)), `"prices":{"other":{"input_per_mtok":1,"output_per_mtok":1}}`, usage(5, 1, 0), "usd_unknown"},
		"no prices at all":   {stream(partner.Usage(5, 1, 0)), "", usage(5, 1, 0), "usd_unknown"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, err := ask(t, live(t, partner.New(t, c.step).URL, c.settings), chat)
			if err != nil || !a.UsageUnknown || a.Usage != c.usage {
				t.Fatalf("%v unknown=%v %+v", err, a.UsageUnknown, a.Usage)
			}
			if c.side != "" && a.Side.Get(c.side) != canon.True {
				t.Fatalf("%s", a.Side)
			}
		})
	}
	// The provider's own name for the model finds a price, too.
	a, err := ask(t, live(t, partner.New(t, stream(partner.Usage(5, 1, 0))).URL, `"prices":{"m-2026":{"input_per_mtok":1,"output_per_mtok":1}}`), chat)
	if err != nil || a.UsageUnknown || a.Usage.USD == 0 {
		t.Fatalf("%v %+v", err, a)
	}
}

// One effect is one operation: what failed attempts used is part of it.
func TestFailedAttemptsCount(t *testing.T) {
	good := partner.Stream(partner.Chunk("x"), partner.Stop, partner.Usage(100, 10, 0), partner.Done)
	refused := partner.Reply(429, `{"error":{"message":"slow down","type":"requests"}}`, "Retry-After-Ms", "2")
	billed := partner.Reply(500, `{"error":{"message":"half done"},"usage":{"prompt_tokens":50,"completion_tokens":5}}`)
	s := partner.New(t, refused, billed, good)
	a, err := ask(t, live(t, s.URL, prices), chat)
	if err != nil || a.UsageUnknown || a.Usage != usage(150, 15, dollars(50, 0, 5)+dollars(100, 0, 10)) {
		t.Fatalf("%v %+v %s", err, a.Usage, a.Side)
	}
	list := a.Side.Get("attempts")
	if list.Count() != 3 || list.At(0).Get("status").Text() != "429" || list.At(0).Get("detail").Text() != `"status 429: slow down"` ||
		list.At(0).Get("usage").Kind() != canon.Absent || list.At(1).Get("usage").Get("input_tokens").Text() != "50" || list.At(1).Get("class").Text() != `"http_500"` {
		t.Fatalf("%s", list)
	}
	// A stream that breaks before its usage chunk may have been billed: the sum is only a lower bound.
	s = partner.New(t, partner.StreamThenHangUp(partner.Chunk("half an ans")), good)
	a, err = ask(t, live(t, s.URL, prices), chat)
	if err != nil || !a.UsageUnknown || a.Usage.InputTokens != 100 || a.Output.Get("text").Text() != `"x"` {
		t.Fatalf("%v %+v %s", err, a, a.Side)
	}
	if a.Side.Get("notes").Text() != `["possibly billed"]` {
		t.Fatalf("%s", a.Side)
	}
	// When all attempts fail, the failure says what was spent.
	s = partner.New(t, billed)
	_, err = ask(t, live(t, s.URL, prices+`,"retries":1`), chat)
	var f *effect.Failure
	if !errors.As(err, &f) || f.Error() != "EffectError: llm: http_500" || f.Usage == nil || f.Usage.InputTokens != 100 {
		t.Fatalf("%v %+v", err, f)
	}
}

// Every clock stops a server that stalls, and the error names the clock.
func TestClocks(t *testing.T) {
	cases := map[string]struct {
		step     partner.Step
		settings string
	}{
		"first_byte_timeout": {partner.Stall, `"first_byte_timeout_ms":60`},
		"idle_timeout":       {partner.StreamThenStall(partner.Chunk("a"), partner.Chunk("b")), `"idle_timeout_ms":60`},
		"total_timeout":      {partner.StreamForever(partner.Chunk("")), `"timeout_ms":150`},
	}
	for want, c := range cases {
		t.Run(want, func(t *testing.T) {
			_, err := ask(t, live(t, partner.New(t, c.step).URL, c.settings+`,"retries":0`), chat)
			clockNamed(t, err, want)
		})
	}
	t.Run("connect_timeout", func(t *testing.T) {
		// It takes the connection and never says a word of TLS.
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, err = ask(t, live(t, "https://"+l.Addr().String(), `"connect_timeout_ms":60,"retries":0`), chat)
		f := clockNamed(t, err, "connect_timeout")
		if f.Side.Get("attempts").At(0).Get("usage_unknown") == canon.True {
			t.Fatalf("nothing was sent: %s", f.Side)
		}
	})
}

func clockNamed(t *testing.T, err error, class string) *effect.Failure {
	t.Helper()
	var f *effect.Failure
	if !errors.As(err, &f) || f.Error() != "EffectError: llm: "+class {
		t.Fatalf("%v", err)
	}
	if name := strings.TrimSuffix(class, "_timeout"); !strings.Contains(f.Side.Get("detail").Text(), "the "+name+" clock ran out") {
		t.Fatalf("%s", f.Side)
	}
	return f
}

func TestBadAnswers(t *testing.T) {
	big := strings.Repeat("x", 4000)
	cases := map[string]struct {
		step  partner.Step
		class string
	}{
		"garbage":                      {partner.Reply(200, "<html>It works!</html>"), "bad_answer"},
		"garbage that says it is JSON": {partner.JSON("}{"), "bad_answer"},
		"an empty object":              {partner.JSON("{}"), "bad_answer"},
		"a garbage frame":              {partner.Stream("{", partner.Done), "bad_answer"},
		"a stream of nothing":          {partner.Stream(partner.Done), "bad_answer"},
		"garbage as a stream":          {partner.Reply(200, "what\nis this\n", "Content-Type", "text/event-stream"), "bad_answer"},
		"cut off":                      {partner.Stream(partner.Chunk("half")), "cut_off"},
		"hung up":                      {partner.StreamThenHangUp(partner.Chunk("half")), "cut_off"},
		"an error halfway":             {partner.Stream(partner.Chunk("half"), `{"error":{"message":"overloaded","code":"server_error"}}`), "stream_error"},
		"50 MB":                        {partner.Flood(50<<20, "application/json"), "answer_too_large"},
		"50 MB in one frame":           {partner.Flood(50<<20, "text/event-stream"), "answer_too_large"},
		"too much text":                {partner.StreamForever(partner.Chunk(big)), "answer_too_large"},
		"unauthorised":                 {partner.Reply(401, `{"error":{"message":"bad key"}}`), "http_401"},
		"moved":                        {partner.Reply(307, "", "Location", "http://127.0.0.1:1/"), "http_307"},
		"an odd error":                 {partner.Reply(400, `{"error":"text"}`), "http_400"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := ask(t, live(t, partner.New(t, c.step).URL, `"retries":0,"max_answer_bytes":20000`), chat)
			var f *effect.Failure
			if !errors.As(err, &f) || f.Error() != "EffectError: llm: "+c.class || f.Side.Get("detail").IsAbsent() {
				t.Fatalf("%v %+v", err, f)
			}
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		_, err = ask(t, live(t, "http://"+l.Addr().String(), `"retries":1`), chat)
		var f *effect.Failure
		if !errors.As(err, &f) || f.Class != "connect" || f.Side.Get("attempts").Count() != 2 {
			t.Fatal(err)
		}
	})
	t.Run("no messages", func(t *testing.T) {
		_, err := ask(t, live(t, "http://127.0.0.1:1", ""), `{"prompt":"x"}`)
		if err == nil || err.Error() != "EffectError: llm: bad_request" {
			t.Fatal(err)
		}
	})
}

// An error in a stream has no status; its code says whether it goes away.
func TestErrorFrames(t *testing.T) {
	good := partner.Stream(partner.Chunk("x"), partner.Stop, partner.Usage(1, 1, 0), partner.Done)
	for frame, attempts := range map[string]int{
		`{"error":{"message":"m","code":503}}`:                                      2,
		`{"error":{"message":"m","code":"429"}}`:                                    2,
		`{"error":{"message":"m","type":"server_error","code":null}}`:               2,
		`{"error":{"message":"m","code":"rate_limit_exceeded"}}`:                    2,
		`{"error":{"message":"m","type":"invalid_request_error","code":"bad_key"}}`: 1,
		`{"error":{"message":"m","code":401}}`:                                      1,
	} {
		s := partner.New(t, partner.Stream(frame), good)
		a, err := ask(t, live(t, s.URL, prices), chat)
		if n := len(s.Requests()); n != attempts || (err == nil) != (n == 2) || a.UsageUnknown {
			t.Errorf("%s: %d attempts, %v %s", frame, n, err, a.Side)
		}
		if err != nil && err.Error() != "EffectError: llm: stream_error" {
			t.Errorf("%s: %v", frame, err)
		}
	}
}

func TestCancelReturnsAtOnce(t *testing.T) {
	s := partner.New(t, partner.StreamThenStall(partner.Chunk("a")))
	bus := live(t, s.URL, "")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-s.Came
		cancel()
	}()
	req := trace.NewRequest("llm", parse(t, chat))
	_, err := bus.Answer(ctx, effect.Call{Agent: "a", Request: req})
	var e *effect.Cancelled
	if !errors.As(err, &e) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "possibly billed") {
		t.Fatalf("%v", err)
	}
}

func TestSecretsComeBackRedacted(t *testing.T) {
	echo := func(code int, kind string) partner.Step {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			if code != 200 {
				fmt.Fprintf(w, `{"error":{"message":"bad key %s"}}`, r.Header.Get("Authorization"))
				return
			}
			fmt.Fprintf(w, `{"model":%q,"choices":[{"message":{"content":%q,"reasoning_content":%q},"finish_reason":"stop"}]}`, key, `{"`+key+`":1}`, key)
		}
	}
	bus := live(t, partner.New(t, echo(200, "application/json")).URL, `"api_key":{"$secret":"KEY"}`)
	a, err := ask(t, bus, chat)
	if err != nil || a.Output.Text() != `{"finish_reason":"stop","json":{"[redacted:KEY]":1},"text":"{\"[redacted:KEY]\":1}"}` {
		t.Fatalf("%v %s", err, a.Output)
	}
	if bus.Scanner().Find(a.Side.Text()) != nil || a.Side.Get("reasoning").Text() != `"[redacted:KEY]"` || !strings.Contains(a.Side.Get("notes").Text(), "redacted") {
		t.Fatalf("%s", a.Side)
	}
	_, err = ask(t, live(t, partner.New(t, echo(403, "application/json")).URL, `"api_key":{"$secret":"KEY"}`), chat)
	var f *effect.Failure
	if !errors.As(err, &f) || !strings.Contains(f.Side.Text(), "bad key Bearer [redacted:KEY]") || strings.Contains(f.Side.Text(), key) {
		t.Fatalf("%v %s", err, f.Side)
	}
	_, err = ask(t, live(t, "http://127.0.0.1:1", `"api_key":{"$secret":"NONE"}`), chat)
	if !errors.As(err, &f) || f.Class != "secret" || !strings.Contains(f.Side.Text(), "NONE") {
		t.Fatal(err)
	}
}

func TestPriceFile(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "prices.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	goLive := func() (*effect.Bus, []effect.Problem) {
		set := map[string]canon.Value{"llm": parse(t, `{"provider":"openai","model":"m","prices":"prices.json"}`)}
		return effect.NewBus(set).GoLive(effect.Options{Live: effect.LiveAll, Providers: providers.All(), Dir: dir})
	}
	for _, bad := range []string{"", "{", `{"m":{"input_per_mtok":1}}`, `{"m":{"input_per_mtok":1,"input_per_mtok":1}}`} {
		if bad != "" {
			write(bad)
		}
		bus, problems := goLive()
		if bus != nil || len(problems) != 1 || problems[0].Pointer != "/effects/llm/prices" || !strings.Contains(problems[0].What, "prices.json") {
			t.Fatalf("%q: %v", bad, problems)
		}
	}
	write(`{"m":{"input_per_mtok":1,"output_per_mtok":1}}`)
	if bus, problems := goLive(); bus == nil {
		t.Fatal(problems)
	}
}
