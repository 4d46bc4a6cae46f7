package theme

import "flowdbg/ui/tui/cell"

// Glyphs are the signs of the screen, every one but the Words exactly one cell wide in both charsets, so that layout does
// not depend on the charset. A state is always told by its glyph; a style only makes it easier to find.
type Glyphs struct {
	Edges cell.Edges

	Next      string // happens next
	Break     string // a breakpoint that is on
	BreakOff  string // a breakpoint that is off
	Unbound   string // a breakpoint whose name vanished
	Differs   string // hash or value differs from the trace
	Equal     string // equal to the trace
	Unchecked string // not compared
	Unknown   string // cannot be compared
	Select    string // the row of the cursor
	Changed   string // changed by the last step
	Mark      string // a named place; the name follows
	Open      string // a node that shows its children
	Closed    string // a node that has children and hides them
	Left      string // comes from
	Right     string // goes to
	Up        string
	Down      string
	Pass      string
	Fail      string
	Unsure    string // did not resolve
	Delta     string
	Ellipsis  string
	Dot       string // between things in a line
	Branch    string // a child that is not the last one
	Corner    string // the last child
	Thumb     string // the part of a scroll bar that is in view
	Track     string // the rest of a scroll bar

	BarLeft, BarRight string     // ends of a gauge
	Bar               [9]string  // a gauge's cell, filled by 0 to 8 eighths
	Spark             [8]string  // a column of a sparkline, lowest first
	Digits            [10]string // ranks in a scatter plot

	Words Words
}

// Words are signs that stand beside numbers and would say something else as one ASCII character. They are measured like text:
// ASCII takes up to three cells for one.
type Words struct {
	Infinity string
	AtLeast  string // the real number may be greater
	Becomes  string // from one value to the next
}

var unicodeGlyphs = Glyphs{
	Words: Words{Infinity: "∞", AtLeast: "≥", Becomes: "→"},
	Edges: cell.Edges{
		Horizontal: "─", Vertical: "│", TopLeft: "┌", TopRight: "┐", BottomLeft: "└", BottomRight: "┘", JoinLeft: "├", JoinRight: "┤",
	},
	Next: "▶", Break: "●", BreakOff: "○", Unbound: "⊘", Differs: "≠", Equal: "≡", Unchecked: "·", Unknown: "?", Select: "▌", Changed: "*", Mark: "◆",
	Open: "▾", Closed: "▸", Left: "←", Right: "→", Up: "↑", Down: "↓", Pass: "✓", Fail: "✗", Unsure: "~",
	Delta: "Δ", Ellipsis: "…", Dot: "·", Branch: "├", Corner: "└", Thumb: "┃", Track: "│",
	BarLeft: "▕", BarRight: "▏",
	Bar:    [9]string{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
	Spark:  [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	Digits: [10]string{"⓪", "①", "②", "③", "④", "⑤", "⑥", "⑦", "⑧", "⑨"},
}

var asciiGlyphs = Glyphs{
	Words: Words{Infinity: "inf", AtLeast: ">=", Becomes: "->"},
	Edges: cell.Edges{
		Horizontal: "-", Vertical: "|", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+", JoinLeft: "+", JoinRight: "+",
	},
	Next: ">", Break: "@", BreakOff: "o", Unbound: "%", Differs: "!", Equal: "=", Unchecked: ".", Unknown: "?", Select: "]", Changed: "*", Mark: "'",
	Open: "v", Closed: "+", Left: "<", Right: ">", Up: "^", Down: "v", Pass: "y", Fail: "x", Unsure: "~",
	Delta: "d", Ellipsis: "~", Dot: "-", Branch: "|", Corner: "`", Thumb: "#", Track: "|",
	BarLeft: "[", BarRight: "]",
	Bar:    [9]string{" ", ".", ".", ":", "=", "=", "#", "#", "#"},
	Spark:  [8]string{"_", ".", ".", "-", "-", "=", "=", "#"},
	Digits: [10]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
}
