package contract

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Parse splits a design reference into design and technology. Its form is that of the schema: exactly one "@", no spaces.
func (r DesignRef) Parse() (design, tech string, err error) {
	design, tech, ok := strings.Cut(string(r), "@")
	if !ok || design == "" || tech == "" || strings.ContainsFunc(string(r), isSpace) || strings.Contains(tech, "@") {
		return "", "", fmt.Errorf("%q is not design@tech", string(r))
	}
	return design, tech, nil
}

func isSpace(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) }

// Resolved says whether the reference is a hash (and not a branch name).
func (s SnapshotRef) Resolved() bool { return isHash(string(s)) }

func isHash(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

// Time reads the timestamp: RFC 3339, UTC, written with "Z".
func (t Timestamp) Time() (time.Time, error) {
	if !strings.HasSuffix(string(t), "Z") {
		return time.Time{}, fmt.Errorf("%q is not UTC written with Z", string(t))
	}
	at, err := time.Parse(time.RFC3339Nano, string(t))
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not an RFC 3339 time: %w", string(t), err)
	}
	return at, nil
}

// TimestampOf writes a time as the contract does: UTC, RFC 3339, "Z", with the fraction the time has.
func TimestampOf(t time.Time) Timestamp { return Timestamp(t.UTC().Format(time.RFC3339Nano)) }

// Distance is the Manhattan displacement from p to q in µm; dbuPerMicron is the database's units per µm (> 0).
func (p Position) Distance(q Position, dbuPerMicron float64) float64 {
	return (abs(float64(q.X)-float64(p.X)) + abs(float64(q.Y)-float64(p.Y))) / dbuPerMicron
}

func abs(f float64) float64 { return max(f, -f) }

// MarshalJSON writes the id as a string, or the set as an object.
func (r DirtySetRef) MarshalJSON() ([]byte, error) {
	if r.Set != nil {
		return json.Marshal(r.Set)
	}
	return json.Marshal(r.ID)
}

// UnmarshalJSON reads a string as the id, anything else as the set.
func (r *DirtySetRef) UnmarshalJSON(data []byte) error {
	*r = DirtySetRef{}
	if strings.HasPrefix(strings.TrimSpace(string(data)), `"`) {
		return json.Unmarshal(data, &r.ID)
	}
	return json.Unmarshal(data, &r.Set)
}
