// Package editor knows how the user's editor is called: which program it is, and how it is told the line to begin at. It
// makes argument lists only; it starts nothing and reads no file.
package editor

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// ErrNone says that no editor is set.
var ErrNone = errors.New("no editor is set; set $VISUAL or $EDITOR, for example EDITOR=nano")

// Named is the command that $VISUAL, else $EDITOR names.
func Named(getenv func(string) string) (string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if s := strings.TrimSpace(getenv(name)); s != "" {
			return s, nil
		}
	}
	return "", ErrNone
}

// style is how an editor is told the line.
type style uint8

const (
	fileOnly   style = iota // it is not known to take a line
	plusLine                // +LINE FILE: vi, nano, emacs and their kin
	gotoFlag                // -g FILE:LINE:COL: Visual Studio Code and its kin
	colonLine               // FILE:LINE:COL
	lineOption              // --line LINE FILE
	dashL                   // -l LINE FILE
)

// known are the editors whose way is known, by the name of their program. waits is the option that makes one stay until
// the file is closed, "" for one that stays anyway.
var known = map[string]struct {
	at    style
	waits string
}{
	"vi": {plusLine, ""}, "vim": {plusLine, ""}, "nvim": {plusLine, ""}, "view": {plusLine, ""}, "vis": {plusLine, ""}, "elvis": {plusLine, ""},
	"nano": {plusLine, ""}, "pico": {plusLine, ""}, "micro": {plusLine, ""}, "kak": {plusLine, ""}, "joe": {plusLine, ""}, "jed": {plusLine, ""},
	"ne": {plusLine, ""}, "mg": {plusLine, ""}, "zile": {plusLine, ""}, "emacs": {plusLine, ""}, "emacsclient": {plusLine, ""}, "mcedit": {plusLine, ""},
	"code": {gotoFlag, "--wait"}, "code-insiders": {gotoFlag, "--wait"}, "codium": {gotoFlag, "--wait"}, "cursor": {gotoFlag, "--wait"},
	"subl": {colonLine, "--wait"}, "zed": {colonLine, "--wait"}, "hx": {colonLine, ""}, "helix": {colonLine, ""},
	"gedit": {plusLine, "--wait"}, "kate": {dashL, "--block"}, "mate": {dashL, "--wait"}, "idea": {lineOption, "--wait"},
}

// Command is the argument list that opens a file at a line and a column, both from 1; a line of 0 says nothing of where.
// An editor that is not known is given the file alone. wait makes an editor with a window of its own stay until the file
// is closed. What the variable holds beyond plain words is left to the shell, as git does it.
func Command(named, file string, line, col int, wait bool) []string {
	if strings.ContainsAny(named, "'\"\\$`&;|<>()*?[]~") {
		return []string{"sh", "-c", named + ` "$@"`, "editor", file}
	}
	args := strings.Fields(named)
	base := strings.TrimSuffix(strings.ToLower(filepath.Base(args[0])), ".exe")
	k := known[base]
	if wait && k.waits != "" && !waits(args[1:]) {
		args = append(args, k.waits)
	}
	if line < 1 {
		return append(args, file)
	}
	col = max(col, 1)
	switch k.at {
	case plusLine:
		return append(args, fmt.Sprintf("+%d", line), file)
	case gotoFlag:
		return append(args, "-g", fmt.Sprintf("%s:%d:%d", file, line, col))
	case colonLine:
		return append(args, fmt.Sprintf("%s:%d:%d", file, line, col))
	case lineOption:
		return append(args, "--line", fmt.Sprint(line), file)
	case dashL:
		return append(args, "-l", fmt.Sprint(line), file)
	}
	return append(args, file)
}

// waits says whether the user already asked for it.
func waits(args []string) bool {
	for _, a := range args {
		if a == "-w" || a == "--wait" || a == "-b" || a == "--block" {
			return true
		}
	}
	return false
}
