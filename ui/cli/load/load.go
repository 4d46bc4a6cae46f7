// Package load finds out what the files of a command line are and reads them: flows, traces, folders that hold both, and
// standard input. The terminal's reload reads through it too, so that every face says the same about the same file.
//
// It may hold reading, size limits and the errors about files. It must not print, run anything, or decide exit codes.
package load

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/behavior/script"
	"flowdbg/engine/flow"
	"flowdbg/trace"
)

// Bounds of what is read into memory, in bytes after inflating (ours). A trace above MemoryBytes stays in its file.
const (
	MaxFlowBytes  = 64 << 20
	MaxTraceBytes = 1 << 30 // of a trace that a command needs whole
	MemoryBytes   = 32 << 20
)

// Names of the files that a folder is asked for.
const (
	FlowName  = "flow.json"
	TraceName = "trace.json"
)

// Stdin is the argument that stands for standard input, and StdinName what it is called in messages.
const (
	Stdin     = "-"
	StdinName = "(standard input)"
)

// File is a file that was looked at: a flow is read whole, a trace is opened when it is asked for.
type File struct {
	Name string // for messages
	Path string // "" for standard input, a pipe, and a part of a bundle: it cannot be read again
	Data []byte // a flow's text; a trace's, when it was read whole already
	Kind Kind

	rest   io.Reader // of a large trace on standard input, what comes behind Data
	bundle *Bundle   // the file that this one is a part of, or nil
}

// Targets are the one or two files of a command line.
type Targets struct {
	Flow, Trace *File   // nil when it was not given
	Bundle      *Bundle // the bundle that both came from, or nil
}

// Open reads the targets: a flow, a trace, or both in any order, told apart by content; or one folder that holds
// flow.json, trace.json or both; or one bundle. "-" is standard input, at most once. The error names the file and what would be right.
func Open(args []string, stdin io.Reader) (Targets, error) {
	var t Targets
	if len(args) > 2 {
		return t, fmt.Errorf("%d files are too many: give a flow, a trace, or both", len(args))
	}
	if len(args) == 2 && args[0] == Stdin && args[1] == Stdin {
		return t, errors.New("standard input can be read only once: give at least one file by its name")
	}
	for _, arg := range args {
		if arg != Stdin && isFolder(arg) {
			if len(args) > 1 {
				return t, fmt.Errorf("%s: a folder stands alone: it holds both %s and %s", arg, FlowName, TraceName)
			}
			return openFolder(arg)
		}
		f, err := Read(arg, stdin)
		if err != nil {
			return t, err
		}
		if f.Kind == BundleKind {
			if len(args) > 1 {
				return t, fmt.Errorf("%s: a bundle stands alone: it holds a flow, a trace or both", f.Name)
			}
			return openBundle(f)
		}
		if err := t.add(f); err != nil {
			return t, err
		}
	}
	return t, nil
}

func (t *Targets) add(f *File) error {
	place, other := &t.Flow, t.Flow
	if f.Kind == Trace {
		place, other = &t.Trace, t.Trace
	}
	if other != nil {
		return fmt.Errorf("%s and %s are both %ss: give one flow and one trace", other.Name, f.Name, f.Kind)
	}
	*place = f
	return nil
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// openFolder reads what the folder holds. The names settle which file is which, so that a broken one is told as what it
// was meant to be.
func openFolder(dir string) (Targets, error) {
	var t Targets
	for _, name := range []string{FlowName, TraceName} {
		path := filepath.Join(dir, name)
		f, err := Read(path, nil)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return t, err
		}
		if want := map[string]Kind{FlowName: Flow, TraceName: Trace}[name]; f.Kind != want {
			return t, fmt.Errorf("%s: this is a %s, not a %s", path, f.Kind, want)
		}
		if err := t.add(f); err != nil {
			return t, err
		}
	}
	if t.Flow == nil && t.Trace == nil {
		return t, fmt.Errorf("%s: the folder holds neither %s nor %s", dir, FlowName, TraceName)
	}
	return t, nil
}

// Read reads one file, or standard input for "-", inflates it if it is gzip, and classifies it. Of a trace only the
// start is read.
func Read(arg string, stdin io.Reader) (*File, error) {
	f := &File{Name: arg, Path: arg}
	var err error
	if arg == Stdin {
		f.Name, f.Path = StdinName, ""
		err = f.look(stdin)
	} else {
		err = f.lookAt(arg)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return f, nil
}

func (f *File) lookAt(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return plain(err)
	}
	st, err := file.Stat()
	switch {
	case err == nil && st.IsDir():
		file.Close()
		return errors.New("this is a folder; give a file in it")
	case err == nil && !st.Mode().IsRegular():
		f.Path = "" // a pipe, as in <(gunzip -c t.gz), gives its text once: it stays open, as standard input does
		return plain(f.look(file))
	}
	defer file.Close()
	err = plain(f.look(file))
	if f.Kind == Trace {
		f.Data, f.rest = nil, nil // it is opened by its path
	}
	return err
}

