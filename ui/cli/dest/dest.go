// Package dest decides whether a command may write the file that its user names with -o, save or a name of its own. It
// looks at files and writes none. Every command that writes a file the user names asks here first, so that nothing that
// a person made is lost to a slip of the hand.
package dest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// Flag adds --force, -f to a command that writes a file.
func Flag(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVarP(force, "force", "f", false, "replace the file if it exists; what the command reads, and the files of the flow, are never replaced")
}

// Check is nil when a command may write path, which is a file's name or load.Stdin for standard output:
//   - its folder is there; none is made,
//   - it is none of own, under whatever name and through whatever links, with --force too,
//   - it does not exist, or is an empty file, or force is true. What exists need not be an older output of the same
//     command, and two runs of one flow need not be equal: a live one was paid for (ours).
//
// The error is one of usage and says what would be right.
func Check(path string, force bool, own []load.OwnFile) error {
	if path == "" || path == load.Stdin {
		return nil
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(path)
	case err != nil:
		return out.Bad("%s cannot be written: %w", path, plain(err))
	case st.IsDir():
		return out.Bad("%s is a folder; name a file in it", path)
	case !st.Mode().IsRegular():
		return out.Bad("%s is no regular file; - is standard output", path)
	}
	for _, o := range own {
		if other, err := os.Stat(o.Path); err == nil && os.SameFile(st, other) {
			return out.Bad("%s is %s, which is never replaced by what is made of it: name another file", named(path, o.Path), o.What)
		}
	}
	if st.Size() > 0 && !force {
		return out.Bad("%s exists already; --force replaces it", path)
	}
	return nil
}

// Named are the files that a command's arguments name: those themselves, and the flow and the trace of a folder.
func Named(args ...string) []load.OwnFile {
	var list []load.OwnFile
	for _, arg := range args {
		st, err := os.Stat(arg)
		switch {
		case arg == load.Stdin || err != nil:
		case st.IsDir():
			list = append(list, load.OwnFile{Path: filepath.Join(arg, load.FlowName), What: "the flow"}, load.OwnFile{Path: filepath.Join(arg, load.TraceName), What: "the trace"})
		default:
			list = append(list, load.OwnFile{Path: arg, What: "what is read"})
		}
	}
	return list
}

// missing checks the folder of a file that does not exist.
func missing(path string) error {
	if st, err := os.Lstat(path); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		return out.Bad("%s is a link to a file that does not exist; name that file", path)
	}
	dir := filepath.Dir(path)
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out.Bad("%s cannot be written: there is no folder %s", path, dir)
	case err != nil:
		return out.Bad("%s cannot be written: %w", path, plain(err))
	case !st.IsDir():
		return out.Bad("%s cannot be written: %s is no folder", path, dir)
	}
	return nil
}

// named is the path, and beside it the other name of the file where that is a different one.
func named(path, other string) string {
	if filepath.Clean(path) == filepath.Clean(other) {
		return path
	}
	return fmt.Sprintf("%s (%s)", path, other)
}

func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
