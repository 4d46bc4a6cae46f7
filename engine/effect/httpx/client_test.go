package httpx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/clock"
)

// script is a transport without a network: one function per attempt, the last one for all further ones.
type script struct {
	steps []func(r *http.Request) (*http.Response, error)
	at    []time.Duration // when each attempt came
	start time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	n := len(s.at)
	s.at = append(s.at, time.Since(s.start))
	return s.steps[min(n, len(s.steps)-1)](r)
}

func status(code int, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i+1 < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	}
}

func broken(*http.Request) (*http.Response, error) { return nil, io.ErrClosedPipe }

func stall(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// simulated runs an operation under simulated time.
func simulated(t *testing.T, c Client, check func(s *script, log Log, err error), steps ...func(*http.Request) (*http.Response, error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: steps, start: time.Now()}
		c.Op, c.Transport = "llm", s
		log, err := c.Do(t.Context(), getOK)
		check(s, log, err)
	})
}

// getOK is an operation that succeeds with 200.
var getOK = Exchange{
	New: func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, "http://h/", nil)
	},
	Read: func(a *Attempt, resp *http.Response, body *clock.Reader) error {
		if resp.StatusCode != http.StatusOK {
			return StatusFault(resp, "", time.Now())
		}
		return nil
	},
}

func TestOnlySomeStatusesAreRetried(t *testing.T) {
	for code, retried := range map[int]bool{400: false, 401: false, 403: false, 404: false, 408: true, 409: true, 422: false, 429: true, 500: true, 502: true, 503: true, 504: true, 302: false} {
		simulated(t, Client{Class: effect.Idempotent, Retries: 2, Backoff: time.Second}, func(s *script, log Log, err error) {
			want := 1
			if retried {
				want = 3
			}
			var f *effect.Failure
			if len(s.at) != want || len(log) != want || !errors.As(err, &f) || f.Error() != fmt.Sprintf("EffectError: llm: http_%d", code) {
				t.Errorf("%d: %d attempts, %v", code, len(s.at), err)
			}
			if f.Side.Get("attempts").Count() != want {
				t.Errorf("%d: side %s", code, f.Side)
			}
		}, status(code))
	}
	simulated(t, Client{Class: effect.Pure, Retries: 2, Backoff: time.Second}, func(s *script, log Log, err error) {
		if err != nil || len(log) != 2 || log[0].Class != ClassTransport || log[1].Class != "" {
			t.Errorf("a broken connection: %v %+v", err, log)
		}
	}, broken, status(200))
}

// An unsafe op is tried again only when nothing had left this machine.
func TestUnsafeIsNotRepeated(t *testing.T) {
	simulated(t, Client{Class: effect.Unsafe, Retries: 5, Backoff: time.Second}, func(s *script, _ Log, err error) {
		if len(s.at) != 1 || err == nil {
			t.Errorf("%d attempts, %v", len(s.at), err)
		}
	}, status(503))
	simulated(t, Client{Class: effect.Unsafe, Retries: 5, Backoff: time.Second}, func(s *script, _ Log, err error) {
		if len(s.at) != 2 || err != nil {
			t.Errorf("%d attempts, %v", len(s.at), err)
		}
	}, broken, status(200))
}

func TestRetryAfterIsAFloor(t *testing.T) {
	for name, c := range map[string]struct {
		headers []string
		floor   time.Duration
	}{
		"seconds":      {[]string{"Retry-After", "7"}, 7 * time.Second},
		"fraction":     {[]string{"Retry-After", "1.5"}, 1500 * time.Millisecond},
		"milliseconds": {[]string{"Retry-After-Ms", "2500", "Retry-After", "1"}, 2500 * time.Millisecond},
		"nonsense":     {[]string{"Retry-After", "soon"}, 0},
		"negative":     {[]string{"Retry-After", "-5"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			simulated(t, Client{Class: effect.Pure, Retries: 1, Backoff: 100 * time.Millisecond}, func(s *script, log Log, err error) {
				if err != nil || len(s.at) != 2 {
					t.Fatalf("%v, %d attempts", err, len(s.at))
				}
				if wait := s.at[1] - s.at[0]; wait < c.floor || wait > c.floor+100*time.Millisecond || log[1].WaitMS != wait.Milliseconds() {
					t.Fatalf("waited %s (noted %d ms), floor %s", wait, log[1].WaitMS, c.floor)
				}
			}, status(429, c.headers...), status(200))
		})
	}
	t.Run("date", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{start: time.Now()}
			s.steps = append(s.steps, status(503, "Retry-After", time.Now().Add(42*time.Second).UTC().Format(http.TimeFormat)), status(200))
			c := Client{Class: effect.Pure, Retries: 1, Backoff: time.Second, Transport: s}
			if _, err := c.Do(t.Context(), getOK); err != nil || s.at[1] < 41*time.Second || s.at[1] > 43*time.Second {
				t.Fatal(err, s.at)
			}
		})
	})
}

