package behavior

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"flowdbg/trace/canon"
)

// template is a prompt with {name} places, cut into pieces once.
type template struct {
	literal []string // literal[i] stands before names[i]; one more literal than names
	names   []string
}

// parseTemplate cuts a prompt; only the given names are places, anything else in braces is text.
func parseTemplate(s string, names ...string) template {
	var t template
	rest := s
	for {
		at, name := -1, ""
		for _, n := range names {
			if i := strings.Index(rest, "{"+n+"}"); i >= 0 && (at < 0 || i < at) {
				at, name = i, n
			}
		}
		if at < 0 {
			t.literal = append(t.literal, rest)
			return t
		}
		t.literal = append(t.literal, rest[:at])
		t.names = append(t.names, name)
		rest = rest[at+len(name)+2:]
	}
}

// fill puts values into the places, in the order of pairs name, value.
func (t template) fill(pairs ...string) string {
	n := 0
	for _, lit := range t.literal {
		n += len(lit)
	}
	for j := 1; j < len(pairs); j += 2 {
		n += len(pairs[j])
	}
	var b strings.Builder
	b.Grow(n)
	for i, lit := range t.literal {
		b.WriteString(lit)
		if i == len(t.names) {
			break
		}
		for j := 0; j+1 < len(pairs); j += 2 {
			if pairs[j] == t.names[i] {
				b.WriteString(pairs[j+1])
			}
		}
	}
	return b.String()
}

// askLLM is a chat request with one system and one user message. Model and sampling are the engine's to fill in.
func askLLM(system, user string) *Effect {
	// The text is canonical as it is written here: one buffer instead of one for every level.
	dst := make([]byte, 0, len(system)+len(user)+len(user)/16+100)
	dst = canon.AppendString(append(dst, `{"messages":[{"content":`...), system)
	dst = canon.AppendString(append(dst, `,"role":"system"},{"content":`...), user)
	dst = append(dst, `,"role":"user"}]}`...)
	return &Effect{Op: "llm", Input: canon.Raw(string(dst))}
}

// answerText reads the text of an llm answer.
func answerText(answer canon.Value) (string, error) {
	text, ok := answer.Get("text").Str()
	if !ok {
		return "", fmt.Errorf("the llm answer has no text: %s", preview(answer))
	}
	return text, nil
}

func preview(v canon.Value) string {
	s := v.Text()
	if len(s) <= 80 {
		return s
	}
	cut := 80
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}

// score reads a score: json.score, else the first number in [0,1] in the text, else 0 (ours).
func score(answer canon.Value, text string) canon.Value {
	if s := answer.Get("json").Get("score"); s.Kind() == canon.KindNumber {
		return s
	}
	for _, at := range numbers.FindAllStringIndex(text, -1) {
		if before, _ := utf8.DecodeLastRuneInString(text[:at[0]]); before == '-' || before == '.' || unicode.IsLetter(before) || unicode.IsDigit(before) {
			continue // negative, or part of a name or a version
		}
		number := text[at[0]:at[1]]
		if number[0] == '.' {
			number = "0" + number
		}
		v, _, err := canon.Parse([]byte(number), canon.Options{})
		if f, ok := v.Float(); err == nil && ok && f >= 0 && f <= 1 {
			return v
		}
	}
	return canon.Int(0)
}

// numbers finds decimal numbers, and what looks like several of them joined by dots, which then is none.
var numbers = regexp.MustCompile(`(?:\d+(?:\.\d+)*|\.\d+)(?:[eE][+-]?\d+)?`)