// look reads as much as is needed to tell what the file is, and a flow to its end.
func (f *File) look(r io.Reader) error {
	r, err := inflated(r)
	if err != nil {
		return err
	}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(r, head)
	whole := err == io.EOF || err == io.ErrUnexpectedEOF
	f.Data = head[:n]
	if !whole && (err == nil || n > 0) && beginsTrace(f.Data) {
		f.Kind, f.rest = Trace, r
		return nil
	}
	if !whole && err != nil {
		return unzipped(err)
	}
	if !whole {
		rest, err := bounded(r, MaxFlowBytes-n)
		f.Data = append(f.Data, rest...)
		if err != nil {
			return err
		}
	}
	f.Kind, err = Classify(f.Data)
	return err
}

// headBytes is how much of a file is looked at before it is read on (ours).
const headBytes = 1 << 20

// beginsTrace is true for the start of a file that is a trace whatever comes behind it.
func beginsTrace(head []byte) bool { return trace.LooksLikeTrace(head) }

// plain takes the operation and the path out of an error of the file system: the caller names the file.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// inflated is the reader's text, without gzip around it.
func inflated(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := b.Peek(2); string(magic) != "\x1f\x8b" {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("not a whole gzip file: %w", err)
	}
	return gzipReader{z}, nil
}

// gzipReader marks the errors of inflating.
type gzipReader struct{ z *gzip.Reader }

func (g gzipReader) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if err != nil && err != io.EOF {
		err = &unzipError{err}
	}
	return n, err
}

type unzipError struct{ error }

func (e *unzipError) Unwrap() error { return e.error }

func unzipped(err error) error {
	var z *unzipError
	if errors.As(err, &z) {
		return fmt.Errorf("inflating gzip: %w", z.error)
	}
	return err
}

func bounded(r io.Reader, most int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && len(data) > most {
		err = tooLarge(MaxFlowBytes, "a flow")
	}
	return data, unzipped(err)
}

func tooLarge(limit int, what string) error {
	return fmt.Errorf("too large: %s may have %d MiB here", what, limit>>20)
}

// Kinds is the registry for flows of a folder: the built-in kinds, and scripts that lie in it. print gets what scripts
// print; nil drops it.
func Kinds(dir string, print func(agent, text string)) *behavior.Registry {
	return script.Registry(script.Options{Dir: dir, Print: print})
}

// Machine checks the flow and makes a machine of it. The machine is nil iff a diagnostic is an error. print gets what
// scripts print; nil drops it.
func (f *File) Machine(strict bool, print func(agent, text string)) (*engine.Machine, []flow.Diagnostic) {
	if f.bundle != nil {
		return engine.Parse(f.Name, f.Data, f.bundle.kinds(print), strict)
	}
	return engine.Parse(f.Name, f.Data, Kinds(filepath.Dir(f.Path), print), strict)
}

// OpenTrace opens the trace: in memory when it is small, else as a Store that is still to be indexed. setup is the flow's,
// nil without one; progress may be nil. Errors begin with file:line:col where they have a place.
func (f *File) OpenTrace(setup *trace.Setup, progress func(done, total int64) error) (*trace.Opened, error) {
	return f.openTrace(trace.OpenOptions{MemoryBytes: MemoryBytes, Store: trace.StoreOptions{Setup: setup}, Progress: progress})
}

// OpenGrowing is OpenTrace for whoever goes on reading: a trace without finish stays in its file however small it is,
// because it may still be written to. What is no regular file, or gzip, does not grow here.
func (f *File) OpenGrowing(setup *trace.Setup, progress func(done, total int64) error) (*trace.Opened, error) {
	o, err := f.OpenTrace(setup, progress)
	if err != nil || o.Trace == nil || o.Complete() || f.Path == "" {
		return o, err
	}
	return f.openTrace(trace.OpenOptions{MemoryBytes: MemoryBytes, Follow: true, Store: trace.StoreOptions{Setup: setup}, Progress: progress})
}

func (f *File) openTrace(opt trace.OpenOptions) (*trace.Opened, error) {
	var o *trace.Opened
	var err error
	switch {
	case f.Path != "":
		o, err = trace.Open(f.Path, opt)
	case f.rest != nil:
		o, err = trace.OpenReader(io.MultiReader(bytes.NewReader(f.Data), f.rest), f.Name, opt)
	default:
		o, err = trace.OpenReader(bytes.NewReader(f.Data), f.Name, opt)
	}
	var read *trace.ReadError
	switch {
	case errors.As(err, &read):
		return nil, fmt.Errorf("%s:%w", f.Name, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	o.Name = f.Name
	Frugal(o)
	return o, nil
}

// ReadTrace reads the events into memory, up to MaxTraceBytes. The error begins with file:line:col.
func (f *File) ReadTrace() (*trace.Trace, error) {
	o, err := f.openTrace(trace.OpenOptions{MemoryBytes: MaxTraceBytes, MaxBytes: MaxTraceBytes})
	if err != nil {
		return nil, err
	}
	if o.Trace == nil {
		o.Close()
		return nil, fmt.Errorf("%s: %w", f.Name, tooLarge(MaxTraceBytes, "a trace that is read whole"))
	}
	o.Trace.Findings = o.Findings()
	return o.Trace, nil
}
