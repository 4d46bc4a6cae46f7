package out

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"flowdbg/ui/tui/cell"
)

// excerptWidth is how many characters of a long line an excerpt shows, about the column.
const excerptWidth = 96

// Excerpt is one line of a file and, below it, a caret under its col-th code point; both are from 1. What could steer a
// terminal is replaced by pictures of one cell, and the caret counts cells, so that it stands right under wide
// characters too. A place that is not in the data gives "".
func Excerpt(data []byte, line, col int) string {
	for ; line > 1; line-- {
		nl := bytes.IndexByte(data, '\n')
		if nl < 0 {
			return ""
		}
		data = data[nl+1:]
	}
	if nl := bytes.IndexByte(data, '\n'); nl >= 0 {
		data = data[:nl]
	}
	data = bytes.TrimSuffix(data, []byte("\r"))
	if line < 1 || col < 1 {
		return ""
	}
	before, rest := split(data, col-1)
	from := before
	if lead := keepLast(before, excerptWidth/2); len(lead) < len(before) {
		from = append([]byte("…"), lead...)
	}
	after, more := split(rest, excerptWidth-utf8.RuneCount(from))
	tail := string(after)
	if len(more) > 0 {
		tail += "…"
	}
	lead := cell.Sanitize(string(from))
	return lead + cell.Sanitize(tail) + "\n" + strings.Repeat(" ", cell.Width(lead)) + "^"
}

// split cuts behind n code points.
func split(data []byte, n int) (head, tail []byte) {
	at := 0
	for ; n > 0 && at < len(data); n-- {
		at += runeLen(data[at:])
	}
	return data[:at], data[at:]
}

// keepLast is the last n code points.
func keepLast(data []byte, n int) []byte {
	at := len(data)
	for ; n > 0 && at > 0; n-- {
		at--
		for at > 0 && data[at]&0xC0 == 0x80 {
			at--
		}
	}
	return data[at:]
}
