package meta

import (
	"fmt"
	"slices"
)

// Levels of journal entries.
const (
	LevelError   = "error"
	LevelWarning = "warning"
)

// Codes of journal entries.
const (
	CodeConfiguration = "configuration_error" // a value that cannot be used, or no value at all
	CodeDuplicate     = "duplicate_version"
	CodeDisagree      = "versions_disagree" // tool and initialize
	CodeVanished      = "versions_vanished" // listed before, now gone
	CodeSunset        = "sunset_announced"
	CodeExcluded      = "tool_excluded"
	CodeNoVersion     = "call_without_version"
)

// Origin says where a version was found.
type Origin string

// Origins in the order in which they are asked (seed 003).
const (
	SourceTool       Origin = "tool_meta"
	SourceInitialize Origin = "initialize_meta" // or server/discover, from protocol 2026-07-28 on
	SourcePinned     Origin = "pinned"
	SourceLastKnown  Origin = "last_known"
	SourceCurrent    Origin = "platform_current" // the tool was never seen with a version
	SourceCall       Origin = "call_meta"
)

// Entry is one line of the journal.
type Entry struct {
	Level  string `json:"level"`
	Code   string `json:"code"`
	Tool   string `json:"tool,omitempty"`
	Source Origin `json:"source"`
	Text   string `json:"text"`
}

// Sources is everything that may say which versions a tool implements.
type Sources struct {
	Tool       map[string]any // the tool's `_meta` in tools/list
	Initialize map[string]any // the `_meta` of the initialize or server/discover answer
	Pinned     int            // pinned for the connection, 0 = not
	LastKnown  int            // highest version seen for this tool, 0 = never
	Current    int            // the platform's current version
	Listed     bool           // the tool had a contract_versions list when it was listed before
}

// Resolved is what a tool implements and who said so.
type Resolved struct {
	Versions []int   `json:"versions"` // ascending, unique; empty only when not even the platform's version is known
	Source   Origin  `json:"source"`
	Journal  []Entry `json:"journal"`
}

// Resolve finds the versions a tool implements, first found: the tool's `_meta`, the initialize or discover answer, the
// pinned version, the last known one, which is journalled as a configuration error (seed 003). A value that cannot be used
// is a configuration error too and is discarded as a whole; the next source is asked.
func Resolve(k Keys, tool string, s Sources) Resolved {
	r := Resolved{Journal: []Entry{}}
	add := func(level, code string, source Origin, format string, args ...any) {
		r.Journal = append(r.Journal, Entry{level, code, tool, source, fmt.Sprintf(format, args...)})
	}
	listed := r.fromTool(k, s, add)
	initial, haveInitial := 0, false
	if v, ok := s.Initialize[k.Version]; ok {
		n, err := Integer(v)
		if err != nil {
			add(LevelError, CodeConfiguration, SourceInitialize, "%s: %v", k.Version, err)
		} else {
			initial, haveInitial = n, true
		}
	}
	if s.Listed && !listed {
		add(LevelWarning, CodeVanished, SourceTool, "%s was listed before and is gone: a proxy may drop _meta", k.Versions)
	}
	if r.Source == SourceTool {
		if haveInitial && !slices.Contains(r.Versions, initial) {
			add(LevelWarning, CodeDisagree, SourceInitialize, "the tool lists %v, the server says %d: the tool wins", r.Versions, initial)
		}
		return r
	}
	r.fallBack(initial, s, add)
	return r
}

type adder func(level, code string, source Origin, format string, args ...any)

// fromTool reads the tool's own list; listed says whether the key was there at all.
func (r *Resolved) fromTool(k Keys, s Sources, add adder) (listed bool) {
	v, listed := s.Tool[k.Versions]
	if !listed {
		return false
	}
	versions, duplicates, err := List(v)
	if err != nil {
		add(LevelError, CodeConfiguration, SourceTool, "%s: %v", k.Versions, err)
		return true
	}
	if duplicates {
		add(LevelWarning, CodeDuplicate, SourceTool, "%s lists a version twice", k.Versions)
	}
	r.Versions, r.Source = versions, SourceTool
	return true
}

func (r *Resolved) fallBack(initial int, s Sources, add adder) {
	if s.Pinned != 0 {
		if _, err := Integer(s.Pinned); err != nil {
			add(LevelError, CodeConfiguration, SourcePinned, "%v", err)
			s.Pinned = 0
		}
	}
	switch {
	case initial > 0:
		r.Versions, r.Source = []int{initial}, SourceInitialize
	case s.Pinned > 0:
		r.Versions, r.Source = []int{s.Pinned}, SourcePinned
	case s.LastKnown > 0:
		r.Versions, r.Source = []int{s.LastKnown}, SourceLastKnown
		add(LevelError, CodeConfiguration, SourceLastKnown, "nothing says which contract version the tool implements: the last known one is used, %d", s.LastKnown)
	case s.Current > 0:
		r.Versions, r.Source = []int{s.Current}, SourceCurrent
		add(LevelError, CodeConfiguration, SourceCurrent, "nothing ever said which contract version the tool implements: the platform's version is used, %d", s.Current)
	default:
		r.Source = SourceCurrent
		add(LevelError, CodeConfiguration, SourceCurrent, "nothing says which contract version the tool implements, and the platform has no version")
	}
}

// CallVersion reads the version of a call from its `_meta`. 0 means that the call has none, or none that can be used: it
// is then not translated, and the entry says so.
func CallVersion(k Keys, tool string, callMeta map[string]any) (int, []Entry) {
	v, ok := callMeta[k.Version]
	if !ok {
		return 0, []Entry{{LevelWarning, CodeNoVersion, tool, SourceCall, "the call carries no " + k.Version + ": it is not translated"}}
	}
	n, err := Integer(v)
	if err != nil {
		return 0, []Entry{{LevelError, CodeConfiguration, tool, SourceCall, fmt.Sprintf("%s: %v; the call is not translated", k.Version, err)}}
	}
	return n, nil
}

// ArgumentKey is the first top-level member of a tool's arguments that looks like a contract version, "" if none. Seed
// 003: the version travels in `_meta` only and never in arguments, so such a call is refused.
func ArgumentKey(k Keys, names func(yield func(string) bool)) string {
	for name := range names {
		if k.isVersionName(name) {
			return name
		}
	}
	return ""
}

func (k Keys) isVersionName(name string) bool {
	switch name {
	case k.Version, k.Versions, nameVersion, nameVersions:
		return true
	}
	return false
}

// SchemaFinding says that a tool's own input schema declares a version as an argument; nil when it does not.
func SchemaFinding(k Keys, tool string, properties func(yield func(string) bool)) *Entry {
	key := ArgumentKey(k, properties)
	if key == "" {
		return nil
	}
	return &Entry{LevelError, CodeConfiguration, tool, SourceTool,
		fmt.Sprintf("the input schema declares %q: a contract version travels in _meta, never in arguments, so calls with it are refused", key)}
}
