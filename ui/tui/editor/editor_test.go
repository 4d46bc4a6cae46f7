package editor

import (
	"errors"
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, c := range []struct{ visual, editor, want string }{
		{"vim", "nano", "vim"}, {"", "nano -w", "nano -w"}, {" ", "ed", "ed"},
	} {
		got, err := Named(func(name string) string { return map[string]string{"VISUAL": c.visual, "EDITOR": c.editor}[name] })
		if err != nil || got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	if _, err := Named(func(string) string { return "" }); !errors.Is(err, ErrNone) {
		t.Errorf("nothing is set: %v", err)
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		named     string
		line, col int
		wait      bool
		want      string
	}{
		{"vi", 12, 3, true, "vi|+12|a b.json"},
		{"/usr/bin/nvim -R", 12, 3, false, "/usr/bin/nvim|-R|+12|a b.json"},
		{"nano", 0, 0, true, "nano|a b.json"},
		{"emacsclient -nw", 7, 0, true, "emacsclient|-nw|+7|a b.json"},
		{"code", 12, 3, true, "code|--wait|-g|a b.json:12:3"},
		{"code -w", 12, 0, true, "code|-w|-g|a b.json:12:1"},
		{"code", 12, 3, false, "code|-g|a b.json:12:3"},
		{"subl", 0, 0, true, "subl|--wait|a b.json"},
		{"hx", 4, 2, false, "hx|a b.json:4:2"},
		{"kate", 4, 2, true, "kate|--block|-l|4|a b.json"},
		{"idea", 4, 2, true, "idea|--wait|--line|4|a b.json"},
		{"Code.exe", 4, 2, false, "Code.exe|-g|a b.json:4:2"},
		{"my-own-editor --fast", 4, 2, true, "my-own-editor|--fast|a b.json"},
		{`"/opt/my editor/ed" -x`, 4, 2, true, `sh|-c|"/opt/my editor/ed" -x "$@"|editor|a b.json`},
	} {
		if got := strings.Join(Command(c.named, "a b.json", c.line, c.col, c.wait), "|"); got != c.want {
			t.Errorf("%s at %d:%d: %s, want %s", c.named, c.line, c.col, got, c.want)
		}
	}
}
