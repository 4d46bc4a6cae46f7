package trace

import "flowdbg/trace/canon"

// lintStep is what the step under way has done so far (design: receive, act, send…, effect, [error]).
type lintStep struct {
	open    bool
	agent   string
	receive int
	act     *Event
	actAt   int
	entry   int    // the entry of act.send that the last send event belonged to, -1 before the first
	edge    int    // with a flow: the furthest edge of that entry that was sent along, -1 before the first
	edges   []bool // with a flow: which edges of that entry were sent along
	firstTo string // without one: where the entry was sent to first
	early   bool   // a send stood before the act
	gap     bool   // damage lies inside the step
	effects int
}

// event checks one event and folds it.
func (l *linter) event(i int, e *Event) {
	if e.Cancelled() {
		return
	}
	if e.Type == XDamage {
		l.damaged, l.step.gap = true, true
		l.find(FindDamage, i, "", "this text is no event: nothing behind it can be verified")
		return
	}
	if e.Type.IsExtension() {
		l.extension(i, e)
		return
	}
	if !e.Type.Known() {
		l.partial = true // decoding told it as a finding, unless the log is in memory
		if !l.texts.raw() {
			l.find(FindUnknownType, i, "/type", "unknown event type %q; state hashes from here on are partial", e.Type)
		}
		return
	}
	if !l.texts.raw() {
		l.bigIntegers(i)
	}
	if !l.place(i, e) {
		return
	}
	switch e.Type {
	case Receive:
		l.receive(i, e)
	case Act:
		l.act(i, e)
	case SendEvent:
		l.send(i, e)
	case EffectEvent:
		l.effect(i, e)
	case ErrorEvent:
		l.errorEvent(i, e)
	}
}

// bigIntegers looks for numbers that were rounded when the event was read into memory.
func (l *linter) bigIntegers(i int) {
	text, err := l.texts.at(i)
	if err != nil || !hasLongDigits(text) {
		return
	}
	if _, big, err := canon.Parse(text, canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting}); err == nil {
		for _, f := range big {
			l.rep.add(bigInteger(i, f.Pointer))
		}
	}
}

// hasLongDigits is true when a text holds 16 digits in a row, which an integer beyond ±(2^53−1) has.
func hasLongDigits(text []byte) bool {
	run := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			run = 0
		} else if run++; run == 16 {
			return true
		}
	}
	return false
}

// place checks where an event stands: behind finish, behind an error, in which step. False: it is judged no further.
func (l *linter) place(i int, e *Event) bool {
	if l.finish != nil {
		if e.Type == FinishEvent {
			l.find(FindTwoFinishes, i, "", "a second finish; the first is event %d", l.finishAt)
		} else {
			l.find(FindAfterFinish, i, "", "%s behind finish, which is event %d", e.Type, l.finishAt)
		}
		return false
	}
	if l.failed != NoEvent && e.Type != FinishEvent {
		l.find(FindOrder, i, "", "%s behind the error at event %d; only finish may follow", e.Type, l.failed)
		l.failed = NoEvent
	}
	if l.over != NoEvent && e.Type != ErrorEvent {
		l.find(FindBudget, i, "", "the budget is exceeded at event %d (%s) and no BudgetExceeded follows", l.over, l.budget.Exceeded(l.ledger))
	}
	l.over = NoEvent
	switch e.Type {
	case FinishEvent:
		l.close(i)
		l.finish, l.finishAt = e, i
		return false
	case Receive:
		return true
	case ErrorEvent:
		if e.Agent == "" && e.Step == l.last {
			l.close(i) // the step before it is whole: the run stops between two steps
			return true
		}
	}
	if !l.step.open || e.Step != l.last || e.Agent != l.step.agent {
		if l.step.gap { // the receive may be what was lost
			l.step = lintStep{open: true, gap: true, agent: e.Agent, receive: i, actAt: NoEvent, entry: -1, edge: -1}
			l.last = e.Step
			return true
		}
		l.find(FindOrder, i, "", "%s of %q in step %d, but the receive before it is %s", e.Type, e.Agent, e.Step, l.receiveText())
	}
	return true
}

func (l *linter) receiveText() string {
	if l.begun == 0 {
		return "missing"
	}
	return "that of " + string(canon.AppendString(nil, l.step.agent)) + " in step " + itoa(l.last)
}

// receive begins a step: numbers, the schedule, the head of the inbox.
func (l *linter) receive(i int, e *Event) {
	l.close(i)
	switch {
	case l.step.gap:
	case l.begun == 0:
		if e.Step == 0 {
			l.zero = true
			l.find(FindFromZero, i, "/step", "steps count from 0 here; ours count from 1")
		} else if e.Step != 1 {
			l.find(FindStepsNotDense, i, "/step", "the first step is %d; it is 1 (or 0 in a foreign trace)", e.Step)
		}
	case e.Step != l.last+1:
		l.find(FindStepsNotDense, i, "/step", "step %d follows step %d; it would be %d", e.Step, l.last, l.last+1)
	}
	if b := l.budget; b != nil && b.Steps > 0 && l.begun >= b.Steps {
		l.find(FindBudget, i, "", "step %d begins although the budget is %d steps", e.Step, b.Steps)
	}
	l.last = e.Step
	l.begun++
	l.step = lintStep{open: true, agent: e.Agent, receive: i, actAt: NoEvent, entry: -1, edge: -1}
	a := l.agent(e.Agent, i, "/agent")
	if a == nil {
		return
	}
	if !l.damaged {
		l.schedule(i, e.Agent)
		l.pop(i, e, a)
	}
}

