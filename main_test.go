package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"flowdbg/trace/canon"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"flowdbg": main})
}

// TestScripts runs the dialogues of testdata/script with the real program. $EXAMPLES is the folder of the examples.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": jsonIs, "bytes": writeBytes, "safe": safe,
		},
	})
}

// exits runs a program and compares its exit code: exits 2 flowdbg missing.json
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, expected %d\nstdout: %s\nstderr: %s", code, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
	if out := ts.ReadFile("stderr"); code > 1 && strings.Count(out, "flowdbg: ") != 1 {
		ts.Fatalf("an error is told once, with flowdbg: before it: %q", out)
	}
}

// jsonIs reads a file (or stdout) as one JSON document and compares the value at a pointer: a string with its text,
// anything else with its canonical form, and "absent": json stdout /replay/verdict same
func jsonIs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE POINTER WANT")
	}
	doc, _, err := canon.Parse([]byte(ts.ReadFile(args[0])), canon.Options{Integers: canon.IntegersAccept})
	if err != nil {
		ts.Fatalf("%s is not one JSON document: %v", args[0], err)
	}
	got := "absent"
	if v, err := doc.Pointer(args[1]); err == nil {
		got = v.Text()
		if s, ok := v.Str(); ok {
			got = s
		}
	}
	if (got == args[2]) == neg {
		ts.Fatalf("%s%s is %s", args[0], args[1], got)
	}
}

// writeBytes makes a file of a Go string literal, repeated if a number is given, between two more literals if those are
// given: bytes FILE LITERAL [TIMES [HEAD TAIL]]
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: bytes FILE LITERAL [TIMES [HEAD TAIL]]")
	}
	text := func(i int) string {
		if i >= len(args) {
			return ""
		}
		s, err := strconv.Unquote(`"` + strings.ReplaceAll(args[i], `"`, `\"`) + `"`)
		ts.Check(err)
		return s
	}
	times := 1
	if len(args) > 2 {
		n, err := strconv.Atoi(args[2])
		ts.Check(err)
		times = n
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text(3)+strings.Repeat(text(1), times)+text(4)), 0o644))
}

// safe fails when what was printed could steer a terminal or is not UTF-8: safe stdout
func safe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: safe FILE...")
	}
	for _, name := range args {
		text := ts.ReadFile(name)
		if !utf8.ValidString(text) {
			ts.Fatalf("%s is not UTF-8: %q", name, text)
		}
		for _, r := range text {
			switch {
			case r == '\n' || r == '\t':
			case r < 0x20, r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f,
				r == 0x2028, r == 0x2029, r == 0xfeff, r == 0x200b:
				ts.Fatalf("%s holds U+%04X raw: %q", name, r, text)
			}
		}
	}
}
