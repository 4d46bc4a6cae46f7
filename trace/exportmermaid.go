package trace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"flowdbg/trace/canon"
)

// mermaidText is how many characters of a payload a diagram shows.
const mermaidText = 60

// The participants of a diagram that are no agents.
const (
	aliasInput   = "input"
	aliasEffects = "effects"
	aliasOutputs = "outputs"
)

// mermaid writes a sequence diagram: who sent what to whom, what was asked of the world, and what ended the run.
// Participants have names of ours, so that no id can break the syntax; all other text is escaped.
func (x *exporter) mermaid() error {
	m := &mermaidWriter{x: x, alias: map[string]string{}}
	if err := m.participants(); err != nil {
		return err
	}
	return x.each(func(_ int, e *Event) error {
		before := m.lines
		m.event(e)
		if m.lines > before {
			x.rep.Events++
		}
		return m.err
	})
}

type mermaidWriter struct {
	x     *exporter
	alias map[string]string // agent → participant
	order []string
	lines int
	err   error
}

func (m *mermaidWriter) line(format string, args ...any) {
	m.lines++
	if _, err := fmt.Fprintf(m.x.w, "    "+format+"\n", args...); err != nil && m.err == nil {
		m.err = err
	}
}

// participants declares what the range needs, agents in order of appearance between the input and the world.
func (m *mermaidWriter) participants() error {
	fmt.Fprintln(m.x.w, "sequenceDiagram")
	var ids []string
	seen := map[string]bool{}
	var input, effects, outputs bool
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for i := m.x.opt.From; i < m.x.opt.To; i++ {
		if i%checkEvery == 0 {
			if err := m.x.ctx.Err(); err != nil {
				return err
			}
		}
		h := m.x.log.Header(i)
		if h.Type == FinishEvent || h.Type == XDamage || isCancelled(m.x.log, i) {
			continue
		}
		add(h.Agent)
		add(h.To)
		switch h.Type {
		case Receive:
			if !input {
				e, _, err := m.x.texts.event(i)
				if err != nil {
					return err
				}
				input = !e.Message.HasFrom
			}
		case EffectEvent:
			effects = true
		case SendEvent:
			outputs = outputs || h.To == ""
		}
	}
	declare := func(show bool, name, label string) {
		if show {
			m.order = append(m.order, name)
			m.line("participant %s as %s", name, label)
		}
	}
	declare(input, aliasInput, aliasInput)
	for n, id := range ids {
		m.alias[id] = "a" + strconv.Itoa(n)
		declare(true, m.alias[id], mermaidEscape(id, mermaidText))
	}
	declare(effects, aliasEffects, aliasEffects)
	declare(outputs, aliasOutputs, aliasOutputs)
	if len(m.order) == 0 {
		declare(true, "run", "run")
	}
	m.lines = 0
	return m.err
}

// over is the place of a note: the agent's, or the whole width.
func (m *mermaidWriter) over(agent string) string {
	if a, ok := m.alias[agent]; ok {
		return a
	}
	if len(m.order) == 1 {
		return m.order[0]
	}
	return m.order[0] + "," + m.order[len(m.order)-1]
}

func (m *mermaidWriter) event(e *Event) {
	who := m.alias[e.Agent]
	switch e.Type {
	case Receive:
		if !e.Message.HasFrom && who != "" {
			m.line("%s->>%s: [%d] %s", aliasInput, who, e.Step, mermaidMessage(e.Message))
		}
	case SendEvent:
		to := aliasOutputs
		if e.HasTo() {
			to = m.alias[e.To]
		}
		if who != "" && to != "" {
			m.line("%s->>%s: [%d] %s", who, to, e.Step, mermaidMessage(e.Message))
		}
	case EffectEvent:
		if who != "" {
			m.line("%s->>%s: [%d] %s %s", who, aliasEffects, e.Step, mermaidEscape(e.Effect.Asks(), mermaidText), mermaidValue(e.Effect.Input))
			m.line("%s-->>%s: %s %s", aliasEffects, who, mermaidValue(e.Answer()), mermaidEscape(mermaidCost(e), mermaidText))
		}
	case ErrorEvent:
		m.line("Note over %s: [%d] %s", m.over(e.Agent), e.Step, mermaidEscape("error "+e.Error.Text, 3*mermaidText))
	case FinishEvent:
		m.line("Note over %s: %s", m.over(""), mermaidEscape(strings.TrimSpace(fmt.Sprintf("finish after %d steps %s", e.Finish.Steps, e.Finish.Reason)), mermaidText))
	case XIntervene:
		do, _ := e.Extra.Get("do").Str()
		m.line("Note over %s: %s", m.over(e.Agent), mermaidEscape("a person's edit: "+do, mermaidText))
	}
}

func mermaidMessage(msg Message) string {
	return mermaidEscape(msg.Tag, mermaidText) + " " + mermaidValue(msg.Payload)
}

// mermaidValue is the start of a value; a cut one says how long it is.
func mermaidValue(v canon.Value) string {
	text := v.Text()
	if len(text) <= mermaidText || utf8.RuneCountInString(text) <= mermaidText {
		return mermaidEscape(text, mermaidText)
	}
	return mermaidEscape(text, mermaidText) + fmt.Sprintf(" (%d bytes)", len(text))
}

func mermaidCost(e *Event) string {
	if e.UsageUnknown() {
		return "(cost unknown)"
	}
	if e.Usage.IsZero() {
		return "(free)"
	}
	return fmt.Sprintf("(%s tokens, %s dollars)", number(e.Usage.Tokens()), number(float64(NanoUSD(e.Usage.USD))/1e9))
}

// mermaidEscape writes up to most characters so that none of them means anything to Mermaid or to HTML: letters, digits
// and a few marks as they are, everything else as its character code. Characters that are not for print become U+FFFD,
// and "end", which closes blocks wherever it stands, is broken up.
func mermaidEscape(s string, most int) string {
	var b strings.Builder
	n := 0
	var word []rune
	flush := func() {
		if strings.EqualFold(string(word), "end") {
			fmt.Fprintf(&b, "#%d;%s", word[0], string(word[1:]))
		} else {
			b.WriteString(string(word))
		}
		word = word[:0]
	}
	for _, r := range s {
		if n == most {
			flush()
			b.WriteString("...")
			return b.String()
		}
		n++
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word = append(word, r)
			continue
		}
		flush()
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case strings.ContainsRune(".,()[]/?!=+'-", r):
			b.WriteRune(r)
		case unicode.IsGraphic(r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			fmt.Fprintf(&b, "#%d;", unicode.ReplacementChar)
		}
	}
	flush()
	if strings.TrimSpace(b.String()) == "" {
		return "#8709;" // ∅: a line without a text is none
	}
	return b.String()
}
