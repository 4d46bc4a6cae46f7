package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// fmtFlags are the flags of `flowdbg fmt`.
type fmtFlags struct{ write, diff, check bool }

// fmtCmd is `flowdbg fmt`.
func (a *app) fmtCmd() *cobra.Command {
	var f fmtFlags
	cmd := &cobra.Command{
		Use:   "fmt FLOW...",
		Short: "Lay flows out like the specification's example",
		Long: `Lay flows out like the specification's example: members in its order, every agent and edge on a line of its own.
Unknown fields and the spelling of numbers and strings are kept, and so is every hash. The result goes to standard
output unless a flag says otherwise. "-" is standard input.

Exit 1 with --check or -d when a file is not formatted; exit 2 when one cannot be read as JSON.`,
		Example: `  flowdbg fmt -w flow.json
  flowdbg fmt --check flows/*.json
  flowdbg fmt -d flow.json`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			changed, failed := 0, 0
			for _, arg := range args {
				differs, err := a.format(cmd, arg, f)
				if err != nil && len(args) == 1 {
					return out.Bad("%w", err)
				}
				if err != nil {
					a.warn("%s", err)
					failed++
				}
				if differs {
					changed++
				}
			}
			switch {
			case failed > 0:
				return out.Bad("%s of %d could not be formatted", plural(failed, "file"), len(args))
			case changed > 0 && (f.check || f.diff):
				return out.No("")
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result back, by renaming a new file over the old one")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change")
	cmd.Flags().BoolVar(&f.check, "check", false, "only name the files that would change")
	cmd.MarkFlagsMutuallyExclusive("write", "diff", "check")
	return cmd
}

func (a *app) format(cmd *cobra.Command, arg string, f fmtFlags) (differs bool, err error) {
	if f.write && arg == load.Stdin {
		return false, fmt.Errorf("%s cannot be written back: leave -w out", load.StdinName)
	}
	file, err := load.Read(arg, a.cfg.Stdin)
	if err != nil {
		return false, err
	}
	if file.Kind != load.Flow {
		return false, fmt.Errorf("%s: this is a trace; fmt takes flows", file.Name)
	}
	text, err := flow.Format(file.Data)
	if err != nil {
		return false, unreadable(file, err)
	}
	differs = !bytes.Equal(text, file.Data)
	w := cmd.OutOrStdout()
	switch {
	case f.write && differs:
		err = trace.ReplaceFile(file.Path, func(w io.Writer) error { _, err := w.Write(text); return err })
	case f.check && differs:
		fmt.Fprintln(w, file.Name)
	case f.diff && differs:
		_, err = w.Write(diff.Diff(file.Name, file.Data, file.Name+" (formatted)", text))
	case !f.write && !f.check && !f.diff:
		_, err = a.raw.Write(text)
	}
	return differs, err
}

// unreadable is the first thing that is wrong with the file, with its place.
func unreadable(f *load.File, err error) error {
	doc, errs := canon.ParseDoc(f.Data)
	if len(errs) == 0 || doc == nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	e := errs[0]
	text := fmt.Sprintf("%s:%s", f.Name, e)
	if ex := out.Excerpt(f.Data, e.Line, e.Col); ex != "" {
		text += "\n" + ex
	}
	return errors.New(text)
}
