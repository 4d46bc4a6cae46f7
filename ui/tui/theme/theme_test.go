package theme

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"flowdbg/ui/tui/cell"

	"github.com/charmbracelet/x/ansi"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		env  string
		want Profile
	}{
		{"", None}, {"TERM=dumb", None}, {"TERM=dumb COLORTERM=truecolor", None},
		{"TERM=xterm-256color NO_COLOR=1", Mono}, {"TERM=xterm-256color NO_COLOR=0 COLORTERM=truecolor", Mono},
		{"TERM=xterm-256color COLORTERM=truecolor", TrueColor}, {"TERM=xterm COLORTERM=24bit", TrueColor},
		{"TERM=screen-256color COLORTERM=truecolor", ANSI256}, {"TERM=screen-256color COLORTERM=truecolor TMUX=/tmp/x", TrueColor},
		{"TERM=tmux-256color", ANSI256}, {"TERM=xterm-direct", TrueColor}, {"TERM=xterm-kitty", TrueColor}, {"TERM=foot", TrueColor},
		{"TERM=xterm COLORTERM=yes", ANSI256}, {"TERM=linux", ANSI16}, {"TERM=xterm", ANSI16}, {"TERM=vt100", Mono}, {"TERM=xterm-mono", Mono},
	} {
		env := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		if got := Detect(func(k string) string { return env[k] }); got != c.want {
			t.Errorf("%s: %v, want %v", c.env, got, c.want)
		}
	}
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Profile: TrueColor, Dark: true}, "dark"}, {Options{Profile: TrueColor}, "light"}, {Options{Name: "auto", Profile: ANSI256}, "light"},
		{Options{Name: "cvd", Profile: TrueColor, Dark: true}, "cvd-dark"}, {Options{Name: "cvd", Profile: ANSI256}, "cvd-light"},
		{Options{Name: "light", Profile: TrueColor, Dark: true}, "light"}, {Options{Name: "dark", Profile: ANSI16}, "16"},
		{Options{Name: "cvd", Profile: Mono}, "mono"}, {Options{Name: "dark", Profile: None}, "plain"},
		{Options{Name: "16", Profile: TrueColor}, "16"}, {Options{Name: "mono", Profile: TrueColor}, "mono"}, {Options{Name: "plain", Profile: TrueColor}, "plain"},
	} {
		th, err := New(c.o)
		if err != nil || th.Name != c.want {
			t.Errorf("New(%+v) = %v, %v; want %s", c.o, th, err, c.want)
		}
	}
	if _, err := New(Options{Name: "pink"}); err == nil || !strings.Contains(err.Error(), "cvd-light") {
		t.Errorf("an unknown name gave %v", err)
	}
	for _, name := range Names {
		if _, ok := palettes[name]; !ok || len(palettes) != len(Names) {
			t.Errorf("Names and palettes differ at %s", name)
		}
	}
}

// TestStylesAreSGR: every style of every theme and profile is a list of SGR parameters of the profile it claims.
func TestStylesAreSGR(t *testing.T) {
	for _, name := range Names {
		for p := None; p <= TrueColor; p++ {
			for _, isASCII := range []bool{false, true} {
				th, err := New(Options{Name: name, Profile: p, ASCII: isASCII})
				if err != nil {
					t.Fatal(err)
				}
				for field, st := range stylesOf(th) {
					if strings.Trim(string(st), "0123456789;") != "" || strings.HasPrefix(string(st), ";") || strings.HasSuffix(string(st), ";") {
						t.Errorf("%s/%v: %s = %q", name, p, field, st)
					}
					has := func(s string) bool { return strings.Contains(string(st), s) }
					if th.Profile == None && st != "" || th.Profile == Mono && (has("3") || has("48")) || th.Profile == ANSI16 && has("8;") || th.Profile == ANSI256 && has("8;2;") {
						t.Errorf("%s/%v: %s = %q is more than the profile has", name, p, field, st)
					}
				}
				if th.Profile > None && (th.Select == "" || th.Past == "" || th.Next != "1") {
					t.Errorf("%s/%v: selection, past and next must look different", name, p)
				}
			}
		}
	}
}

func stylesOf(th *Theme) map[string]cell.Style {
	m := map[string]cell.Style{}
	v := reflect.ValueOf(th.Styles)
	for i := range v.NumField() {
		m[v.Type().Field(i).Name] = cell.Style(v.Field(i).String())
	}
	return m
}

