package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/ui/tui/layout"
)

// home is an environment with files in its settings folder.
func home(t *testing.T, files map[string]string) (env func(string) string, dir string) {
	t.Helper()
	root := t.TempDir()
	env = func(k string) string { return map[string]string{"HOME": root}[k] }
	dir = Folder(env)
	if dir != filepath.Join(root, ".config", "flowdbg") {
		t.Fatal(dir)
	}
	for name, text := range files {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return env, dir
}

func TestFolder(t *testing.T) {
	for _, c := range []struct{ home, xdg, want string }{
		{"/h", "", "/h/.config/flowdbg"}, {"/h", "/x", "/x/flowdbg"}, {"/h", "relative", "/h/.config/flowdbg"}, {"", "", ""},
	} {
		if got := Folder(func(k string) string { return map[string]string{"HOME": c.home, "XDG_CONFIG_HOME": c.xdg}[k] }); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestNoFiles(t *testing.T) {
	env, _ := home(t, nil)
	s, err := Load(env)
	if err != nil || len(s.Problems) != 0 || s.Layout() != layout.Balanced || s.Sizes() != (layout.Sizes{}) || s.ASCII() || s.Store == nil {
		t.Fatalf("%+v %v", s, err)
	}
	if name, file := s.Theme(); name+file != "" {
		t.Errorf("theme %q of %q", name, file)
	}
	if s, err := Load(func(string) string { return "" }); err != nil || s.Store != nil || s.Layout() != layout.Balanced {
		t.Errorf("without a home: %+v %v", s, err)
	}
}

// TestWhoWins: what was chosen on the screen counts before config.json, and that before what is built in.
func TestWhoWins(t *testing.T) {
	config := `{"theme": "light", "ascii": true, "layout": "events", "keys": {"step": ["x", "s"]}}`
	events := layout.Presets()[1].Sizes
	mine := layout.Sizes{layout.RightWidth: 500}
	for _, c := range []struct {
		kept, theme, layout string
		ascii               bool
		sizes               layout.Sizes
	}{
		{`{}`, "light", "events", true, events},
		{`{"version": 1, "theme": "mono", "ascii": false}`, "mono", "events", false, events},
		{`{"preset": "balanced"}`, "light", "balanced", true, layout.Sizes{}},
		{`{"sizes": {"right-width": 500}}`, "light", "events", true, mine},
		{`{"preset": "mine", "presets": {"mine": {"right-width": 500}}}`, "light", "mine", true, mine},
		{`{"preset": "mine", "sizes": {}, "presets": {"mine": {"right-width": 500}}}`, "light", "mine", true, layout.Sizes{}},
	} {
		env, dir := home(t, map[string]string{"config.json": config, "layout.json": c.kept})
		s, err := Load(env)
		if err != nil || len(s.Problems) > 0 {
			t.Fatalf("%s: %v %v", c.kept, err, s.Problems)
		}
		name, file := s.Theme()
		if name != c.theme || filepath.Dir(file) != dir || s.Layout() != c.layout || s.ASCII() != c.ascii || s.Sizes() != c.sizes {
			t.Errorf("%s: theme %s of %s, layout %s, ascii %v, sizes %v", c.kept, name, file, s.Layout(), s.ASCII(), s.Sizes())
		}
		if fmt.Sprint(s.Config.Keys) != "map[step:[x s]]" {
			t.Errorf("keys %v", s.Config.Keys)
		}
	}
}

// TestBadConfig: a config.json that cannot be understood is an error with its place.
func TestBadConfig(t *testing.T) {
	for text, want := range map[string]string{
		`{"theme": 1}`:              "config.json:1:11: theme cannot be 1; use auto, cvd, dark",
		`{"theme": "pink"}`:         `config.json:1:11: theme cannot be "pink"; use auto, cvd, dark`,
		`{"ascii": "yes"}`:          `config.json:1:11: ascii cannot be "yes"; use true or false`,
		`{"colour": "x"}`:           `config.json:1:2: there is no setting "colour"; use theme, ascii, layout, keys`,
		`[]`:                        "config.json:1:1: this is no object; write {",
		`{"keys": {"step": "s"}}`:   `config.json:1:10: keys cannot be {"step": "s"}; write lists`,
		`{"keys": {"step": [1]}}`:   "config.json:1:10: keys cannot be",
		`{"keys": []}`:              "config.json:1:10: keys cannot be []",
		`{"layout": ""}`:            `config.json:1:12: layout cannot be ""; use the name`,
		`{"layout": "wide"}`:        `config.json:1:12: there is no layout "wide"; use balanced, events, inspector, messages, agents, mine`,
		"{\n \"theme\": \"dark\",}": "config.json:2:",
		``:                          "config.json:1:1: ",
	} {
		env, _ := home(t, map[string]string{"config.json": text, "layout.json": `{"presets": {"mine": {}}}`})
		if _, err := Load(env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestBadLayout: a layout.json that cannot be understood is a problem with its place, and the start goes on.
func TestBadLayout(t *testing.T) {
	for text, want := range map[string]string{
		``:                                   "layout.json:1:1: ",
		`{`:                                  "layout.json:1:2: ",
		`[1]`:                                "layout.json:1:1: this is no object",
		`{"preset": 1}`:                      "layout.json:1:12: preset cannot be 1; use the name of a layout",
		`{"preset": "gone"}`:                 `layout.json: there is no layout "gone" any more; events is used`,
		`{"sizes": 1}`:                       "layout.json:1:11: sizes cannot be 1",
		`{"sizes": {"agents-width": "12%"}}`: `layout.json:1:28: agents-width cannot be "12%"; use thousandths, 1 to 1000`,
		`{"sizes": {"agents-width": 0}}`:     "layout.json:1:28: agents-width cannot be 0",
		`{"sizes": {"agents-width": 1001}}`:  "layout.json:1:28: ",
		`{"presets": []}`:                    "layout.json:1:13: presets cannot be []",
		`{"presets": {"a": 1}}`:              "layout.json:1:19: sizes cannot be 1",
		`{"presets": {"events": {}}}`:        `layout.json:1:14: a layout cannot be called "events"; events is built in`,
		`{"presets": {" ": {}}}`:             "layout.json:1:14: a layout cannot be called",
		`{"presets": {"\u001b[2J": {}}}`:     "only what can be shown",
		`{"theme": "pink"}`:                  `layout.json:1:11: theme cannot be "pink"`,
		`{"ascii": 1}`:                       "layout.json:1:11: ascii cannot be 1",
		`{"version": 0}`:                     "layout.json:1:13: version cannot be 0; this program writes 1",
		`{"version": 2, "preset": {}}`:       "layout.json:1:13: this file is of version 2, which a newer flowdbg wrote",
	} {
		env, _ := home(t, map[string]string{"config.json": `{"layout": "events"}`, "layout.json": text})
		s, err := Load(env)
		if err != nil || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Error(), want) {
			t.Errorf("%s: %v %v", text, err, s.Problems)
		}
		if s.Layout() != "events" || s.Sizes() != layout.Presets()[1].Sizes {
			t.Errorf("%s: layout %s", text, s.Layout())
		}
	}
	// config.json may name one of the layouts that could not be read: that is no reason not to start.
	env, _ := home(t, map[string]string{"config.json": `{"layout": "mine"}`, "layout.json": `{`})
	if s, err := Load(env); err != nil || len(s.Problems) != 2 || s.Layout() != layout.Balanced {
		t.Errorf("%v %v", err, s.Problems)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestUpdate(t *testing.T) {
	env, dir := home(t, nil)
	s, err := Load(env)
	if err != nil {
		t.Fatal(err)
	}
	sizes := layout.Sizes{layout.AgentsWidth: 240}
	on := true
	aside, err := s.Store.Update(func(k *Kept) { k.Preset, k.Sizes, k.Sized = "mine", sizes, true },
		func(k *Kept) { k.Save("mine", sizes); k.Theme, k.ASCII = "mono", &on })
	if err != nil || aside != "" {
		t.Fatal(aside, err)
	}
	const want = `{
  "ascii": true,
  "preset": "mine",
  "presets": {
    "mine": {
      "agents-width": 240
    }
  },
  "sizes": {
    "agents-width": 240
  },
  "theme": "mono",
  "version": 1
}
`
	if got := read(t, filepath.Join(dir, "layout.json")); got != want {
		t.Errorf("got %s", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("other files were left behind: %v %v", entries, err)
	}
	s, err = Load(env)
	if err != nil || len(s.Problems) > 0 || s.Layout() != "mine" || s.Sizes() != sizes || !s.ASCII() {
		t.Errorf("%+v %v", s, err)
	}
	// What is taken back is not there any more.
	if _, err := s.Store.Update(func(k *Kept) { *k = Kept{doc: k.doc, Preset: "events"} }); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "layout.json")); got != "{\n  \"preset\": \"events\",\n  \"version\": 1\n}\n" {
		t.Errorf("got %s", got)
	}
}

// TestUnknownIsKept: members and sizes that a later program may have written stay when this one writes.
func TestUnknownIsKept(t *testing.T) {
	env, dir := home(t, map[string]string{"layout.json": `{"font": [1, {"a": null}], "sizes": {"moon-width": 7, "left-width": 3}, "presets": {"mine": {"moon-width": "x"}, "other": {"z": 1}}}`})
	s, err := Load(env)
	if err != nil || len(s.Problems) > 0 {
		t.Fatal(err, s.Problems)
	}
	if _, err := s.Store.Update(func(k *Kept) { k.Sizes[layout.MainWidth] = 5; k.Sizes[layout.LeftWidth] = 0; k.Delete("other") }); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(read(t, filepath.Join(dir, "layout.json"))), "")
	if got != `{"font":[1,{"a":null}],"presets":{"mine":{"moon-width":"x"}},"sizes":{"main-width":5,"moon-width":7},"version":1}` {
		t.Errorf("got %s", got)
	}
}

// TestBrokenIsKeptAside: a file that cannot be understood is not touched by reading, and gets another name when the layout
// is changed.
func TestBrokenIsKeptAside(t *testing.T) {
	env, dir := home(t, map[string]string{"layout.json": `{"preset": `})
	path := filepath.Join(dir, "layout.json")
	s, err := Load(env)
	if err != nil || len(s.Problems) != 1 || read(t, path) != `{"preset": ` {
		t.Fatal(err, s.Problems)
	}
	for i, want := range []string{path + ".bak", path + ".bak2"} {
		text := fmt.Sprintf(`{"preset": %d`, i)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		aside, err := s.Store.Update(func(k *Kept) { k.Preset = "events" })
		if err != nil || aside != want || read(t, aside) != text {
			t.Errorf("%q %v", aside, err)
		}
		if kept, problem := s.Store.Read(); problem != nil || kept.Preset != "events" {
			t.Errorf("%+v %v", kept, problem)
		}
	}
}

// TestNewerStays: a file of a later version is never replaced.
func TestNewerStays(t *testing.T) {
	const text = `{"version": 2, "sizes": "of another kind"}`
	env, dir := home(t, map[string]string{"layout.json": text})
	s, _ := Load(env)
	if _, err := s.Store.Update(func(k *Kept) { k.Preset = "events" }); !errors.Is(err, ErrNewer) {
		t.Error(err)
	}
	if got := read(t, filepath.Join(dir, "layout.json")); got != text {
		t.Errorf("got %s", got)
	}
}

// TestLinkStays: a layout.json that is a link to a file kept elsewhere stays one.
func TestLinkStays(t *testing.T) {
	env, dir := home(t, map[string]string{"elsewhere.json": `{"preset": "events"}`})
	path := filepath.Join(dir, "layout.json")
	if err := os.Symlink("elsewhere.json", path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s, _ := Load(env)
	if _, err := s.Store.Update(func(k *Kept) { k.Theme = "mono" }); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(path); err != nil || to != "elsewhere.json" || !strings.Contains(read(t, path), `"mono"`) {
		t.Errorf("%q %v", to, err)
	}
}

func TestUnwritable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Store{Path: filepath.Join(dir, "layout.json")}
	if _, err := s.Update(func(*Kept) {}); err == nil || !strings.Contains(err.Error(), "keeping the layout") {
		t.Error(err)
	}
}

// TestTwoSessions: sessions that write at the same time lose nothing of each other, and the file is whole at any moment.
func TestTwoSessions(t *testing.T) {
	_, dir := home(t, nil)
	const sessions, changes = 4, 25
	var wg sync.WaitGroup
	for n := range sessions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := Store{Path: filepath.Join(dir, "layout.json")}
			for i := range changes {
				if _, err := s.Update(func(k *Kept) { k.Save(fmt.Sprintf("s%d-%d", n, i), layout.Sizes{layout.MainWidth: i + 1}) }); err != nil {
					t.Error(err)
				}
				if _, problem := s.Read(); problem != nil {
					t.Error(problem)
				}
			}
		}()
	}
	wg.Wait()
	kept, problem := (&Store{Path: filepath.Join(dir, "layout.json")}).Read()
	if problem != nil || len(kept.Own) != sessions*changes {
		t.Errorf("%d layouts, %v", len(kept.Own), problem)
	}
}

// TestRoundTrip: what is kept is read as it was.
func TestRoundTrip(t *testing.T) {
	sizes := rapid.Custom(func(t *rapid.T) (s layout.Sizes) {
		for i := range s {
			s[i] = rapid.IntRange(0, layout.Whole).Draw(t, "share")
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		var k Kept
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			if name := rapid.String().Draw(t, "name"); CheckName(name) == nil {
				k.Save(name, sizes.Draw(t, "own"))
			}
		}
		k.Preset = rapid.SampledFrom([]string{"", "events", "x\"y"}).Draw(t, "preset")
		if k.Sized = rapid.Bool().Draw(t, "sized"); k.Sized {
			k.Sizes = sizes.Draw(t, "sizes")
		}
		got, problem := parseKept("layout.json", k.format())
		if problem != nil {
			t.Fatal(problem)
		}
		k.doc, got.doc = got.doc, k.doc
		if fmt.Sprint(k.Preset, k.Sized, k.Sizes, k.Own) != fmt.Sprint(got.Preset, got.Sized, got.Sizes, got.Own) {
			t.Fatalf("%+v became %+v", k, got)
		}
	})
}

// FuzzLayout: no text breaks the reading, and what is understood is written so that it is understood again.
func FuzzLayout(f *testing.F) {
	f.Add([]byte(`{"version": 1, "preset": "mine", "sizes": {"agents-width": 240}, "presets": {"mine": {}}, "theme": "dark", "ascii": true}`))
	f.Add([]byte(`{"sizes": {"a": 1, "a": 2}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, problem := parseKept("layout.json", data)
		if problem != nil {
			return
		}
		again, problem := parseKept("layout.json", k.format())
		if problem != nil || string(again.format()) != string(k.format()) {
			t.Fatalf("%q: %v, %s then %s", data, problem, k.format(), again.format())
		}
	})
}
