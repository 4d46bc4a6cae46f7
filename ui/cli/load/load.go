// Package load finds out what the files of a command line are and reads them: flows, traces, folders that hold both, and
// standard input. The terminal's reload reads through it too, so that every face says the same about the same file.
//
// It may hold reading, size limits and the errors about files. It must not print, run anything, or decide exit codes.
package load

import (
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

// Bounds of what is read into memory, in bytes after inflating (ours).
const (
	MaxFlowBytes  = 64 << 20
	MaxTraceBytes = 1 << 30
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

// File is a file that was read whole.
type File struct {
	Name string // for messages
	Path string // "" for standard input: it cannot be read again
	Data []byte
	Kind Kind
}

// Targets are the one or two files of a command line.
type Targets struct {
	Flow, Trace *File // nil when it was not given
}

// Open reads the targets: a flow, a trace, or both in any order, told apart by content; or one folder that holds
// flow.json, trace.json or both. "-" is standard input, at most once. The error names the file and what would be right.
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

// Read reads one file, or standard input for "-", inflates it if it is gzip, and classifies it.
func Read(arg string, stdin io.Reader) (*File, error) {
	f := &File{Name: arg, Path: arg}
	var err error
	if arg == Stdin {
		f.Name, f.Path = StdinName, ""
		f.Data, err = readAll(stdin)
	} else {
		f.Data, err = readPath(arg)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if f.Kind, err = Classify(f.Data); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if f.Kind == Flow && len(f.Data) > MaxFlowBytes {
		return nil, fmt.Errorf("%s: %w", f.Name, tooLarge(MaxFlowBytes, "a flow"))
	}
	return f, nil
}

func readPath(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, plain(err)
	}
	defer file.Close()
	if st, err := file.Stat(); err == nil && st.IsDir() {
		return nil, errors.New("this is a folder; give a file in it")
	}
	data, err := readAll(file)
	return data, plain(err)
}

// plain takes the operation and the path out of an error of the file system: the caller names the file.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := bounded(r)
	if err != nil || !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a whole gzip file: %w", err)
	}
	if data, err = bounded(z); err != nil {
		return nil, fmt.Errorf("inflating gzip: %w", err)
	}
	return data, nil
}

func bounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxTraceBytes+1))
	if err == nil && len(data) > MaxTraceBytes {
		err = tooLarge(MaxTraceBytes, "a file")
	}
	return data, err
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
	return engine.Parse(f.Name, f.Data, Kinds(filepath.Dir(f.Path), print), strict)
}

// ReadTrace reads the events. The error begins with file:line:col.
func (f *File) ReadTrace() (*trace.Trace, error) {
	t, err := trace.Read(f.Data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", f.Name, err)
	}
	return t, nil
}
