package debug

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"flowdbg/trace"
)

// Mark is a named place in a run's log. It is bound by the event's number and what stood there, so that a log in which
// something else stands there is told from the one it was set in.
type Mark struct {
	Name  string     `json:"name"`
	Run   int        `json:"run"`   // of the session that it was set in
	Event int        `json:"event"` // -1 is the start, before the first event
	Type  trace.Type `json:"type,omitempty"`
	Agent string     `json:"agent,omitempty"`
	Step  int        `json:"step,omitempty"`
	Hash  string     `json:"hash,omitempty"` // of what is compared of the event: the first 16 hex digits of its sha256
	Note  string     `json:"note,omitempty"`
}

// MarkPlace says what a log has where a mark was set.
type MarkPlace string

// The places.
const (
	MarkHere    MarkPlace = "here"
	MarkDiffers MarkPlace = "differs" // the same agent does the same there in the same step, with other values
	MarkAhead   MarkPlace = "ahead"   // the run has not come so far
	MarkGone    MarkPlace = "gone"    // another event stands there, or the run ends before
)

// Text is the place in words, "" for a mark that is where it was set.
func (p MarkPlace) Text() string {
	return map[MarkPlace]string{MarkDiffers: "differs now", MarkAhead: "not reached yet", MarkGone: "not in this run"}[p]
}

// Pos is the position of the mark: behind its event.
func (m *Mark) Pos() int { return m.Event + 1 }

// Where is the event's number and What it is.
func (m *Mark) Where() string {
	if m.Event < 0 {
		return m.What()
	}
	return fmt.Sprintf("event %d, %s", m.Event, m.What())
}

// What is the marked event in words: "receive of critic in step 4".
func (m *Mark) What() string {
	if m.Event < 0 {
		return "start"
	}
	s := string(m.Type)
	if m.Agent != "" {
		s += " of " + m.Agent
	}
	if m.Step > 0 {
		s += fmt.Sprintf(" in step %d", m.Step)
	}
	return s
}

// Bounds of a mark (ours).
const (
	maxMarkName = 32  // characters
	maxMarkNote = 400 // bytes
)

// CheckMarkName is the rule for names: a letter, then letters, digits, "_", "-" and ".", at most 32 characters; so a name
// is never a number, and needs no quotes anywhere.
func CheckMarkName(name string) error {
	ok := name != "" && utf8.RuneCountInString(name) <= maxMarkName
	for i, r := range name {
		ok = ok && (unicode.IsLetter(r) || i > 0 && (unicode.IsDigit(r) || strings.ContainsRune("_-.", r)))
	}
	if !ok {
		return fmt.Errorf("%q is no name of a mark: a letter, then letters, digits, _, - and ., at most %d characters", name, maxMarkName)
	}
	return nil
}

// ParseMark reads "NAME", "NAME note that takes the rest of the line".
func ParseMark(text string) (name, note string, err error) {
	name, note, _ = strings.Cut(strings.TrimSpace(text), " ")
	note = strings.TrimSpace(note)
	return name, note, checkMark(name, note)
}

func checkMark(name, note string) error {
	if err := CheckMarkName(name); err != nil {
		return err
	}
	if len(note) > maxMarkNote {
		return fmt.Errorf("the note has %d bytes; at most %d", len(note), maxMarkNote)
	}
	return nil
}

// MarkName reads a mark where a position is expected: 'NAME, also with a closing quote.
func MarkName(text string) (name string, ok bool) {
	name, ok = strings.CutPrefix(strings.TrimSpace(text), "'")
	return strings.TrimSuffix(name, "'"), ok
}

// Mark sets a mark at an event of the run that is shown, -1 for the start. A mark of that name is moved there; was is
// what it was before, nil for a new one.
func (s *Session) Mark(name string, event int, note string) (set Mark, was *Mark, err error) {
	note = strings.TrimSpace(note)
	if err := checkMark(name, note); err != nil {
		return set, nil, err
	}
	if event < -1 || event >= s.Total() {
		return set, nil, fmt.Errorf("there is no event %d; there are %d", event, s.Total())
	}
	set = Mark{Name: name, Run: s.CurrentRun(), Event: event, Note: note}
	if event >= 0 {
		h := s.Header(event)
		set.Type, set.Agent, set.Step, set.Hash = h.Type, h.Agent, h.Step, eventHash(s.Event(event))
	}
	return set, s.putMark(set), nil
}

func (s *Session) putMark(set Mark) (was *Mark) {
	for i := range s.marks {
		if s.marks[i].Name == set.Name {
			old := s.marks[i]
			s.marks[i] = set
			s.sortMarks()
			return &old
		}
	}
	s.marks = append(s.marks, set)
	s.sortMarks()
	return nil
}

// sortMarks puts them in the order of the events.
func (s *Session) sortMarks() {
	sort.SliceStable(s.marks, func(i, j int) bool {
		a, b := &s.marks[i], &s.marks[j]
		return a.Event < b.Event || a.Event == b.Event && a.Name < b.Name
	})
}

