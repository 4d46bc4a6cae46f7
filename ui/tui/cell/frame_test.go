package cell

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestBuilder(t *testing.T) {
	var b Builder
	for _, c := range []struct {
		name string
		w    int
		base Style
		make func()
		want string
	}{
		{"plain", 5, "", func() { b.Put("ab", "") }, "ab   "},
		{"one style", 5, "", func() { b.Put("ab", "1") }, "\x1b[1mab\x1b[m   "},
		{"same style twice", 4, "", func() { b.Put("ab", "1"); b.Put("cd", "1") }, "\x1b[1mabcd\x1b[m"},
		{"change", 4, "", func() { b.Put("ab", "1"); b.Put("cd", "2") }, "\x1b[1mab\x1b[0;2mcd\x1b[m"},
		{"back to plain", 4, "", func() { b.Put("ab", "1"); b.Put("cd", "") }, "\x1b[1mab\x1b[mcd"},
		{"selection", 4, "7", func() { b.Put("ab", "1") }, "\x1b[7;1mab\x1b[0;7m  \x1b[m"},
		{"cut", 4, "", func() { b.Put("abcdef", ""); b.Put("x", "") }, "abc…"},
		{"hostile", 6, "", func() { b.Put("\x1b[2J", "31") }, "\x1b[31m␛[2J\x1b[m  "},
		{"fields", 9, "", func() { b.Field("id", 4, ""); b.FieldRight("12", 4, ""); b.Put("!", "") }, "id    12!"},
		{"right", 8, "", func() { b.Put("ab", ""); b.Right("9 B", "") }, "ab   9 B"},
		{"no room at the right", 5, "", func() { b.Put("ab", ""); b.Right("9 B", "") }, "ab   "},
		{"to", 5, "", func() { b.To(2); b.Put("x", ""); b.To(1) }, "  x  "},
		{"repeat", 4, "", func() { b.Repeat("─", 9, "") }, "────"},
		{"zero", 0, "7", func() { b.Put("ab", "1"); b.Field("x", 3, "") }, ""},
		{"negative", -4, "", func() { b.Put("ab", "1") }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.Start(Unicode, c.w, c.base)
			c.make()
			if got := b.Line(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestStyle(t *testing.T) {
	if got := Style("1").Over("7"); got != "7;1" {
		t.Errorf("Over = %q", got)
	}
	if got := Style("1").Paint(Unicode, "a\x1b"); got != "\x1b[1ma␛\x1b[m" {
		t.Errorf("Paint = %q", got)
	}
	if got := Style("").Paint(ASCII, "é"); got != `\u00e9` {
		t.Errorf("Paint = %q", got)
	}
}

func TestSliceStyled(t *testing.T) {
	const s = "ab\x1b[1mcd\x1b[31m中\x1b[mx"
	for _, c := range []struct {
		from, to int
		want     string
	}{
		{0, 7, "ab\x1b[1mcd\x1b[31m中\x1b[mx"},
		{0, 2, "ab"},
		{3, 5, "\x1b[1md\x1b[31m \x1b[m"},
		{5, 7, "\x1b[1m\x1b[31m \x1b[mx"},
		{4, 6, "\x1b[1m\x1b[31m中\x1b[m"},
		{6, 9, "x  "},
		{20, 22, "  "},
		{3, 3, ""}, {4, 2, ""}, {-2, 1, "a"},
	} {
		if got := Unicode.SliceStyled(s, c.from, c.to); got != c.want {
			t.Errorf("SliceStyled(%d, %d) = %q, want %q", c.from, c.to, got, c.want)
		}
	}
	if got := Unicode.FitStyled("\x1b[2Ja\x1b]0;t\x07", 12); got != "␛[2Ja␛]0;t␇ " {
		t.Errorf("FitStyled lets a sequence through that is not a colour: %q", got)
	}
	if w := Unicode.WidthStyled(s); w != 7 {
		t.Errorf("WidthStyled = %d", w)
	}
}

func TestFrame(t *testing.T) {
	f := NewFrame(Unicode, 8, 3)
	f.Put(0, 0, 4, "aaaa", "aaaa", "aaaa", "beyond")
	f.Put(5, 0, 3, "bbb", "too long", "b")
	f.Put(2, 1, 5, "PPPPP")
	f.Put(-2, 2, 4, "wxyz")
	if got, want := f.String(), "aaaa bbb\naaPPPPPo\nyzaa b  "; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for raw, want := range map[string]string{"🇩🇪": "⚑DE", "\x9b2J": "\ufffd2J"} {
		f.Start(Unicode, 3, 1)
		f.Put(0, 0, 3, raw) // as many cells as wanted, but only when it is safe
		if got := f.String(); got != want {
			t.Errorf("%q became %q, want %q", raw, got, want)
		}
	}
	f.Start(ASCII, 2, 1)
	if got := f.String(); got != "  " {
		t.Errorf("after Start: %q", got)
	}
}

// TestFrameKeepsItsSize: whatever is put wherever, a frame is h lines of w cells.
func TestFrameKeepsItsSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(0, 20).Draw(t, "w"), rapid.IntRange(0, 6).Draw(t, "h")
		f := NewFrame(Unicode, w, h)
		for range rapid.IntRange(0, 6).Draw(t, "blocks") {
			lines := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"中中中", "\x1b[1mab\x1b[mcd", "🇩🇪", "\x1b[7m"})), 0, 4).Draw(t, "lines")
			f.Put(rapid.IntRange(-5, 25).Draw(t, "x"), rapid.IntRange(-2, 7).Draw(t, "y"), rapid.IntRange(-1, 25).Draw(t, "bw"), lines...)
		}
		checkScreen(t, f.String(), w, h)
	})
}

