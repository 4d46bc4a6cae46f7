package translate

import (
	"fmt"
	"strings"
)

// Reasons of refusals. The first three break a chain (code tool_outdated_for_agent), the others are faults of one value
// (code translation_failed), unless noted.
const (
	ReasonNoRule           = "no_rule"                 // a neighbour pair has no step for the tool
	ReasonUnknownVersion   = "unknown_version"         // nobody knows the version of the call
	ReasonNotInvertible    = "not_invertible"          // a list that must be derived backwards cannot be
	ReasonTargetExists     = "target_exists"           // something is already in the place a value goes to
	ReasonPathType         = "path_type"               // a scalar where an object or an array is needed
	ReasonNotRepresentable = "value_not_representable" // the older version has no words for the value
	ReasonInvalid          = "invalid"                 // the translated document does not fit the receiver's schema
	ReasonNotJSON          = "not_json"                // the document cannot be read
	ReasonSunset           = "sunset"                  // code tool_excluded
	ReasonInArguments      = "version_in_arguments"    // code invalid_arguments
	ReasonBadRule          = "bad_rule"                // never at run time: rules are refused at load
)

// CodeInvalidArguments refuses arguments that do not fit the agent's own version, or that carry a contract version, before
// anything is translated (ours: seed 003 names no code for it).
const CodeInvalidArguments = "invalid_arguments"

// OpError is an operation that cannot be applied to a document. At is the JSON Pointer of the place that refuses.
type OpError struct {
	Code  string // target_exists, path_type, value_not_representable or not_invertible
	At    string
	Index int    // of the operation in its list
	Text  string // more for people, may be empty
}

// Error names the operation, the reason and the place.
func (e *OpError) Error() string {
	s := fmt.Sprintf("operation %d: %s at %q", e.Index, e.Code, e.At)
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// RuleError is one thing wrong with a rule file. Line and Col count from 1 and are 0 when the fault has no place in it.
type RuleError struct {
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Col       int    `json:"col,omitempty"`
	Pointer   string `json:"pointer"`      // of the faulty element in the file
	At        string `json:"at,omitempty"` // the offending path, name or tool
	Text      string `json:"text"`
	IsWarning bool   `json:"warning,omitempty"`
}

// Error is "file:line:col pointer: text", without the parts that are not known.
func (e *RuleError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d", e.Line, e.Col)
	}
	switch place := b.Len() > 0; {
	case place && e.Pointer != "":
		b.WriteString(" " + e.Pointer + ": ")
	case e.Pointer != "":
		b.WriteString(e.Pointer + ": ")
	case e.Line > 0:
		b.WriteString(": ")
	case place: // "file:" stands alone
		b.WriteString(" ")
	}
	return b.String() + e.Text
}

// RuleErrors is everything wrong with the rule files of one load, in file order. Its code is bad_rule.
type RuleErrors []*RuleError

// Error lists all of them, one a line.
func (es RuleErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return ReasonBadRule + ": " + strings.Join(lines, "\n")
}

// Note is something a translation did that its receiver should know: a value was lost, or one was invented that nobody sent.
type Note struct {
	Kind string `json:"kind"` // NoteLoss, NoteInvented or one of Finish's
	Path string `json:"path"` // JSON Pointer with indices
	Step string `json:"step,omitempty"`
}

// Kinds of notes.
const (
	NoteLoss        = "loss"
	NoteInvented    = "invented"
	NoteTextLeft    = "text_left"    // a text block that says something else than structuredContent
	NoteNotChecked  = "not_checked"  // no schema to validate against
	NoteNoStructure = "unstructured" // an answer without structuredContent: there is nothing to translate
)

// String is "kind:pointer".
func (n Note) String() string { return n.Kind + ":" + n.Path }

// Lossless says whether none of the notes is a loss.
func Lossless(notes []Note) bool {
	for _, n := range notes {
		if n.Kind == NoteLoss {
			return false
		}
	}
	return true
}
