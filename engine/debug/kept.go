package debug

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
)

// Kept is a list of the session that a face keeps in a file between sessions.
type Kept struct {
	File    string // name of the file in the folder beside the flow
	What    string // for messages
	Save    func() ([]byte, error)
	Restore func([]byte) error
	Check   func([]byte) error // what Restore would say, without restoring
	// Stamp changes when something changed that is worth writing at once; counts of hits are not.
	Stamp func() uint64
}

// Kept lists what is kept between sessions: breakpoints, watches and marks.
func (s *Session) Kept() []Kept {
	return []Kept{
		{"breaks.json", "breakpoints", s.SaveBreaks, s.RestoreBreaks, checkBreaks, func() uint64 {
			return stamp(len(s.breaks.list), func(i int) string { p := s.breaks.list[i]; return fmt.Sprint(p, p.Enabled) })
		}},
		{"watches.json", "watches", s.SaveWatches, s.RestoreWatches, checkWatches, func() uint64 {
			return stamp(len(s.watches), func(i int) string { return s.watches[i].Agent + "\x00" + s.watches[i].Pointer })
		}},
		{"marks.json", "marks", s.SaveMarks, s.RestoreMarks, checkMarks, func() uint64 {
			return stamp(len(s.marks), func(i int) string {
				m := &s.marks[i]
				return m.Name + "\x00" + m.Note + "\x00" + m.Hash + "\x00" + strconv.Itoa(m.Event)
			})
		}},
	}
}

func stamp(n int, text func(i int) string) uint64 {
	if n == 0 {
		return 0
	}
	h := fnv.New64a()
	for i := range n {
		h.Write([]byte(text(i)))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// saved is a list as a file holds it.
func saved(list any) ([]byte, error) {
	data, err := json.MarshalIndent(list, "", "  ")
	return append(data, '\n'), err
}

// SaveWatches is what <flow>.dbg/watches.json holds.
func (s *Session) SaveWatches() ([]byte, error) { return saved(append([]Watch{}, s.watches...)) }

func checkBreaks(data []byte) error {
	list, err := readBreaks(data)
	if err != nil {
		return err
	}
	for i := range list {
		if _, err := list[i].condition(); err != nil {
			return err
		}
	}
	return nil
}

func checkWatches(data []byte) error { return new(Session).RestoreWatches(data) }

func checkMarks(data []byte) error {
	_, err := ReadMarks(data)
	return err
}

// RestoreWatches adds the watches of a saved file. One that is no watch is an error; the others are added.
func (s *Session) RestoreWatches(data []byte) error {
	var list []Watch
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("reading the saved watches: %w", err)
	}
	var first error
	for _, w := range list {
		if err := s.Watch(w); err != nil && first == nil {
			first = err
		}
	}
	return first
}
