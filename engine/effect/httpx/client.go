// Package httpx is how effects speak HTTP: one client with clocks, retries, Retry-After and a rate limit, and the
// providers of the ops http and search on top of it. Package llm uses the same client. It may hold what is common to
// HTTP requests; it must not record headers, and it connects only when a call asks it to.
package httpx

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/clock"
	"flowdbg/engine/effect/price"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Classes of failure, beside "<clock>_timeout" and "http_<status>".
const (
	ClassConnect   = "connect"          // no connection: nothing was sent
	ClassTransport = "transport"        // the connection broke
	ClassCutOff    = "cut_off"          // the answer ended before it was whole
	ClassBadAnswer = "bad_answer"       // an answer that cannot be read
	ClassTooLarge  = "answer_too_large" // an answer above the limit
	ClassRequest   = "bad_request"      // the request cannot be made from its input
	ClassSecret    = "secret"           // a secret is missing or too short
	ClassRefused   = "not_allowed"      // the settings do not let the request through
	ClassCancelled = "cancelled"        // the caller gave up; it is the class of an attempt, never of a failure
)

// Fault is why an attempt failed.
type Fault struct {
	Class  string
	Detail string
	Retry  bool          // the class of failure may be tried again
	After  time.Duration // a floor for the wait, from Retry-After; 0: none
	Unsent bool          // nothing left this machine, so even an unsafe op may try again
	Free   bool          // the server refused, though its status was a success: nothing is billed
}

// Error is class and detail.
func (f *Fault) Error() string { return f.Class + ": " + f.Detail }

// Client sends the requests of one op. Its fields are set before the first call and not changed.
type Client struct {
	Op        string
	Class     effect.Class
	Transport http.RoundTripper
	Limits    clock.Limits
	Retries   int           // after the first attempt
	Backoff   time.Duration // the first wait is random in [0, Backoff], each later one may be twice as long
	Rate      *Limiter      // nil: no limit
	Metered   bool          // answers say what they cost; without it each attempt that may have been served costs CostUSD
	CostUSD   float64
	Redirect  func(req *http.Request, via []*http.Request) error // nil: none is followed
}

// maxBackoff bounds one wait of the client's own; a Retry-After may be longer.
const maxBackoff = 30 * time.Second

// Exchange is one operation: New makes the request, anew for each attempt, and Read reads the answer. Read's body is
// under the clocks, and Read may fill in what the attempt used. Errors of both are *Fault, or whatever reading gave.
type Exchange struct {
	New     func(ctx context.Context) (*http.Request, error)
	Read    func(a *Attempt, resp *http.Response, body *clock.Reader) error
	PerRead bool // every read counts as a frame for the idle clock; else Read tells of frames through body.Watch
}

// Do makes attempts until one succeeds, the retries are used up, or a clock or the caller ends the operation. The error
// is *effect.Failure or *effect.Cancelled, with usage and side filled in.
func (c *Client) Do(ctx context.Context, x Exchange) (Log, error) {
	var log Log
	op, stop := clock.WithTotal(ctx, c.Limits.Total)
	defer stop()
	wait := &floored{exp: &backoff.ExponentialBackOff{
		InitialInterval: max(c.Backoff/2, 1), RandomizationFactor: 1, Multiplier: 2, MaxInterval: maxBackoff / 2}, ctx: op}
	_, err := backoff.Retry(op, func() (struct{}, error) {
		fault := c.once(op, x, &log, wait.last)
		if fault == nil {
			return struct{}{}, nil
		}
		if !fault.Retry || c.Class == effect.Unsafe && !fault.Unsent {
			return struct{}{}, backoff.Permanent(fault)
		}
		wait.floor = fault.After
		return struct{}{}, fault
	}, backoff.WithBackOff(wait), backoff.WithMaxTries(uint(c.Retries)+1), backoff.WithMaxElapsedTime(0))
	if err == nil {
		return log, nil
	}
	if wait.late {
		err = late(err)
	}
	return log, c.failed(ctx, op, log, err)
}

// late adds to the last fault that there was no time left to try again.
func late(err error) error {
	var f *Fault
	if !errors.As(err, &f) {
		return err
	}
	return &Fault{Class: f.Class, Detail: f.Detail + " (no time for another attempt before the total clock runs out)"}
}

// floored is full jitter, but never less than what the server asked for.
type floored struct {
	exp   *backoff.ExponentialBackOff
	ctx   context.Context
	floor time.Duration
	last  time.Duration
	late  bool // the next attempt would have come after the total clock
}

func (f *floored) Reset() { f.exp.Reset() }

// NextBackOff is the next wait. It gives up when the operation's clock would run out first.
func (f *floored) NextBackOff() time.Duration {
	f.last = max(f.exp.NextBackOff(), f.floor)
	if end, ok := f.ctx.Deadline(); ok && time.Until(end) <= f.last {
		f.late = true
		return backoff.Stop
	}
	return f.last
}

