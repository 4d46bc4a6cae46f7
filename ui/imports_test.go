// Package ui_test holds the test of the whole project's import arrows: ui is the top of the house.
package ui_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// allowed lists, per part of the house, what its code may import of the project besides itself: an entry means that
// folder and all below it, one with "=" that folder alone. The longest matching part counts.
// ARCHITECTURE.md draws the same arrows.
var allowed = map[string][]string{
	".":                  {"ui"},
	"ui":                 {"ui", "engine", "contract", "trace"},
	"ui/background":      {},
	"ui/tui/cell":        {},
	"ui/tui/theme":       {"ui/tui/cell"},
	"ui/tui/layout":      {},
	"ui/tui/keymap":      {"ui/tui/cell"},
	"ui/tui/rows":        {"ui/tui/cell"},
	"ui/tui/tree":        {"ui/tui/cell", "ui/tui/rows", "ui/tui/theme", "trace/canon"},
	"ui/tui":             {"ui/tui", "ui/background", "engine", "contract", "trace", "=ui/cli", "=ui/cli/out"},
	"ui/tui/app":         {"ui/tui", "ui/background", "engine", "contract", "trace"},
	"ui/tui/settings":    {"ui/tui/layout", "ui/tui/theme", "trace"},
	"ui/tui/graph":       {"ui/tui/cell", "engine/flow", "trace"},
	"ui/tui/plot":        {},
	"ui/tui/editor":      {},
	"ui/cli":             {"ui/cli", "ui/tui/cell", "ui/tui/theme", "ui/tui/graph", "ui/tui/plot", "engine", "contract", "trace"},
	"engine":             {"engine/effect", "engine/behavior", "engine/flow", "contract", "trace"},
	"engine/debug":       {"=engine", "engine/effect", "engine/behavior", "engine/flow", "engine/query", "contract", "trace"},
	"engine/effect":      {"engine/effect", "contract", "trace"},
	"engine/effect/tool": {"engine/effect", "engine/platform", "engine/flow", "contract", "trace"},
	"engine/platform":    {"engine/effect", "engine/flow", "contract", "trace"},
	"engine/behavior":    {"engine/behavior", "engine/bounds", "contract", "trace"},
	"engine/bounds":      {},
	"engine/flow":        {"trace"},
	"engine/query":       {"engine/bounds", "trace"},
	"engine/typed":       {"contract", "trace"},
	"contract":           {"contract", "trace/canon"},
	"trace":              {"trace/canon", "trace/blocks"},
	"trace/canon":        {},
	"trace/blocks":       {},
}

// libraries lists modules that only some parts may import.
var libraries = map[string][]string{
	"github.com/charmbracelet/":         {"ui/tui", "ui/background"},
	"github.com/spf13/cobra":            {"ui/cli", "."},
	"github.com/fsnotify/":              {"ui/tui"},
	"github.com/gowebpki/jcs":           {"trace/canon"},
	"github.com/Masterminds/":           {"contract"},
	"github.com/santhosh-tekuri/":       {"contract", "engine/flow"},
	"github.com/go-json-experiment/":    {"trace/canon", "contract"},
	"github.com/sashabaranov/go-openai": {"engine/effect"},
	"github.com/modelcontextprotocol/":  {"engine/effect"},
	"go.starlark.net":                   {"engine/behavior/script", "engine/bounds", "engine/query"},
	"net/http":                          {"engine/effect"},
	"os/exec":                           {"engine/effect", "ui/tui", "ui/cli"},
}

type importing struct{ file, dir, path string }

