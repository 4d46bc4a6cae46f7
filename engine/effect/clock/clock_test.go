package clock

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var limits = Limits{Connect: time.Second, FirstByte: 5 * time.Second, Idle: 2 * time.Second}

// Each clock stops the call when it is its turn, and the cause names it. Time is simulated.
func TestEachClock(t *testing.T) {
	cases := map[string]struct {
		drive func(w *Watch)
		want  Name
		at    time.Duration
	}{
		"connect":                 {func(*Watch) {}, Connect, time.Second},
		"first byte":              {func(w *Watch) { w.Connected() }, FirstByte, 5 * time.Second},
		"idle after the first":    {func(w *Watch) { w.Connected(); w.Frame() }, Idle, 2 * time.Second},
		"idle after many frames":  {func(w *Watch) { w.Connected(); frames(w, 10, time.Second) }, Idle, 12 * time.Second},
		"connected again is late": {func(w *Watch) { w.Connected(); w.Frame(); w.Connected() }, Idle, 2 * time.Second},
		"began counts once":       {func(w *Watch) { w.Began(); time.Sleep(time.Second); w.Began() }, Idle, 2 * time.Second},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w := Start(t.Context(), limits)
				defer w.Stop()
				c.drive(w)
				<-w.Context().Done()
				e := Of(w.Context())
				if e == nil || e.Clock != c.want || time.Since(start) != c.at {
					t.Fatalf("cause %v after %s", context.Cause(w.Context()), time.Since(start))
				}
				if e.Class() != string(c.want)+"_timeout" || !strings.Contains(e.Error(), string(c.want)) {
					t.Fatalf("%q %q", e.Class(), e.Error())
				}
			})
		})
	}
}

func frames(w *Watch, n int, every time.Duration) {
	for range n {
		time.Sleep(every)
		w.Frame()
	}
}

func TestTotalRunsBesideTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := WithTotal(t.Context(), 10*time.Second)
		defer stop()
		w := Start(ctx, limits)
		defer w.Stop()
		w.Connected()
		go func() { frames(w, 100, time.Second) }()
		<-w.Context().Done()
		if e := Of(w.Context()); e == nil || e.Clock != Total || e.After != 10*time.Second {
			t.Fatalf("cause %v", context.Cause(w.Context()))
		}
		time.Sleep(time.Hour)
	})
}

func TestNoLimitAndStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := WithTotal(t.Context(), 0)
		w := Start(ctx, Limits{})
		w.Connected()
		time.Sleep(1000 * time.Hour)
		if w.Context().Err() != nil {
			t.Fatal("ended without a limit")
		}
		w.Stop()
		stop()
		if Of(w.Context()) != nil || !errors.Is(w.Context().Err(), context.Canceled) {
			t.Fatalf("stopped: %v", context.Cause(w.Context()))
		}
		v := Start(t.Context(), limits)
		v.Stop()
		time.Sleep(time.Hour)
		if Of(v.Context()) != nil {
			t.Fatal("a clock ran on after Stop")
		}
	})
}

// A body that drips keeps the idle clock from running out only when each read counts.
func TestReader(t *testing.T) {
	for _, perRead := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := Start(t.Context(), limits)
			defer w.Stop()
			pr, pw := io.Pipe()
			go func() {
				for range 5 {
					time.Sleep(1500 * time.Millisecond)
					_, _ = pw.Write([]byte("x"))
				}
				_ = pw.Close()
			}()
			context.AfterFunc(w.Context(), func() { _ = pr.CloseWithError(context.Cause(w.Context())) })
			w.Connected()
			data, err := io.ReadAll(&Reader{R: pr, Watch: w, PerRead: perRead})
			if perRead && (err != nil || len(data) != 5) {
				t.Fatalf("%q %v", data, err)
			}
			time.Sleep(time.Hour) // for the writer to end
			if e := Of(w.Context()); !perRead && (err == nil || e == nil || e.Clock != Idle) {
				t.Fatalf("%q %v", data, err)
			}
		})
	}
}
