package trace

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write writes the events as a JSON array, one event per line (the seed's form, and line-indexable), or as JSON Lines.
func Write(w io.Writer, events []Event, format Format) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if format == FormatArray {
		b.WriteString("[\n")
	}
	var line []byte
	for i := range events {
		line = events[i].AppendJSON(line[:0])
		if format == FormatArray && i < len(events)-1 {
			line = append(line, ',')
		}
		line = append(line, '\n')
		if _, err := b.Write(line); err != nil {
			return fmt.Errorf("writing event %d: %w", i, err)
		}
	}
	if format == FormatArray {
		b.WriteString("]\n")
	}
	return b.Flush()
}

// WriteFile writes beside the target and renames into place, so that a failed save leaves the old file whole.
func WriteFile(path string, events []Event, format Format) error {
	return ReplaceFile(path, func(w io.Writer) error { return Write(w, events, format) })
}

// ReplaceFile calls fill with a new file in the same folder, syncs it and renames it over path. On any error the
// target is untouched and the new file is removed. The mode is 0644, or that of the file it replaces.
func ReplaceFile(path string, fill func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm()
	}
	err = fill(tmp)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
