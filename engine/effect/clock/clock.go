// Package clock stops a call that takes too long, and says which of its clocks ran out: connect, first byte, idle
// between frames, or total (design 05). It may hold deadlines and nothing that knows what is being called. Time decides
// only when to give up; it never becomes part of an answer.
package clock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Name is one of the clocks.
type Name string

// The clocks, in the order in which they run. Total runs beside all others and over all attempts.
const (
	Connect   Name = "connect"    // until a connection, encryption included, or a started program
	FirstByte Name = "first_byte" // from then until the first byte of the answer's body
	Idle      Name = "idle"       // from one frame of the answer to the next
	Total     Name = "total"      // the whole operation
)

// Limits are how long each clock may run; 0 is no limit.
type Limits struct{ Connect, FirstByte, Idle, Total time.Duration }

// Expired says which clock ran out. It is the cause of the context that it ended.
type Expired struct {
	Clock Name
	After time.Duration
}

// Error names the clock and its limit.
func (e *Expired) Error() string {
	return fmt.Sprintf("the %s clock ran out after %s", e.Clock, e.After)
}

// Class is the failure's class: "idle_timeout", "first_byte_timeout" and so on.
func (e *Expired) Class() string { return string(e.Clock) + "_timeout" }

// Of is the clock that ended a context, nil when it was none.
func Of(ctx context.Context) *Expired {
	var e *Expired
	if errors.As(context.Cause(ctx), &e) {
		return e
	}
	return nil
}

// WithTotal is a context that ends when the total clock does. The caller calls stop when the operation is over.
func WithTotal(ctx context.Context, limit time.Duration) (_ context.Context, stop func()) {
	if limit <= 0 {
		c, cancel := context.WithCancel(ctx)
		return c, cancel
	}
	c, cancel := context.WithTimeoutCause(ctx, limit, &Expired{Total, limit})
	return c, cancel
}

// Watch runs the clocks of one attempt: connect first, then as it is told. It is safe for concurrent use.
type Watch struct {
	limits Limits
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	phase Name
	timer *time.Timer
	round int // of the timer: one that was stopped too late finds another number and does nothing
}

// Start begins an attempt with its connect clock. The caller calls Stop when the attempt is over.
func Start(ctx context.Context, limits Limits) *Watch {
	w := &Watch{limits: limits}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.enter(Connect)
	return w
}

// Context ends when a clock runs out, with *Expired as its cause, or when the attempt's own context does.
func (w *Watch) Context() context.Context { return w.ctx }

// Connected ends the connect clock and starts the one for the first byte.
func (w *Watch) Connected() { w.from(Connect, FirstByte) }

// Frame tells of a frame, or of the first byte: it starts the idle clock anew.
func (w *Watch) Frame() { w.enter(Idle) }

// Began tells of the first byte, and does nothing later on.
func (w *Watch) Began() {
	w.mu.Lock()
	first := w.phase != Idle
	w.mu.Unlock()
	if first {
		w.enter(Idle)
	}
}

// Stop ends all clocks.
func (w *Watch) Stop() {
	w.mu.Lock()
	w.round++
	if w.timer != nil {
		w.timer.Stop()
	}
	w.mu.Unlock()
	w.cancel(nil)
}

func (w *Watch) from(only, next Name) {
	w.mu.Lock()
	ok := w.phase == only
	w.mu.Unlock()
	if ok {
		w.enter(next)
	}
}

func (w *Watch) enter(phase Name) {
	var limit time.Duration
	switch phase {
	case Connect:
		limit = w.limits.Connect
	case FirstByte:
		limit = w.limits.FirstByte
	case Idle:
		limit = w.limits.Idle
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.phase = phase
	w.round++
	round := w.round
	if w.timer != nil {
		w.timer.Stop()
	}
	if limit <= 0 {
		return
	}
	w.timer = time.AfterFunc(limit, func() {
		w.mu.Lock()
		late := w.round != round
		w.mu.Unlock()
		if !late {
			w.cancel(&Expired{phase, limit})
		}
	})
}

// Reader is the answer's body under the clocks. With PerRead every read that brings something counts as a frame; else
// only the first byte does, and whoever cuts the body into frames tells of them.
type Reader struct {
	R       io.Reader
	Watch   *Watch
	PerRead bool
}

// Read reads and tells the clocks.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.R.Read(p)
	if n > 0 {
		if r.PerRead {
			r.Watch.Frame()
		} else {
			r.Watch.Began()
		}
	}
	return n, err
}
