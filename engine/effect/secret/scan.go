package secret

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"flowdbg/trace/canon"
)

// Scanner finds the values of secrets in texts: as they are, percent-encoded in any mixture, with JSON's backslashes,
// in hexadecimal, and in base64 of both alphabets wherever the value begins among the encoded bytes, also with line
// breaks in between. A Scanner is immutable and safe for concurrent use; the zero one, and nil, find nothing.
type Scanner struct {
	secrets []pattern
	heads   [1 << 10]uint64   // which first two bytes a form may have, one bit each: most places of a text are passed over by that
	byHead  map[uint16][]form // the forms that begin so
}

// pattern is one value.
type pattern struct{ name, value string }

// form is one way in which a value may be written.
type form struct{ name, text string }

// Hit is a secret found in a text, in bytes.
type Hit struct {
	Name       string
	Start, End int
}

// NewScanner makes a scanner for values by name; values shorter than MinBytes are left out.
func NewScanner(values map[string]string) *Scanner {
	s := &Scanner{}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s.add(name, values[name])
	}
	return s
}

func (s *Scanner) add(name, value string) {
	if len(value) < MinBytes {
		return
	}
	for _, p := range s.secrets {
		if p.name == name && p.value == value {
			return
		}
	}
	s.secrets = append(s.secrets, pattern{name, value})
	if s.byHead == nil {
		s.byHead = map[uint16][]form{}
	}
	for _, text := range formsOf(value) {
		h := head(text, 0)
		s.heads[h>>6] |= 1 << (h & 63)
		s.byHead[h] = append(s.byHead[h], form{name, text})
	}
}

// formsOf lists the texts that are searched for; percent signs, backslashes and line breaks are undone in the text that
// is searched instead.
func formsOf(value string) []string {
	hexed := hex.EncodeToString([]byte(value))
	forms := []string{value, hexed, strings.ToUpper(hexed)}
	if strings.Contains(value, " ") {
		forms = append(forms, strings.ReplaceAll(value, " ", "+")) // in a query
	}
	for shift := range 3 {
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, base64Core(alphabet, value, shift))
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// head is the two bytes at i.
func head(text string, i int) uint16 { return uint16(text[i]) | uint16(text[i+1])<<8 }

// base64Core is the part of an encoding that the value alone decides when shift bytes stand before it in its group of
// three: what the neighbours share in is cut off at both ends.
func base64Core(enc *base64.Encoding, value string, shift int) string {
	all := enc.EncodeToString(append(make([]byte, shift), value...))
	first := (shift*8 + 5) / 6
	last := (shift + len(value)) * 8 / 6
	return all[first:last]
}

// Empty is true when there is nothing to be found.
func (s *Scanner) Empty() bool { return s == nil || len(s.secrets) == 0 }

// Find lists the names of the secrets that a text holds, sorted, each once: for whoever is about to write a file. The
// text may be JSON, whose strings are searched behind their escapes too.
func (s *Scanner) Find(text string) []string {
	var names []string
	for _, h := range s.Hits(text) {
		names = append(names, h.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Hits lists where secrets are in a text, in order, never overlapping.
func (s *Scanner) Hits(text string) []Hit {
	if s.Empty() || len(text) < MinBytes || !s.present(text) {
		return nil
	}
	var hits []Hit
	for v := range views(text, true) {
		s.match(v, &hits)
	}
	return merge(hits)
}

// present is true when a secret is in the text. It looks at the same views as Hits, but without the way back.
func (s *Scanner) present(text string) bool {
	for v := range views(text, false) {
		if s.match(v, nil) {
			return true
		}
	}
	return false
}

// match notes every form in a view; with nil it only says whether there is one.
func (s *Scanner) match(v view, hits *[]Hit) bool {
	text := v.text
	found := false
	for i := 0; i+1 < len(text); i++ {
		h := head(text, i)
		if s.heads[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		for _, f := range s.byHead[h] {
			if !strings.HasPrefix(text[i:], f.text) {
				continue
			}
			if hits == nil {
				return true
			}
			found = true
			start, end := v.original(i, i+len(f.text))
			*hits = append(*hits, Hit{f.name, start, end})
		}
	}
	return found
}

// merge sorts hits and joins the overlapping ones under the name of the first.
func merge(hits []Hit) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	out := hits[:0]
	for _, h := range hits {
		if n := len(out); n > 0 && h.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, h.End)
			continue
		}
		out = append(out, h)
	}
	return out
}

// Mark is what stands in place of a secret.
func Mark(name string) string { return "[redacted:" + name + "]" }

// Redact replaces every secret in a text by its Mark. changed is false when there was none.
func (s *Scanner) Redact(text string) (clean string, changed bool) {
	hits := s.Hits(text)
	if len(hits) == 0 {
		return text, false
	}
	var b strings.Builder
	at := 0
	for _, h := range hits {
		b.WriteString(text[at:h.Start])
		b.WriteString(Mark(h.Name))
		at = h.End
	}
	b.WriteString(text[at:])
	return b.String(), true
}

// RedactValue replaces secrets in every string, object key and number of a value. Two keys that become equal are kept
// apart by "#2", "#3", ….
func (s *Scanner) RedactValue(v canon.Value) (clean canon.Value, changed bool) {
	if s.Empty() || v.IsAbsent() || !s.dirty(v) {
		return v, false
	}
	return s.walk(v)
}

// dirty is true when a string, key or number of the value holds a secret. Most do not, and then nothing is built.
func (s *Scanner) dirty(v canon.Value) bool {
	switch v.Kind() {
	case canon.KindString:
		text, _ := v.Str()
		return len(s.Hits(text)) > 0
	case canon.KindNumber:
		return v.Len() >= MinBytes && len(s.Hits(v.Text())) > 0
	case canon.KindArray:
		for _, e := range v.Elems() {
			if s.dirty(e) {
				return true
			}
		}
	case canon.KindObject:
		for k, m := range v.Members() {
			if len(k) >= MinBytes && len(s.Hits(k)) > 0 || s.dirty(m) {
				return true
			}
		}
	}
	return false
}

func (s *Scanner) walk(v canon.Value) (canon.Value, bool) {
	switch v.Kind() {
	case canon.KindString:
		text, _ := v.Str()
		if clean, changed := s.Redact(text); changed {
			return canon.String(clean), true
		}
	case canon.KindNumber:
		if clean, changed := s.Redact(v.Text()); changed {
			return canon.String(clean), true
		}
	case canon.KindArray:
		elems := make([]canon.Value, 0, v.Count())
		changed := false
		for _, e := range v.Elems() {
			clean, c := s.walk(e)
			elems, changed = append(elems, clean), changed || c
		}
		if changed {
			return canon.Array(elems...), true
		}
	case canon.KindObject:
		return s.walkObject(v)
	}
	return v, false
}

func (s *Scanner) walkObject(v canon.Value) (canon.Value, bool) {
	members := make([]canon.Member, 0, v.Count())
	used := map[string]bool{}
	for k := range v.Members() {
		used[k] = true
	}
	changed := false
	for k, m := range v.Members() {
		clean, c := s.walk(m)
		changed = changed || c
		if key, c := s.Redact(k); c {
			k, changed = distinct(key, used), true
		}
		members = append(members, canon.Member{Key: k, Value: clean})
	}
	if !changed {
		return v, false
	}
	return canon.Object(members...), true
}
