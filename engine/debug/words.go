package debug

import (
	"errors"
	"strings"
	"unicode"

	"flowdbg/trace/canon"
)

// Commands of a session, breakpoints, watches and edits are made of words that white space parts. A name may hold spaces,
// quotes and semicolons: it is then written as a JSON string, "my agent" (ours).

// Word is one word of a command.
type Word struct {
	Text   string // without its quotes
	Quoted bool   // it is a name in any case, never a word of the language
}

// CutWord takes the first word off a text; rest is a suffix of it without leading white space. Without a word Text is ""
// and Quoted is false. The error is about quotes that are not closed, or that hold no JSON string.
func CutWord(text string) (w Word, rest string, err error) {
	text = strings.TrimLeft(text, " \t")
	end := wordEnd(text)
	rest = strings.TrimLeft(text[end:], " \t")
	if !strings.HasPrefix(text, `"`) {
		return Word{Text: text[:end]}, rest, nil
	}
	v, _, err := canon.Parse([]byte(text[:end]), canon.Options{})
	name, ok := v.Str()
	if err != nil || !ok {
		return Word{Text: text[:end]}, rest, errors.New("the name " + text[:end] + ` is no JSON string; a name with spaces is written "like this", with \" for a quote in it`)
	}
	return Word{name, true}, rest, nil
}

// wordEnd is where the first word of a text ends; the text begins with it. Quotes that are not closed reach to the end.
func wordEnd(text string) int {
	if !strings.HasPrefix(text, `"`) {
		if i := strings.IndexAny(text, " \t"); i >= 0 {
			return i
		}
		return len(text)
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			if n := strings.IndexAny(text[i:], " \t"); n >= 0 {
				return i + n
			}
			return len(text)
		}
	}
	return len(text)
}

// Words cuts a text into all its words.
func Words(text string) (list []Word, err error) {
	for {
		var w Word
		if w, text, err = CutWord(text); err != nil || w == (Word{}) {
			return list, err
		}
		list = append(list, w)
	}
}

// Quote writes a name so that CutWord reads it as one word: as it is, or as a JSON string.
func Quote(name string) string {
	if name == "" || strings.ContainsAny(name, `";`) || strings.ContainsFunc(name, unicode.IsSpace) {
		return canon.String(name).Text()
	}
	return name
}

// word cuts the first word off. Of a text whose quotes are not closed it is all of it.
func word(s string) (first, rest string) {
	w, rest, _ := CutWord(s)
	return w.Text, rest
}
