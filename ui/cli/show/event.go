package show

import (
	"fmt"
	"strings"

	"flowdbg/trace"
)

// EventLine is one event as tab-separated columns: index, step, type, agent, what happened.
func EventLine(i int, e *trace.Event) string {
	step := ""
	if e.HasStep() {
		step = fmt.Sprint(e.Step)
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s", i, step, Clean(string(e.Type)), Clean(e.Agent), EventText(e))
}

// EventText says what happened in one event.
func EventText(e *trace.Event) string {
	switch e.Type {
	case trace.Receive:
		return MessageText(e.Message, PreviewLen)
	case trace.Act:
		return actText(e)
	case trace.SendEvent:
		to := "outputs"
		if e.HasTo() {
			to = Clean(e.To)
		}
		return fmt.Sprintf("%s → %s  %s  %s", Clean(e.Port), to, Clean(e.Message.Tag), Preview(e.Message.Payload, PreviewLen))
	case trace.EffectEvent:
		return fmt.Sprintf("%s  %s  %s", Clean(e.Effect.Asks()), UsageText(e), Preview(e.Answer(), PreviewLen))
	case trace.ErrorEvent:
		return Clean(e.Error.Text)
	case trace.FinishEvent:
		return fmt.Sprintf("%s after %s  hash %.12s", Clean(OrUnknown(e.Finish.Reason)), Plural(e.Finish.Steps, "step"), Clean(e.Finish.StateHash))
	}
	return Preview(e.Extra, PreviewLen)
}

func actText(e *trace.Event) string {
	parts := []string{fmt.Sprintf("sends %d", e.Send.Count())}
	if e.Effect != nil {
		parts = append(parts, "asks "+Clean(e.Effect.Asks()))
	}
	return strings.Join(append(parts, "state "+Preview(e.State, PreviewLen)), "  ")
}

// UsageText is what an effect event cost.
func UsageText(e *trace.Event) string {
	if e.UsageUnknown() {
		return "usage unknown"
	}
	if e.Usage.IsZero() {
		return "free"
	}
	return fmt.Sprintf("%s %s tokens", Dollars(trace.NanoUSD(e.Usage.USD)), Number(e.Usage.Tokens()))
}

// OrUnknown is why a run finished, when that was recorded.
func OrUnknown(reason string) string {
	if reason == "" {
		return "finished"
	}
	return reason
}
