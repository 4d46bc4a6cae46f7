package debug

import (
	"slices"
	"strings"

	"flowdbg/engine"
)

// LiveOps are the ops, sorted, that a live run of the machine sends to the world, which may cost something: those with a
// real provider that is let through.
func LiveOps(mc *engine.Machine) []string {
	if mc == nil {
		return nil
	}
	var ops []string
	for op := range mc.Flow().Effects { // an op without settings has no real provider
		if mc.Bus().IsLive(op) {
			ops = append(ops, op)
		}
	}
	slices.Sort(ops)
	return ops
}

// ModeText is a mode as people read it: "playback", "replay"; of a live run "live (mock)" when every answer is made up,
// "live $ llm" when that op is bought, and "live (mock, llm pauses)" when the provider of that op is real and was not let
// through.
func ModeText(mode Mode, mc *engine.Machine) string {
	if mode != Live || mc == nil {
		return string(mode)
	}
	waits := strings.Join(mc.Bus().NotLive(), ", ")
	if waits != "" {
		waits += " pauses"
	}
	switch ops := LiveOps(mc); {
	case len(ops) > 0 && waits != "":
		return "live $ " + strings.Join(ops, ", ") + " (" + waits + ")"
	case len(ops) > 0:
		return "live $ " + strings.Join(ops, ", ")
	case waits != "":
		return "live (mock, " + waits + ")"
	}
	return "live (mock)"
}

// ModeText is the mode of the run that is shown as people read it.
func (s *Session) ModeText() string { return ModeText(s.Mode(), s.machine) }
