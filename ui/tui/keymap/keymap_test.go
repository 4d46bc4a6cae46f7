package keymap

import (
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"flowdbg/ui/tui/cell"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var views = []string{"Debug", "Ledger", "Contract"}

func table(t *testing.T, remap map[string][]string) (*Table, []string) {
	t.Helper()
	tb, problems := New(Default(views...), remap)
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return tb, out
}

func TestDefaultTable(t *testing.T) {
	tb, problems := table(t, nil)
	if len(problems) > 0 {
		t.Fatalf("the built-in table has conflicts: %s", problems)
	}
	seen := map[string]bool{}
	for _, a := range tb.Actions() {
		if len(a.Keys) == 0 || a.Short == "" || a.Long == "" || a.Group == "" || strings.HasSuffix(a.Long, ".") {
			t.Errorf("%s is not complete: %+v", a.ID, a)
		}
		if cell.Width(a.Short) > 14 || seen[a.Short] {
			t.Errorf("%s: %q is too long or there twice", a.ID, a.Short)
		}
		seen[a.Short] = true
		for _, k := range a.Keys {
			if got, ok := tb.Lookup(k); !ok || got.ID != a.ID {
				t.Errorf("%s does not lead to %s", k, a.ID)
			}
		}
	}
	for _, k := range strings.Fields("s S ] [ c C g R b B f9 . i v tab shift+tab 1 2 3 j k up down pgup pgdown home end enter space : ? z y o m q ctrl+z L f5 f10 f11 h l left right esc") {
		if _, ok := tb.Lookup(k); !ok {
			t.Errorf("%s does nothing", k)
		}
	}
	for _, k := range []string{"4", "x", "Z", "", "alt+s", "ctrl+s"} {
		if a, ok := tb.Lookup(k); ok {
			t.Errorf("%q leads to %s", k, a.ID)
		}
	}
}

func TestRemap(t *testing.T) {
	for _, c := range []struct {
		name     string
		remap    map[string][]string
		keys     string // "key=action", "key=" for nothing
		problems string
	}{
		{"other key", map[string][]string{"step": {"x"}}, "x=step s= f10=", ""},
		{"several and aliases", map[string][]string{"step": {"Escape", "PgDn", " "}, "cancel": {}, "page-down": {"x"}, "toggle": {"enter"}}, "esc=step pgdown=step space=step x=page-down", ""},
		{"no keys", map[string][]string{"quit": {}}, "q= ctrl+c=", ""},
		{"taken from a built-in", map[string][]string{"step": {"q"}}, "q=step ctrl+c=quit", "keys: quit: q: already means step"},
		{"swapped", map[string][]string{"step": {"S"}, "step-back": {"s"}}, "S=step s=step-back", ""},
		{"both configured", map[string][]string{"step": {"x"}, "quit": {"x"}}, "x=step q=", "keys: quit: x: already means step"},
		{"unknown action", map[string][]string{"fly": {"x"}}, "x=", "keys: fly: there is no such action"},
		{"unknown key", map[string][]string{"step": {"hyper+x", "x"}}, "x=step", "keys: step: Hyper+x: there is no such key"},
		{"upper case differs", map[string][]string{"step": {"x"}, "quit": {"X"}}, "x=step X=quit", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tb, problems := table(t, c.remap)
			if got := strings.Join(problems, "; "); got != c.problems {
				t.Errorf("problems %q, want %q", got, c.problems)
			}
			for _, kv := range strings.Fields(c.keys) {
				k, want, _ := strings.Cut(kv, "=")
				if a, _ := tb.Lookup(k); string(a.ID) != want {
					t.Errorf("%s leads to %q, want %q", k, a.ID, want)
				}
			}
		})
	}
	if _, problems := New([]Action{{ID: "a"}, {ID: "a"}}, nil); len(problems) != 1 {
		t.Errorf("an action that is there twice gave %v", problems)
	}
}

func runes(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }

func keyNames(msgs []tea.KeyMsg) string {
	var out []string
	for _, m := range msgs {
		out = append(out, m.String())
	}
	return strings.Join(out, "|")
}

