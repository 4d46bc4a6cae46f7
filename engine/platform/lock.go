package platform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"flowdbg/contract/meta"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/trace"
)

// LockName is the lock's file in the folder <flow>.dbg beside a flow.
const LockName = "platform.lock.json"

// Lock is what the servers said when they were last asked: their tools as listed, and what followed from that.
type Lock struct {
	Form     int                     `json:"lock"` // version of this form: 1
	Day      string                  `json:"day"`  // when the servers were asked, YYYY-MM-DD in UTC
	Prefix   string                  `json:"prefix"`
	Settings string                  `json:"settings_sha256"` // of the servers' settings then
	Servers  map[string]LockedServer `json:"servers"`
	Tools    map[string]LockedTool   `json:"tools"`
}

// LockedServer is one server's word.
type LockedServer struct {
	Protocol   string            `json:"protocol"`
	Name       string            `json:"name,omitempty"`
	Version    string            `json:"version,omitempty"`
	Initialize json.RawMessage   `json:"initialize_meta,omitempty"` // `_meta` of the initialize answer
	Tools      []json.RawMessage `json:"tools"`                     // entries of tools/list as they came
}

// LockedTool is what is remembered of a tool across listings.
type LockedTool struct {
	Servers   []string `json:"servers"`             // where it is listed; more than one is ambiguous without a declaration
	Versions  []int    `json:"versions"`            // contract versions that it implements
	Source    string   `json:"source"`              // who said so (seed 003's order)
	LastKnown int      `json:"last_known"`          // the highest version ever seen for it, 0 = never
	Listed    bool     `json:"listed"`              // its own `_meta` had a contract_versions once
	Version   string   `json:"version,omitempty"`   // semantic version
	Sunset    string   `json:"sunset,omitempty"`    // YYYY-MM-DD
	LastSeen  string   `json:"last_seen,omitempty"` // the day it was listed last
}

// LockPath is where a flow's lock lies.
func LockPath(flowPath string) string {
	name := filepath.Base(flowPath)
	return filepath.Join(filepath.Dir(flowPath), strings.TrimSuffix(name, filepath.Ext(name))+".dbg", LockName)
}

// ReadLock reads a lock; it is nil without an error when there is none.
func ReadLock(path string) (*Lock, error) {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var l Lock
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if l.Form != 1 {
		return nil, fmt.Errorf("%s: lock %d is not read here: this program reads form 1", path, l.Form)
	}
	return &l, nil
}

// Text is the lock as its file holds it: indented, so that a change shows line by line.
func (l *Lock) Text() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(l); err != nil {
		return nil, fmt.Errorf("the lock: %w", err)
	}
	return b.Bytes(), nil
}

// WriteLock writes a text of Lock, and makes its folder; the old lock stays whole when that fails.
func WriteLock(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing the lock: %w", err)
	}
	if err := trace.ReplaceFile(path, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return fmt.Errorf("writing the lock: %w", err)
	}
	return nil
}

// Listing is a locked server as a live one would list itself.
func (s LockedServer) Listing() *mcpx.Listing {
	l := &mcpx.Listing{Protocol: s.Protocol, Name: s.Name, Version: s.Version, Tools: s.Tools}
	if len(s.Initialize) > 0 {
		l.Initialize = append(append([]byte(`{"_meta":`), s.Initialize...), '}')
	}
	return l
}

// remembered is what the lock knows of a tool, nil-safe.
func (l *Lock) remembered(tool string) LockedTool {
	if l == nil {
		return LockedTool{}
	}
	return l.Tools[tool]
}

// Date is the lock's day.
func (l *Lock) Date() meta.Date {
	d, err := meta.ParseDate(l.Day)
	if err != nil {
		return meta.Date{}
	}
	return d
}