func checkScreen(t rapid.TB, screen string, w, h int) {
	t.Helper()
	lines := strings.Split(screen, "\n")
	if h == 0 {
		if screen != "" {
			t.Fatalf("no lines wanted, got %q", screen)
		}
		return
	}
	if len(lines) != h {
		t.Fatalf("%d lines, want %d", len(lines), h)
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n != w || Unicode.WidthStyled(l) != w {
			t.Fatalf("line %d is %d cells, want %d: %q", i, n, w, l)
		}
	}
}

var edges = Edges{Horizontal: "─", Vertical: "│", TopLeft: "┌", TopRight: "┐", BottomLeft: "└", BottomRight: "┘", JoinLeft: "├", JoinRight: "┤"}

func TestBox(t *testing.T) {
	plain := Box{Edges: edges, Title: []Span{{"Inbox of critic", ""}}, Note: []Span{{"(1)", ""}}}
	for _, c := range []struct {
		name string
		box  Box
		w, h int
		want string
	}{
		{"whole", plain, 26, 3, "┌ Inbox of critic ── (1) ┐\n│one                     │\n└────────────────────────┘"},
		{"no note", plain, 20, 2, "┌ Inbox of critic ─┐\n└──────────────────┘"},
		{"title cut", plain, 10, 2, "┌ Inbox… ┐\n└────────┘"},
		{"tiny", plain, 2, 2, "┌┐\n└┘"},
		{"one line", plain, 4, 1, "┌──┐"},
		{"one column", plain, 1, 2, " \n "},
		{"stacked", Box{Edges: edges, Joined: true, NoBottom: true}, 6, 3, "├────┤\n│one │\n│    │"},
		{"nothing", plain, 0, 4, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(c.box.Draw(Unicode, c.w, c.h, []string{Fit("one", c.w-2)}), "\n")
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func BenchmarkFit(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": "researcher.out → critic"[:14] + strings.Repeat(" payload", 10), "unicode": strings.Repeat("Größe 中文 → ", 10),
		"hostile": strings.Repeat("a\x1b[31m\u202e👨\u200d👩", 10), "10MB": strings.Repeat("payload ", 10<<20/8),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Fit(s, 60)
			}
		})
	}
}

// BenchmarkFrame composes a screen of 200×60 the way the debug view does: three boxes, rows of five spans.
func BenchmarkFrame(b *testing.B) {
	f := NewFrame(Unicode, 200, 60)
	var l Builder
	title := []Span{{"Events", "1"}}
	pane := func(w, h int, title []Span) []string {
		lines := make([]string, 0, h)
		for i := range h - 2 {
			l.Start(Unicode, w-2, map[bool]Style{true: "48;5;236"}[i == 7])
			l.Put("▌", "38;5;33")
			l.FieldRight(fmt.Sprint(i), 6, "2")
			l.Put(" researcher ", "")
			l.Put("→ critic ", "38;5;33")
			l.Put(`{"text":"Interaction nets are a graph rewriting formalism for optimal reduction"}`, "2")
			l.Right("412 B", "2")
			lines = append(lines, l.Line())
		}
		return Box{Edges: edges, Style: "38;5;240", Title: title}.Draw(Unicode, w, h, lines)
	}
	b.ReportAllocs()
	for b.Loop() {
		f.Start(Unicode, 200, 60)
		f.Put(0, 0, 200, Compose(Unicode, 200, "", Span{" flowdbg", "1"}, Span{"  research-pipeline", ""}))
		f.Put(0, 1, 40, pane(40, 57, title)...)
		f.Put(40, 1, 90, pane(90, 57, title)...)
		f.Put(130, 1, 70, pane(70, 57, title)...)
		f.Put(0, 58, 200, Compose(Unicode, 200, "", Span{" stopped: step done", ""}), Compose(Unicode, 200, "", Span{" s step", "2"}))
		if len(f.String()) < 12000 {
			b.Fatal("short frame")
		}
	}
}
