package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"sort"

	"flowdbg/trace/canon"
)

// extension folds a line of ours.
func (l *linter) extension(i int, e *Event) {
	switch e.Type {
	case XInit:
		if a := l.agent(e.Agent, i, "/agent"); a != nil {
			if v := e.Extra.Get("state"); !v.IsAbsent() {
				a.state = v
			}
		}
	case XIntervene:
		if !l.edited {
			l.edited = true
			l.find(FindEdited, i, "", "a person intervened here: what follows is not the run that the flow alone makes")
		}
		l.intervention(i, e)
	}
}

func (l *linter) intervention(i int, e *Event) {
	bad := func(ptr, format string, args ...any) { l.find(FindBadExtension, i, ptr, format, args...) }
	do, _ := e.Extra.Get("do").Str()
	if do == DoBudget {
		b, err := BudgetFrom(e.Extra.Get("budget"))
		if err != nil {
			bad("/budget", "%s", err)
			return
		}
		l.budget = b
		if b.Exceeded(l.ledger) == "" {
			l.over = NoEvent // what was exceeded is no more
		}
		return
	}
	a := l.agent(e.Agent, i, "/agent")
	if a == nil {
		return
	}
	switch do {
	case DoInject:
		m, ok := injectedMessage(e)
		if !ok {
			bad("/message/tag", "an injected message has a tag")
			return
		}
		l.deliver(a, m, i)
	case DoDrop, DoAnswer:
		n, ok := e.Extra.Get("index").Int()
		if ok && int(n) == len(a.waits()) && l.unseenInput() {
			return
		}
		if !ok || n < 0 || int(n) >= len(a.waits()) {
			bad("/index", "the inbox of %q holds %d messages", e.Agent, len(a.waits()))
			return
		}
		l.editInbox(i, e, a, int(n), do)
	case DoState:
		if v := e.Extra.Get("state"); !v.IsAbsent() {
			a.state = v
		}
	default:
		bad("/do", "unknown intervention %q; use inject, drop, answer, state or budget", do)
	}
}

// unseenInput is true, once, in a trace without a flow whose input nobody took: then it waited all the same, and a person
// may have dropped it.
func (l *linter) unseenInput() bool {
	gone := !l.flow && l.input.IsZero() && !l.dropped
	l.dropped = l.dropped || gone
	return gone
}

func (l *linter) editInbox(i int, e *Event, a *lintAgent, n int, do string) {
	if do == DoDrop {
		l.take(a, n)
		return
	}
	w := &a.waits()[n]
	w.edit = int32(i)
	if m, err := l.messageOf(*w); err == nil {
		w.hash = l.hash(m)
	}
}

// messageOf decodes a waiting message again.
func (l *linter) messageOf(w waiting) (Message, error) {
	c := Causes{log: l.log, index: &memIndex{input: l.input}}
	return c.message(Delivery{int(w.event), int(w.edit)})
}

// end checks what only the whole trace tells.
func (l *linter) end() error {
	l.rep.Steps = l.begun
	if s, ok := l.log.(*Store); ok {
		if t := s.Tear(); t != nil {
			l.find(FindTorn, NoEvent, "", "the file is torn at line %d: %s (%d bytes left out)", t.Line, t.What, t.Dropped)
		}
	}
	if l.finish == nil {
		l.find(FindNoFinish, NoEvent, "", "the trace ends without finish: it is a prefix of a run")
	} else {
		l.checkFinish()
	}
	return l.checkHash()
}

func (l *linter) checkFinish() {
	f, at := l.finish.Finish, l.finishAt
	if l.damaged {
		return
	}
	if f.Steps != l.begun {
		l.find(FindStepCount, at, "/steps", "finish counts %d steps; %d were begun", f.Steps, l.begun)
	}
	l.checkLedger(f.Ledger, at)
	l.checkOutputs(f.Outputs, at)
	if f.Reason == ReasonError || l.failed != NoEvent {
		if f.Reason == ReasonIdle {
			l.find(FindOrder, at, "/reason", "the run ended idle, it says, but event %d is an error", l.failed)
		}
		return
	}
	for _, a := range l.agents {
		if n := len(a.waits()); n > 0 {
			l.find(FindUnconsumed, at, "", "the run ended, but the inbox of %q still holds %d (the first from %s)", a.def.ID, n, a.waits()[0].from())
		}
	}
}

// checkLedger compares with the plain sum in effect order. Another order of addition changes the last bits: that much is
// a note.
func (l *linter) checkLedger(got Ledger, at int) {
	if got.Equal(l.ledger) {
		return
	}
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b)) }
	for _, part := range []struct {
		ptr       string
		got, want float64
	}{{"/ledger/input_tokens", got.InputTokens, l.ledger.InputTokens}, {"/ledger/output_tokens", got.OutputTokens, l.ledger.OutputTokens},
		{"/ledger/usd", got.USD, l.ledger.USD}} {
		switch {
		case part.got == part.want:
		case near(part.got, part.want):
			l.find(FindRounding, at, part.ptr, "%s; the usages in their order sum to %s: only the last bits differ", number(part.got), number(part.want))
		default:
			l.find(FindLedger, at, part.ptr, "%s; the usages sum to %s", number(part.got), number(part.want))
		}
	}
}

