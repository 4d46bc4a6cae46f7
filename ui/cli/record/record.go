// Package record holds the commands about recordings: repair, which saves what is whole of a torn or damaged trace,
// resume, which goes on where a recording stopped, and the hidden generator of large traces.
//
// It may read and write files, drive the engine and print. What is whole of a file, what may be sent again and what a
// trace says is decided below.
package record

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// Config is the world of the commands; the zero value does.
type Config struct {
	// Raw is standard output as it is, for traces that go to a pipe. Without it they go where the commands print, and
	// whatever makes that safe for a terminal may change characters in them.
	Raw io.Writer
}

// Commands are the commands of this package. At most one Config is looked at.
func Commands(cfg ...Config) []*cobra.Command {
	var c Config
	if len(cfg) > 0 {
		c = cfg[0]
	}
	return []*cobra.Command{c.repairCmd(), c.resumeCmd(), c.genTraceCmd()}
}

// raw is where a trace goes that is written to standard output.
func (c Config) raw(cmd *cobra.Command) io.Writer {
	if c.Raw != nil {
		return c.Raw
	}
	return cmd.OutOrStdout()
}

// beside names a new file next to a trace: of "t.json" with "repaired" it is "t.repaired.json", whatever the trace's own
// ending was; a recording's own suffix and that of gzip are left out.
func beside(path, what string) string {
	if target, ok := trace.IsRecording(path); ok {
		path = target
	}
	path = strings.TrimSuffix(path, ".gz")
	ext := filepath.Ext(path)
	if ext == "" {
		ext = ".json"
	}
	return strings.TrimSuffix(path, filepath.Ext(path)) + "." + what + ext
}

// target is where a command writes: the given name, or one beside the trace. The trace itself and what else is the
// command's own is never written over.
func target(given, what string, force bool, input string, own []load.OwnFile) (string, error) {
	path := given
	if path == "" {
		if input == load.Stdin {
			return "", out.Bad("the trace comes from standard input: say with -o where the new one goes")
		}
		path = beside(input, what)
	}
	return path, dest.Check(path, force, own)
}

// openTrace opens a trace by name or from standard input and reads it to its end, values included.
func openTrace(cmd *cobra.Command, arg string) (*trace.Opened, error) {
	var o *trace.Opened
	var err error
	name := arg
	if arg == load.Stdin {
		name = load.StdinName
		o, err = trace.OpenReader(cmd.InOrStdin(), name, trace.OpenOptions{})
	} else {
		o, err = trace.Open(arg, trace.OpenOptions{})
	}
	if err == nil {
		if err = o.Index(nil); err == nil && o.Store != nil {
			err = verify(o.Store)
		}
		if err != nil {
			o.Close()
		}
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	return o, nil
}

func verify(s *trace.Store) error {
	for {
		if done, err := s.Verify(); done || err != nil {
			return err
		}
	}
}

// unreadable names the file before an error about it.
func unreadable(name string, err error) error {
	var re *trace.ReadError
	if errors.As(err, &re) {
		return out.Bad("%s:%w", name, err)
	}
	return out.Bad("%s: %w", name, err)
}

// warn prints one line on standard error.
func warn(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "flowdbg: "+format+"\n", args...)
}

// report is where a command's own words go when the trace goes to standard output.
func report(cmd *cobra.Command, target string) io.Writer {
	if target == load.Stdin {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

func traceFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"json", "jsonl", "gz", "recording"}, cobra.ShellCompDirectiveFilterFileExt
}
