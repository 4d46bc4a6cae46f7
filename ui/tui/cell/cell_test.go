package cell

import (
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestSanitize(t *testing.T) {
	for _, c := range []struct{ name, in, want, ascii string }{
		{"plain", "hello", "hello", "hello"},
		{"latin", "café", "café", `caf\u00e9`},
		{"cjk", "中文", "中文", `\u4e2d\u6587`},
		{"escape", "\x1b[31mred", "␛[31mred", `\x1b[31mred`},
		{"newline tab return", "a\nb\tc\rd", "a⏎b⇥c␍d", `a\nb\tc\rd`},
		{"nul and del", "\x00\x7f", "␀␡", `\x00\x7f`},
		{"c1", "a\u009b31m", `a\u009b31m`, `a\u009b31m`},
		{"raw c1 byte", "a\x9b31m", "a\ufffd31m", `a\ufffd31m`},
		{"bidi", "a\u202eb\u2066c\u061c", `a\u202eb\u2066c\u061c`, `a\u202eb\u2066c\u061c`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`, `a\u200bb\ufeff`},
		{"tags", "x\U000e0041", `x\u{e0041}`, `x\u{e0041}`},
		{"plane 16", "\U0010ffff", `\u{10ffff}`, `\u{10ffff}`},
		{"line separator", "a\u2028b", `a\u2028b`, `a\u2028b`},
		{"invalid", "a\xff\xfeb", "a\ufffd\ufffdb", `a\ufffd\ufffdb`},
		{"torn rune", "a\xe4\xb8", "a\ufffd\ufffd", `a\ufffd\ufffd`},
		{"family", "👨\u200d👩\u200d👧", "👨👩👧", `\u{1f468}\u200d\u{1f469}\u200d\u{1f467}`},
		{"heart on fire", "❤\ufe0f\u200d🔥", "❤🔥", `\u2764\ufe0f\u200d\u{1f525}`},
		{"joiner in text", "a\u200db", `a\u200db`, `a\u200db`},
		{"flag", "🇩🇪", "⚑DE", `\u{1f1e9}\u{1f1ea}`},
		{"three indicators", "🇩🇪🇫", "⚑DE⚑F", `\u{1f1e9}\u{1f1ea}\u{1f1eb}`},
		{"skin tone", "👍🏽", "👍⁴", `\u{1f44d}\u{1f3fd}`},
		{"toned and joined", "👩🏽\u200d🚀", "👩⁴🚀", `\u{1f469}\u{1f3fd}\u200d\u{1f680}`},
		{"selector", "⚠\ufe0f!", "⚠!", `\u26a0\ufe0f!`},
		{"hidden selectors", "a\ufe00\ufe01", `a\ufe01`, `a\ufe00\ufe01`},
		{"keycap", "1\ufe0f\u20e3", "1\u20e3", `1\ufe0f\u20e3`},
		{"marks", "e\u0301", "e\u0301", `e\u0301`},
		{"mark first", "\u0301e", "◌\u0301e", `\u0301e`},
		{"mark after escape", "\x1b\u0301", "␛◌\u0301", `\x1b\u0301`},
		{"pile", "e" + strings.Repeat("\u0301", 50), "e\u0301\u0301\u0301◌", "e" + strings.Repeat(`\u0301`, 50)},
		{"decomposed hangul", "\u1112\u1161\u11ab", "한", `\u1112\u1161\u11ab`},
		{"syllable and final", "가\u11a8", "각", `\uac00\u11a8`},
		{"lone jamo", "\u1112a\u1161", "◌a◌", `\u1112a\u1161`},
		{"thai am", "น\u0e33", "น\u0e4d\u0e32", `\u0e19\u0e33`},
		{"indic", "हि\u094d", "ह◌◌", `\u0939\u093f\u094d`},
		{"kana voice", "ｶﾞﾊﾟ", `ｶ"ﾊ°`, `\uff76\uff9e\uff8a\uff9f`},
		{"soft hyphen", "a\u00adb", `a\u00adb`, `a\u00adb`},
		{"unassigned", "\U0001ffff\u0378", "\\u{1ffff}\ufffd", `\u{1ffff}\u0378`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Sanitize(c.in); got != c.want {
				t.Errorf("Sanitize(%q) = %q, want %q", c.in, got, c.want)
			}
			if got := ASCII.Sanitize(c.in); got != c.ascii {
				t.Errorf("ASCII.Sanitize(%q) = %q, want %q", c.in, got, c.ascii)
			}
		})
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		in              string
		w               int
		cut, fit, right string
	}{
		{"hello", 5, "hello", "hello", "hello"},
		{"hello", 7, "hello", "hello  ", "  hello"},
		{"hello", 4, "hell", "hel…", "hel…"},
		{"hello", 1, "h", "…", "…"},
		{"hello", 0, "", "", ""},
		{"hello", -3, "", "", ""},
		{"", 2, "", "  ", "  "},
		{"中文字", 6, "中文字", "中文字", "中文字"},
		{"中文字", 5, "中文", "中文…", "中文…"},
		{"中文字", 4, "中文", "中… ", " 中…"},
		{"中文字", 1, "", "…", "…"},
		{"e\u0301e\u0301", 2, "e\u0301e\u0301", "e\u0301e\u0301", "e\u0301e\u0301"},
		{"e\u0301e\u0301e", 2, "e\u0301e\u0301", "e\u0301…", "e\u0301…"},
		{"ab\u0301c", 2, "ab\u0301", "a…", "a…"},
		{"ab\u0301c", 3, "ab\u0301c", "ab\u0301c", "ab\u0301c"},
		{"a\u202eb", 6, "a", "a…    ", "    a…"},
		{"\n\n\n", 2, "⏎⏎", "⏎…", "⏎…"},
	} {
		if got := Cut(c.in, c.w); got != c.cut {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.w, got, c.cut)
		}
		if got := Fit(c.in, c.w); got != c.fit {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.in, c.w, got, c.fit)
		}
		if got := FitRight(c.in, c.w); got != c.right {
			t.Errorf("FitRight(%q, %d) = %q, want %q", c.in, c.w, got, c.right)
		}
	}
}

