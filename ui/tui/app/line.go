package app

import (
	"slices"
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
	past  []lineState // what undo goes back to, the latest last
	// typing says that the last key typed a character, so that the next one belongs to the same change.
	typing bool
}

// lineState is a text and its cursor as they were before a change.
type lineState struct {
	text []rune
	at   int
}

// maxUndo is how many changes of a line can be taken back.
const maxUndo = 100

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
	whole, typing := l.whole, l.typing
	l.whole, l.typing = false, false
	if msg.Type == tea.KeyCtrlUnderscore {
		l.undo()
		return true
	}
	if l.moves(msg) {
		return true
	}
	was := lineState{l.text, l.at}
	switch msg.Type {
	case tea.KeyRunes, tea.KeySpace:
		if msg.Alt {
			return false
		}
		if whole {
			l.text, l.at = nil, 0
		}
		l.insert(msg.Runes)
		l.typing = len(msg.Runes) == 1 && inWord(msg.Runes[0])
	case tea.KeyBackspace, tea.KeyDelete:
		switch {
		case whole:
			l.text, l.at = nil, 0
		case msg.Type == tea.KeyBackspace:
			l.cut(l.at-1, l.at)
		default:
			l.cut(l.at, l.at+1)
		}
	case tea.KeyCtrlU:
		l.cut(0, l.at)
	case tea.KeyCtrlK:
		l.cut(l.at, len(l.text))
	case tea.KeyCtrlW:
		l.cut(l.wordStart(), l.at)
	default:
		return false
	}
	if len(l.text) != len(was.text) || !slices.Equal(l.text, was.text) {
		if !(typing && l.typing) { // a word that is typed is one change
			l.past = append(l.past, was)
			l.past = l.past[max(len(l.past)-maxUndo, 0):]
		}
	}
	return true
}

// moves handles the keys that only move the cursor: by characters, by words, to an end.
func (l *line) moves(msg tea.KeyMsg) bool {
	byWord := msg.Alt
	switch msg.Type {
	case tea.KeyCtrlLeft, tea.KeyCtrlRight:
		byWord = true
	case tea.KeyRunes: // Alt+B and Alt+F, as shells have them
		if !msg.Alt || len(msg.Runes) != 1 {
			return false
		}
	}
	switch {
	case msg.Type == tea.KeyRunes && msg.Runes[0] == 'b', byWord && (msg.Type == tea.KeyLeft || msg.Type == tea.KeyCtrlLeft):
		l.at = l.wordStart()
	case msg.Type == tea.KeyRunes && msg.Runes[0] == 'f', byWord && (msg.Type == tea.KeyRight || msg.Type == tea.KeyCtrlRight):
		l.at = l.wordEnd()
	case msg.Type == tea.KeyLeft:
		l.at = max(l.at-1, 0)
	case msg.Type == tea.KeyRight:
		l.at = min(l.at+1, len(l.text))
	case msg.Type == tea.KeyHome, msg.Type == tea.KeyCtrlA:
		l.at = 0
	case msg.Type == tea.KeyEnd, msg.Type == tea.KeyCtrlE:
		l.at = len(l.text)
	default:
		return false
	}
	return true
}

// undo takes the last change back.
func (l *line) undo() {
	if n := len(l.past); n > 0 {
		l.text, l.at = l.past[n-1].text, l.past[n-1].at
		l.past = l.past[:n-1]
	}
}

// put makes the line hold another text, as one change.
func (l *line) put(s string) {
	l.past = append(l.past, lineState{l.text, l.at})
	l.text = []rune(s)
	l.at, l.whole, l.typing = len(l.text), false, false
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
	for i > 0 && !inWord(l.text[i-1]) {
		i--
	}
	for i > 0 && inWord(l.text[i-1]) {
		i--
	}
	return i
}

func (l *line) wordEnd() int {
	i := l.at
	for i < len(l.text) && !inWord(l.text[i]) {
		i++
	}
	for i < len(l.text) && inWord(l.text[i]) {
		i++
	}
	return i
}

// inWord says what a word is made of: JSON and expressions have few blanks, so that those alone would part nothing.
func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// draw writes the line with its cursor into what is left of b; a long one is shown around the cursor.
func (l *line) draw(b *cell.Builder, th *theme.Theme) {
	cs := th.Charset
	from := 0
	for from < l.at {
		over := cs.Width(string(l.text[from:l.at])) - b.Room() + 1
		if over <= 0 {
			break
		}
		from = min(from+max(1, over/2), l.at) // a character has two cells at most
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
