package tool

import (
	"testing"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// FuzzCallDetails reads any record of a call, as a foreign or hostile trace may hold it, and what follows from it.
func FuzzCallDetails(f *testing.F) {
	f.Add(`{"tool":"t","steps":[{"side":"input","after":"{}"},{"side":"output"}],"sent":"{\"arguments\":5}","received":"[","refusal":{"code":"c"}}`, `{"structuredContent":{}}`)
	f.Add(`{"tool":5}`, `null`)
	f.Add(`{"steps":[{"side":"sideways"}],"journal":[{}],"notes":[{"kind":"loss"}],"tried":[{"version":1}]}`, `[]`)
	f.Fuzz(func(t *testing.T, record, answer string) {
		side, _, err := canon.ParseString(record, canon.Options{})
		if err != nil {
			return
		}
		response, _, err := canon.ParseString(answer, canon.Options{})
		if err != nil {
			return
		}
		for _, e := range []trace.Event{
			{Type: trace.EffectEvent, Effect: trace.NewRequest(op, response), Response: response},
			{Type: trace.ErrorEvent, Error: &trace.ErrorInfo{Text: "EffectError: tool: x"}},
			{Type: trace.ErrorEvent},
			{Type: trace.EffectEvent},
		} {
			e.Side = canon.Object(canon.Member{Key: SideKey, Value: side})
			if d, ok := CallDetails(&e); ok {
				_ = d.Verdict()
				_ = d.Losses()
				_ = d.Inventions()
				for _, x := range d.Tried {
					_ = x.Why.Error()
				}
			}
		}
	})
}
