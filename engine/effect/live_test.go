package effect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

func TestParseLive(t *testing.T) {
	for text, want := range map[string]string{"all": "llm,http,exec", "llm": "llm", "llm, http": "llm,http", "llm,all": "llm,http,exec"} {
		l, err := ParseLive(text)
		var got []string
		for _, op := range []string{"llm", "http", "exec"} {
			if l.Has(op) {
				got = append(got, op)
			}
		}
		if err != nil || strings.Join(got, ",") != want || l.IsZero() {
			t.Errorf("%q: %v %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "llm,", ",", " "} {
		if l, err := ParseLive(bad); err == nil || !l.IsZero() {
			t.Errorf("%q: no error", bad)
		}
	}
	if !(Live{}).IsZero() || LiveAll.IsZero() || !slices.Equal(LiveOps("b", "a").Named(), []string{"a", "b"}) {
		t.Error("zero")
	}
}

// told is a provider that says what it is told to, and counts.
type told struct {
	answer Answer
	err    error
	calls  int
	closed *int
}

func (p *told) Do(context.Context, Call) (Answer, error) { p.calls++; return p.answer, p.err }
func (p *told) Close() error                             { *p.closed++; return nil }

func maker(p Provider, problems ...Problem) Maker {
	return func(Setup) (Provider, []Problem) { return p, problems }
}

const secretValue = "planted/secret+value"

func env(name string) (string, bool) {
	v, ok := map[string]string{"KEY": secretValue, "SHORT": "seven77"}[name]
	return v, ok
}

func TestGoLiveIsPerOp(t *testing.T) {
	closed := 0
	p := &told{answer: Answer{Output: canon.String("real")}, closed: &closed}
	base := NewBus(settings(t, `{"llm":{"provider":"openai"},"http":{"base_url":"http://h"},"exec":{"programs":["p"]},"search":{}}`))
	if got := base.NotLive(); !slices.Equal(got, []string{"exec", "http", "llm"}) {
		t.Fatalf("%v", got)
	}
	bus, problems := base.GoLive(Options{Live: LiveOps("llm", "search", "nonsense"), Providers: map[string]Maker{"openai": maker(p), "http": maker(p)}, LookupEnv: env})
	if bus == nil {
		t.Fatal(problems)
	}
	ask := func(b *Bus, op string) (string, error) {
		a, err := b.Answer(context.Background(), Call{Request: trace.NewRequest(op, parse(t, `{"query":"nets"}`))})
		return a.Output.Text(), err
	}
	if got, err := ask(bus, "llm"); err != nil || got != `"real"` || !bus.IsLive("llm") {
		t.Fatal(got, err)
	}
	if got, err := ask(bus, "search"); err != nil || !strings.Contains(got, "hits") || bus.IsLive("search") {
		t.Fatal("a mock became real: ", got, err)
	}
	var notLive *NotLive
	for _, op := range []string{"http", "exec"} {
		if _, err := ask(bus, op); !errors.As(err, &notLive) {
			t.Fatal(op, err)
		}
	}
	if _, err := ask(base, "llm"); !errors.As(err, &notLive) {
		t.Fatal("the bus that was made live changed: ", err)
	}
	if err := bus.Close(); err != nil || closed != 1 {
		t.Fatalf("closed %d times, %v", closed, err)
	}
}

func TestGoLiveProblems(t *testing.T) {
	closed := 0
	p := &told{closed: &closed}
	base := NewBus(settings(t, `{"llm":{"provider":"openai","api_key":{"$secret":"SHORT"}},"odd":{"provider":"what"}}`))
	bus, problems := base.GoLive(Options{Live: LiveAll, Providers: map[string]Maker{"openai": maker(p, Problem{Pointer: "/prices", What: "bad"})}, LookupEnv: env, Secrets: []string{"NONE"}})
	var got []string
	for _, x := range problems {
		got = append(got, x.Pointer+": "+x.What)
	}
	want := []string{
		`/effects/llm: the secret "SHORT" is shorter than 8 bytes: it could not be told from ordinary text`,
		"/effects/llm/prices: bad",
		`/effects/odd/provider: no provider "what" can answer the op "odd"`,
	}
	if bus != nil || !slices.Equal(got, want) || closed != 1 {
		t.Fatalf("%q, closed %d", got, closed)
	}
	if strings.Contains(fmt.Sprint(problems), "seven77") {
		t.Fatal("the secret's value is told")
	}
}

// Whatever a provider says, no value of a secret is delivered: answer, side, class, text, cancelled, odd errors, panics.
func TestDeliveryIsRedacted(t *testing.T) {
	leak := canon.Object(canon.Member{Key: secretValue, Value: canon.String("x " + secretValue)})
	cases := map[string]struct {
		answer Answer
		err    error
	}{
		"answer":    {Answer{Output: leak, Side: leak}, nil},
		"nothing":   {Answer{}, nil},
		"failure":   {Answer{}, &Failure{Op: "llm", Class: "c " + secretValue, Text: secretValue, Side: leak}},
		"wrapped":   {Answer{}, fmt.Errorf("so: %w", &Failure{Op: "llm", Class: "c", Side: leak})},
		"cancelled": {Answer{}, &Cancelled{Op: "llm", Side: leak, Cause: context.Canceled}},
		"odd error": {Answer{}, errors.New("dial " + secretValue)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bus, problems := NewBus(settings(t, `{"llm":{"provider":"p","api_key":{"$secret":"KEY"}}}`)).GoLive(Options{Live: LiveAll, LookupEnv: env,
				Providers: map[string]Maker{"p": maker(&told{answer: c.answer, err: c.err, closed: new(int)})}})
			if bus == nil {
				t.Fatal(problems)
			}
			a, err := bus.Answer(context.Background(), Call{Request: trace.NewRequest("llm", canon.EmptyObject)})
			all := a.Output.Text() + a.Side.Text() + fmt.Sprint(err)
			var f *Failure
			if errors.As(err, &f) {
				all += f.Side.Text() + f.Text + f.Class
			}
			var e *Cancelled
			if errors.As(err, &e) {
				all += e.Side.Text()
			}
			if strings.Contains(all, secretValue) || bus.Scanner().Find(all) != nil {
				t.Fatalf("%s", all)
			}
			if (c.err == nil) != (err == nil) || name != "nothing" && !strings.Contains(all, "[redacted:KEY]") {
				t.Fatalf("%v: %s", err, all)
			}
			if name == "nothing" && a.Output != canon.Null {
				t.Fatalf("%s", a.Output)
			}
		})
	}
}

type panicking struct{}

func (panicking) Do(context.Context, Call) (Answer, error) { panic("oh " + secretValue) }

func TestPanicIsAFailure(t *testing.T) {
	bus, _ := NewBus(settings(t, `{"x":{"provider":"p","k":{"$secret":"KEY"}}}`)).GoLive(Options{Live: LiveAll, LookupEnv: env, Providers: map[string]Maker{"p": maker(panicking{})}})
	_, err := bus.Answer(context.Background(), Call{Request: trace.NewRequest("x", canon.Null)})
	var f *Failure
	if !errors.As(err, &f) || f.Error() != "EffectError: x: panic" || f.Side.Text() != `{"detail":"oh [redacted:KEY]"}` {
		t.Fatalf("%v", err)
	}
}

func TestClassOf(t *testing.T) {
	for op, want := range map[string]Class{"llm": Idempotent, "search": Pure, "judge": Pure, "http": Unsafe, "exec": Unsafe, "else": Unsafe} {
		if got := ClassOf(op, canon.Null); got != want {
			t.Errorf("%s: %s", op, got)
		}
	}
	if ClassOf("http", parse(t, `{"class":"pure"}`)) != Pure || ClassOf("http", parse(t, `{"class":"odd"}`)) != Unsafe {
		t.Error("declared")
	}
}

// The settings of one op per file: the first line is the op, then the settings, then "--" and what is to be said.
func TestCheckSettings(t *testing.T) {
	files, err := filepath.Glob("testdata/settings/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			op, rest, _ := strings.Cut(string(data), "\n")
			doc, want, ok := strings.Cut(rest, "--\n")
			if !ok {
				t.Fatal("no -- in the file")
			}
			var b strings.Builder
			for _, p := range CheckSettings(op, parse(t, doc)) {
				if p.Want == "" {
					t.Errorf("%s: does not say what would be right", p.What)
				}
				mark := "error"
				if p.Warning {
					mark = "warning"
				}
				fmt.Fprintf(&b, "%s %s: %s\n", mark, p.Pointer, p.What)
			}
			if got := b.String(); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestEverySettingIsDocumented(t *testing.T) {
	for _, pair := range [][2]string{{"llm", "openai"}, {"search", "http"}, {"http", "http"}, {"exec", "exec"}, {"judge", "judge"}} {
		list, known := Settings(pair[0], pair[1])
		if !known || len(list) == 0 {
			t.Errorf("%v: no settings", pair)
		}
		for i, s := range list {
			if s.Name == "" || s.Type == "" || s.About == "" || i > 0 && list[i-1].Name >= s.Name {
				t.Errorf("%v: %+v", pair, s)
			}
		}
	}
}

const (
	candidates = `{"candidates":[{"id":"a","metrics":{"wns":0.1,"hpwl":10}},{"id":"b","metrics":{"wns":0.2,"hpwl":12}},{"id":"c","metrics":{"wns":-1,"hpwl":9}}]}`
	rules      = `{"rules":[{"metric":"wns","op":">=","limit":0}],"objectives":[{"metric":"hpwl"},{"metric":"wns"}]}`
)

func TestJudge(t *testing.T) {
	bus := NewBus(nil)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	bus.providers["judge"] = judgeProvider{func() time.Time { return at }}
	ask := func(input string) Answer {
		t.Helper()
		a, err := bus.Answer(context.Background(), Call{Request: trace.NewRequest("judge", bus.Resolve("judge", parse(t, input), canon.Null))})
		if err != nil || !a.Usage.IsZero() || a.UsageUnknown {
			t.Fatal(err)
		}
		return a
	}
	best := ask(`{"candidates":` + candidates + `,"rules":` + rules + `,"parent":"sha256:` + strings.Repeat("0", 64) + `"}`).Output.Get("certificate")
	if best.Get("signed_at").Text() != `"2026-01-02T03:04:05Z"` || best.Get("signed_by").Text() != `"Judge/v1.0.0"` || best.Get("gate_result").Get("verdict").Text() != `"PASS"` || best.Get("parent_snap").IsAbsent() {
		t.Fatalf("%s", best)
	}
	// Documents and their texts are the same but for the hash of the rules' bytes.
	text := ask(`{"candidates":` + canon.String(candidates).Text() + `,"rules":` + canon.String(rules+"\n").Text() + `,"id":"c","signed_by":"Gate/v2.0.0"}`).Output.Get("certificate")
	if text.Get("gate_result").Get("verdict").Text() != `"FAIL"` || text.Get("signed_by").Text() != `"Gate/v2.0.0"` || text.Get("rules_hash") == best.Get("rules_hash") || text.Get("candidate_set") != best.Get("candidate_set") {
		t.Fatalf("%s", text)
	}
	for input, want := range map[string]string{
		`{}`: "candidates", `{"candidates":` + candidates + `}`: "rules",
		`{"candidates":` + candidates + `,"rules":` + rules + `,"id":"z"}`:            "not in the set",
		`{"candidates":` + candidates + `,"rules":` + rules + `,"regret_kind":"odd"}`: "regret kind",
		`{"candidates":` + candidates + `,"rules":` + rules + `,"signed_by":"me"}`:    "signed_by",
		`{"candidates":[{"run":"a","wns":-1,"hpwl":1}],"rules":` + rules + `}`:        "no candidate passes",
	} {
		if got, _ := ask(input).Output.Get("refusal").Str(); !strings.Contains(got, want) {
			t.Errorf("%s: %q", input, got)
		}
	}
}

// The machinery around a live provider: routing, redaction, bookkeeping.
func BenchmarkDelivery(b *testing.B) {
	line := "A sentence of an answer, with \"quotes\" and 100 % of it.\n"
	p := &told{answer: Answer{Output: canon.Object(canon.Member{Key: "text", Value: canon.String(strings.Repeat(line, 70))}), Side: parse(b, `{"elapsed_ms":12}`)}, closed: new(int)}
	bus, problems := NewBus(settings(b, `{"llm":{"provider":"p","model":"m","api_key":{"$secret":"KEY"}}}`)).GoLive(Options{Live: LiveAll, LookupEnv: env, Providers: map[string]Maker{"p": maker(p)}})
	if bus == nil {
		b.Fatal(problems)
	}
	input, none := parse(b, `{"messages":[{"content":"hello","role":"user"}]}`), canon.Null
	b.ReportAllocs()
	for b.Loop() {
		req := trace.NewRequest("llm", bus.Resolve("llm", input, none))
		if _, err := bus.Answer(context.Background(), Call{Agent: "a", Step: 1, Request: req}); err != nil {
			b.Fatal(err)
		}
	}
}
