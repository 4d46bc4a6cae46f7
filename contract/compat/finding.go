package compat

import (
	"fmt"
	"strings"

	"flowdbg/trace/canon"
)

// Level is how much a single difference matters, from LevelNone (no difference) to LevelBreak. Ours, below the levels of
// seed 003, which belong to a tool as a whole.
type Level uint8

// The levels in rising order.
const (
	LevelNone     Level = iota // no difference
	LevelDocs                  // words only
	LevelAddition              // harmless in this direction
	LevelSemantic              // the form is compatible, the meaning may not be: a person decides
	LevelBreak                 // somebody who did nothing wrong breaks
)

var levelNames = [...]string{"none", "docs", "addition", "semantic?", "break"}

// String is "none", "docs", "addition", "semantic?" or "break".
func (l Level) String() string { return nameOf(levelNames[:], int(l)) }

// MarshalText is String, so that JSON shows the name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (l *Level) UnmarshalText(text []byte) error {
	i, err := indexOf(levelNames[:], string(text))
	*l = Level(i)
	return err
}

// Letter is the part of a semantic version that a change must raise, by the table of seed 000.
type Letter uint8

// The letters in rising order.
const (
	LetterNone Letter = iota
	LetterPatch
	LetterMinor
	LetterMajor
)

var letterNames = [...]string{"none", "PATCH", "MINOR", "MAJOR"}

// String is "none", "PATCH", "MINOR" or "MAJOR".
func (l Letter) String() string { return nameOf(letterNames[:], int(l)) }

// MarshalText is String, so that JSON shows the name.
func (l Letter) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (l *Letter) UnmarshalText(text []byte) error {
	i, err := indexOf(letterNames[:], string(text))
	*l = Letter(i)
	return err
}

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func indexOf(names []string, name string) (int, error) {
	for i, n := range names {
		if n == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%q is none of %s", name, strings.Join(names, ", "))
}

// Direction says which way the instances of a schema travel, and with it who is the sender.
type Direction uint8

// The directions.
const (
	Arguments Direction = iota // the old agent sends, the new tool receives
	Results                    // the new tool sends, the old agent receives
)

// String is "arguments" or "results".
func (d Direction) String() string {
	if d == Results {
		return "results"
	}
	return "arguments"
}

// MarshalText is String, so that JSON shows the name.
func (d Direction) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// sender and receiver are the nouns that texts use.
func (d Direction) sender() string {
	if d == Results {
		return "a new answer"
	}
	return "an old call"
}

func (d Direction) receiver() string {
	if d == Results {
		return "an old agent"
	}
	return "the new tool"
}

// Who breaks, as it stands in Finding.Who.
const (
	WhoNobody    = "nobody"
	WhoCallers   = "old callers"      // agents that call with the arguments of before
	WhoReaders   = "old readers"      // agents that read the answer by the schema of before
	WhoUndecided = "a person decides" // nobody by form; perhaps somebody by meaning
)

// Finding is one difference between two versions of a schema or a tool.
type Finding struct {
	Level  Level  `json:"level"`
	Letter Letter `json:"letter"` // the second column: what seed 000 asks of the tool's semantic version
	Rule   string `json:"rule"`   // stable id, one of Rules()
	Part   string `json:"part"`   // "arguments", "results", "capability", "tool"
	// Pointer is the place as a JSON Pointer through the *shape*: references are looked through, so it goes
	// /properties/a/minimum wherever `a` is defined.
	Pointer string      `json:"pointer"`
	Old     canon.Value `json:"old,omitzero"` // the old value at that place, absent when there was none
	New     canon.Value `json:"new,omitzero"` // the new value at that place, absent when there is none
	Who     string      `json:"who_breaks"`
	Text    string      `json:"text"`              // one sentence; holds parts of the schemas, so it is untrusted text
	Bridged bool        `json:"bridged,omitempty"` // the step rules carry it, so that on the platform nobody meets it
	subject string      // the name a set-like keyword is about, for finding out what covers what
}

// Worst is the highest level among findings, LevelNone when there are none.
func Worst(findings []Finding) Level {
	worst := LevelNone
	for _, f := range findings {
		worst = max(worst, f.Level)
	}
	return worst
}

// WorstLetter is the highest letter among findings, LetterNone when there are none.
func WorstLetter(findings []Finding) Letter {
	worst := LetterNone
	for _, f := range findings {
		worst = max(worst, f.Letter)
	}
	return worst
}
