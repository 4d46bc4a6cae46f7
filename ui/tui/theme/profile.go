package theme

import "strings"

// Profile says how much a terminal can show; more is greater.
type Profile uint8

// The profiles, from nothing to 24 bits.
const (
	None      Profile = iota // no escape sequences at all
	Mono                     // bold, dim, reverse; no colour
	ANSI16                   // sixteen colours, whose look the terminal decides
	ANSI256                  // the xterm palette
	TrueColor                // 24 bits
)

// String is the profile's name for messages.
func (p Profile) String() string {
	return [...]string{"none", "mono", "16 colours", "256 colours", "24-bit colour"}[min(p, TrueColor)]
}

// Detect reads a profile from the environment, for an output that is a terminal. NO_COLOR with any value takes the
// colours away but, as its definition (no-color.org) has it, not bold and reverse. No question is put to the terminal.
func Detect(env func(string) string) Profile {
	term := env("TERM")
	if term == "" || term == "dumb" {
		return None
	}
	if env("NO_COLOR") != "" {
		return Mono
	}
	switch strings.ToLower(env("COLORTERM")) {
	case "truecolor", "24bit":
		// GNU screen passes the variable on but not the colours; tmux, which also calls itself screen, does.
		if strings.HasPrefix(term, "screen") && env("TMUX") == "" {
			return ANSI256
		}
		return TrueColor
	case "yes", "true", "256color":
		return ANSI256
	}
	return fromTerm(term)
}

// fromTerm goes by the name of the terminal alone.
func fromTerm(term string) Profile {
	switch {
	case strings.HasSuffix(term, "-direct"):
		return TrueColor
	case term == "alacritty", term == "contour", term == "foot", term == "rio", term == "wezterm", term == "xterm-ghostty", term == "xterm-kitty":
		return TrueColor
	case strings.Contains(term, "256color"):
		return ANSI256
	case strings.HasPrefix(term, "vt1"), strings.HasPrefix(term, "vt2"), strings.HasSuffix(term, "-m"), strings.HasSuffix(term, "-mono"):
		return Mono
	}
	return ANSI16
}
