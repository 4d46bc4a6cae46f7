package debug

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"flowdbg/engine/behavior/script"
	"flowdbg/engine/query"
)

// String is "#1 agent critic from hit 2 when payload.score > 0.5".
func (b *Breakpoint) String() string { return fmt.Sprintf("#%d %s", b.ID, b.Text()) }

// Text is the breakpoint as ParseBreakpoint reads it.
func (b *Breakpoint) Text() string {
	var options []string
	if b.From > 1 {
		options = append(options, fmt.Sprintf("from hit %d", b.From))
	}
	if b.PerAgent {
		options = append(options, "per agent")
	}
	if b.Once {
		options = append(options, "once")
	}
	if b.LogOnly {
		options = append(options, "log")
	}
	if b.Print != "" {
		options = append(options, "print "+b.Print)
	}
	return b.with(options)
}

// Plain is true for a breakpoint without a condition, a count or another option.
func (b *Breakpoint) Plain() bool { return b.When == "" && b.Text() == b.spec() }

// spec is the breakpoint without its options: what makes it the same one.
func (b *Breakpoint) spec() string { return b.with(nil) }

func (b *Breakpoint) with(options []string) string {
	parts := []string{string(b.Kind)}
	switch b.Kind {
	case BreakUSD, BreakTokens, BreakSteps:
		parts = append(parts, strconv.FormatFloat(b.Limit, 'g', -1, 64))
	case BreakLine:
		parts = append(parts, Quote(fmt.Sprintf("%s:%d", b.Name, b.Line)))
	case BreakWhen:
		if len(options) == 0 {
			return "when " + b.When
		}
		parts = nil // options go first; the condition takes the rest
	default:
		if b.Name != "" {
			parts = append(parts, b.quoted())
		}
		if b.Pointer != "" {
			parts = append(parts, Quote(b.Pointer))
		}
	}
	parts = append(parts, options...)
	if b.When != "" {
		parts = append(parts, "when", b.When)
	}
	return strings.Join(parts, " ")
}

// quoted is the name as ParseBreakpoint reads it. A verdict need not be given, so one that looks like an option is told
// apart by quotes.
func (b *Breakpoint) quoted() string {
	if b.verdict() && optionWords[b.Name] {
		return strconv.Quote(b.Name)
	}
	return Quote(b.Name)
}

func (b *Breakpoint) verdict() bool { return b.Kind == BreakContract || b.Kind == BreakCertificate }

var optionWords = map[string]bool{"from": true, "per": true, "once": true, "log": true, "print": true, "when": true}

// ParseBreakpoint reads a breakpoint: "agent NAME", "tag NAME", "port AGENT.PORT", "edge AGENT.PORT>AGENT", "op NAME",
// "error", "usd N", "tokens N", "steps N", "changed AGENT /pointer", "hash", "contract [VERDICT]",
// "certificate [VERDICT]", "line FILE:N" or "when EXPRESSION". A single other word is a line when it is FILE.star:N, else
// an agent. Names are words as CutWord reads them. Options stand behind the specification: "from N" or "from hit N",
// "per agent", "once", "log", "print EXPRESSION"; "when EXPRESSION" is the last of them, but the others are taken behind it too.
func ParseBreakpoint(text string) (Breakpoint, error) {
	var b Breakpoint
	rest, err := b.read(strings.TrimSpace(text))
	if err == nil {
		err = b.options(rest)
	}
	if err != nil {
		return b, fmt.Errorf("%w: %w", badBreak(text), err)
	}
	if _, err = b.condition(); err == nil {
		_, err = b.printed()
	}
	return b, err
}

// condition checks the condition and compiles it; nil without one, and for a line, whose variables only a call knows.
func (b *Breakpoint) condition() (*query.Query, error) { return b.expression(b.When) }

// printed is the same for what is told with each hit.
func (b *Breakpoint) printed() (*query.Query, error) { return b.expression(b.Print) }

func (b *Breakpoint) expression(expr string) (*query.Query, error) {
	switch {
	case expr == "":
		return nil, nil
	case b.Kind == BreakLine:
		return nil, script.CheckExpr(expr)
	}
	return query.Compile(expr)
}

// placeOf reads "FILE:N".
func placeOf(text string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(text[i+1:])
	return text[:i], n, err == nil && n > 0
}

// options reads what stands behind the specification.
func (b *Breakpoint) options(rest string) error {
	for {
		var w Word
		var err error
		if w, rest, err = CutWord(rest); err != nil || w == (Word{}) {
			return err
		}
		if w.Quoted {
			return fmt.Errorf("nothing takes %q", w.Text)
		}
		switch w.Text {
		case "once":
			b.Once = true
		case "log":
			b.LogOnly = true
		case "per":
			if w, rest, err = CutWord(rest); err != nil || w.Text != "agent" {
				return errors.New("write per agent")
			}
			b.PerAgent = true
		case "from":
			if w, rest, err = CutWord(rest); err == nil && w.Text == "hit" {
				w, rest, err = CutWord(rest)
			}
			k, bad := strconv.Atoi(w.Text)
			if err != nil || bad != nil || k < 1 {
				return fmt.Errorf("from %q: write the first hit to stop at, from 1", w.Text)
			}
			b.From = k
		case "print":
			if b.Print, rest = cutExpression(rest); b.Print == "" {
				return errors.New("print: write an expression behind it")
			}
		case "when":
			if rest == "" {
				return errors.New("when: write an expression behind it")
			}
			b.When = strings.TrimSpace(rest)
			return b.optionsBehind()
		default:
			return fmt.Errorf("%q is no option; there are from N, per agent, once, log, print EXPRESSION and when EXPRESSION", w.Text)
		}
	}
}