func projectImports(t *testing.T) []importing {
	t.Helper()
	var list []importing
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "examples" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel("..", filepath.Dir(path))
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			list = append(list, importing{path, filepath.ToSlash(dir), name})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// within is true for a path below (or at) a prefix.
func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

// rule is the longest entry of allowed that a folder lies in.
func rule(dir string) (key string, list []string) {
	for k, l := range allowed {
		if within(dir, k) && len(k) >= len(key) || k == dir {
			key, list = k, l
		}
	}
	return key, list
}

// stricter is true for a folder below key that has a rule of its own: its parent may not import it by right of the name.
func stricter(dir, key string) bool {
	k, _ := rule(dir)
	return k != key
}

func TestImportsPointDown(t *testing.T) {
	seen := 0
	for _, im := range projectImports(t) {
		target, ours := strings.CutPrefix(im.path, "flowdbg/")
		if !ours {
			continue
		}
		seen++
		key, list := rule(im.dir)
		ok := target == im.dir || key != "." && within(target, key) && !stricter(target, key)
		for _, a := range list {
			only, exact := strings.CutPrefix(a, "=")
			ok = ok || target == only || !exact && within(target, a)
		}
		if key == "" || !ok {
			t.Errorf("%s imports %s: part %q may import only %v", im.file, im.path, key, list)
		}
	}
	if seen < 20 {
		t.Fatalf("only %d imports of the project were found: the test looks in the wrong place", seen)
	}
}

func TestLibrariesStayInTheirPlace(t *testing.T) {
	for _, im := range projectImports(t) {
		for lib, parts := range libraries {
			if !strings.HasPrefix(im.path, lib) {
				continue
			}
			ok := false
			for _, p := range parts {
				ok = ok || within(im.dir, p) && p != "." || im.dir == p
			}
			if !ok {
				t.Errorf("%s imports %s, which only %v may", im.file, im.path, parts)
			}
		}
	}
}

// A rule for a folder that is not there would let a later one of that name in unseen; a package that ARCHITECTURE.md does not
// name is one that nobody finds.
func TestRulesAndPackagesExist(t *testing.T) {
	for part, list := range allowed {
		for _, dir := range append([]string{part}, list...) {
			if st, err := os.Stat(filepath.Join("..", filepath.FromSlash(strings.TrimPrefix(dir, "=")))); err != nil || !st.IsDir() {
				t.Errorf("the rule of %s: there is no folder %s", part, dir)
			}
		}
	}
	for lib, list := range libraries {
		for _, dir := range list {
			if st, err := os.Stat(filepath.Join("..", filepath.FromSlash(dir))); err != nil || !st.IsDir() {
				t.Errorf("who may import %s: there is no folder %s", lib, dir)
			}
		}
	}
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, drawing, _ := strings.Cut(string(text), "```\n")
	drawing, _, _ = strings.Cut(drawing, "```")
	named := map[string]bool{}
	for _, word := range strings.FieldsFunc(drawing, func(r rune) bool { return strings.ContainsRune(" \n/;,:()", r) }) {
		named[word] = true
	}
	for _, im := range projectImports(t) {
		if name := im.dir[strings.LastIndexByte(im.dir, '/')+1:]; im.dir != "." && !named[name] {
			named[name] = true // told once
			t.Errorf("the drawing of ARCHITECTURE.md does not name %s", im.dir)
		}
	}
}

// The module's path must sort before Bubble Tea's, so that package background runs first (see its documentation).
func TestModulePathSortsFirst(t *testing.T) {
	data, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	if name := strings.TrimPrefix(first, "module "); name != "flowdbg" || name >= "github.com/charmbracelet/bubbletea" {
		t.Fatalf("module %q", name)
	}
}

// The top level is fixed.
func TestTopLevelIsFixed(t *testing.T) {
	fixed := map[string]bool{"main.go": true, "main_test.go": true, "go.mod": true, "go.sum": true, "ui": true, "engine": true, "contract": true,
		"trace": true, "examples": true, "testdata": true, "README.md": true, "LICENSE": true, "ARCHITECTURE.md": true, "CONTRIBUTING.md": true,
		"BENCHMARKS.md": true, "CHANGELOG.md": true, ".gitignore": true, ".ci": true, ".git": true, "flowdbg": true}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !fixed[e.Name()] {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
}
