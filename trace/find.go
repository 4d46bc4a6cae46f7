package trace

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"flowdbg/trace/canon"
)

// FindQuery is what is looked for: a text, in the events that pass the filters. Text is compared with the event's JSON
// as it stands in the file, so it finds member names too; where JSON would escape it (a quote, a line break), the escaped
// form is found as well. An empty text finds every event that passes.
type FindQuery struct {
	Text       string
	IgnoreCase bool     // ASCII letters, and others by their simple lower case
	Types      []Type   // any of these; empty: all
	Agents     []string // who acts, sends or is sent to
	Tags       []string // of the message received, sent, or listed by an act
	FromStep   int      // steps below are passed over
	ToStep     int      // steps above are passed over; 0: none
	Start      int      // the first event looked at; negative counts from the end, as -1 is the last
	Backward   bool
}

// Hit is an event that was found, and where its text matches first (bytes from its start; 0 for an empty text).
type Hit struct {
	Event  int `json:"event"`
	Offset int `json:"offset"`
}

// Finder is a search under way, cut into slices so that a caller can draw, or stop, in between.
type Finder struct {
	log     Log
	q       FindQuery
	texts   *texts
	next    int // the event to look at next
	needles [][]byte
	fold    func(dst, text []byte) []byte // nil: as it is
	folded  []byte
	filter  bool
}

// ErrFindText refuses a text that no trace can hold.
var ErrFindText = errors.New("the text is not valid UTF-8")

// NewFinder begins a search; it reads nothing yet.
func NewFinder(log Log, q FindQuery) (*Finder, error) {
	if !utf8.ValidString(q.Text) {
		return nil, ErrFindText
	}
	f := &Finder{log: log, q: q, texts: newTexts(log), next: q.Start}
	if q.Start < 0 {
		f.next = max(log.Len()+q.Start, -1)
	}
	if q.Backward {
		f.next = min(f.next, log.Len()-1)
	}
	f.filter = len(q.Types)+len(q.Agents)+len(q.Tags) > 0 || q.FromStep > 0 || q.ToStep > 0
	if q.Text == "" {
		return f, nil
	}
	text := []byte(q.Text)
	escaped := canon.AppendString(nil, q.Text)
	escaped = escaped[1 : len(escaped)-1]
	if q.IgnoreCase {
		f.fold = lowerASCII
		for _, c := range text {
			if c >= utf8.RuneSelf {
				f.fold = lowerAll
			}
		}
		text, escaped = f.fold(nil, text), f.fold(nil, escaped)
	}
	f.needles = [][]byte{text}
	if !bytes.Equal(text, escaped) {
		f.needles = append(f.needles, escaped)
	}
	return f, nil
}

// Next is the event that the search looks at next.
func (f *Finder) Next() int { return f.next }

// sliceHeader is what an event counts, in bytes, beside its text.
const sliceHeader = 32

// Slice goes on until a hit, until about budget bytes were looked at (an event is never cut, so a large one counts at
// once), or to the end; 1 MiB takes a few milliseconds. found is true with a hit: the next call goes on behind it. done
// is true when nothing is left; a growing trace may have more later.
func (f *Finder) Slice(budget int) (hit Hit, found, done bool, err error) {
	for spent := 0; spent < budget; {
		if f.next < 0 || f.next >= f.log.Len() {
			return Hit{}, false, true, nil
		}
		i := f.next
		spent += sliceHeader
		if !f.filter || f.passes(i) {
			text, err := f.texts.at(i)
			if err != nil {
				return Hit{}, false, true, err
			}
			spent += len(text)
			at := f.match(text)
			if at >= 0 && len(f.q.Tags) > 0 {
				if at, err = f.tagged(i, at); err != nil {
					return Hit{}, false, true, err
				}
			}
			if at >= 0 {
				f.advance()
				return Hit{i, at}, true, false, nil
			}
		}
		f.advance()
	}
	return Hit{}, false, false, nil
}

func (f *Finder) advance() {
	if f.q.Backward {
		f.next--
	} else {
		f.next++
	}
}

// passes judges an event by its header alone.
func (f *Finder) passes(i int) bool {
	h := f.log.Header(i)
	if len(f.q.Agents) > 0 && !slices.Contains(f.q.Agents, h.Agent) && (h.To == "" || !slices.Contains(f.q.Agents, h.To)) {
		return false
	}
	if f.q.FromStep > 0 && h.Step < f.q.FromStep || f.q.ToStep > 0 && h.Step > f.q.ToStep {
		return false
	}
	if len(f.q.Types) == 0 || slices.Contains(f.q.Types, h.Type) {
		return true
	}
	if h.Type != kindTypes[kindOther] {
		return false
	}
	e, _, err := f.texts.event(i) // the columns do not hold this type's name
	return err == nil && slices.Contains(f.q.Types, e.Type)
}

// match is where a text matches, or -1.
func (f *Finder) match(text []byte) int {
	if len(f.needles) == 0 {
		return 0
	}
	if f.fold != nil {
		f.folded = f.fold(f.folded[:0], text)
		if len(f.folded) > 4*textBlock {
			defer func() { f.folded = nil }() // one huge event does not stay in memory
		}
		text = f.folded
	}
	best := -1
	for _, n := range f.needles {
		if at := bytes.Index(text, n); at >= 0 && (best < 0 || at < best) {
			best = at
		}
	}
	return best
}

// tagged is at when the event carries one of the tags, else -1.
func (f *Finder) tagged(i, at int) (int, error) {
	e, _, err := f.texts.event(i)
	if err != nil {
		return -1, err
	}
	tag := e.Message.Tag
	if e.Type == EffectEvent {
		tag = TagEffect
	}
	if tag != "" && slices.Contains(f.q.Tags, tag) {
		return at, nil
	}
	for _, s := range e.Send.Elems() {
		if t, ok := s.Get("tag").Str(); ok && slices.Contains(f.q.Tags, t) {
			return at, nil
		}
	}
	return -1, nil
}

func lowerASCII(dst, text []byte) []byte {
	dst = slices.Grow(dst, len(text))[:len(text)]
	for i, c := range text {
		if c-'A' < 26 {
			c += 'a' - 'A'
		}
		dst[i] = c
	}
	return dst
}

func lowerAll(_, text []byte) []byte { return bytes.ToLower(text) }

// findSlice is how much Find looks at between two looks at its context, in bytes.
const findSlice = 1 << 20

// Find runs a whole search and calls each with every hit, in order, until it returns false. It stops within a few
// milliseconds of a cancelled context.
func Find(ctx context.Context, log Log, q FindQuery, progress Progress, each func(Hit) bool) error {
	f, err := NewFinder(log, q)
	if err != nil {
		return err
	}
	begin, total := f.next, log.Len()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		hit, found, done, err := f.Slice(findSlice)
		if err != nil {
			return err
		}
		if found && !each(hit) || done {
			return nil
		}
		if progress != nil && !found {
			seen := f.next - begin
			progress(max(seen, -seen), total)
		}
	}
}
