package httpx

import (
	"context"
	"sync"
	"time"
)

// Limiter spaces requests out evenly. A nil Limiter lets everything through. It is safe for concurrent use.
type Limiter struct {
	every time.Duration
	mu    sync.Mutex
	next  time.Time
}

// PerMinute lets n requests a minute through, the first at once; n ≤ 0 is no limit.
func PerMinute(n float64) *Limiter {
	if n <= 0 {
		return nil
	}
	return &Limiter{every: time.Duration(float64(time.Minute) / n)}
}

// Wait takes the next place and waits for it. The error is the context's cause; the place is lost then.
func (l *Limiter) Wait(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	now := time.Now()
	if l.next.Before(now) {
		l.next = now
	}
	wait := l.next.Sub(now)
	l.next = l.next.Add(l.every)
	l.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
