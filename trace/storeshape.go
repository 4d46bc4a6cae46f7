package trace

import "bytes"

// shape is what indexing needs of one event.
type shape struct {
	kind  eventKind
	step  int
	agent []byte
	port  []byte
	to    []byte
	hasTo bool
	usage Usage
	event *Event // set when the text had to be decoded
}

// quickShape reads an event's shape off its members' places, without decoding. ok is false for an extension, an error, a
// finish, escapes in a name, and a cost that is not spelled as flowdbg writes it.
func (g *grammar) quickShape() (sh shape, ok bool) {
	var typ, step, from, agent, message, usage []byte
	for _, m := range g.members {
		v := g.data[m.value:m.valueEnd]
		switch string(g.data[m.name:m.nameEnd]) {
		case "type":
			typ = v
		case "step":
			step = v
		case "agent":
			agent = v
		case "from":
			from = v
		case "port":
			sh.port = v
		case "to":
			sh.to, sh.hasTo = v, true
		case "message":
			message = v
		case "usage":
			usage = v
		case "side":
			if string(typ) == `"effect"` || typ == nil {
				return sh, false // it may say that the usage is not known
			}
		}
	}
	if sh.step, ok = quickStep(step); !ok {
		return sh, false
	}
	sh.agent = agent
	switch string(typ) {
	case `"receive"`:
		sh.kind, ok = kindReceive, message != nil
	case `"act"`:
		sh.kind = kindAct
	case `"send"`:
		sh.kind, sh.agent = kindSend, from
		sh.port, ok = plainText(sh.port)
		if ok = ok && message != nil; ok && sh.hasTo {
			sh.to, ok = plainText(sh.to)
		}
	case `"effect"`:
		sh.kind = kindEffect
		ok = usage != nil && (string(usage) == `{"input_tokens":0,"output_tokens":0,"usd":0}` || quickUsage(usage, &sh.usage))
	default:
		return sh, false
	}
	if !ok {
		return sh, false
	}
	sh.agent, ok = plainText(sh.agent)
	return sh, ok
}

// quickStep reads a step of at most nine digits.
func quickStep(t []byte) (n int, ok bool) {
	if len(t) == 0 || len(t) > 9 {
		return 0, false
	}
	for _, c := range t {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// plainText is a string without its quotes, when it has no escapes.
func plainText(t []byte) (text []byte, ok bool) {
	if len(t) < 2 || t[0] != '"' || bytes.IndexByte(t, '\\') >= 0 {
		return nil, false
	}
	return t[1 : len(t)-1], true
}

// quickUsage reads {"input_tokens":N,"output_tokens":N,"usd":N}.
func quickUsage(t []byte, u *Usage) bool {
	for i, to := range []*float64{&u.InputTokens, &u.OutputTokens, &u.USD} {
		key := [...]string{`{"input_tokens":`, `,"output_tokens":`, `,"usd":`}[i]
		if len(t) < len(key) || string(t[:len(key)]) != key {
			return false
		}
		t = t[len(key):]
		end := 0
		for end < len(t) && t[end] != ',' && t[end] != '}' {
			end++
		}
		f, ok := quickNumber(t[:end])
		if !ok {
			return false
		}
		*to, t = f, t[end:]
	}
	return string(t) == "}"
}

// quickNumber reads a number without an exponent exactly as strconv does: up to 15 digits and a power of ten up to 22
// are exact, so that their quotient is rounded once.
func quickNumber(t []byte) (float64, bool) {
	n, digits, point := 0, 0, -1
	for i, c := range t {
		switch {
		case c >= '0' && c <= '9':
			n, digits = n*10+int(c-'0'), digits+1
		case c == '.' && point < 0 && i > 0 && i+1 < len(t):
			point = i
		default:
			return 0, false
		}
	}
	if digits == 0 || digits > 15 || t[0] == '0' && digits > 1 && point != 1 {
		return 0, false
	}
	if point < 0 {
		return float64(n), true
	}
	return float64(n) / tens[len(t)-point-1], true
}

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// slowShape decodes the event, or says why that cannot be done.
func slowShape(text []byte, i int) (shape, string) {
	ev, _, err := decodeUnit(text, i)
	if err != nil || ev.Type == XDamage {
		return shape{kind: kindDamage}, whyText(err)
	}
	e := &ev
	sh := shape{kind: kindOf(e.Type), step: e.Step, agent: []byte(e.Agent), event: e}
	switch e.Type {
	case SendEvent:
		sh.port, sh.to, sh.hasTo = []byte(e.Port), []byte(e.To), e.HasTo()
	case XCancel:
		if n, ok := e.Extra.Get("step").Int(); ok {
			sh.step = int(n)
		}
	}
	return sh, ""
}
