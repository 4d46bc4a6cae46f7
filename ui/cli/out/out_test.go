package out_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/cell"
)

func TestCode(t *testing.T) {
	cause := errors.New("cause")
	for _, x := range []struct {
		err  error
		code int
		text string
	}{
		{nil, 0, ""},
		{out.No(""), 1, "exit 1"},
		{out.No("no %d", 1), 1, "no 1"},
		{fmt.Errorf("around: %w", out.Bad("bad: %w", cause)), 2, "around: bad: cause"},
		{out.Internal("broken"), 3, "broken"},
		{cause, 2, "cause"},
	} {
		if got := out.Code(x.err); got != x.code {
			t.Errorf("%v: code %d, expected %d", x.err, got, x.code)
		}
		if x.err != nil && x.err.Error() != x.text {
			t.Errorf("text %q, expected %q", x.err, x.text)
		}
	}
	if !errors.Is(out.Bad("bad: %w", cause), cause) {
		t.Error("the cause is lost")
	}
}

func TestClosest(t *testing.T) {
	names := []string{"run", "replay", "check", "fmt", "state", "hash"}
	for name, want := range map[string]string{
		"rpelay": "replay", "sate": "state", "State": "state", "hahs": "hash", "fmy": "fmt",
		"x": "", "": "", "something": "", strings.Repeat("run", 30): "",
	} {
		if got := out.Closest(name, names); got != want {
			t.Errorf("%q: %q, expected %q", name, got, want)
		}
	}
	if got := out.DidYouMean("rnu", names); got != ` (did you mean "run"?)` {
		t.Error(got)
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, x := range []struct {
		data      string
		line, col int
		want      string
	}{
		{"a\nbcd\ne", 2, 3, "bcd\n  ^"},
		{"a\r\nbcd\r\ne", 2, 4, "bcd\n   ^"},
		{"\tx", 1, 2, "⇥x\n ^"},
		{"漢字x", 1, 3, "漢字x\n    ^"},
		{"\x1b[31mred", 1, 6, "␛[31mred\n     ^"},
		{"ab", 1, 9, "ab\n  ^"},
		{"ab", 3, 1, ""},
		{"ab", 0, 0, ""},
		{long, 1, 1, strings.Repeat("x", 96) + "…\n^"},
		{long, 1, 101, "…" + strings.Repeat("x", 48+47) + "…\n" + strings.Repeat(" ", 49) + "^"},
		{"", 1, 1, "\n^"},
	} {
		if got := out.Excerpt([]byte(x.data), x.line, x.col); got != x.want {
			t.Errorf("%.20q %d:%d:\n%s\nexpected\n%s", x.data, x.line, x.col, got, x.want)
		}
	}
}

// TestExcerptIsSafe: whatever the bytes, two lines come out that are certain on a screen, and not long.
func TestExcerptIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		line, col := rapid.IntRange(-1, 4).Draw(t, "line"), rapid.IntRange(-1, 300).Draw(t, "col")
		text := out.Excerpt(data, line, col)
		if text == "" {
			return
		}
		source, caret, ok := strings.Cut(text, "\n")
		if !ok || strings.Trim(caret, " ") != "^" || strings.Contains(caret, "\n") {
			t.Fatalf("%q", text)
		}
		if cell.Sanitize(source) != source {
			t.Fatalf("%q is not safe", source)
		}
		if cell.Width(caret)-1 > cell.Width(source) {
			t.Fatalf("the caret stands outside: %q", text)
		}
	})
}
