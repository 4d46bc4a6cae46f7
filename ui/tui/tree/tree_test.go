package tree

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/trace/canon"
	"flowdbg/ui/tui/theme"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden drawings")

func value(t testing.TB, text string) canon.Value {
	t.Helper()
	if text == "" {
		return canon.Value{}
	}
	v, _, err := canon.Parse([]byte(text), canon.Options{Integers: canon.IntegersAccept})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func plain(t testing.TB, ascii bool) *theme.Theme {
	t.Helper()
	th, err := theme.New(theme.Options{Name: "plain", ASCII: ascii})
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func draw(t testing.TB, tr *Tree, w, h int) string {
	var b strings.Builder
	for _, l := range tr.Render(w, h, plain(t, false), true) {
		if n := ansi.StringWidth(l); n != w {
			t.Errorf("line of %d cells, want %d: %q", n, w, l)
		}
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}

// TestDrawings plays small dialogues and compares what is on the screen in the end with a file of the same name.
func TestDrawings(t *testing.T) {
	const before = `{"last":{"notes":[1,2],"question":"How do interaction nets help multi-agent flows?","score":null},"pending":[],"old":1}`
	const after = `{"last":{"notes":[1,2],"question":"How do interaction nets help multi-agent flows?","score":0.72},"pending":[],"new":{"a":true}}`
	for _, c := range []struct {
		name, val, prev string
		compare         bool
		w, h            int
		do              func(*Tree)
	}{
		{"plain", before, "", false, 60, 9, nil},
		{"changed", after, before, true, 60, 9, nil},
		{"changed-narrow", after, before, true, 24, 9, nil},
		{"closed", after, before, true, 60, 5, func(tr *Tree) { tr.Toggle() }},
		{"opened-twice", after, before, true, 60, 10, func(tr *Tree) { tr.Goto("/last/notes/1") }},
		{"scalar", `"one line\nand another"`, "", false, 40, 2, nil},
		{"scalar-changed", `2`, `"two"`, true, 40, 1, nil},
		{"nothing-before", `{"a":1}`, "", true, 40, 2, nil},
		{"kinds", `{"a":[],"b":{},"c":true,"d":null,"e":-1.5e-7,"f":"","g":[[[1]]]}`, "", false, 40, 10, nil},
		{"kind-changed", `{"a":{"x":1}}`, `{"a":[1,2]}`, true, 40, 3, nil},
		{"array-shrunk", `[1]`, `[1,2,3]`, true, 40, 4, nil},
		{"hostile", "{\"k\\u001b[2J\":\"\\u202eevil\\u0007\",\"\":1,\" x\":2,\"\u4e2d\u6587\":\"\U0001F468\u200D\U0001F469\"}", "", false, 50, 5, nil},
		{"long", `{"text":"` + strings.Repeat("abcdefghij", 500) + `","num":12345678901234567890,"list":[` + strings.Repeat("1,", 999) + `1]}`, "", false, 50, 4, nil},
		{"empty", "", "", false, 10, 2, nil},
		{"more", "[" + strings.Repeat("0,", 1500) + "0]", "", false, 30, 4, func(tr *Tree) { tr.list.SetCursor(997); tr.list.Scroll(100) }},
		{"more-reached", "[" + strings.Repeat("0,", 1500) + "0]", "", false, 30, 4, func(tr *Tree) { tr.End(); tr.Move(-1); tr.Move(1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tr Tree
			tr.Set(value(t, c.val), value(t, c.prev), c.compare)
			tr.Render(c.w, c.h, plain(t, false), true)
			if c.do != nil {
				c.do(&tr)
			}
			got := draw(t, &tr, c.w, c.h)
			file := filepath.Join("testdata", c.name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func selected(tr *Tree) string {
	ptr, _, _, _ := tr.Selected()
	return ptr
}

func TestOpenStateIsKeptByPointer(t *testing.T) {
	big := func(x int) string {
		return fmt.Sprintf(`{"a":{"big":%q,"n":[1,%d]},"z":%d}`, strings.Repeat("x", 500), x, x)
	}
	var tr Tree
	tr.Set(value(t, big(1)), canon.Value{}, false)
	tr.SetHeightForTest(10)
	if tr.Len() != 2 {
		t.Fatalf("big values start closed; %d rows", tr.Len())
	}
	tr.Open() // opens a
	tr.Open() // enters it: big
	tr.Move(1)
	tr.Open() // opens n
	tr.Move(2)
	if got := selected(&tr); got != "/a/n/1" {
		t.Fatalf("at %s", got)
	}
	tr.Set(value(t, big(2)), value(t, big(1)), true)
	if got := selected(&tr); got != "/a/n/1" || tr.Len() != 6 {
		t.Errorf("after the next value: at %s, %d rows", got, tr.Len())
	}
	_, val, prev, ok := tr.Selected()
	if val.Text() != "2" || prev.Text() != "1" || !ok {
		t.Errorf("selected %v, before %v, %v", val, prev, ok)
	}
	tr.Close() // from a leaf to its parent
	if got := selected(&tr); got != "/a/n" {
		t.Errorf("Close went to %s", got)
	}
	tr.Close()
	tr.Close()
	tr.Close()
	if got := selected(&tr); got != "/a" || tr.Len() != 2 {
		t.Errorf("closed to %s, %d rows", got, tr.Len())
	}
}

// SetHeightForTest gives the window a height without drawing.
func (t *Tree) SetHeightForTest(h int) { t.list.SetHeight(h) }

func TestGoto(t *testing.T) {
	var list []string
	for i := range 20_000 {
		list = append(list, fmt.Sprintf(`"k%05d":%d`, i, i))
	}
	var tr Tree
	tr.Set(value(t, `{"o":{`+strings.Join(list, ",")+`},"a/b":{"m~n":{" ":[{"x":1}]}}}`), canon.Value{}, false)
	for _, ptr := range []string{"/o/k19999", "/o/k00000", "/a~1b/m~0n/ /0/x", "/o", "/a~1b"} {
		if !tr.Goto(ptr) || selected(&tr) != ptr {
			t.Errorf("Goto(%s) stands on %s", ptr, selected(&tr))
		}
	}
	at := selected(&tr)
	for _, ptr := range []string{"/nope", "/o/k2", "o", "/a~1b/0", "/o/k00001/x"} {
		if tr.Goto(ptr) || selected(&tr) != at {
			t.Errorf("Goto(%s) went to %s", ptr, selected(&tr))
		}
	}
}

func TestEndReachesEverything(t *testing.T) {
	var tr Tree
	tr.Set(value(t, "["+strings.Repeat("0,", 99_999)+"0]"), canon.Value{}, false)
	for i := 0; i < 10 && selected(&tr) != "/99999"; i++ {
		tr.End()
	}
	if selected(&tr) != "/99999" || tr.Len() != 100_000 {
		t.Errorf("End stands on %s of %d", selected(&tr), tr.Len())
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9951: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB", 10 << 20: "10 MB", 1 << 30: "1.1 GB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

// jsonValue draws documents small enough to be looked at and nasty enough to matter.
func jsonValue(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.IntRange(-5, 5), func(i int) any { return float64(i) }), rapid.Map(rapid.String(), func(s string) any { return s }))
	if depth == 0 {
		return leaf
	}
	key := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "c", "~", "/", "", "é"}), rapid.StringN(0, 3, -1))
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(jsonValue(depth-1), 0, 4), func(s []any) any { return s }),
		rapid.Map(rapid.MapOfN(key, jsonValue(depth-1), 0, 4), func(m map[string]any) any { return m }))
}

// TestAnyValue: any two values, any moves, any size: the frame is exact, the cursor is on a row, marks are true.
func TestAnyValue(t *testing.T) {
	themes := []*theme.Theme{plain(t, false), plain(t, true)}
	rapid.Check(t, func(t *rapid.T) {
		var tr Tree
		for range rapid.IntRange(1, 3).Draw(t, "values") {
			val, err := canon.FromGo(jsonValue(3).Draw(t, "val"))
			if err != nil {
				t.Skip(err)
			}
			prev, err := canon.FromGo(jsonValue(3).Draw(t, "prev"))
			if err != nil {
				t.Skip(err)
			}
			tr.Set(val, prev, rapid.Bool().Draw(t, "compare"))
			for range rapid.IntRange(0, 12).Draw(t, "moves") {
				switch d := rapid.IntRange(-4, 4).Draw(t, "d"); rapid.IntRange(0, 5).Draw(t, "op") {
				case 0:
					tr.Move(d)
				case 1:
					tr.Page(d)
				case 2:
					tr.Open()
				case 3:
					tr.Close()
				case 4:
					tr.Toggle()
				default:
					tr.Scroll(d)
				}
			}
			w, h := rapid.IntRange(0, 50).Draw(t, "w"), rapid.IntRange(0, 8).Draw(t, "h")
			lines := tr.Render(w, h, rapid.SampledFrom(themes).Draw(t, "theme"), true)
			if len(lines) != h {
				t.Fatalf("%d lines, want %d", len(lines), h)
			}
			for _, l := range lines {
				if ansi.StringWidth(l) != w {
					t.Fatalf("%d cells, want %d: %q", ansi.StringWidth(l), w, l)
				}
			}
			checkRows(t, &tr, val, prev)
		}
	})
}

func checkRows(t *rapid.T, tr *Tree, val, prev canon.Value) {
	seen := map[string]bool{}
	for _, r := range tr.rows {
		ptr := r.n.pointer()
		if seen[ptr] {
			t.Fatalf("%q stands in two rows", ptr)
		}
		seen[ptr] = true
		now, err := val.Pointer(ptr)
		if r.n.gone != (err != nil || now.IsAbsent()) || !r.n.gone && now != r.n.val {
			t.Fatalf("%q is %v in the value, gone is %v", ptr, now, r.n.gone)
		}
		if !tr.compare {
			continue
		}
		was, err := prev.Pointer(ptr)
		if err != nil {
			was = canon.Value{}
		}
		if tr.changed(r.n) != (now != was) {
			t.Fatalf("%q: marked %v, now %v, before %v", ptr, tr.changed(r.n), now, was)
		}
	}
}
