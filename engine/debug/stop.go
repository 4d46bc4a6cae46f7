package debug

import (
	"fmt"
	"strings"

	"flowdbg/trace"
)

// StopReason says why the session stands where it stands.
type StopReason string

// The reasons.
const (
	StopStart       StopReason = "start"       // position 0
	StopStep        StopReason = "step"        // a step is done, or was taken back
	StopEvent       StopReason = "event"       // one event was applied or taken back
	StopBreak       StopReason = "breakpoint"  // see Breakpoint
	StopGoto        StopReason = "goto"        // the position asked for
	StopEnd         StopReason = "end"         // nothing lies ahead
	StopDiverged    StopReason = "diverged"    // the run is not the recorded one from here on
	StopPaused      StopReason = "paused"      // an effect needs a provider that is not live
	StopInterrupted StopReason = "interrupted" // by the user
	StopError       StopReason = "internal"    // the program broke a promise of its own, or a behaviour did
	StopFound       StopReason = "found"       // the event that was searched
	StopFork        StopReason = "fork"        // a new run begins here
	StopReload      StopReason = "reload"      // the flow was read again
)

// Stop is the stop card: why, where, and what the step at the position did.
type Stop struct {
	Reason     StopReason
	Pos        int
	Step       int
	Agent      string   // who ran in the step, "" before the first
	Consumed   string   // "research from researcher", "task (input)"
	Sent       []string // "out → critic research"
	Asked      string   // "llm mock-strong"
	Spent      trace.Ledger
	Error      string // text of an error event in the step
	Hash       HashStatus
	Breakpoint string
	Message    string // what else there is to say
	Err        error
}

// done notes the stop at the position the session has reached.
func (s *Session) done(reason StopReason, from int) Stop {
	s.stop = s.describe(reason, from)
	return s.stop
}

// describe looks at the events of the step that the position is in or behind.
func (s *Session) describe(reason StopReason, from int) Stop {
	stop := Stop{Reason: reason, Pos: s.pos, Step: s.State().Step(), Hash: s.HashStatus()}
	first := s.pos
	for first > 0 {
		first--
		if h := s.Header(first); h.Type == trace.Receive && !h.Cancelled {
			break
		}
	}
	for i := first; i < s.pos; i++ {
		if !s.Header(i).Cancelled {
			stop.add(s.Event(i))
		}
	}
	stop.Message = stopMessage(stop, s, from)
	return stop
}

func (st *Stop) add(e *trace.Event) {
	switch e.Type {
	case trace.Receive:
		st.Agent = e.Agent
		st.Consumed = e.Message.Tag + " (input)"
		if e.Message.HasFrom {
			st.Consumed = e.Message.Tag + " from " + e.Message.From
		}
	case trace.SendEvent:
		to := "outputs"
		if e.HasTo() {
			to = e.To
		}
		st.Sent = append(st.Sent, fmt.Sprintf("%s → %s %s", e.Port, to, e.Message.Tag))
	case trace.Act:
		if e.Effect != nil {
			st.Asked = e.Effect.Asks()
		}
	case trace.EffectEvent:
		st.Spent = st.Spent.Add(e.Usage)
	case trace.ErrorEvent:
		st.Error = e.Error.Text
		if e.Error.HasUsage {
			st.Spent = st.Spent.Add(e.Usage)
		}
	}
}

// also says one thing more.
func (st *Stop) also(text string) {
	if text == "" {
		return
	}
	if st.Message != "" {
		st.Message += "; "
	}
	st.Message += text
}

func stopMessage(stop Stop, s *Session, from int) string {
	switch stop.Reason {
	case StopDiverged:
		return s.Divergence().String()
	case StopEnd:
		if f := s.State().Finished(); f != nil {
			steps := "steps"
			if f.Steps == 1 {
				steps = "step"
			}
			return fmt.Sprintf("the run is finished (%s, %d %s)", orUnknown(f.Reason), f.Steps, steps)
		}
		return "the trace ends here, without finish"
	case StopStart:
		if from > 0 {
			return "at the start: nothing lies before"
		}
		return "before the first event"
	}
	return ""
}

func orUnknown(s string) string {
	if s == "" {
		return "reason not recorded"
	}
	return s
}

// Text is the card as one line, facts separated by " · ".
func (st Stop) Text() string {
	parts := []string{string(st.Reason)}
	if st.Reason == StopStep {
		parts[0] = "step done"
	}
	if st.Breakpoint != "" {
		parts[0] = "breakpoint " + st.Breakpoint
	}
	if st.Message != "" {
		parts = append(parts, st.Message)
	}
	if st.Agent != "" && st.Reason != StopDiverged {
		parts = append(parts, st.Agent+" consumed "+st.Consumed)
		if len(st.Sent) > 3 {
			parts = append(parts, fmt.Sprintf("sent %s and %d more", strings.Join(st.Sent[:3], ", "), len(st.Sent)-3))
		} else if len(st.Sent) > 0 {
			parts = append(parts, "sent "+strings.Join(st.Sent, ", "))
		}
		if st.Asked != "" {
			parts = append(parts, "asked "+st.Asked)
		}
		if st.Spent.NanoUSD != 0 {
			parts = append(parts, fmt.Sprintf("$ %+.6f", float64(st.Spent.NanoUSD)/1e9))
		}
	}
	if st.Error != "" {
		parts = append(parts, st.Error)
	}
	if h := st.Hash.Text(); h != "" {
		parts = append(parts, "hash "+h)
	}
	return strings.Join(parts, " · ")
}
