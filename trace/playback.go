package trace

// PlaybackSetup is the world before the first event as far as a trace alone tells it: the input is the first message
// without a sender that an agent consumed and nobody injected; kinds and ports are unknown.
func PlaybackSetup(events []Event) Setup {
	setup := Setup{Flowless: true}
	seen := map[string]bool{}
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			setup.Agents = append(setup.Agents, AgentDef{ID: id})
		}
	}
	var in inputSearch
	for i := range events {
		e := &events[i]
		if !setup.found() {
			setup.InputTo, setup.Input = in.look(e)
		}
		if e.Type != FinishEvent {
			add(e.Agent)
			add(e.To)
		}
	}
	return setup
}

func (s *Setup) found() bool { return !s.Input.IsZero() }

// inputSearch tells the input from messages without a sender that a person put into an inbox before.
type inputSearch struct {
	injected []injection
	over     bool
}

type injection struct {
	to      string
	message Message
}

func (s *inputSearch) look(e *Event) (string, Message) {
	if s.over {
		return "", Message{}
	}
	switch e.Type {
	case XIntervene:
		if m, ok := injectedMessage(e); ok && !m.HasFrom {
			s.injected = append(s.injected, injection{e.Agent, m})
		}
	case Receive:
		if e.Message.HasFrom {
			s.over = len(s.injected) == 0 // the input is the first message of all
			break
		}
		for i, j := range s.injected {
			if j.to == e.Agent && j.message.Equal(e.Message) {
				if !e.Cancelled() { // else it goes back into the inbox
					s.injected = append(s.injected[:i], s.injected[i+1:]...)
				}
				return "", Message{}
			}
		}
		return e.Agent, e.Message
	}
	return "", Message{}
}
