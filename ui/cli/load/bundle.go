package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"

	"flowdbg/engine/behavior"
	"flowdbg/engine/behavior/script"
	"flowdbg/engine/debug"
	"flowdbg/trace"
)

// Bundle is everything that a session needs, in one file: for a bug report, or for the other end of a mail. Texts are
// kept as they were, byte for byte, so that hashes of scripts and flows stay what they are.
type Bundle struct {
	Version   int               `json:"flowdbg_bundle"` // 1
	FlowName  string            `json:"flow_name,omitempty"`
	Flow      string            `json:"flow,omitempty"`
	Files     map[string]string `json:"files,omitempty"` // what lies beside the flow: scripts, price tables; names inside its folder
	TraceName string            `json:"trace_name,omitempty"`
	Breaks    json.RawMessage   `json:"breakpoints,omitempty"`
	Watches   json.RawMessage   `json:"watches,omitempty"`
	Marks     json.RawMessage   `json:"marks,omitempty"`
	Lock      json.RawMessage   `json:"platform_lock,omitempty"`
	Snapshots map[string]string `json:"snapshots,omitempty"` // by their name in snaps, which is their sha256
	Trace     json.RawMessage   `json:"trace,omitempty"`     // the events, last, so that a look at the start tells the rest

	path string // its file, "" for one from standard input
}

// bundleMark begins a bundle; nothing else of ours begins so.
const bundleMark = `{"flowdbg_bundle":`

func isBundle(text []byte) bool { return bytes.HasPrefix(text, []byte(bundleMark)) }

// Encode is the bundle's file. The trace stands last, with one event per line, as it does in a file of its own.
func (b *Bundle) Encode() ([]byte, error) {
	head := *b
	head.Version, head.Trace = 1, nil
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(head); err != nil {
		return nil, err
	}
	if len(b.Trace) == 0 {
		return buf.Bytes(), nil
	}
	buf.Truncate(buf.Len() - len("}\n"))
	buf.WriteString(`,"trace":`)
	buf.Write(bytes.TrimSpace(b.Trace))
	buf.WriteString("}\n")
	return buf.Bytes(), nil
}

// ReadBundle reads a bundle's file.
func ReadBundle(data []byte) (*Bundle, error) {
	var b Bundle
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&b); err != nil {
		return nil, fmt.Errorf("reading the bundle: %w", err)
	}
	if b.Version != 1 {
		return nil, fmt.Errorf("the bundle has version %d; this program knows 1", b.Version)
	}
	for name := range b.Files {
		if !fs.ValidPath(name) || name == "." {
			return nil, fmt.Errorf("the bundle names the file %q, which would lie outside the flow's folder", name)
		}
	}
	if b.Flow == "" && len(b.Trace) == 0 {
		return nil, errors.New("the bundle holds neither a flow nor a trace")
	}
	return &b, nil
}

func openBundle(f *File) (Targets, error) {
	b, err := ReadBundle(f.Data)
	if err != nil {
		return Targets{}, fmt.Errorf("%s: %w", f.Name, err)
	}
	b.path = f.Path
	t := Targets{Bundle: b}
	part := func(name string) string { return f.Name + "!" + name }
	if b.Flow != "" {
		t.Flow = &File{Name: part(b.FlowName), Data: []byte(b.Flow), Kind: Flow, bundle: b}
	}
	if len(b.Trace) > 0 {
		t.Trace = &File{Name: part(b.TraceName), Data: b.Trace, Kind: Trace, bundle: b}
	}
	return t, nil
}

func (b *Bundle) kinds(print func(agent, text string)) *behavior.Registry {
	return script.Registry(script.Options{Print: print, Read: func(name string) ([]byte, error) {
		if text, ok := b.Files[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}})
}

// Unpack writes the bundle's parts into a folder that does not exist yet, as they lay where it was made.
func (b *Bundle) Unpack(dir string) ([]string, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, plain(err))
	}
	parts := map[string]string{}
	for name, text := range b.Files {
		parts[name] = text
	}
	own := FlowName
	if name := path.Base(filepath.ToSlash(b.FlowName)); fs.ValidPath(name) && name != "." {
		own = name
	}
	if b.Flow != "" {
		parts[own] = b.Flow
	}
	if len(b.Trace) > 0 {
		parts[TraceName] = string(b.Trace) + "\n"
	}
	beside := path.Base(filepath.ToSlash(DbgDir(own)))
	for name, data := range b.kept() {
		if len(*data) > 0 {
			parts[beside+"/"+name] = string(*data)
		}
	}
	for name, text := range b.Snapshots {
		if !fs.ValidPath(name) {
			return nil, fmt.Errorf("the bundle names the snapshot %q", name)
		}
		parts[beside+"/"+snapsName+"/"+name] = text
	}
	var names []string
	for name, text := range parts {
		if err := writeNew(filepath.Join(dir, filepath.FromSlash(name)), []byte(text)); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	sort.Strings(names)
	return names, nil
}

// kept are the parts that lie in the folder of ours, by their names there.
func (b *Bundle) kept() map[string]*json.RawMessage {
	return map[string]*json.RawMessage{breaksName: &b.Breaks, watchName: &b.Watches, MarksName: &b.Marks, lockName: &b.Lock}
}

// Restore gives a session what the bundle has of what a session keeps. The first error is returned, all is restored
// that can be.
func (b *Bundle) Restore(s *debug.Session) (first error) {
	for _, list := range s.Kept() {
		if data := *b.kept()[list.File]; len(data) > 0 {
			if err := list.Restore(data); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

func writeNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// Pack makes a bundle of a flow with what lies beside it, and of a trace. Either may be nil.
func Pack(t Targets, scripts []behavior.SourceFile, events []trace.Event) (*Bundle, error) {
	b := &Bundle{Files: map[string]string{}, Snapshots: map[string]string{}}
	if t.Flow != nil {
		b.Flow, b.FlowName = string(t.Flow.Data), filepath.Base(t.Flow.Name)
		for _, s := range scripts {
			data, err := os.ReadFile(filepath.Join(filepath.Dir(t.Flow.Path), filepath.FromSlash(s.Name)))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, plain(err))
			}
			b.Files[s.Name] = string(data)
		}
		if err := b.beside(t.Flow.Path); err != nil {
			return nil, err
		}
	} else if t.Trace != nil {
		if err := b.beside(t.Trace.Path); err != nil {
			return nil, err
		}
	}
	if t.Trace != nil {
		var buf bytes.Buffer
		if err := trace.Write(&buf, events, trace.FormatArray); err != nil {
			return nil, err
		}
		b.Trace, b.TraceName = buf.Bytes(), filepath.Base(t.Trace.Name)
	}
	return b, nil
}

// beside takes what lies in the folder of ours beside a file.
func (b *Bundle) beside(path string) error {
	if path == "" {
		return nil
	}
	dir := DbgDir(path)
	for name, to := range b.kept() {
		data, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !json.Valid(data):
			return fmt.Errorf("%s is no JSON", filepath.Join(dir, name))
		default:
			*to = data
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, snapsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, snapsName, e.Name()))
		if err != nil {
			return err
		}
		b.Snapshots[e.Name()] = string(data)
	}
	return nil
}

// FileNames lists the files beside the flow, in order.
func (b *Bundle) FileNames() []string {
	names := make([]string, 0, len(b.Files))
	for name := range b.Files {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
