package flow

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"flowdbg/trace/canon"
)

func TestFormatCases(t *testing.T) {
	files, _ := filepath.Glob("testdata/format/*.txtar")
	if len(files) == 0 {
		t.Fatal("no cases")
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in := a.Files[0].Data
			got, err := Format(in)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				a.Files[1].Data = got
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(a.Files[1].Data), string(got)); diff != "" {
				t.Errorf("layout (-want +got):\n%s", diff)
			}
			checkFormatted(t, in, got)
		})
	}
}

// checkFormatted holds the promises of Format for any document that it accepted.
func checkFormatted(t testing.TB, in, out []byte) {
	t.Helper()
	again, err := Format(out)
	if err != nil {
		t.Fatalf("what was formatted cannot be formatted: %v", err)
	}
	if !bytes.Equal(again, out) {
		t.Errorf("formatting twice differs (-once +twice):\n%s", cmp.Diff(string(out), string(again)))
	}
	if !bytes.HasSuffix(out, []byte("\n")) || bytes.HasSuffix(out, []byte("\n\n")) {
		t.Error("the text does not end with exactly one newline")
	}
	before, _, err := canon.Parse(in, canon.Options{})
	if err != nil {
		t.Fatalf("Format accepted what canon refuses: %v", err)
	}
	after, _, err := canon.Parse(out, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if before != after {
		t.Errorf("the canonical form changed:\n%s\n%s", before, after)
	}
}

// TestFormatSeedFromOneLine takes all layout and order away from the seed's example; spellings are all that is left of it.
func TestFormatSeedFromOneLine(t *testing.T) {
	want := example(t)
	var flat bytes.Buffer
	if err := json.Compact(&flat, want); err != nil {
		t.Fatal(err)
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(flat.Bytes(), &top); err != nil {
		t.Fatal(err)
	}
	var shuffled bytes.Buffer
	sep := "{"
	for _, key := range []string{"input", "id", "budget", "agents", "edges", "version"} {
		shuffled.WriteString(sep + `"` + key + `":` + string(top[key]))
		sep = ",\r\n\t"
	}
	shuffled.WriteString("}")
	got, err := Format(shuffled.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFormatRefuses(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"syntax":        {`{"version": 1,}`, "1:15"},
		"trailing":      {`{} {}`, "1:4"},
		"duplicate key": {`{"id": 1, "id": 2}`, "1:11 /id"},
		"utf8":          {"{\"id\": \"\xff\"}", "1:9 /id"},
		"bom":           {"\ufeff{}", "1:1"},
		"big integer":   {`{"id": 9007199254740993}`, "1:8 /id"},
		"array":         {`[]`, "an array"},
		"empty":         {``, "1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Format([]byte(c.in))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, %v; want an error with %q", out, err, c.want)
			}
		})
	}
}