// A server that asks for more patience than the operation has is not waited for.
func TestRetryAfterBeyondTheDeadline(t *testing.T) {
	simulated(t, Client{Class: effect.Pure, Retries: 3, Backoff: time.Second, Limits: clock.Limits{Total: time.Minute}}, func(s *script, _ Log, err error) {
		var f *effect.Failure
		if len(s.at) != 1 || !errors.As(err, &f) || f.Class != "http_429" || time.Since(s.start) > time.Second || !strings.Contains(f.Side.Text(), "no time for another attempt") {
			t.Errorf("%d attempts in %s, %v", len(s.at), time.Since(s.start), err)
		}
	}, status(429, "Retry-After", "3600"))
}

// Full jitter: waits lie between 0 and a bound that doubles.
func TestBackoffIsFullJitter(t *testing.T) {
	var least, most [3]time.Duration
	for i := range least {
		least[i] = time.Hour
	}
	for range 60 {
		simulated(t, Client{Class: effect.Pure, Retries: 3, Backoff: time.Second}, func(s *script, log Log, _ error) {
			for i := range most {
				wait := s.at[i+1] - s.at[i]
				least[i], most[i] = min(least[i], wait), max(most[i], wait)
			}
		}, status(500))
	}
	for i := range most {
		bound := time.Second << i
		if most[i] > bound+time.Millisecond || most[i] < bound/2 || least[i] > bound/2 {
			t.Errorf("wait %d lay between %s and %s, bound %s", i, least[i], most[i], bound)
		}
	}
}