// checkOutputs compares finish.outputs with the messages sent, by hash.
func (l *linter) checkOutputs(got canon.Value, at int) {
	for key, list := range got.Members() {
		ptr := canon.AppendPointer("/outputs", key)
		want := l.outputs[key]
		if want == nil {
			want = &lintOutput{}
		}
		i := 0
		for _, m := range list.Elems() {
			switch {
			case i >= len(want.events):
				l.find(FindOutputs, at, ptr+"/"+itoa(i), "no send event made this message; %d were sent to %q", len(want.events), key)
			case l.hashText(m) != want.hashes[i]:
				l.find(FindOutputs, at, ptr+"/"+itoa(i), "this is not the message that event %d sent", want.events[i])
			default:
				i++
				continue
			}
			i = -1
			break
		}
		if i >= 0 && i < len(want.events) {
			l.find(FindOutputs, at, ptr, "%d messages; %d were sent (the first one missing by event %d)", i, len(want.events), want.events[i])
		}
	}
	for _, key := range l.outputKeys() {
		if got.Get(key).IsAbsent() {
			l.find(FindOutputs, at, "/outputs", "%q is missing; %d messages were sent to it (the first by event %d)", key, len(l.outputs[key].events), l.outputs[key].events[0])
		}
	}
}

// hashText hashes a message as its canonical text would be: members in key order, an absent payload as null.
func (l *linter) hashText(m canon.Value) uint64 {
	tag, _ := m.Get("tag").Str()
	from, has := m.Get("from").Str()
	return l.hash(newMessage(from, has, tag, m.Get("payload")))
}

func (l *linter) outputKeys() []string {
	keys := make([]string, 0, len(l.outputs))
	for k := range l.outputs {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return canon.CompareKeys(keys[i], keys[j]) < 0 })
	return keys
}

// checkHash settles the hash verdict.
func (l *linter) checkHash() error {
	switch {
	case l.damaged:
		l.rep.Hash = HashDamaged
	case l.finish == nil:
		l.rep.Hash = HashUnchecked
	case !l.flow:
		l.rep.Hash = HashNotComputable
	case l.partial:
		l.rep.Hash = HashPartial
	default:
		sum, err := l.stateHash()
		if err != nil {
			return err
		}
		l.rep.Computed = sum
		l.rep.Hash = HashVerified
		if sum != l.finish.Finish.StateHash {
			l.rep.Hash = HashDiffers
			l.find(FindStateHash, l.finishAt, "/state_hash", "the state's hash is %.12s…, finish has %.12s…", sum, l.finish.Finish.StateHash)
		}
	}
	return nil
}

// stateHash is the hash of the state behind the trace; see State.Hash. The document is written into the hash part by
// part.
func (l *linter) stateHash() (string, error) {
	w := &docHash{h: sha256.New()}
	w.text(`{"agents":[`)
	first := true
	for _, a := range l.agents {
		if !a.known && !a.touched {
			continue
		}
		if !first {
			w.text(",")
		}
		first = false
		w.text(`{"id":`).str(a.def.ID).text(`,"inbox":[`)
		for i, m := range a.waits() {
			msg, err := l.messageOf(m)
			if err != nil {
				return "", fmt.Errorf("a waiting message of %q: %w", a.def.ID, err)
			}
			w.item(i, msg)
		}
		w.text(`],"kind":`).str(a.def.Kind).text(`,"ports":`).text(a.def.Ports.Text()).text(`,"state":`).text(a.state.Text()).text("}")
	}
	w.text(`],"ledger":`).text(l.ledger.Value().Text()).text(`,"outputs":{`)
	for i, key := range l.outputKeys() {
		if i > 0 {
			w.text(",")
		}
		w.str(key).text(":[")
		for j, at := range l.outputs[key].events {
			if err := l.ctx.Err(); err != nil {
				return "", err
			}
			e, _, err := l.texts.event(int(at))
			if err != nil {
				return "", err
			}
			w.item(j, e.Message)
		}
		w.text("]")
	}
	w.text("}}")
	return hex.EncodeToString(w.h.Sum(nil)), nil
}

// docHash writes pieces of canonical JSON into a hash.
type docHash struct {
	h   hash.Hash
	buf []byte
}

func (w *docHash) text(s string) *docHash {
	w.buf = append(w.buf[:0], s...)
	w.h.Write(w.buf)
	return w
}

func (w *docHash) str(s string) *docHash {
	w.buf = canon.AppendString(w.buf[:0], s)
	w.h.Write(w.buf)
	return w
}

func (w *docHash) item(i int, m Message) {
	if i > 0 {
		w.text(",")
	}
	w.text(m.Text().Text())
}
