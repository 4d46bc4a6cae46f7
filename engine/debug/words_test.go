package debug

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyName is a name as a flow may have it: no control characters.
var anyName = rapid.StringOfN(rapid.OneOf(rapid.SampledFrom([]rune("ab \"\\;'#é./>=[]{}0")), rapid.Rune().Filter(func(r rune) bool { return r >= ' ' && (r < 0x7f || r > 0x9f) && r != 0xfffd })), 1, 12, -1)

func TestWordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(anyName, 1, 4).Draw(t, "names")
		var quoted []string
		for _, n := range names {
			quoted = append(quoted, Quote(n))
		}
		line := strings.Join(quoted, " ")
		words, err := Words("  " + line + "\t")
		if err != nil || len(words) != len(names) {
			t.Fatalf("%q: %v, %v", line, words, err)
		}
		for i, w := range words {
			if w.Text != names[i] {
				t.Fatalf("%q: word %d is %q, not %q", line, i, w.Text, names[i])
			}
		}
		first, rest, err := CutWord(line)
		if err != nil || first.Text != names[0] || rest != strings.Join(quoted[1:], " ") {
			t.Fatalf("%q: %q, %q, %v", line, first.Text, rest, err)
		}
	})
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]Word{
		"":                    nil,
		" \t ":                nil,
		`a`:                   {{"a", false}},
		`a "b c" d`:           {{"a", false}, {"b c", true}, {"d", false}},
		`"" x`:                {{"", true}, {"x", false}},
		`"a\"b" "\u0041;"`:    {{`a"b`, true}, {"A;", true}},
		`it's o"k`:            {{"it's", false}, {`o"k`, false}},
		"a\t\"tab\\there\" b": {{"a", false}, {"tab\there", true}, {"b", false}},
	} {
		got, err := Words(text)
		same := err == nil && len(got) == len(want)
		for i := range want {
			same = same && got[i] == want[i]
		}
		if !same {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{`"a`, `x "a b`, `"a"b`, `"\x"`} {
		if list, err := Words(text); err == nil || !strings.Contains(err.Error(), "JSON string") {
			t.Errorf("%q: %v, %v", text, list, err)
		}
	}
}

// Whatever names a flow has, an edit and a breakpoint can be written with them, and a breakpoint reads back as it is shown.
func TestNamesInCommands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agent, tag := anyName.Draw(t, "agent"), anyName.Draw(t, "tag")
		for text, check := range map[string]func(*Edit) bool{
			"inject " + Quote(agent) + " " + Quote(tag) + ` {"x":1}`: func(e *Edit) bool { return e.Agent == agent && e.Message.Tag == tag },
			"state " + Quote(agent) + " null":                        func(e *Edit) bool { return e.Agent == agent },
			"answer " + Quote(agent) + " 2 [1]":                      func(e *Edit) bool { return e.Agent == agent && e.Index == 2 },
			"drop " + Quote(agent) + " 3":                            func(e *Edit) bool { return e.Agent == agent && e.Index == 3 },
		} {
			if e, err := ParseEdit(text); err != nil || !check(e) {
				t.Fatalf("%s: %+v, %v", text, e, err)
			}
		}
		b := Breakpoint{
			Kind: rapid.SampledFrom([]BreakKind{BreakAgent, BreakTag, BreakPort, BreakEdge, BreakOp, BreakChanged, BreakCertificate, BreakLine}).Draw(t, "kind"),
			Name: agent, From: rapid.SampledFrom([]int{0, 2, 7}).Draw(t, "from"), PerAgent: rapid.Bool().Draw(t, "per"),
			Once: rapid.Bool().Draw(t, "once"), When: rapid.SampledFrom([]string{"", `tag == " when "`}).Draw(t, "when"),
		}
		if b.Kind == BreakChanged {
			b.Pointer = "/" + tag
		}
		if b.Kind == BreakLine {
			b.Line = 3
		}
		got, err := ParseBreakpoint(b.Text())
		if err != nil {
			t.Fatalf("%s: %v", b.Text(), err)
		}
		if got.Text() != b.Text() || got.Kind != b.Kind || got.Name != b.Name || got.Pointer != b.Pointer || got.When != b.When || got.From != b.From || got.Once != b.Once {
			t.Fatalf("%s is read as %s", b.Text(), got.Text())
		}
	})
}