// TestClip: whatever the last character that fits is, it is told that more was there.
func TestClip(t *testing.T) {
	for _, c := range []struct {
		c    Charset
		in   string
		w    int
		want string
		cut  bool
	}{
		{Unicode, "hello", 5, "hello", false}, {Unicode, "hello", 4, "hell", true}, {Unicode, "", 0, "", false}, {Unicode, "a", 0, "", true},
		{Unicode, "ünï 漢字", 8, "ünï 漢字", false}, {Unicode, "ünï 漢字", 7, "ünï 漢", true}, {Unicode, "ünï 漢字", 6, "ünï 漢", true},
		{Unicode, "漢 😀", 4, "漢 ", true}, {Unicode, "🇩🇪", 2, "", true}, {ASCII, "é", 5, "", true}, {ASCII, "é", 6, `\u00e9`, false},
	} {
		if got, cut := c.c.Clip(c.in, c.w); got != c.want || cut != c.cut {
			t.Errorf("Clip(%q, %d) = %q, %v; want %q, %v", c.in, c.w, got, cut, c.want, c.cut)
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"9f3c0000a1b7", 9, "9f3c…a1b7"}, {"9f3c0000a1b7", 12, "9f3c0000a1b7"}, {"short", 9, "short"},
		{"abcdef", 2, "a…"}, {"abcdef", 0, ""}, {"中文中文中文", 7, "中…中文"}, {"abcde\u0301f", 4, "ab…f"},
	} {
		if got := Unicode.Middle(c.in, c.w); got != c.want {
			t.Errorf("Middle(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

// TestFitReadsNoMoreThanItNeeds: a long text costs what a short one costs. Work is counted in memory, since a copy of
// the text would show there.
func TestFitReadsNoMoreThanItNeeds(t *testing.T) {
	long := strings.Repeat("x\u0301\n", 1<<20)
	for name, f := range map[string]func(){
		"Fit": func() { Fit(long, 40) }, "Cut": func() { Cut(long, 40) },
		"Put": func() { Compose(Unicode, 40, "", Span{long, "1"}) },
	} {
		var before, after runtime.MemStats
		f() // the pages of classes are made once
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16 {
			t.Errorf("%s allocates %d bytes for 40 cells", name, n)
		}
	}
}

// checkSafe fails unless s is safe and its width is beyond doubt: the code points add up to the same as the clusters.
func checkSafe(t testing.TB, c Charset, in, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Fatalf("%q became invalid UTF-8: %q", in, s)
	}
	sum := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Bidi_Control):
			t.Fatalf("%q lets %U through: %q", in, r, s)
		case c == ASCII && r > 0x7e:
			t.Fatalf("%q is not ASCII: %q", in, s)
		}
		switch classOf(r) {
		case clsNarrow:
			sum++
		case clsWide:
			sum += 2
		case clsMark:
		default:
			t.Fatalf("%q keeps %U, which is not of a certain width: %q", in, r, s)
		}
	}
	if w := c.Width(s); w != sum || w != ansi.StringWidth(s) {
		t.Fatalf("%q → %q: Width %d, code points %d, clusters %d", in, s, w, sum, ansi.StringWidth(s))
	}
	if again := c.Sanitize(s); again != s {
		t.Fatalf("%q → %q is no fixed point: %q", in, s, again)
	}
}

