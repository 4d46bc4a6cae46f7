package app

import (
	"fmt"
	"strings"

	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/rows"
)

// prose writes finished lines for a pane that is read rather than chosen from: headings, named values, sentences, and
// texts that must stay as they are.
type prose struct {
	m     *Model
	w     int
	lines []string
}

// nameWidth is the column in which values begin.
const nameWidth = 12

func (p *prose) blank() { p.lines = append(p.lines, cell.Blank(p.w)) }

// head is a heading; it keeps a line free above itself.
func (p *prose) head(text string) {
	if len(p.lines) > 0 {
		p.blank()
	}
	p.spans(cell.Span{Text: " " + text, Style: p.m.th.Next})
}

func (p *prose) spans(list ...cell.Span) {
	p.lines = append(p.lines, cell.Compose(p.m.th.Charset, p.w, "", list...))
}

// field is a name and its value, which goes on below itself when it is long.
func (p *prose) field(name, value string, st cell.Style) {
	for i, l := range wrapWords(p.m.th.Charset, p.m.ascii(value), p.w-nameWidth-2) {
		if i > 0 {
			name = ""
		}
		p.spans(cell.Span{Text: fmt.Sprintf(" %-*s", nameWidth, name), Style: p.m.th.Past}, cell.Span{Text: l, Style: st})
	}
}

// say is a sentence.
func (p *prose) say(st cell.Style, format string, args ...any) {
	for _, l := range wrapWords(p.m.th.Charset, p.m.ascii(fmt.Sprintf(format, args...)), p.w-2) {
		p.spans(cell.Span{Text: " " + l, Style: st})
	}
}

// exact is a text byte for byte, broken where the line ends. Only its begin is drawn; copying takes all of it.
func (p *prose) exact(text string, st cell.Style) {
	const most = 16 << 10
	rest := p.m.th.Charset.Sanitize(cutBytes(text, most))
	for rest != "" {
		head := p.m.th.Charset.Cut(rest, p.w-4)
		if head == "" {
			break
		}
		p.spans(cell.Span{Text: "   " + head, Style: st})
		rest = rest[len(head):]
	}
	if len(text) > most {
		p.say(p.m.th.Past, "   … %d more bytes; copying takes all", len(text)-most)
	}
}

// textPane shows finished lines and scrolls them.
type textPane struct {
	list  rows.List[int]
	lines []string
	h     int
}

// set takes other lines; top goes back to the first.
func (t *textPane) set(lines []string, top bool) {
	t.lines = lines
	t.list.Update(len(lines), func(i int) int { return i }, func(k int) (int, bool) { return k, k < len(lines) })
	if top {
		t.list.Home()
	}
}

func (t *textPane) render(h int) []string {
	t.h = h
	t.list.SetHeight(h)
	from, to := t.list.Window()
	return t.lines[min(from, len(t.lines)):min(to, len(t.lines))]
}

// Move scrolls: there is no cursor in a text.
func (t *textPane) Move(d int) { t.list.Scroll(d) }

// Page goes by windows, less one line.
func (t *textPane) Page(d int) { t.list.Scroll(d * max(t.h-1, 1)) }

func (t *textPane) Home()                 { t.list.Home() }
func (t *textPane) End()                  { t.list.End() }
func (t *textPane) Scroll(d int)          { t.list.Scroll(d) }
func (t *textPane) Thumb() (from, to int) { return t.list.Thumb() }
func (t *textPane) RowAt(int) (int, bool) { return 0, false }
func (t *textPane) SetCursor(int)         {}
func (t *textPane) Len() int              { return t.list.Len() }

var _ lister = (*textPane)(nil)

// listing writes names beside each other, "none" when there are none.
func listing(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

// field1 is a name and the begin of a long text, in one line.
func field1(p *prose, name, text string) []cell.Span {
	return []cell.Span{{Text: fmt.Sprintf(" %-*s", nameWidth, name), Style: p.m.th.Past}, {Text: cutBytes(text, 2<<10), Style: p.m.th.Text}}
}