// failed makes the operation's error out of its last attempt's.
func (c *Client) failed(caller, op context.Context, log Log, err error) error {
	usage, _ := log.Usage()
	var known *trace.Usage
	if !usage.IsZero() {
		known = &usage
	}
	if caller.Err() != nil {
		return &effect.Cancelled{Op: c.Op, PossiblyBilled: log.possiblyServed() && (c.Metered || c.CostUSD > 0 || c.Class == effect.Unsafe), Usage: known, Side: log.Side(), Cause: caller.Err()}
	}
	f := &effect.Failure{Op: c.Op, Class: ClassTransport, Usage: known, Side: log.Side()}
	detail := err.Error()
	var fault *Fault
	if e := clock.Of(op); e != nil {
		f.Class, detail = e.Class(), e.Error()
	} else if errors.As(err, &fault) {
		f.Class, detail = fault.Class, fault.Detail
	}
	members := []canon.Member{{Key: "detail", Value: canon.String(cut(detail, 2000))}}
	if _, unknown := log.Usage(); unknown {
		members = append(members, canon.Member{Key: "usage_unknown", Value: canon.True})
	}
	for k, v := range f.Side.Members() {
		members = append(members, canon.Member{Key: k, Value: v})
	}
	f.Side = canon.Object(members...)
	return f
}

// once makes one attempt and notes it.
func (c *Client) once(op context.Context, x Exchange, log *Log, waited time.Duration) *Fault {
	began := time.Now()
	a := Attempt{WaitMS: waited.Milliseconds()}
	if len(*log) == 0 {
		a.WaitMS = 0
	}
	err := c.Rate.Wait(op)
	if err == nil {
		err = c.exchange(op, x, &a)
	} else {
		err = c.fault(op, err, false)
	}
	a.ElapsedMS = time.Since(began).Milliseconds()
	var fault *Fault
	if err != nil {
		if !errors.As(err, &fault) {
			fault = &Fault{Class: ClassTransport, Detail: err.Error(), Retry: true}
		}
		a.Class, a.Detail = fault.Class, fault.Detail
		// A refused request is not billed; one without an answer, or with half of one, may be.
		a.UsageUnknown = c.Metered && a.Tokens == nil && a.served() && !fault.Free
	}
	if !c.Metered && c.CostUSD > 0 && a.served() {
		a.Tokens, a.USD = &price.Tokens{}, c.CostUSD
	}
	*log = append(*log, a)
	return fault
}

func (c *Client) exchange(op context.Context, x Exchange, a *Attempt) error {
	w := clock.Start(op, c.Limits)
	defer w.Stop()
	var sent atomic.Bool
	ctx := httptrace.WithClientTrace(w.Context(), &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { w.Connected() },
		WroteHeaders: func() { sent.Store(true) },
	})
	req, err := x.New(ctx)
	if err != nil {
		return err
	}
	client := http.Client{Transport: c.Transport, CheckRedirect: c.Redirect}
	if c.Redirect == nil {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	resp, err := client.Do(req)
	a.Sent = sent.Load()
	if err != nil {
		return c.fault(w.Context(), err, a.Sent)
	}
	a.Sent, a.Status = true, resp.StatusCode
	w.Connected() // a transport that traces nothing
	defer resp.Body.Close()
	if err = x.Read(a, resp, &clock.Reader{R: resp.Body, Watch: w, PerRead: x.PerRead}); err == nil {
		return nil
	}
	return c.fault(w.Context(), err, true)
}

// fault names what went wrong: a clock, the settings, the connection.
func (c *Client) fault(ctx context.Context, err error, sent bool) *Fault {
	var own *Fault
	if e := clock.Of(ctx); e != nil {
		return &Fault{Class: e.Class(), Detail: e.Error(), Retry: e.Clock != clock.Total, Unsent: !sent}
	}
	if errors.As(err, &own) {
		return own
	}
	if ctx.Err() != nil {
		return &Fault{Class: ClassCancelled, Detail: ctx.Err().Error(), Unsent: !sent}
	}
	if !sent && isConnect(err) {
		return &Fault{Class: ClassConnect, Detail: err.Error(), Retry: true, Unsent: true}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Fault{Class: ClassCutOff, Detail: err.Error(), Retry: true}
	}
	return &Fault{Class: ClassTransport, Detail: err.Error(), Retry: true, Unsent: !sent}
}

func isConnect(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns) || errors.As(err, &cert)
}

// StatusFault is the fault of an answer whose status is no success: 408, 409, 429 and 5xx may be tried again, not
// before what Retry-After says.
func StatusFault(resp *http.Response, detail string, now time.Time) *Fault {
	s := resp.StatusCode
	retry := s == http.StatusRequestTimeout || s == http.StatusConflict || s == http.StatusTooManyRequests || s >= 500
	if detail == "" {
		detail = http.StatusText(s)
	}
	f := &Fault{Class: "http_" + strconv.Itoa(s), Detail: fmt.Sprintf("status %d: %s", s, detail), Retry: retry}
	if retry {
		f.After = retryAfter(resp.Header, now)
	}
	return f
}

// retryAfter reads retry-after-ms (which model providers send) and Retry-After, in seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const most = 24 * time.Hour
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return min(time.Duration(ms*float64(time.Millisecond)), most)
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 {
		return time.Duration(min(s, most.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return min(at.Sub(now), most)
	}
	return 0
}

// NewTransport is a transport of one provider's own: its connections are kept for the next call and nobody else's.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           8,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// ReadAll reads a body up to a number of bytes; more is a Fault.
func ReadAll(body io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, &Fault{Class: ClassTooLarge, Detail: fmt.Sprintf("the answer has more than %d bytes", most)}
	}
	return data, err
}