// TestEveryCharacter puts every assigned character beside neighbours with which it could make a cluster.
func TestEveryCharacter(t *testing.T) {
	if testing.Short() {
		t.Skip("a second of work")
	}
	around := []string{"", "a", "é", "क", "👍", "한", "กा", "\u0d4e", "🇩", "\u200d", "ᄀ"}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		boring := r > 0x4e10 && r < 0x9f00 || r > 0xac40 && r < 0xd780 || r > 0xe010 && r < 0xf8f0 || r > 0x17010 && r < 0x187e0 || r > 0x20010 && r < 0xe0000 || r > 0xe0200
		if boring && r%257 != 0 {
			continue
		}
		for _, n := range around {
			in := n + string(r) + n
			checkSafe(t, Unicode, in, Sanitize(in))
		}
		in := string(r) + string(r)
		checkSafe(t, Unicode, in, Sanitize(in))
		checkSafe(t, ASCII, in, ASCII.Sanitize(in))
	}
}

func FuzzCell(f *testing.F) {
	for _, s := range []string{"", "hello", "中文", "👨\u200d👩", "🇩🇪", "e\u0301\u0301\u0301\u0301", "\x1b[31mx\x1b[m", "\x1b[1;3", "a\xff", "\u1112\u1161\u11a8", "\u0939\u094d\u0937", "\x1b[38;5;1m中\x1b[m"} {
		f.Add(s, 5, 2)
	}
	f.Fuzz(func(t *testing.T, s string, w, from int) {
		w, from = w%100, from%100
		for _, c := range []Charset{Unicode, ASCII} {
			safe := c.Sanitize(s)
			checkSafe(t, c, s, safe)
			if c.Width(s) != c.Width(safe) {
				t.Fatalf("Width(%q) = %d, of its safe form %d", s, c.Width(s), c.Width(safe))
			}
			cut, fit, right := c.Cut(s, w), c.Fit(s, w), c.FitRight(s, w)
			checkSafe(t, c, s, cut)
			checkSafe(t, c, s, fit)
			checkSafe(t, c, s, right)
			if c.Width(cut) > max(w, 0) || c.Width(fit) != max(w, 0) || c.Width(right) != max(w, 0) {
				t.Fatalf("%q in %d cells: Cut %q, Fit %q, FitRight %q", s, w, cut, fit, right)
			}
			if !strings.HasPrefix(safe, cut) {
				t.Fatalf("Cut(%q, %d) = %q is no start of %q", s, w, cut, safe)
			}
			if mid := c.Middle(s, w); c.Width(mid) > max(w, 0) {
				t.Fatalf("Middle(%q, %d) = %q", s, w, mid)
			}
			checkStyled(t, c, s, from, from+w)
			if line := Compose(c, w, "7", Span{s, "1"}, Span{s, ""}); c.WidthStyled(line) != max(w, 0) {
				t.Fatalf("Compose(%q, %d) = %q", s, w, line)
			}
		}
	})
}

// checkStyled takes a slice of a text with colours: exact in width, and safe once our own colours are taken away.
func checkStyled(t testing.TB, c Charset, s string, from, to int) {
	t.Helper()
	got := c.SliceStyled(s, from, to)
	want := max(0, to-max(from, 0))
	if n := c.WidthStyled(got); n != want || ansi.StringWidth(got) != want {
		t.Fatalf("SliceStyled(%q, %d, %d) = %q: %d cells, clusters %d, want %d", s, from, to, got, n, ansi.StringWidth(got), want)
	}
	for rest := got; rest != ""; {
		if n := sgrLen(rest); n > 0 {
			rest = rest[n:]
			continue
		}
		if rest[0] < 0x20 || rest[0] == 0x7f {
			t.Fatalf("SliceStyled(%q, %d, %d) lets %q through", s, from, to, rest[0])
		}
		rest = rest[1:]
	}
}
