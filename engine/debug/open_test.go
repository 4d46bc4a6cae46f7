package debug

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// bought answers like the mock, for money.
type bought struct{ calls *int }

func (b bought) Do(ctx context.Context, c effect.Call) (effect.Answer, error) {
	*b.calls++
	return effect.Mock(ctx, c)
}

// waiting is a session behind a record whose last effect may have been sent, paused there; calls counts what it sends.
func waiting(t *testing.T, calls *int) *Session {
	t.Helper()
	folder := filepath.Join("..", "..", "examples", "torn")
	data, err := os.ReadFile(filepath.Join(folder, "flow.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(`"effects": {"llm": {"provider": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "mock-fast"}}, "agents": [`)
	data = append(append(append([]byte(nil), data[:len(`{
  "version": 1,
  "id": "research-pipeline",
  `)]...), text...), data[len(`{
  "version": 1,
  "id": "research-pipeline",
  "agents": [`):]...)
	m, diags := engine.Parse("flow.json", data, behavior.Builtin(), false)
	if m == nil {
		t.Fatal(diags)
	}
	maker := func(effect.Setup) (effect.Provider, []effect.Problem) { return bought{calls}, nil }
	if diags := m.GoLive(effect.Options{Live: effect.LiveAll, Providers: map[string]effect.Maker{"openai": maker}}); len(diags) > 0 {
		t.Fatal(diags)
	}
	record, err := os.ReadFile(filepath.Join(folder, "waiting.json"))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(record)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Machine: m, Trace: tr})
	if err != nil {
		t.Fatal(err)
	}
	stop := s.Continue().Run(t.Context())
	if stop.Reason != StopPaused || s.Pending() == nil || *calls != 0 {
		t.Fatalf("%+v, pending %+v, %d calls", stop, s.Pending(), *calls)
	}
	if again := s.Continue().Run(t.Context()); again.Reason != StopPaused || *calls != 0 {
		t.Fatalf("asked once more: %+v, %d calls", again, *calls)
	}
	return s
}

// A session behind a record whose last effect may have been sent waits for a decision; it sends nothing by itself.
func TestOpenEffectWaitsForADecision(t *testing.T) {
	for name, x := range map[string]struct {
		decide func(*Session) error
		calls  int
	}{
		"send": {(*Session).SendPending, 2},
		"answer": {func(s *Session) error {
			return s.AnswerPending(canon.Object(canon.Member{Key: "text", Value: canon.String("0.5")}))
		}, 1},
		"mock": {(*Session).MockPending, 1},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			s := waiting(t, &calls)
			if err := x.decide(s); err != nil {
				t.Fatal(err)
			}
			for range 100 {
				if s.AtEnd() {
					break
				}
				if stop := s.Continue().Run(t.Context()); stop.Reason == StopPaused {
					t.Fatalf("it asks about %+v", s.Pending())
				}
			}
			if !s.AtEnd() || calls != x.calls {
				t.Fatalf("at end %v, %d calls, want %d", s.AtEnd(), calls, x.calls)
			}
		})
	}
}
