package background

import (
	"go/build"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
)

func TestParseReply(t *testing.T) {
	for _, c := range []struct {
		name, reply string
		dark, ok    bool
	}{
		{"xterm, BEL", "\x1b]11;rgb:1e1e/1e1e/2e2e\x07\x1b[?62;c", true, true},
		{"white, ESC backslash", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", false, true},
		{"two digits", "\x1b]11;rgb:fd/f6/e3\x07", false, true},
		{"one digit", "\x1b]11;rgb:0/0/0\x07", true, true},
		{"alpha", "\x1b]11;rgba:0000/0000/0000/ffff\x07", true, true},
		{"hash form", "\x1b]11;#fafafa\x07", false, true},
		{"one-byte ST", "\x1b]11;rgb:00/00/00\x9c", true, true},
		{"C1 ST in UTF-8", "\x1b]11;rgb:ff/ff/ff\u009c", false, true},
		{"keys typed before", "jj\x1b]11;rgb:00/00/00\x07", true, true},
		{"blue is dark", "\x1b]11;rgb:0000/0000/ffff\x07", true, true},
		{"green is light", "\x1b]11;rgb:0000/ffff/0000\x07", false, true},
		{"only attributes", "\x1b[?62;22c", false, false},
		{"torn", "\x1b]11;rgb:1e1e/1e", false, false},
		{"not hex", "\x1b]11;rgb:xx/yy/zz\x07", false, false},
		{"five digits", "\x1b]11;rgb:00000/00000/00000\x07", false, false},
		{"two channels", "\x1b]11;rgb:00/00\x07", false, false},
		{"empty channel", "\x1b]11;rgb://\x07", false, false},
		{"foreground", "\x1b]10;rgb:ffff/ffff/ffff\x07", false, false},
		{"nothing", "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dark, ok := ParseReply([]byte(c.reply))
			if dark != c.dark || ok != c.ok {
				t.Errorf("ParseReply(%q) = %v, %v; want %v, %v", c.reply, dark, ok, c.dark, c.ok)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	for reply, want := range map[string]bool{
		"\x1b[?62;22c": true, "\x1b]11;rgb:0/0/0\x07\x1b[?6c": true, "\x1b[?1;2": false, "\x1b]11;rgb:0/0/0\x07": false, "": false, "c": false,
	} {
		if got := complete([]byte(reply)); got != want {
			t.Errorf("complete(%q) = %v, want %v", reply, got, want)
		}
	}
}

func TestColorFGBG(t *testing.T) {
	for s, want := range map[string][2]bool{
		"15;0": {true, true}, "0;15": {false, true}, "0;7": {false, true}, "7;8": {true, true}, "0;default;15": {false, true},
		"": {}, "0": {}, "0;default": {}, "0;16": {}, "0;-1": {},
	} {
		dark, ok := parseColorFGBG(s)
		if dark != want[0] || ok != want[1] {
			t.Errorf("parseColorFGBG(%q) = %v, %v; want %v", s, dark, ok, want)
		}
	}
}

func TestDetectFallsBack(t *testing.T) {
	env := func(m map[string]string) func(string) string { return func(k string) string { return m[k] } }
	// TERM=dumb and a limit of zero both mean: do not touch the terminal.
	if dark, src := detect(time.Second, env(map[string]string{"TERM": "dumb", "COLORFGBG": "0;15"})); dark || src != FromEnvironment {
		t.Errorf("dumb terminal with a light COLORFGBG: %v, %v", dark, src)
	}
	if dark, src := detect(0, env(map[string]string{"TERM": "xterm"})); !dark || src != FromDefault {
		t.Errorf("no time to ask: %v, %v", dark, src)
	}
}

func TestInitAnswersForLipgloss(t *testing.T) {
	if !lipgloss.HasDarkBackground() {
		t.Error("the init did not set the background")
	}
}

// TestImportOrder holds the conditions under which Go runs this init before Bubble Tea's: the path sorts first, and
// everything that must be initialised before us is needed by Bubble Tea too, so nothing can hold us back behind it.
func TestImportOrder(t *testing.T) {
	const tea = "github.com/charmbracelet/bubbletea"
	if self := "flowdbg/ui/background"; self >= tea {
		t.Fatalf("%s does not sort before %s", self, tea)
	}
	pkg, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range pkg.Imports {
		first, _, _ := strings.Cut(imp, "/")
		if imp != "github.com/charmbracelet/lipgloss" && strings.Contains(first, ".") {
			t.Errorf("imports %s, which may be initialised after Bubble Tea", imp)
		}
	}
	out, err := exec.Command("go", "list", "-deps", tea).Output()
	if err != nil {
		t.Skipf("go list is not available: %v", err)
	}
	if !strings.Contains(string(out), "github.com/charmbracelet/lipgloss\n") {
		t.Error("Bubble Tea no longer needs lipgloss: the order is not certain any more")
	}
}

// TestInitTrace watches a real program start: Go's own trace of init functions names ours before Bubble Tea's.
func TestInitTrace(t *testing.T) {
	if os.Getenv("FLOWDBG_INIT_TRACE") == "1" {
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skipf("no path to the test program: %v", err)
	}
	cmd := exec.Command(exe, "-test.run=^TestInitTrace$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "FLOWDBG_INIT_TRACE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ours := strings.Index(string(out), "init flowdbg/ui/background ")
	theirs := strings.Index(string(out), "init github.com/charmbracelet/bubbletea ")
	if ours < 0 || theirs < 0 || ours > theirs {
		t.Errorf("ours at %d, theirs at %d; want ours first and both there:\n%s", ours, theirs, out)
	}
}