// Unmark removes a mark and returns what it was; nil when there is none of the name.
func (s *Session) Unmark(name string) *Mark {
	for i, m := range s.marks {
		if m.Name == name {
			s.marks = append(s.marks[:i:i], s.marks[i+1:]...)
			return &m
		}
	}
	return nil
}

// Remark puts a mark back that was removed, as it was.
func (s *Session) Remark(m Mark) { s.putMark(m) }

// Marks lists all marks in the order of their events, wherever they belong.
func (s *Session) Marks() []Mark { return s.marks }

// MarkOf is the mark of a name.
func (s *Session) MarkOf(name string) (Mark, error) {
	var names []string
	for _, m := range s.marks {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	if len(names) == 0 {
		return Mark{}, fmt.Errorf("there is no mark %q; none is set", name)
	}
	return Mark{}, fmt.Errorf("there is no mark %q; there are %s", name, strings.Join(names, ", "))
}

// MarksAt are the names of the marks on an event of the run that is shown, by its header alone; -1 is the start.
func (s *Session) MarksAt(event int) (names []string) {
	first := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].Event >= event })
	for _, m := range s.marks[first:] {
		if m.Event != event {
			break
		}
		if event < 0 || m.like(s.Header(event)) {
			names = append(names, m.Name)
		}
	}
	return names
}

func (m *Mark) like(h trace.Header) bool {
	return h.Type == m.Type && h.Agent == m.Agent && h.Step == m.Step
}

// MarkPlace says what the run that is shown has where the mark was set.
func (s *Session) MarkPlace(m Mark) MarkPlace {
	if m.Event >= s.Total() && s.mayGrow() {
		return MarkAhead
	}
	return m.In(shown{s})
}

// mayGrow is true while events may still follow those that can be shown.
func (s *Session) mayGrow() bool {
	if s.rep != nil {
		return !s.rep.Ended() && s.rep.State.Finished() == nil
	}
	return s.store != nil && !s.store.Complete()
}

// In says what a log has where the mark was set. An event that cannot be read any more counts as another one.
func (m *Mark) In(log trace.Log) MarkPlace {
	if m.Event < 0 {
		return MarkHere
	}
	if m.Event >= log.Len() || !m.like(log.Header(m.Event)) {
		return MarkGone
	}
	e, err := log.Event(m.Event)
	switch {
	case err != nil:
		return MarkGone
	case eventHash(e) != m.Hash:
		return MarkDiffers
	}
	return MarkHere
}

func eventHash(e *trace.Event) string {
	sum := sha256.Sum256([]byte(e.Compared().Text()))
	return hex.EncodeToString(sum[:8])
}

// shown is all that a session can show, as a log.
type shown struct{ s *Session }

func (l shown) Len() int                          { return l.s.Total() }
func (l shown) Header(i int) trace.Header         { return l.s.Header(i) }
func (l shown) Event(i int) (*trace.Event, error) { return l.s.at(i).Event(i) }

// ErrMarkGone is why a mark cannot be gone to.
var ErrMarkGone = errors.New("not in this run")

// GotoMark runs to the mark's position, behind its event. The error wraps ErrMarkGone when the run that is shown has
// something else there. Where the run has not come so far yet, it is run; ask MarkPlace on arrival.
func (s *Session) GotoMark(m Mark) (*Search, error) {
	if s.MarkPlace(m) == MarkGone {
		return nil, fmt.Errorf("mark %s (%s) is %w", m.Name, m.Where(), ErrMarkGone)
	}
	return s.Goto(m.Pos()), nil
}

// FreeMark is the first letter that names no mark; behind z come aa, ab and so on.
func (s *Session) FreeMark() string {
	taken := map[string]bool{}
	for _, m := range s.marks {
		taken[m.Name] = true
	}
	for n := 0; ; n++ {
		name := string(rune('a' + n%26))
		for k := n / 26; k > 0; k = (k - 1) / 26 {
			name = string(rune('a'+(k-1)%26)) + name
		}
		if !taken[name] {
			return name
		}
	}
}

// SaveMarks is what <flow>.dbg/marks.json holds.
func (s *Session) SaveMarks() ([]byte, error) { return saved(append([]Mark{}, s.marks...)) }

// RestoreMarks adds the marks of a saved file, over those of the same names. One that is no mark is an error; the others
// are added.
func (s *Session) RestoreMarks(data []byte) error {
	list, err := ReadMarks(data)
	for _, m := range list {
		s.putMark(m)
	}
	return err
}

// ReadMarks reads what SaveMarks wrote. The error is about the first one that is no mark; the others are returned.
func ReadMarks(data []byte) (list []Mark, err error) {
	var all []Mark
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("reading the saved marks: %w", err)
	}
	for i, m := range all {
		wrong := CheckMarkName(m.Name)
		if wrong == nil && m.Event < -1 {
			wrong = fmt.Errorf("event %d: -1 is the start", m.Event)
		}
		if wrong == nil {
			list = append(list, m)
		} else if err == nil {
			err = fmt.Errorf("reading the saved marks: number %d: %w", i+1, wrong)
		}
	}
	return list, err
}