// schedule tells the agents that come first and have a message waiting, each once per message.
func (l *linter) schedule(i int, runs string) {
	for r := l.ready.first(); r >= 0 && l.agents[r].def.ID < runs; r = l.ready.next(r + 1) {
		if a := l.agents[r]; !a.passed {
			a.passed = true
			l.find(FindSchedule, i, "/agent", "%q runs, but %q has a message waiting and comes first", runs, a.def.ID)
		}
		if r+1 >= len(l.agents) {
			return
		}
	}
}

// pop takes the message out of the inbox. A message out of turn is taken from where it is, so that one fault is told
// once; one that has another text than the head but its sender and tag is the head, altered.
func (l *linter) pop(i int, e *Event, a *lintAgent) {
	list := a.waits()
	if len(list) == 0 {
		l.find(FindEmptyInbox, i, "/message", "no message waits for %q: this one was never sent, or was taken before", e.Agent)
		return
	}
	h := l.hash(e.Message)
	first := -1 // the first one that is not known to be late
	for k := range list {
		if list[k].hash == h {
			if first >= 0 {
				l.find(FindFIFO, i, "/message", "the message of %s is taken before that of %s, which came first", list[k].from(), list[first].from())
				for late := range k {
					list[late].late = true
				}
			}
			l.take(a, k)
			return
		}
		if first < 0 && !list[k].late {
			first = k
		}
	}
	if first >= 0 && list[first].kind == l.kindHash(e.Message) {
		l.find(FindInboxHead, i, "/message", "this is not, byte for byte, the message at the head of the inbox, which came from %s", list[first].from())
		l.take(a, first)
		return
	}
	l.find(FindNotWaiting, i, "/message", "this message does not wait for %q: it was never sent, or was taken before", e.Agent)
}

func (l *linter) act(i int, e *Event) {
	s := &l.step
	if s.act != nil {
		l.find(FindOrder, i, "", "a second act in step %d; the first is event %d", e.Step, s.actAt)
	}
	s.act, s.actAt, s.entry = e, i, -1
	s.edge, s.edges = -1, s.edges[:0]
	if a := l.agent(e.Agent, i, "/agent"); a != nil && !e.State.IsAbsent() {
		a.state = e.State
	}
}

// effect checks the request against the act's, and folds cost and answer.
func (l *linter) effect(i int, e *Event) {
	s := &l.step
	s.effects++
	switch {
	case s.effects > 1:
		l.find(FindTwoEffects, i, "", "effect %d of step %d; an act may ask for one", s.effects, e.Step)
	case s.gap && s.act == nil:
	case s.act == nil || s.act.Effect == nil:
		l.find(FindRequest, i, "/request", "the act of step %d asks for no effect", e.Step)
	case !s.act.Effect.Equal(e.Effect):
		ptr, _, _, _ := FirstDifference(s.act.Effect.Text(), e.Effect.Text())
		l.find(FindRequest, i, "/request"+ptr, "the request is not the one that the act makes (event %d /effect%s)", s.actAt, ptr)
	}
	l.ledger = l.ledger.Add(e.Usage)
	if e.UsageUnknown() {
		l.ledger.Unknown++
	}
	if l.budget.Exceeded(l.ledger) != "" {
		l.over = i
	}
	a := l.agent(e.Agent, i, "/agent")
	if a == nil {
		return
	}
	if m := e.AnswerMessage(); len(a.waits()) < MaxInbox && CheckMessage(m) == nil {
		l.deliver(a, m, i)
	}
}

func (l *linter) errorEvent(i int, e *Event) {
	l.failed = i
	if e.Error.HasUsage {
		l.ledger = l.ledger.Add(e.Usage)
	}
}

// close checks that the step which ends before event i did what its act says.
func (l *linter) close(i int) {
	s := &l.step
	if !s.open {
		return
	}
	s.open = false
	if l.failed != NoEvent || s.gap {
		return // an error ends a step wherever it is; damage may hide anything
	}
	if s.act == nil {
		if !s.early {
			l.find(FindOrder, s.receive, "", "the step has no act and no error")
		}
		return
	}
	if entry, ok := l.unsent(); ok && !s.early {
		l.find(FindMissingSend, s.actAt, "/send/"+itoa(entry), "no send event follows for this entry (the step ends before event %d)", i)
	}
	if s.act.Effect != nil && s.effects == 0 {
		l.find(FindNoAnswer, s.actAt, "/effect", "the act asks for %s, but neither an answer nor an error follows", s.act.Effect.Asks())
	}
}