// TestGlyphs: one cell each, safe, ASCII where promised, and no two states of one column look the same.
func TestGlyphs(t *testing.T) {
	for name, g := range map[string]Glyphs{"unicode": unicodeGlyphs, "ascii": asciiGlyphs} {
		var walk func(path string, v reflect.Value)
		walk = func(path string, v reflect.Value) {
			switch v.Kind() {
			case reflect.Struct:
				for i := range v.NumField() {
					walk(path+"."+v.Type().Field(i).Name, v.Field(i))
				}
			case reflect.Array:
				for i := range v.Len() {
					walk(path, v.Index(i))
				}
			default:
				s := v.String()
				if strings.HasPrefix(path, ".Words.") {
					if w := cell.Width(s); w < 1 || w > 3 || name == "ascii" && cell.ASCII.Sanitize(s) != s {
						t.Errorf("%s%s = %q is no safe word of at most three cells", name, path, s)
					}
					return
				}
				if cell.Width(s) != 1 || ansi.StringWidth(s) != 1 || cell.Sanitize(s) != s {
					t.Errorf("%s%s = %q is not one safe cell", name, path, s)
				}
				if name == "ascii" && cell.ASCII.Sanitize(s) != s {
					t.Errorf("%s%s = %q is not ASCII", name, path, s)
				}
			}
		}
		walk("", reflect.ValueOf(g))
		for _, column := range [][]string{
			{g.Next, g.Break, g.BreakOff, g.Unbound, g.Select, g.Changed, g.Mark, " "},
			{g.Mark, g.Differs, g.Unbound, g.Down},
			{g.Differs, g.Equal, g.Unchecked, g.Unknown},
			{g.Open, g.Closed, g.Changed, " "},
			{g.Pass, g.Fail, g.Unsure, g.Select, " "},
		} {
			seen := map[string]bool{}
			for _, s := range column {
				if seen[s] {
					t.Errorf("%s: %q means two things in one column", name, s)
				}
				seen[s] = true
			}
		}
	}
}

// TestContrast holds the themes to WCAG 2: 4.5 for text. Colours on the selection, which is there for a moment, need 3,
// and borders, which carry no meaning, less.
func TestContrast(t *testing.T) {
	for name, p := range palettes {
		if p.most < ANSI256 {
			continue
		}
		ink := rgb(0xd0d0d0)
		if luminance(p.ground) > 0.5 {
			ink = 0x202020
		}
		for what, c := range map[string][3]float64{
			"dim": {contrast(p.dim, p.ground), 4.5}, "accent": {contrast(p.accent, p.ground), 4.5}, "good": {contrast(p.good, p.ground), 4.5},
			"warn": {contrast(p.warn, p.ground), 4.5}, "bad": {contrast(p.bad, p.ground), 4.5}, "border": {contrast(p.border, p.ground), 2.3},
			"text on selection": {contrast(ink, p.selected), 4.5}, "text on idle": {contrast(ink, p.idle), 4.5}, "text on match": {contrast(ink, p.match), 3},
			"accent on selection": {contrast(p.accent, p.selected), 3}, "dim on selection": {contrast(p.dim, p.selected), 3}, "bad on selection": {contrast(p.bad, p.selected), 3},
		} {
			if c[0] < c[1] {
				t.Errorf("%s: %s has contrast %.2f, want %.1f", name, what, c[0], c[1])
			}
		}
	}
}

// TestColourBlind: in the cvd themes good and bad stay apart for eyes without the red or without the green cones
// (Viénot, Brettel, Mollon 1999), and they do so better than in the ordinary themes.
func TestColourBlind(t *testing.T) {
	for _, name := range []string{"dark", "light"} {
		for kind, m := range map[string][3][3]float64{
			"protan": {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
			"deutan": {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
		} {
			plain, safe := palettes[name], palettes["cvd-"+name]
			dp, ds := apart(m, plain.good, plain.bad), apart(m, safe.good, safe.bad)
			if ds < 40 || ds <= dp {
				t.Errorf("%s for %s eyes: good and bad are %.0f apart, %.0f in the ordinary theme", name, kind, ds, dp)
			}
		}
	}
}

func linear(c rgb) [3]float64 {
	var out [3]float64
	for i := range out {
		v := float64(c>>(16-8*i)&0xff) / 255
		if v <= 0.04045 {
			out[i] = v / 12.92
		} else {
			out[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return out
}

func luminance(c rgb) float64 {
	l := linear(c)
	return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
}

func contrast(a, b rgb) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// apart is the CIE 1976 colour difference of two colours as seen through m, a matrix on linear RGB.
func apart(m [3][3]float64, a, b rgb) float64 {
	lab := func(c rgb) [3]float64 {
		l := linear(c)
		var s [3]float64
		for i := range s {
			s[i] = max(0, m[i][0]*l[0]+m[i][1]*l[1]+m[i][2]*l[2])
		}
		f := func(v float64) float64 {
			if v > 0.008856 {
				return math.Cbrt(v)
			}
			return 7.787*v + 16.0/116
		}
		x := f((0.4124*s[0] + 0.3576*s[1] + 0.1805*s[2]) / 0.95047)
		y := f(0.2126*s[0] + 0.7152*s[1] + 0.0722*s[2])
		z := f((0.0193*s[0] + 0.1192*s[1] + 0.9505*s[2]) / 1.08883)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	p, q := lab(a), lab(b)
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

func TestNearest256(t *testing.T) {
	for c, want := range map[rgb]int{0x000000: 16, 0xffffff: 231, 0x5fafff: 75, 0x87d787: 114, 0xff8787: 210, 0x949494: 246, 0x303030: 236, 0x121212: 233} {
		if got := nearest256(c); got != want {
			t.Errorf("nearest256(%06x) = %d, want %d", int(c), got, want)
		}
	}
}
