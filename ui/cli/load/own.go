package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"flowdbg/trace/canon"
)

// OwnFile is a file that must not be written over by what is made of it.
type OwnFile struct {
	Path string
	What string // "the flow", "a file of the flow", …
}

// Own are the files that a command was given, and those that belong to its flow: whatever the flow names that lies beside
// it (scripts, platform, rules, price tables), and what is kept in the folder beside it.
func (t Targets) Own() []OwnFile {
	var list []OwnFile
	if t.Flow != nil && t.Flow.bundle != nil && t.Flow.bundle.path != "" {
		list = append(list, OwnFile{t.Flow.bundle.path, "the bundle"})
	}
	if t.Flow != nil && t.Flow.Path != "" {
		list = append(list, OwnFile{t.Flow.Path, "the flow"})
		list = append(list, filesOf(t.Flow)...)
	}
	if t.Trace != nil && t.Trace.Path != "" {
		list = append(list, OwnFile{t.Trace.Path, "the trace"})
	}
	if t.Bundle != nil && t.Bundle.path != "" {
		list = append(list, OwnFile{t.Bundle.path, "the bundle"})
	}
	return list
}

// maxOwn bounds the files that are looked at, so that a flow that names a huge folder costs nothing (ours).
const maxOwn = 10_000

// filesOf are the files beside a flow that are parts of it. A flow need not be valid for that: every text in it that is
// the name of a file or a folder counts, whatever it stands for.
func filesOf(f *File) []OwnFile {
	dir := filepath.Dir(f.Path)
	var names []string
	if doc, _ := canon.ParseDoc(f.Data); doc != nil {
		names = texts(doc.Root, names)
	}
	var list []OwnFile
	add := func(what string) fs.WalkDirFunc {
		return func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil //nolint:nilerr // what cannot be seen cannot be written over by its name either
			case len(list) >= maxOwn:
				return fs.SkipAll
			case !d.IsDir():
				list = append(list, OwnFile{path, what})
			}
			return nil
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if filepath.IsAbs(name) {
			path = name
		}
		st, err := os.Stat(path)
		switch {
		case err != nil || filepath.Clean(path) == filepath.Clean(dir):
		case st.Mode().IsRegular():
			list = append(list, OwnFile{path, "a file of the flow"})
		case st.IsDir() && strings.HasPrefix(filepath.Clean(path), filepath.Clean(dir)+string(filepath.Separator)):
			_ = filepath.WalkDir(path, add("a file of the flow"))
		}
	}
	scripts, _ := filepath.Glob(filepath.Join(dir, "*.star")) // one script may load another
	for _, path := range scripts {
		list = append(list, OwnFile{path, "a script beside the flow"})
	}
	kept := DbgDir(f.Path)
	for _, name := range []string{breaksName, lockName} {
		list = append(list, OwnFile{filepath.Join(kept, name), "kept for the flow"})
	}
	_ = filepath.WalkDir(filepath.Join(kept, snapsName), add("a snapshot of the flow"))
	return list
}

// texts are the different texts in a document that can be the name of a file: with a dot or a slash in it.
func texts(n *canon.Node, list []string) []string {
	if n == nil {
		return list
	}
	const longest = 4096 // bytes of a path
	if s, ok := n.Str(); ok && s != "" && len(s) <= longest && strings.ContainsAny(s, "./") && !strings.ContainsAny(s, "\x00\n") && !slices.Contains(list, s) {
		list = append(list, s)
	}
	for _, m := range n.Members {
		list = texts(m.Value, list)
	}
	for _, e := range n.Elems {
		list = texts(e, list)
	}
	return list
}
