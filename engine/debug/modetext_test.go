package debug

import (
	"bytes"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/providers"
	"flowdbg/engine/flow"
)

func TestModeText(t *testing.T) {
	const real = `{"provider": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m"}`
	for _, c := range []struct {
		mode    Mode
		effects string
		live    effect.Live
		want    string
	}{
		{Replay, `{}`, effect.Live{}, "replay"},
		{Playback, `{}`, effect.Live{}, "playback"},
		{Live, `{}`, effect.Live{}, "live (mock)"},
		{Live, `{"llm": ` + real + `}`, effect.Live{}, "live (mock, llm pauses)"},
		{Live, `{"llm": ` + real + `}`, effect.LiveOps("llm"), "live $ llm"},
		{Live, `{"llm": ` + real + `, "http": {"base_url": "http://127.0.0.1:1"}}`, effect.LiveOps("llm"), "live $ llm (http pauses)"},
	} {
		data := bytes.Replace(seedFlow(t), []byte(`"version": 1,`), []byte(`"version": 1, "effects": `+c.effects+`,`), 1)
		mc, diags := engine.Parse("flow.json", data, behavior.Builtin(), false)
		if mc == nil {
			t.Fatalf("%s: %v", c.effects, diags)
		}
		if diags := mc.GoLive(effect.Options{Live: c.live, Providers: providers.All(), LookupEnv: func(string) (string, bool) { return "", false }}); flow.HasErrors(diags) {
			t.Fatalf("%s: %v", c.effects, diags)
		}
		if got := ModeText(c.mode, mc); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.mode, c.effects, got, c.want)
		}
	}
	if got := ModeText(Live, nil); got != "live" {
		t.Errorf("without a flow: %q", got)
	}
}
