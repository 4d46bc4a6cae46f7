package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"flowdbg/trace/canon"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// valueField is a line that ends in a JSON value, with the way out for one that is long: the user's editor.
type valueField struct {
	input line
	// begins is where the value begins in the line, as a byte offset; ok is false when the line takes none.
	begins func(text string) (at int, ok bool)
	offer  canon.Value // what the editor begins with when the line has no value: one that is too long for it
	body   canon.Value // what came from the editor and is too long for the line, which then ends before its value
	draft  string      // what came from the editor and is no JSON
	told   string
	bad    bool
}

// outsideKey opens the value in the editor. Ctrl+E goes to the end of a line, as in shells.
const outsideKey, outsideName = tea.KeyCtrlX, "Ctrl+X"

// split parts the line before its value.
func (f *valueField) split() (head, value string, ok bool) {
	text := f.input.String()
	at, ok := f.begins(text)
	if !ok {
		return text, "", false
	}
	return text[:at], text[at:], true
}

// String is the whole text, with the value from the editor where the line has none.
func (f *valueField) String() string {
	if head, value, ok := f.split(); ok && value == "" && !f.body.IsAbsent() {
		return strings.TrimRight(head, " ") + " " + f.body.Text()
	}
	return f.input.String()
}

// key handles a key of the line, and says what is wrong with the value as it stands.
func (f *valueField) key(k tea.KeyMsg) {
	was := f.input.String()
	f.input.key(k)
	if f.input.String() != was {
		f.look()
	}
}

// look judges the value in the line; an empty one is not judged, because it is only about to be typed.
func (f *valueField) look() {
	f.told, f.bad = "", false
	head, value, ok := f.split()
	if !ok || value == "" {
		return
	}
	if _, _, err := canon.ParseString(value, canon.Options{}); err != nil {
		f.told, f.bad = inColumn(err, utf8.RuneCountInString(head)), true
	}
}

// inColumn says what is wrong with a value that begins behind so many characters of a line.
func inColumn(err error, before int) string {
	var e *canon.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := fmt.Sprintf("column %d: %s", before+e.Col, e.What)
	if e.Want != "" {
		text += "; " + e.Want
	}
	return text
}

// edit opens the value in the editor. owner is the overlay that the field belongs to: when it is gone meanwhile, nobody
// waits for the answer.
func (f *valueField) edit(m *Model, owner overlay, name string) tea.Cmd {
	_, value, ok := f.split()
	if !ok {
		f.told, f.bad = "there is no value here that could be edited", true
		return nil
	}
	return m.outside(name+".json", f.page(value), func(m *Model, text string, err error) tea.Cmd {
		if m.over == owner {
			f.take(text, err)
		}
		return nil
	})
}

// page is what the editor begins with: what came back from it and was no JSON, else the value, laid out.
func (f *valueField) page(value string) string {
	switch {
	case f.draft != "":
		return f.draft
	case value == "" && !f.body.IsAbsent():
		value = f.body.Text()
	case value == "" && !f.offer.IsAbsent():
		value = f.offer.Text()
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(value), "", "  ") != nil {
		return value
	}
	b.WriteByte('\n')
	return b.String()
}

// take takes over what came back from the editor. A text that is no JSON is kept, so that the editor opens on it again.
func (f *valueField) take(text string, err error) {
	f.bad = true
	if err != nil {
		f.told = err.Error()
		return
	}
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		f.draft, f.told = text, fmt.Sprintf("no JSON came from the editor, %s opens it again: %v", outsideName, err)
		return
	}
	head, value, _ := f.split()
	f.bad = false
	before, _, err := canon.ParseString(value, canon.Options{})
	if value == "" {
		before, err = f.body, nil
		if before.IsAbsent() {
			before = f.offer
		}
	}
	switch same := err == nil && before == v && f.draft == ""; {
	case same:
		f.told = "nothing was changed in the editor"
		return
	case v.Len() <= maxLine/2:
		f.input.put(strings.TrimRight(head, " ") + gap(head) + v.Text())
		f.body, f.told = canon.Value{}, "taken over from the editor"
	default:
		f.input.put(strings.TrimRight(head, " ") + gap(head))
		f.body, f.told = v, fmt.Sprintf("the value from the editor, %s; %s opens it again", tree.Size(v.Len()), outsideName)
	}
	f.draft = ""
}

// gap parts the words of a line from its value.
func gap(head string) string {
	if head == "" {
		return ""
	}
	return " "
}