func TestSplit(t *testing.T) {
	paste := runes("abc")
	paste.Paste = true
	for _, c := range []struct {
		in   tea.KeyMsg
		want string
	}{
		{runes("sss"), "s|s|s"}, {runes("s"), "s"}, {runes("a b"), "a| |b"}, {runes("中s"), "中|s"}, {paste, "[abc]"},
		{tea.KeyMsg{Type: tea.KeyF10}, "f10"}, {tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x"), Alt: true}, "alt+x"}, {tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}, " "},
	} {
		if got := keyNames(Split(c.in)); got != c.want {
			t.Errorf("Split(%q) = %s, want %s", c.in.String(), got, c.want)
		}
	}
	tb, _ := table(t, nil)
	for _, m := range Split(runes("s S")) {
		a, ok := tb.LookupMsg(m)
		if want := map[string]ID{"s": Step, "S": StepBack, " ": Toggle}[m.String()]; !ok || a.ID != want {
			t.Errorf("%q leads to %q, want %q", m.String(), a.ID, want)
		}
	}
	one := runes("s")
	one.Paste = true
	if a, ok := tb.LookupMsg(one); ok {
		t.Errorf("pasted text leads to %s", a.ID)
	}
}

func TestSplitterDropsTerminalAnswers(t *testing.T) {
	alt := func(s string) tea.KeyMsg { m := runes(s); m.Alt = true; return m }
	bell := tea.KeyMsg{Type: tea.KeyCtrlG}
	for _, c := range []struct {
		name string
		in   []tea.KeyMsg
		want string
	}{
		{"ended by ST", []tea.KeyMsg{runes("j"), alt("]"), runes("11;rgb:1e1e/1e1e/1e1e"), alt(`\`), runes("s")}, "j|alt+]|s"},
		{"ended by BEL", []tea.KeyMsg{alt("]"), runes("11;rgb:ff/ff/ff"), bell, bell}, "alt+]|ctrl+g"},
		{"in pieces", []tea.KeyMsg{alt("]"), runes("11;rgb:1e"), runes("1e/1e1e/1e1e"), alt(`\`)}, "alt+]"},
		{"not an answer", []tea.KeyMsg{alt("]"), runes("ss")}, "alt+]|s|s"},
		{"answer without an end", []tea.KeyMsg{alt("]"), runes("11;rgb:0/0/0"), runes("s"), runes("b")}, "alt+]|s|b"},
		{"only the text", []tea.KeyMsg{runes("11;")}, "1|1|;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Splitter
			var got []tea.KeyMsg
			for _, m := range c.in {
				got = append(got, s.Split(m)...)
			}
			if keyNames(got) != c.want {
				t.Errorf("got %s, want %s", keyNames(got), c.want)
			}
		})
	}
}

func TestLabel(t *testing.T) {
	for key, want := range map[string][2]string{
		"s": {"s", "s"}, "S": {"S", "S"}, "f10": {"F10", "F10"}, "ctrl+z": {"Ctrl+Z", "Ctrl+Z"}, "shift+tab": {"Shift+Tab", "Shift+Tab"}, "up": {"↑", "Up"},
		"pgdown": {"PgDn", "PgDn"}, "space": {"Space", "Space"}, "alt+x": {"Alt+x", "Alt+x"}, "+": {"+", "+"}, "é": {"é", "é"}, "": {"", ""}, "ctrl+\\": {"Ctrl+\\", "Ctrl+\\"},
	} {
		if got := [2]string{Label(key, false), Label(key, true)}; got != want {
			t.Errorf("Label(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestBar(t *testing.T) {
	tb, _ := table(t, nil)
	ids := []ID{Step, StepBack, Continue, Down, "unknown", Help}
	for _, c := range []struct {
		w       int
		charset cell.Charset
		want    string
	}{
		{60, cell.Unicode, " s step  S back  c continue  j down  ? help"},
		{30, cell.Unicode, " s step  S back  ? help"},
		{24, cell.Unicode, " s step  S back  ? help"},
		{23, cell.Unicode, " s step  ? help"},
		{8, cell.Unicode, " ? help"},
		{4, cell.Unicode, " ? …"},
		{0, cell.Unicode, ""},
	} {
		got := tb.Bar(c.w, BarLook{Charset: c.charset}, ids...)
		if strings.TrimRight(got, " ") != c.want || ansi.StringWidth(got) != c.w {
			t.Errorf("Bar(%d) = %q, want %q", c.w, got, c.want)
		}
	}
	tb.Disabled = func(id ID) string { return map[ID]string{StepBack: "this is the start"}[id] }
	if got := strings.TrimRight(tb.Bar(60, BarLook{}, ids...), " "); strings.Contains(got, "back") {
		t.Errorf("a disabled action is offered: %q", got)
	}
	if got := tb.Why(StepBack) + tb.Why(Step); got != "this is the start" {
		t.Errorf("Why = %q", got)
	}
	if got := tb.Bar(60, BarLook{}); strings.TrimSpace(got) != "" {
		t.Errorf("an empty bar is %q", got)
	}
}

func TestFind(t *testing.T) {
	tb, _ := table(t, nil)
	for query, want := range map[string][]ID{
		"LEDG":          {View(2)},
		"view ledger":   {View(2)},
		"zzz":           nil,
		"f11":           {NextEvent},
		"previous pane": {PrevPane},
	} {
		var got []ID
		for _, a := range tb.Find(query) {
			got = append(got, a.ID)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Find(%q) = %v, want %v", query, got, want)
		}
	}
	// A name that begins with the word stands before a sentence that has it.
	if got := tb.Find("step"); len(got) < 3 || got[0].ID != Step || got[1].ID != StepBack {
		t.Errorf("Find(step) = %v", got)
	}
	if got := tb.Find(""); len(got) != len(tb.Actions()) {
		t.Errorf("an empty query finds %d of %d", len(got), len(tb.Actions()))
	}
}

func TestMarkdown(t *testing.T) {
	tb, problems := New(Default(views...), map[string][]string{"mouse": {"x", "`"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := tb.Markdown()
	if *update {
		if err := os.WriteFile("testdata/keys.md", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s", got)
	}
	for _, a := range tb.Actions() {
		if !strings.Contains(got, "`"+string(a.ID)+"`") {
			t.Errorf("%s is not in the document", a.ID)
		}
	}
}

func TestViewsAreAtMostNine(t *testing.T) {
	tb, problems := New(Default(strings.Fields("a b c d e f g h i j k")...), nil)
	if _, ok := tb.Get(View(10)); ok || len(problems) > 0 {
		t.Errorf("view 10 has no key: %v", problems)
	}
	holes, _ := New(Default("a", "", "c"), nil)
	if _, ok := holes.Get(View(2)); ok {
		t.Error("a view without a name is in the table")
	}
	if a, _ := holes.Lookup("3"); a.ID != View(3) {
		t.Errorf("3 leads to %q", a.ID)
	}
}
