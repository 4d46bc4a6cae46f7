package compat

import (
	"maps"
	"strings"
	"unicode"

	"flowdbg/trace/canon"
)

// tellTale are words whose coming or going changes what a number means or what is promised, however small the edit.
var tellTale = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`ps ns us µs ms s sec second seconds millisecond milliseconds microsecond microseconds
		nanosecond nanoseconds minute minutes hour hours nm um µm μm mm dbu micron microns hz khz mhz ghz kb mb gb kib mib gib
		byte bytes bit bits % percent fraction ratio uw µw mw w mv v ff pf
		not never no none without except exclusive inclusive absolute relative ascending descending minimum maximum utc local`) {
		m[w] = true
	}
	return m
}()

// leastOverlap is the share of common words below which a text counts as rewritten rather than polished. Ours.
const leastOverlap = 1.0 / 3

// wordsRule grades a changed description. Whether the meaning changed is for a person; this only decides who is asked: a
// text with other units or negations, or with mostly other words, is shown as semantic?.
func wordsRule(old, new canon.Value) (rule, text string) {
	o, _ := old.Str()
	n, _ := new.Str()
	if o == "" || n == "" {
		return ruleDocs, "description changed"
	}
	before, after := words(o), words(n)
	for _, w := range sortedKeys(tellTale) {
		if before[w] != after[w] {
			return ruleRewritten, "the description changed at the word " + w + ": does the value still mean the same?"
		}
	}
	common := 0
	for w := range before {
		if after[w] {
			common++
		}
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	if float64(common) < leastOverlap*float64(len(all)) {
		return ruleRewritten, "the description was rewritten: does it still mean the same?"
	}
	return ruleDocs, "description changed"
}

// words are the lower-case words of a text; in scripts without spaces every character is one.
func words(text string) map[string]bool {
	out := map[string]bool{}
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '%' }
	for _, w := range strings.FieldsFunc(strings.ToLower(text), split) {
		rest := w
		for _, r := range w {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				out[string(r)] = true
				rest = strings.ReplaceAll(rest, string(r), "")
			}
		}
		if rest != "" {
			out[rest] = true
		}
	}
	return out
}
