// Package background settles whether the terminal is dark before Bubble Tea gets to ask.
//
// Bubble Tea v1 asks the terminal for its background in an init function and waits five seconds on a terminal that
// does not answer, also when the program only prints its version. An answer that is set beforehand ends that. Go
// initialises packages in the order of their import paths, each after its imports, so this package must sort before
// github.com/charmbracelet/bubbletea and may import nothing that sorts after it: lipgloss (which Bubble Tea needs
// anyway) and the standard library only.
//
// Beside that init it holds our own question to the terminal, which is bounded and is asked on the interactive path
// only. No styles, no themes, no flags live here.
package background

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
)

// MaxWait is the longest that Detect waits for the terminal (ours: page 04, "Ask the terminal ourselves, ≤ 100 ms").
const MaxWait = 100 * time.Millisecond

func init() {
	// Dark is a placeholder that keeps anybody else from asking; Detect replaces it on the interactive path.
	lipgloss.SetHasDarkBackground(true)
}

// Source says where an answer of Detect came from.
type Source string

// The places an answer can come from, best first.
const (
	FromTerminal    Source = "terminal"  // the terminal answered OSC 11
	FromEnvironment Source = "COLORFGBG" // the terminal did not answer, its environment variable did
	FromDefault     Source = "default"   // nobody knows; dark is assumed
)

// Detect finds out whether the terminal's background is dark. It asks the controlling terminal (OSC 11) and waits at
// most limit, never more than MaxWait; without an answer it reads COLORFGBG; without that it says dark. Call it only
// before an interactive program takes the terminal: it reads from the terminal and would eat keys. The terminal's
// state is restored before it returns. lipgloss is told the answer too.
func Detect(limit time.Duration) (dark bool, source Source) {
	dark, source = detect(min(limit, MaxWait), os.Getenv)
	lipgloss.SetHasDarkBackground(dark)
	return dark, source
}

func detect(limit time.Duration, env func(string) string) (bool, Source) {
	if term := env("TERM"); term != "" && term != "dumb" && limit > 0 {
		if dark, ok := ParseReply(ask(limit)); ok {
			return dark, FromTerminal
		}
	}
	if dark, ok := parseColorFGBG(env("COLORFGBG")); ok {
		return dark, FromEnvironment
	}
	return true, FromDefault
}

// query asks for the background and then for the device attributes. Every terminal knows the second question, so one
// that does not know the first is recognised at once instead of after the limit.
const query = "\x1b]11;?\x07\x1b[c"

// complete says that reply holds everything that will come: the answer to the second question is in. Device
// attributes are ESC [ ? digits and semicolons c.
func complete(reply []byte) bool {
	_, rest, found := strings.Cut(string(reply), "\x1b[?")
	if !found {
		return false
	}
	rest = strings.TrimLeft(rest, "0123456789;")
	return strings.HasPrefix(rest, "c")
}

// ParseReply reads a terminal's answer to OSC 11 wherever it stands in reply: ESC ] 11 ; colour, ended by BEL, by
// ESC \ or by the one-byte ST. Colours are rgb:R/G/B or rgba:R/G/B/A with one to four hex digits per channel, or
// #RRGGBB. ok is false when there is no whole answer.
func ParseReply(reply []byte) (dark, ok bool) {
	_, rest, found := strings.Cut(string(reply), "\x1b]11;")
	if !found {
		return false, false
	}
	end := strings.IndexAny(rest, "\x07\x1b\u009c")
	if end < 0 {
		if end = strings.IndexByte(rest, 0x9c); end < 0 {
			return false, false
		}
	}
	r, g, b, ok := parseColor(rest[:end])
	if !ok {
		return false, false
	}
	// Rec. 601 luma: what the eye sees, so that pure blue counts as dark and pure green as light.
	return 0.299*r+0.587*g+0.114*b < 0.5, true
}

// parseColor reads an X11 colour into channels from 0 to 1.
func parseColor(s string) (r, g, b float64, ok bool) {
	var parts []string
	switch {
	case strings.HasPrefix(s, "rgb:"):
		parts = strings.Split(s[len("rgb:"):], "/")
	case strings.HasPrefix(s, "rgba:"):
		if parts = strings.Split(s[len("rgba:"):], "/"); len(parts) == 4 {
			parts = parts[:3]
		}
	case len(s) == 7 && s[0] == '#':
		parts = []string{s[1:3], s[3:5], s[5:7]}
	}
	if len(parts) != 3 {
		return 0, 0, 0, false
	}
	var ch [3]float64
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) > 4 {
			return 0, 0, 0, false
		}
		ch[i] = float64(n) / float64(uint(1)<<(4*len(p))-1)
	}
	return ch[0], ch[1], ch[2], true
}

// parseColorFGBG reads rxvt's variable: "foreground;background", sometimes with a word in between, as indices into
// the sixteen colours. 7 and 9 to 15 are the light ones.
func parseColorFGBG(s string) (dark, ok bool) {
	fields := strings.Split(s, ";")
	if len(fields) < 2 {
		return false, false
	}
	n, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil || n < 0 || n > 15 {
		return false, false
	}
	return n < 7 || n == 8, true
}
