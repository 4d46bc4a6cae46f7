package theme

import (
	"fmt"

	"flowdbg/ui/tui/cell"
)

// rgb is a 24-bit colour, 0xRRGGBB.
type rgb int32

// palette is what a theme is made of. ground is the background that the colours were chosen for; it is not painted.
type palette struct {
	most                                Profile // colours of a higher profile are of no use to it
	ground                              rgb
	dim, accent, good, warn, bad, match rgb
	border, selected, idle              rgb // idle and selected are backgrounds
}

var palettes = map[string]palette{
	"dark":  {TrueColor, 0x1c1c1c, 0x949494, 0x5fafff, 0x87d787, 0xffd75f, 0xff8787, 0x5f5f00, 0x6c6c6c, 0x264560, 0x303030},
	"light": {TrueColor, 0xffffff, 0x666666, 0x005faf, 0x006400, 0x7a5200, 0xaf0000, 0xffe58f, 0xa8a8a8, 0xcfe3f7, 0xe8e8e8},
	// The safe pair is blue against orange, which all common forms of colour vision tell apart (after Okabe and Ito).
	"cvd-dark":  {TrueColor, 0x1c1c1c, 0x949494, 0xf0e442, 0x56b4e9, 0xe8b04a, 0xf07f2e, 0x5f5f00, 0x6c6c6c, 0x3d3d14, 0x303030},
	"cvd-light": {TrueColor, 0xffffff, 0x666666, 0x5e3c99, 0x0067a5, 0x7a5f00, 0xab4a00, 0xffe58f, 0xa8a8a8, 0xe4dcf2, 0xe8e8e8},
	"16":        {most: ANSI16}, "mono": {most: Mono}, "plain": {most: None},
}

func (p palette) styles(profile Profile) Styles {
	switch profile {
	case None:
		return Styles{}
	case Mono:
		// Dim and reverse carry what they can; the glyphs carry the rest.
		return Styles{
			Past: "2", Next: "1", Accent: "1", TitleFocus: "1", Border: "2", Select: "7", SelectIdle: "4",
			Warn: "1", Bad: "1", Changed: "1", Break: "1", Key: "1", Match: "7",
		}
	case ANSI16:
		// Numbers 30 to 37 only: the bright ones are unreadable in some palettes (bright black in Solarized).
		return Styles{
			Past: "2", Next: "1", Accent: "36", Title: "", TitleFocus: "1;36", Border: "2", BorderFocus: "36", Select: "7", SelectIdle: "4",
			Good: "32", Warn: "33", Bad: "31", Changed: "36", Break: "31", Key: "36", Match: "7",
		}
	}
	fg := func(c rgb) cell.Style { return color(38, c, profile) }
	bg := func(c rgb) cell.Style { return color(48, c, profile) }
	return Styles{
		Past: fg(p.dim), Next: "1", Accent: fg(p.accent), TitleFocus: "1;" + fg(p.accent), Border: fg(p.border), BorderFocus: fg(p.accent),
		Select: bg(p.selected), SelectIdle: bg(p.idle), Good: fg(p.good), Warn: fg(p.warn), Bad: fg(p.bad), Changed: fg(p.accent),
		Break: fg(p.bad), Key: fg(p.accent), Match: bg(p.match),
	}
}

// color gives the SGR parameters that set the foreground (38) or background (48).
func color(plane int, c rgb, profile Profile) cell.Style {
	if profile == TrueColor {
		return cell.Style(fmt.Sprintf("%d;2;%d;%d;%d", plane, c>>16, c>>8&0xff, c&0xff))
	}
	return cell.Style(fmt.Sprintf("%d;5;%d", plane, nearest256(c)))
}

// cube are the six levels of the xterm colour cube.
var cube = [6]rgb{0, 95, 135, 175, 215, 255}

// nearest256 finds the entry of the xterm palette nearest to c among the colour cube (16 to 231) and the greys (232
// to 255). The first sixteen are not used: every terminal paints them differently.
func nearest256(c rgb) int {
	best, at := 1<<30, 16
	try := func(i int, r, g, b rgb) {
		dr, dg, db := int(c>>16-r), int(c>>8&0xff-g), int(c&0xff-b)
		// Weighted by what the eye is sensitive to.
		if d := 3*dr*dr + 6*dg*dg + db*db; d < best {
			best, at = d, i
		}
	}
	for i := range 216 {
		try(16+i, cube[i/36], cube[i/6%6], cube[i%6])
	}
	for i := range 24 {
		v := rgb(8 + 10*i)
		try(232+i, v, v, v)
	}
	return at
}
