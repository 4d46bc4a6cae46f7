package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"flowdbg/engine"
	"flowdbg/trace"
)

// When progress appears, and how often it changes.
const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// progress is one line on a terminal that a long run keeps up to date. It writes only numbers, and past the safe
// writer, because it returns to the start of its line.
type progress struct {
	w     io.Writer // nil: nothing is shown
	next  time.Time
	shown bool
}

func (a *app) progress() *progress {
	p := &progress{next: time.Now().Add(progressAfter)}
	if a.cfg.StderrTTY {
		p.w = a.cfg.Stderr
	}
	return p
}

// step is called after every step of a run.
func (p *progress) step(r *engine.Run) error { return p.at(r.State, len(r.Events)) }

// at shows how far a run is.
func (p *progress) at(st *trace.State, events int) error {
	if p.w == nil || st.Begun()%64 != 0 {
		return nil
	}
	now := time.Now()
	if now.Before(p.next) {
		return nil
	}
	p.next, p.shown = now.Add(progressEvery), true
	_, err := fmt.Fprintf(p.w, "\r\x1b[Kstep %d · %d events · %s", st.Begun(), events, dollars(st.Ledger().NanoUSD))
	return err
}

// reading is called while a file is read; it ends the reading when the context is done.
func (p *progress) reading(ctx context.Context) func(done, total int64) error {
	return func(done, total int64) error {
		now := time.Now()
		if p.w == nil || now.Before(p.next) {
			return ctx.Err()
		}
		p.next, p.shown = now.Add(progressEvery), true
		of := ""
		if total > 0 {
			of = fmt.Sprintf(" of %d", total>>20)
		}
		fmt.Fprintf(p.w, "\r\x1b[Kreading %d%s MiB", done>>20, of)
		return ctx.Err()
	}
}

// passProgress shows how far a pass over a trace is.
func (a *app) passProgress() (trace.Progress, func()) {
	p := a.progress()
	return func(done, total int) {
		now := time.Now()
		if p.w == nil || now.Before(p.next) || total <= 0 {
			return
		}
		p.next, p.shown = now.Add(progressEvery), true
		fmt.Fprintf(p.w, "\r\x1b[K%d %%", int64(done)*100/int64(total))
	}, p.clear
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
