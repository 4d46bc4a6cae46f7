package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"flowdbg/trace/canon"
)

// TestFacts walks the list of everything that the views of the screen show: a command says each of it with --json.
func TestFacts(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "facts.txt"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", "..")) // the commands name examples
	var doc canon.Value
	views, facts := map[string]int{}, 0
	view, command := "", ""
	for i, line := range strings.Split(string(data), "\n") {
		where := fmt.Sprintf("testdata/facts.txt:%d", i+1)
		switch text := strings.TrimSpace(line); {
		case strings.HasPrefix(text, "## "):
			view, command = text[3:], ""
		case text == "", strings.HasPrefix(text, "#"):
		case strings.HasPrefix(text, "$"):
			code := 0
			if strings.HasPrefix(text, "$1") {
				code = 1
			}
			_, command, _ = strings.Cut(text, " ")
			if !strings.HasSuffix(command, " --json") {
				t.Fatalf("%s: without --json", where)
			}
			doc = said(t, where, command, code)
		default:
			parts := gaps.Split(text, 3)
			if len(parts) != 3 || command == "" {
				t.Fatalf("%s: want a fact, a pointer and a value under a command", where)
			}
			facts++
			views[view]++
			v, err := doc.Pointer(parts[1])
			if err != nil {
				t.Errorf("%s: %s: %s\n%v", where, parts[0], command, err)
				continue
			}
			got := v.Text()
			if s, ok := v.Str(); ok {
				got = s
			}
			if parts[2] != "*" && got != parts[2] || v.IsAbsent() {
				t.Errorf("%s: %s is %s, not %s\n%s", where, parts[0], got, parts[2], command)
			}
		}
	}
	if len(views) != 10 || facts < 100 {
		t.Errorf("%d facts of %d views", facts, len(views))
	}
}

var gaps = regexp.MustCompile(` {2,}`)

// said runs a command and reads what it says: one document, or several as an array.
func said(t *testing.T, where, command string, code int) canon.Value {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args := words(command)
	got := Execute(context.Background(), Config{Version: "test", Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}, args[1:])
	if got != code {
		t.Fatalf("%s: %s\nexit code %d, want %d\n%s", where, command, got, code, stderr.String())
	}
	var docs []json.RawMessage
	for d := json.NewDecoder(&stdout); ; {
		var raw json.RawMessage
		if err := d.Decode(&raw); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %s\nno JSON: %v", where, command, err)
		}
		docs = append(docs, raw)
	}
	if len(docs) == 0 {
		t.Fatalf("%s: %s says nothing", where, command)
	}
	text := []byte(docs[0])
	if len(docs) > 1 || strings.HasPrefix(command, "flowdbg session ") {
		var err error
		if text, err = json.Marshal(docs); err != nil {
			t.Fatal(err)
		}
	}
	v, _, err := canon.Parse(text, canon.Options{Integers: canon.IntegersAccept})
	if err != nil {
		t.Fatalf("%s: %s\n%v", where, command, err)
	}
	return v
}

// words splits a command line; what stands between single quotes is one word.
func words(line string) (out []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}
