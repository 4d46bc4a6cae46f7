package app

import (
	"unicode"

	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

// maxLine bounds what can be typed or pasted into a line, in characters.
const maxLine = 4096

// line is a one-line text input.
type line struct {
	text []rune
	at   int // cursor, 0 ≤ at ≤ len(text)
	// whole says that all of the text is selected: what is typed takes its place, any other key keeps it.
	whole bool
}

func newLine(s string) line {
	r := []rune(s)
	return line{text: r, at: len(r)}
}

// offered is a line with a text that was in force before, which typing replaces.
func offered(s string) line {
	l := newLine(s)
	l.whole = s != ""
	return l
}

// offer says what typing does to a text that is offered.
func (l *line) offer() string {
	if l.whole {
		return "; typing replaces this one"
	}
	return ""
}

// String is what was typed.
func (l *line) String() string { return string(l.text) }

// key handles one key and says whether it was one of the line's.
func (l *line) key(msg tea.KeyMsg) bool {
	whole := l.whole
	l.whole = false
	switch msg.Type {
	case tea.KeyRunes, tea.KeySpace:
		if msg.Alt {
			return false
		}
		if whole {
			*l = line{}
		}
		l.insert(msg.Runes)
	case tea.KeyBackspace, tea.KeyDelete:
		switch {
		case whole:
			*l = line{}
		case msg.Type == tea.KeyBackspace:
			l.cut(l.at-1, l.at)
		default:
			l.cut(l.at, l.at+1)
		}
	case tea.KeyLeft:
		l.at = max(l.at-1, 0)
	case tea.KeyRight:
		l.at = min(l.at+1, len(l.text))
	case tea.KeyHome, tea.KeyCtrlA:
		l.at = 0
	case tea.KeyEnd, tea.KeyCtrlE:
		l.at = len(l.text)
	case tea.KeyCtrlU:
		l.cut(0, l.at)
	case tea.KeyCtrlW:
		l.cut(l.wordStart(), l.at)
	default:
		return false
	}
	return true
}

// insert takes printable characters only: a paste may hold anything.
func (l *line) insert(rs []rune) {
	add := make([]rune, 0, len(rs))
	for _, r := range rs {
		if unicode.IsPrint(r) && len(l.text)+len(add) < maxLine {
			add = append(add, r)
		}
	}
	l.text = append(l.text[:l.at:l.at], append(add, l.text[l.at:]...)...)
	l.at += len(add)
}

func (l *line) cut(from, to int) {
	from, to = max(from, 0), min(to, len(l.text))
	if from < to {
		l.text = append(l.text[:from:from], l.text[to:]...)
		l.at = from
	}
}

func (l *line) wordStart() int {
	i := l.at
	for i > 0 && l.text[i-1] == ' ' {
		i--
	}
	for i > 0 && l.text[i-1] != ' ' {
		i--
	}
	return i
}

// draw writes the line with its cursor into what is left of b; a long one is shown around the cursor.
func (l *line) draw(b *cell.Builder, th *theme.Theme) {
	cs := th.Charset
	from := 0
	for from < l.at && cs.Width(string(l.text[from:l.at])) >= b.Room() {
		from += max(1, (l.at-from)/4)
	}
	style := th.Text
	if l.whole {
		style = th.Select
	}
	b.Put(string(l.text[from:l.at]), style)
	under, rest := " ", ""
	if l.at < len(l.text) {
		under, rest = string(l.text[l.at:l.at+1]), string(l.text[l.at+1:])
	}
	if th.Profile == theme.None {
		b.Put("|", "") // nothing can be reversed here
		b.Put(under+rest, th.Text)
		return
	}
	b.Put(under, "7")
	b.Put(rest, th.Text)
}
