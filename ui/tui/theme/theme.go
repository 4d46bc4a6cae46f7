// Package theme gives every meaning on the screen its look: a style (colour and weight) and, because colour may be
// missing or not seen, a glyph.
//
// It goes from tokens (what something means) over palettes (which colours a theme has) to styles (finished SGR
// parameters for ui/tui/cell). The taste is page 07's: one accent colour, dim for what is past, bold only for what is
// next, and every state readable without colour. Layout, text and anything about flows do not live here; nor does
// lipgloss, whose NO_COLOR drops bold and reverse as well.
package theme

import (
	"fmt"
	"strings"

	"flowdbg/ui/tui/cell"
)

// Theme is a finished look. All of it is plain data: a view reads the field it needs.
type Theme struct {
	Name    string // one of Names, never "auto" or "cvd"
	Profile Profile
	Charset cell.Charset
	Glyph   Glyphs
	Styles
}

// Styles has one style per token.
type Styles struct {
	Text        cell.Style // ordinary text
	Past        cell.Style // what is over, what is secondary: dim
	Next        cell.Style // what happens next: bold
	Accent      cell.Style // the one colour: focus, position, links between things
	Title       cell.Style // of a pane
	TitleFocus  cell.Style // of the pane that has the keys
	Border      cell.Style
	BorderFocus cell.Style
	Select      cell.Style // under the row of the cursor, in the pane that has the keys
	SelectIdle  cell.Style // under the row of the cursor in another pane
	Good        cell.Style // pass, equal, within budget
	Warn        cell.Style // lossy, near the limit, sunset
	Bad         cell.Style // failed, diverged, over budget
	Changed     cell.Style // a path that the last step changed
	Break       cell.Style // breakpoints
	Key         cell.Style // a key in the bottom bar and in help
	Match       cell.Style // what a search found
}

// Names lists the themes: two for the background, two more for eyes that do not tell red from green, one for
// terminals of sixteen colours (it leaves the choice of colours to the terminal), one with weight only, one with nothing.
var Names = []string{"dark", "light", "cvd-dark", "cvd-light", "16", "mono", "plain"}

// Choices are all names that a theme can be asked for by: auto and cvd choose by the background.
func Choices() []string { return append([]string{"auto", "cvd"}, Names...) }

// Options say what to build a theme from.
type Options struct {
	Name    string // one of Names; "" or "auto" chooses by Dark; "cvd" chooses between the cvd themes by Dark
	Profile Profile
	Dark    bool // the terminal's background, for the choice
	ASCII   bool // glyphs and text in ASCII only (--ascii)
}

// New builds a theme. A profile with less than the theme needs wins over the name: sixteen colours give the theme
// "16", no colours "mono", nothing at all "plain". An unknown name is an error that lists the known ones.
func New(o Options) (*Theme, error) {
	name := o.Name
	bg := map[bool]string{true: "dark", false: "light"}[o.Dark]
	switch name {
	case "", "auto":
		name = bg
	case "cvd":
		name = "cvd-" + bg
	}
	p, known := palettes[name]
	if !known {
		return nil, fmt.Errorf("no theme %q: want auto, cvd, %s", o.Name, strings.Join(Names, ", "))
	}
	profile := min(o.Profile, p.most)
	switch {
	case profile == None:
		name = "plain"
	case profile == Mono:
		name = "mono"
	case profile == ANSI16 && name != "16":
		name = "16"
	}
	p = palettes[name]
	t := &Theme{Name: name, Profile: profile, Glyph: unicodeGlyphs, Styles: p.styles(profile)}
	if o.ASCII {
		t.Charset, t.Glyph = cell.ASCII, asciiGlyphs
	}
	return t, nil
}
