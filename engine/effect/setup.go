package effect

import (
	"time"

	"flowdbg/trace/canon"
)

// What a Maker reads from settings that CheckSettings has passed; a member that is absent, null or of another form is
// the default.

// Millis is a time in milliseconds.
func (s Setup) Millis(name string, def time.Duration) time.Duration {
	if n, ok := s.Settings.Get(name).Int(); ok && n >= 0 {
		return time.Duration(n) * time.Millisecond
	}
	return def
}

// Int is an integer.
func (s Setup) Int(name string, def int64) int64 {
	if n, ok := s.Settings.Get(name).Int(); ok {
		return n
	}
	return def
}

// Float is a number.
func (s Setup) Float(name string, def float64) float64 {
	if n, ok := s.Settings.Get(name).Float(); ok {
		return n
	}
	return def
}

// Text is a string.
func (s Setup) Text(name, def string) string {
	if t, ok := s.Settings.Get(name).Str(); ok {
		return t
	}
	return def
}

// Bool is a truth value.
func (s Setup) Bool(name string, def bool) bool {
	if b, ok := s.Settings.Get(name).Bool(); ok {
		return b
	}
	return def
}

// Strings is a list of strings, nil when it is absent.
func (s Setup) Strings(name string) []string { return stringsIn(s.Settings.Get(name)) }

// Texts reads an object of texts and secrets. The values are what is known before a call: secrets are still names.
func (s Setup) Texts(name string) []canon.Member {
	var list []canon.Member
	for k, v := range s.Settings.Get(name).Members() {
		list = append(list, canon.Member{Key: k, Value: v})
	}
	return list
}