// optionsBehind takes options off the end of the condition, where people write them too. An expression is never followed
// by a bare word, so whatever is an expression as a whole stays one. What is wrong with the condition itself is told by
// those who compile it.
func (b *Breakpoint) optionsBehind() error {
	whole := b.When
	if _, err := b.condition(); err == nil {
		return nil
	}
	for at := range optionStarts(whole) {
		with := *b
		if with.When = strings.TrimSpace(whole[:at]); with.When == "" {
			continue
		}
		if _, err := with.condition(); err != nil {
			continue
		}
		with.When = ""
		if err := with.options(whole[at:]); err != nil {
			return err
		}
		if with.When != "" {
			return errors.New("there is one when; join two conditions by and")
		}
		with.When = strings.TrimSpace(whole[:at])
		*b = with
		return nil
	}
	return nil
}

// optionStarts are the places in an expression where a word begins that starts an option, outside of strings.
func optionStarts(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range outsideStrings(text) {
			if i == 0 || text[i-1] != ' ' {
				continue
			}
			word, _, _ := strings.Cut(text[i:], " ")
			if optionWords[word] && !yield(i) {
				return
			}
		}
	}
}

// cutExpression cuts an expression off that ends at the word when, outside of strings.
func cutExpression(text string) (expr, rest string) {
	for i := range outsideStrings(text) {
		if strings.HasPrefix(text[i:], " when ") {
			return strings.TrimSpace(text[:i]), text[i+1:]
		}
	}
	return strings.TrimSpace(text), ""
}

// outsideStrings are the places of an expression's bytes that belong to no string.
func outsideStrings(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		var quote byte
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case quote != 0 && c == '\\':
				i++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case !yield(i):
				return
			}
		}
	}
}

func badBreak(text string) error {
	return fmt.Errorf("cannot read breakpoint %q; write agent NAME, tag NAME, port AGENT.PORT, edge AGENT.PORT>AGENT, op NAME, error, usd N, tokens N, steps N, changed AGENT /pointer, hash, contract [VERDICT], certificate [VERDICT], line FILE:N or when EXPRESSION", text)
}

// breakKinds is how many words each kind takes.
var breakKinds = map[BreakKind]int{BreakAgent: 1, BreakTag: 1, BreakPort: 1, BreakEdge: 1, BreakOp: 1, BreakError: 0,
	BreakUSD: 1, BreakTokens: 1, BreakSteps: 1, BreakChanged: 2, BreakHash: 0, BreakContract: 0, BreakCertificate: 0, BreakLine: 1, BreakWhen: 0}

// read reads the specification; the rest are options. Options alone are those of a condition.
func (b *Breakpoint) read(text string) (rest string, err error) {
	first, rest, err := CutWord(text)
	if err != nil {
		return "", err
	}
	words, known := breakKinds[BreakKind(first.Text)]
	switch {
	case first == (Word{}):
		return "", errors.New("there is nothing")
	case !first.Quoted && rest != "" && optionWords[first.Text]:
		b.Kind = BreakWhen
		if err := b.options(text); err != nil || b.When == "" {
			return "", errors.Join(err, errors.New("options alone need when EXPRESSION"))
		}
		return "", nil
	case first.Quoted || !known:
		b.Kind, b.Name = BreakAgent, first.Text
		if file, line, ok := placeOf(first.Text); ok && !first.Quoted && strings.HasSuffix(file, ".star") {
			b.Kind, b.Name, b.Line = BreakLine, file, line
		}
		return rest, nil
	}
	b.Kind = BreakKind(first.Text)
	var args []string
	for range words {
		var w Word
		if w, rest, err = CutWord(rest); err != nil {
			return "", err
		}
		if w == (Word{}) {
			return "", fmt.Errorf("%s takes %d words", b.Kind, words)
		}
		args = append(args, w.Text)
	}
	if b.verdict() {
		if w, behind, err := CutWord(rest); err == nil && w != (Word{}) && (w.Quoted || !optionWords[w.Text]) {
			args, rest = []string{w.Text}, behind
		}
	}
	return rest, b.take(args)
}

// take takes the words of the kind over.
func (b *Breakpoint) take(args []string) error {
	switch b.Kind {
	case BreakUSD, BreakTokens, BreakSteps:
		f, err := strconv.ParseFloat(args[0], 64)
		switch {
		case err != nil || !(f >= 0) || math.IsInf(f, 1): // NaN and infinities have no JSON: no breakpoint could be kept any more
			return fmt.Errorf("%q is no number from 0 on", args[0])
		case b.Kind == BreakSteps && f != math.Trunc(f):
			return fmt.Errorf("%q is no whole number: no step would have it", args[0])
		}
		b.Limit = f
	case BreakLine:
		var ok bool
		if b.Name, b.Line, ok = placeOf(args[0]); !ok {
			return fmt.Errorf("%q is no FILE:LINE", args[0])
		}
	case BreakChanged:
		if args[1] != "" && args[1][0] != '/' {
			return fmt.Errorf("%q is no JSON Pointer", args[1])
		}
		b.Name, b.Pointer = args[0], args[1]
	case BreakWhen:
		return errors.New("when: write an expression behind it")
	default:
		if len(args) > 0 {
			b.Name = args[0]
		}
	}
	return nil
}
