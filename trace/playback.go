package trace

// PlaybackSetup is the world before the first event as far as a trace alone tells it: the input is what the first
// receive consumed when that message has no sender, and kinds and ports are unknown.
func PlaybackSetup(events []Event) Setup {
	setup := Setup{Flowless: true}
	seen := map[string]bool{}
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			setup.Agents = append(setup.Agents, AgentDef{ID: id})
		}
	}
	first := true
	for i := range events {
		e := &events[i]
		if e.Type == Receive && first {
			first = false
			if !e.Message.HasFrom {
				setup.InputTo, setup.Input = e.Agent, e.Message
			}
		}
		if e.Type != FinishEvent {
			add(e.Agent)
			add(e.To)
		}
	}
	return setup
}