func TestEachClockStopsAStallingTransport(t *testing.T) {
	limits := clock.Limits{Connect: time.Second, FirstByte: 2 * time.Second, Idle: 3 * time.Second, Total: 100 * time.Second}
	body := func(r *http.Request) (*http.Response, error) {
		pr, pw := io.Pipe()
		context.AfterFunc(r.Context(), func() { _ = pw.CloseWithError(r.Context().Err()) })
		go func() { _, _ = pw.Write([]byte("x")) }()
		return &http.Response{StatusCode: 200, Body: pr}, nil
	}
	read := getOK
	read.PerRead = true
	read.Read = func(_ *Attempt, _ *http.Response, body *clock.Reader) error { _, err := io.ReadAll(body); return err }
	for want, step := range map[string]func(*http.Request) (*http.Response, error){"connect_timeout": stall, "idle_timeout": body} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{steps: []func(*http.Request) (*http.Response, error){step}, start: time.Now()}
			c := Client{Op: "http", Class: effect.Pure, Retries: 1, Backoff: time.Second, Limits: limits, Transport: s}
			_, err := c.Do(t.Context(), read)
			if err == nil || err.Error() != "EffectError: http: "+want || len(s.at) != 2 {
				t.Errorf("%v after %d attempts", err, len(s.at))
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []func(*http.Request) (*http.Response, error){stall}, start: time.Now()}
		only := clock.Limits{Total: 100 * time.Second}
		c := Client{Op: "http", Class: effect.Pure, Retries: 1000, Backoff: time.Second, Limits: only, Transport: s}
		_, err := c.Do(t.Context(), read)
		if err == nil || err.Error() != "EffectError: http: total_timeout" || time.Since(s.start) > 100*time.Second {
			t.Errorf("%v after %s", err, time.Since(s.start))
		}
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &script{steps: []func(*http.Request) (*http.Response, error){stall}, start: time.Now()}
		c := Client{Op: "http", Class: effect.Pure, Retries: 3, Backoff: time.Second, Transport: s}
		time.AfterFunc(5*time.Second, cancel)
		_, err := c.Do(ctx, getOK)
		var e *effect.Cancelled
		if !errors.As(err, &e) || !errors.Is(err, context.Canceled) || e.PossiblyBilled || len(s.at) != 1 {
			t.Fatalf("%v after %d attempts", err, len(s.at))
		}
	})
	// In the wait between two attempts, too.
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &script{steps: []func(*http.Request) (*http.Response, error){status(429, "Retry-After", "60")}, start: time.Now()}
		c := Client{Op: "http", Class: effect.Pure, Retries: 3, Backoff: time.Second, Transport: s}
		time.AfterFunc(5*time.Second, cancel)
		_, err := c.Do(ctx, getOK)
		var e *effect.Cancelled
		if !errors.As(err, &e) || len(s.at) != 1 || time.Since(s.start) != 5*time.Second || e.Side.Get("attempts").Count() != 1 {
			t.Fatalf("%v after %d attempts and %s", err, len(s.at), time.Since(s.start))
		}
	})
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []func(*http.Request) (*http.Response, error){status(200)}, start: time.Now()}
		c := Client{Op: "http", Class: effect.Pure, Rate: PerMinute(30), Transport: s}
		for range 4 {
			if _, err := c.Do(t.Context(), getOK); err != nil {
				t.Fatal(err)
			}
		}
		if want := []time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second}; !slices.Equal(s.at, want) {
			t.Fatalf("%v", s.at)
		}
		time.Sleep(time.Hour) // places that nobody took are not saved up
		from := time.Since(s.start)
		for range 2 {
			_, _ = c.Do(t.Context(), getOK)
		}
		if s.at[4] != from || s.at[5] != from+2*time.Second {
			t.Fatalf("%v from %s", s.at[4:], from)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Do(ctx, getOK); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
	if PerMinute(0) != nil || (*Limiter)(nil).Wait(context.Background()) != nil {
		t.Fatal("no limit")
	}
}

// Declared costs count per attempt that may have been served; refused ones are free.
func TestDeclaredCost(t *testing.T) {
	simulated(t, Client{Class: effect.Pure, Retries: 3, Backoff: time.Second, CostUSD: 0.25}, func(_ *script, log Log, err error) {
		usage, unknown := log.Usage()
		if err != nil || usage.USD != 0.25 || unknown {
			t.Errorf("%v %+v %v", err, usage, unknown)
		}
	}, status(429), broken, status(200))
}

func TestReadJSON(t *testing.T) {
	v, notes, err := ReadJSON([]byte(` {"a":[9007199254740993, 1.0],"b":{"c/d":-12345678901234567890},"ok":9007199254740991} `), "/json")
	want := `{"a":["9007199254740993",1],"b":{"c/d":"-12345678901234567890"},"ok":9007199254740991}`
	if err != nil || v.Text() != want || !slices.Equal(notes, []string{"big_integer:/json/a/0", "big_integer:/json/b/c~1d"}) {
		t.Fatalf("%s %v %v", v, notes, err)
	}
	for _, bad := range []string{"", "{", `{"a":1,"a":2}`, "\xff", strings.Repeat("[", 300) + strings.Repeat("]", 300), "1e400"} {
		var f *Fault
		if _, _, err := ReadJSON([]byte(bad), ""); !errors.As(err, &f) || f.Class != ClassBadAnswer || f.Retry {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

func BenchmarkClient(b *testing.B) {
	s := &script{steps: []func(*http.Request) (*http.Response, error){status(200)}}
	c := Client{Op: "http", Class: effect.Pure, Retries: 2, Backoff: time.Second, Transport: s,
		Limits: clock.Limits{Connect: time.Second, FirstByte: time.Second, Idle: time.Second, Total: time.Minute}}
	b.ReportAllocs()
	for b.Loop() {
		s.at = s.at[:0]
		if _, err := c.Do(context.Background(), getOK); err != nil {
			b.Fatal(err)
		}
	}
}
