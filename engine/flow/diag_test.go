package flow

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the program says into testdata; read the difference before committing it")

// diagCase is one file of testdata/diag: a comment with directives ("strict", "kinds a b", "fill N", "nest N", each on a line
// that begins with "+"), the flow as flow.json, or as flow.quoted (a Go string literal) when it holds bytes that a text file
// should not, and want: every diagnostic on a line, and on the next the source from that position on.
type diagCase struct {
	opt     Options
	data    []byte
	want    string
	archive *txtar.Archive
}

func readDiagCase(t *testing.T, path string) diagCase {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := diagCase{archive: a}
	for _, f := range a.Files {
		switch f.Name {
		case "flow.json":
			c.data = f.Data
		case "flow.quoted":
			s, err := strconv.Unquote(strings.TrimSpace(string(f.Data)))
			if err != nil {
				t.Fatalf("flow.quoted: %v", err)
			}
			c.data = []byte(s)
		case "want":
			c.want = string(f.Data)
		default:
			t.Fatalf("unknown file %q", f.Name)
		}
	}
	for line := range strings.Lines(string(a.Comment)) {
		if word, ok := strings.CutPrefix(line, "+"); ok {
			c.direct(t, strings.Fields(word))
		}
	}
	return c
}

func (c *diagCase) direct(t *testing.T, words []string) {
	t.Helper()
	count := func() int {
		n, err := strconv.Atoi(words[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	switch words[0] {
	case "strict":
		c.opt.Strict = true
	case "kinds":
		c.opt.KindNames = words[1:]
		c.opt.KnownKind = func(kind string) bool { return slices.Contains(words[1:], kind) }
	case "fill":
		c.data = bytes.ReplaceAll(c.data, []byte("@FILL@"), bytes.Repeat([]byte("x"), count()))
	case "nest":
		nest := append(bytes.Repeat([]byte("["), count()), bytes.Repeat([]byte("]"), count())...)
		c.data = bytes.ReplaceAll(c.data, []byte(`"@NEST@"`), nest)
	default:
		t.Fatalf("unknown directive %q", words)
	}
}

// source is the text from a line and column on, found without the code under test: lines end with a newline, columns are runes.
func source(data []byte, line, col int) string {
	const most = 28
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		return "NO SUCH LINE"
	}
	runes := []rune(strings.TrimPrefix(lines[line-1], "\uFEFF"))
	if col < 1 || col > len(runes)+1 {
		return "NO SUCH COLUMN"
	}
	rest := strings.TrimRight(string(runes[col-1:]), "\r")
	if len([]rune(rest)) > most {
		return string([]rune(rest)[:most]) + "…"
	}
	return rest
}

func render(data []byte, ds []Diagnostic) string {
	var b strings.Builder
	for _, d := range ds {
		fmt.Fprintf(&b, "%s\n    %s\n", d, source(data, d.Line, d.Col))
	}
	return b.String()
}

func diagFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/diag/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return files
}

func TestDiagnostics(t *testing.T) {
	for _, path := range diagFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			c := readDiagCase(t, path)
			f, ds := Parse("flow.json", c.data, c.opt)
			if (f == nil) != HasErrors(ds) {
				t.Errorf("flow is nil: %v, errors: %v", f == nil, HasErrors(ds))
			}
			got := render(c.data, ds)
			if *update {
				setWant(t, path, c.archive, got)
				return
			}
			if diff := cmp.Diff(strings.Split(c.want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func setWant(t *testing.T, path string, a *txtar.Archive, want string) {
	t.Helper()
	a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
	a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEveryCodeHasACase keeps the table of codes and the cases together.
func TestEveryCodeHasACase(t *testing.T) {
	seen := map[Code]bool{}
	for _, path := range diagFiles(t) {
		c := readDiagCase(t, path)
		for line := range strings.Lines(c.want) {
			if i := strings.LastIndex(line, " ["); i >= 0 && !strings.HasPrefix(line, " ") {
				seen[Code(strings.TrimSuffix(strings.TrimSpace(line[i+2:]), "]"))] = true
			}
		}
	}
	for _, info := range Codes() {
		if !seen[info.Code] {
			t.Errorf("no case has the code %s", info.Code)
		}
		if info.About == "" {
			t.Errorf("the code %s is not described", info.Code)
		}
		delete(seen, info.Code)
	}
	for code := range seen {
		t.Errorf("the code %s is not in the table", code)
	}
}
