package script

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.starlark.net/lib/json"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"flowdbg/engine/behavior"
	"flowdbg/engine/bounds"
)

// dialect is the Starlark that scripts are written in. Recursion stays off: it would let a script exhaust the stack of
// the whole program. While is on: the step limit ends it.
var dialect = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true}

// maxSource bounds a script's size in bytes.
const maxSource = 4 << 20

// program is a loaded script: its globals, and what it was made of.
type program struct {
	name    string
	src     []byte
	globals starlark.StringDict
	sources []behavior.SourceFile

	debugOnce sync.Once
	debug     starlark.StringDict // the instrumented form's globals
	debugErr  error
	sites     []*site // the marks of the instrumented form
	under     under
}

// library loads each file of a flow's folder once. A change on disk is seen by a new library: reloading a flow makes one.
type library struct {
	opt     Options
	mu      sync.Mutex
	loaded  map[string]*program
	loading map[string]bool
}

func newLibrary(opt Options) *library {
	return &library{opt: opt, loaded: map[string]*program{}, loading: map[string]bool{}}
}

func (l *library) timeout() time.Duration {
	if l.opt.Timeout > 0 {
		return l.opt.Timeout
	}
	return 10 * time.Second
}

// load is safe for concurrent use.
func (l *library) load(name string) (*program, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loadLocked(name)
}

func (l *library) loadLocked(name string) (*program, error) {
	name, err := inside(name)
	if err != nil {
		return nil, err
	}
	if p := l.loaded[name]; p != nil {
		return p, nil
	}
	if l.loading[name] {
		return nil, fmt.Errorf("%s loads itself", name)
	}
	l.loading[name] = true
	defer delete(l.loading, name)
	src, err := l.read(name)
	if err != nil {
		return nil, err
	}
	p := &program{name: name, src: src, sources: []behavior.SourceFile{sourceOf(name, src)}}
	p.globals, err = l.exec(p, src)
	if err != nil {
		return nil, err
	}
	l.loaded[name] = p
	return p, nil
}

// exec runs a file's top level; what it loads is added to its sources.
func (l *library) exec(p *program, src []byte) (starlark.StringDict, error) {
	thread := &starlark.Thread{Name: p.name, Print: func(*starlark.Thread, string) {}, Load: func(_ *starlark.Thread, module string) (starlark.StringDict, error) {
		sub, err := l.loadLocked(joinName(p.name, module))
		if err != nil {
			return nil, err
		}
		p.sources = append(p.sources, sub.sources...)
		return sub.globals, nil
	}}
	thread.SetMaxExecutionSteps(MaxSteps)
	late := time.AfterFunc(l.timeout(), func() { thread.Cancel(watchdogReason) })
	defer late.Stop()
	globals, err := starlark.ExecFileOptions(dialect, thread, p.name, src, predeclared)
	if err != nil {
		return nil, placed(err)
	}
	globals.Freeze()
	return globals, nil
}

// joinName is a module's name as seen from the file that loads it.
func joinName(from, module string) string { return path.Join(path.Dir(from), module) }

// inside refuses a name that leaves the flow's folder.
func inside(name string) (string, error) {
	clean := path.Clean(filepath.ToSlash(name))
	if name == "" || path.IsAbs(clean) || filepath.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(clean, "\\\x00:") {
		return "", fmt.Errorf("script %q does not lie in the flow's folder", name)
	}
	return clean, nil
}

func (l *library) read(name string) ([]byte, error) {
	read := l.opt.Read
	if read == nil {
		read = func(name string) ([]byte, error) {
			root, err := os.OpenRoot(l.opt.Dir) // a link out of the folder is refused too
			if err != nil {
				return nil, err
			}
			defer root.Close()
			return root.ReadFile(filepath.FromSlash(name))
		}
	}
	src, err := read(name)
	if err != nil {
		return nil, fmt.Errorf("reading script %s: %w", name, err)
	}
	if len(src) > maxSource {
		return nil, fmt.Errorf("script %s has %d bytes; the limit is %d", name, len(src), maxSource)
	}
	return src, nil
}

func sourceOf(name string, src []byte) behavior.SourceFile {
	sum := sha256.Sum256(src)
	return behavior.SourceFile{Name: name, SHA256: hex.EncodeToString(sum[:])}
}

// placed gives an error of loading its file:line:col.
func placed(err error) error {
	var se syntax.Error
	if errors.As(err, &se) {
		return fmt.Errorf("%s:%d:%d: %s", se.Pos.Filename(), se.Pos.Line, se.Pos.Col, se.Msg)
	}
	var list resolve.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		e := list[0]
		return fmt.Errorf("%s:%d:%d: %s", e.Pos.Filename(), e.Pos.Line, e.Pos.Col, e.Msg)
	}
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		for i := len(eval.CallStack) - 1; i >= 0; i-- {
			if pos := eval.CallStack[i].Pos; pos.Line > 0 {
				return fmt.Errorf("%s:%d:%d: %s", pos.Filename(), pos.Line, pos.Col, eval.Msg)
			}
		}
	}
	return err
}

// predeclared is what scripts know beside Starlark's own functions. Of math only what is the same on every machine.
var predeclared = starlark.StringDict{
	"result": starlark.NewBuiltin("result", resultOf),
	"send":   starlark.NewBuiltin("send", sendOf),
	"effect": starlark.NewBuiltin("effect", effectOf),
	"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
	"json":   json.Module,
	"math":   mathModule,
	"range":  bounds.Range(MaxSteps), // a loop over more of it runs out of steps anyway
}
