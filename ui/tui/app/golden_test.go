package app

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// goldenSizes are the sizes of the golden screens.
var goldenSizes = [][2]int{{150, 40}, {80, 24}, {60, 20}, {200, 60}}

// TestScreens compares each scene at each size in three looks with its file. A file has, per size, the characters of the
// mono screen; of the ASCII and the dark screen where they differ from it (the ASCII one, once its glyphs are put for the
// others); and which styles of the theme the dark and the mono screen have, by lines and columns.
func TestScreens(t *testing.T) {
	for name, sc := range screens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for _, size := range goldenSizes {
				shot := func(look *theme.Theme) []string {
					d := sc.from(t)
					d.m.th = look
					d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					if sc.play != nil {
						sc.play(d)
					}
					return strings.Split(d.frame(), "\n")
				}
				writeScreen(&b, size, shot(look(t, "mono", false)), shot(look(t, "dark", false)), shot(look(t, "plain", true)))
			}
			compareFile(t, filepath.Join("testdata", "screens", name+".txt"), b.String())
		})
	}
}

// compareFile fails unless a golden file holds the text; with -update it is written.
func compareFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	part, told := "", 0
	for i := range max(len(a), len(b)) {
		x, y := at(a, i), at(b, i)
		if strings.HasPrefix(y, "==") {
			part = y
		}
		if x != y && told < 12 {
			told++
			t.Errorf("%s, line %d (%s)\nwant %s\ngot  %s", path, i+1, strings.Trim(part, "= "), x, y)
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

func writeScreen(b *strings.Builder, size [2]int, mono, dark, ascii []string) {
	fmt.Fprintf(b, "== %d×%d ==\n", size[0], size[1])
	for _, l := range mono {
		fmt.Fprintln(b, strings.TrimRight(ansi.Strip(l), " "))
	}
	part := func(name string, line func(y int) string) {
		fmt.Fprintf(b, "== %d×%d %s ==\n", size[0], size[1], name)
		for y := 0; y < len(mono); {
			s, end := line(y), y+1
			for end < len(mono) && line(end) == s {
				end++
			}
			if s != "" {
				fmt.Fprintf(b, "%d-%d: %s\n", y, end-1, s)
			}
			y = end
		}
	}
	part("ascii", func(y int) string { return patches(inASCII(cells(mono[y])), cells(ascii[y])) })
	part("dark", func(y int) string { return patches(cells(mono[y]), cells(dark[y])) })
	part("mono styles", func(y int) string { return runs(mono[y], styleNames("mono")) })
	part("dark styles", func(y int) string { return runs(dark[y], styleNames("dark")) })
}

// cells are the characters of a line, one for each cell; the second cell of a wide one is empty.
func cells(line string) []string {
	var out []string
	for _, r := range ansi.Strip(line) {
		if w := cell.Unicode.Width(string(r)); w == 0 && len(out) > 0 {
			out[len(out)-1] += string(r)
		} else if out = append(out, string(r)); w == 2 {
			out = append(out, "")
		}
	}
	return out
}

// patches are the runs in which b differs from a: column and text.
func patches(a, b []string) string {
	var out []string
	for x := 0; x < len(b); {
		if x < len(a) && a[x] == b[x] {
			x++
			continue
		}
		end := x + 1
		for end < len(b) && (end >= len(a) || a[end] != b[end]) {
			end++
		}
		out = append(out, fmt.Sprintf("%d %q", x, strings.Join(b[x:end], "")))
		x = end
	}
	return strings.Join(out, " ")
}

// inASCII puts the ASCII glyphs for the others, as far as one stands for one.
func inASCII(line []string) []string {
	out := slices.Clone(line)
	for i, c := range out {
		if a, ok := asciiOf()[c]; ok {
			out[i] = a
		}
	}
	return out
}

var asciiOf = sync.OnceValue(func() map[string]string {
	of := map[string]string{}
	add := func(u, a string) {
		if _, ok := of[u]; !ok && u != "" && u[0] >= 0x80 {
			of[u] = a
		}
	}
	walkStrings(reflect.ValueOf(glyphs(false)), reflect.ValueOf(glyphs(true)), add)
	return of
})

func glyphs(ascii bool) theme.Glyphs {
	th, err := theme.New(theme.Options{Name: "plain", ASCII: ascii})
	if err != nil {
		panic(err)
	}
	return th.Glyph
}

func walkStrings(a, b reflect.Value, tell func(a, b string)) {
	switch a.Kind() {
	case reflect.String:
		tell(a.String(), b.String())
	case reflect.Struct:
		for i := range a.NumField() {
			walkStrings(a.Field(i), b.Field(i), tell)
		}
	case reflect.Array:
		for i := range a.Len() {
			walkStrings(a.Index(i), b.Index(i), tell)
		}
	}
}

// runs are the styles of a line: how many cells, and the style's name; "." is none.
func runs(line string, names map[string]string) string {
	var out []string
	cur, n := ".", 0
	flush := func() {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, cur))
		}
		n = 0
	}
	for line != "" {
		if line[0] == 0x1b {
			end := strings.IndexByte(line, 'm')
			code := strings.TrimPrefix(line[2:end], "0;")
			next, ok := names[code]
			if !ok {
				next = "[" + code + "]"
			}
			if line = line[end+1:]; next != cur {
				flush()
				cur = next
			}
			continue
		}
		end := strings.IndexByte(line, 0x1b)
		if end < 0 {
			end = len(line)
		}
		n += cell.Unicode.Width(line[:end])
		line = line[end:]
	}
	if flush(); len(out) == 1 && cur == "." {
		return ""
	}
	return strings.Join(out, " ")
}

// styleNames are the names of a theme's styles, and of one on top of another, by their codes. Where two have the same code,
// the first of the theme counts.
func styleNames(look string) map[string]string {
	styleNamesOnce.Do(func() {
		for _, name := range []string{"mono", "dark"} {
			th, err := theme.New(theme.Options{Name: name, Profile: theme.TrueColor, Dark: true})
			if err != nil {
				panic(err)
			}
			v, codes := reflect.ValueOf(th.Styles), map[string]string{"": ".", "0": "."}
			add := func(code, name string) {
				if _, ok := codes[code]; !ok {
					codes[code] = name
				}
			}
			for i := range v.NumField() {
				add(v.Field(i).String(), v.Type().Field(i).Name)
			}
			for i := range v.NumField() {
				for j := range v.NumField() {
					add(v.Field(i).String()+";"+v.Field(j).String(), v.Type().Field(i).Name+"+"+v.Type().Field(j).Name)
				}
			}
			styleNamesOf[name] = codes
		}
	})
	return styleNamesOf[look]
}

var (
	styleNamesOnce sync.Once
	styleNamesOf   = map[string]map[string]string{}
)
