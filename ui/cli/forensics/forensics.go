// Package forensics is the command line of what can be asked of a trace alone: lint, why, came-of, who-changed, diff,
// ledger, export and find. It may open traces, ask package trace, and print text or JSON. It must not decide anything
// that package trace decides, run a behaviour, or write anything but an export.
package forensics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// Options are what the root command lends to these commands. The zero value works.
type Options struct {
	// Raw is standard output as it is, for an export into a pipe: a trace that is written through a writer which makes
	// text safe for a terminal would not be the same trace. nil: the command's own output.
	Raw io.Writer
	// Progress is called when a long pass begins; it gets how much is done, of how much, and stop is called at the end.
	// nil: nothing is shown.
	Progress func() (tell trace.Progress, stop func())
}

// Commands are the subcommands of this package, for the root command to add.
func Commands(opt ...Options) []*cobra.Command {
	t := &tool{}
	if len(opt) > 0 {
		t.Options = opt[0]
	}
	return []*cobra.Command{t.lintCmd(), t.whyCmd(), t.cameOfCmd(), t.whoChangedCmd(), t.diffCmd(), t.ledgerCmd(), t.exportCmd(), t.findCmd()}
}

type tool struct{ Options }

// progress begins a long pass.
func (t *tool) progress() (trace.Progress, func()) {
	if t.Progress == nil {
		return nil, func() {}
	}
	return t.Progress()
}

// open opens a trace (a file in any form, a folder that holds trace.json, or "-") and indexes it. It is never read into
// memory whole. What is torn is said on standard error.
func (t *tool) open(cmd *cobra.Command, arg string) (*trace.Opened, error) {
	return t.openWith(cmd, arg, nil)
}

func (t *tool) openWith(cmd *cobra.Command, arg string, setup *trace.Setup) (*trace.Opened, error) {
	tell, stop := t.progress()
	defer stop()
	progress := func(done, total int64) error {
		if tell != nil {
			tell(int(done), int(total))
		}
		return cmd.Context().Err()
	}
	opt := trace.OpenOptions{MemoryBytes: -1, Progress: progress, Store: trace.StoreOptions{Setup: setup}}
	var o *trace.Opened
	var err error
	name := arg
	if arg == load.Stdin {
		name = load.StdinName
		o, err = trace.OpenReader(cmd.InOrStdin(), name, opt)
	} else {
		if st, serr := os.Stat(arg); serr == nil && st.IsDir() {
			name = filepath.Join(arg, load.TraceName)
		}
		if kind, kerr := kindOf(name); kerr == nil && kind == load.Flow {
			return nil, out.Bad("%s: this is a flow; %q takes a trace", name, cmd.CommandPath())
		}
		o, err = trace.Open(name, opt)
	}
	if err == nil {
		load.Frugal(o)
		err = o.Index(progress)
	}
	if err != nil {
		return nil, openError(name, err)
	}
	if tear := o.Tear(); tear != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "flowdbg: %s:%d: the trace is torn: %s; the last %s are left out\n", name, tear.Line, tear.What, plural(tear.Dropped, "byte"))
	}
	return o, nil
}

// openError names the file, with line and column when the error has them.
func openError(name string, err error) error {
	var read *trace.ReadError
	switch {
	case errors.Is(err, context.Canceled):
		return out.No("interrupted")
	case errors.As(err, &read):
		return out.Bad("%s:%w", name, err)
	}
	return out.Bad("%s: %w", name, err)
}

// failed names what went wrong while a trace was read.
func failed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return out.No("interrupted")
	}
	return out.Bad("%w", err)
}

// headBytes is how much of a file is looked at to tell a flow from a trace.
const headBytes = 64 << 10

// kindOf tells a flow from a trace by the first bytes; a file that is no plain text counts as a trace, whose opener
// says more.
func kindOf(path string) (load.Kind, error) {
	f, err := os.Open(path)
	if err != nil {
		return load.Trace, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return load.Trace, err
	}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if n == 0 {
		return load.Trace, err
	}
	head = head[:n]
	if trace.LooksLikeTrace(head) || n == headBytes {
		return load.Trace, nil // the start of a huge object is taken for an event: flows are smaller
	}
	kind, err := load.Classify(head)
	if err != nil {
		return load.Trace, nil //nolint:nilerr // the opener of traces explains it better
	}
	return kind, nil
}

// setupOf reads a flow and gives the world before its first event.
func setupOf(cmd *cobra.Command, path string) (*trace.Setup, error) {
	f, err := load.Read(path, cmd.InOrStdin())
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	if f.Kind != load.Flow {
		return nil, out.Bad("%s: this is a trace; a flow is expected here", path)
	}
	m, diags := f.Machine(false, nil)
	if m == nil {
		for _, d := range diags {
			if d.Severity == flow.Error {
				fmt.Fprintln(cmd.ErrOrStderr(), d)
			}
		}
		return nil, out.No("%s: the flow is invalid", path)
	}
	setup := m.Setup()
	return &setup, nil
}

// traceFiles completes file names.
func traceFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"json", "jsonl", "gz"}, cobra.ShellCompDirectiveFilterFileExt
}
