package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// checkpoints is how many hashes a regression test checks when nobody says (ours).
const checkpoints = 10

// regressionCmd is `flowdbg regression`.
func (a *app) regressionCmd() *cobra.Command {
	var output string
	var every int
	var asJSON, force bool
	cmd := &cobra.Command{
		Use:   "regression FLOW TRACE | FOLDER | BUNDLE",
		Short: "Write a session file that checks that a flow still does what its trace says",
		Long: `Write a regression test: a session file that replays the trace, goes to some of its steps and to its end, and checks the
state hash at each. Effects are answered from the trace, so the test buys nothing. Run it with flowdbg session FILE: it
exits 1 when anything differs. The file names flow and trace relative to itself.

A trace that the flow does not repeat now makes no test: the command exits 1 and writes nothing.`,
		Example: `  flowdbg regression flow.json trace.json -o flow.session && flowdbg session flow.session
  flowdbg regression examples/critic-loop --every 5 -o -`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := a.open(args)
			if err != nil {
				return err
			}
			if t.Flow == nil || t.Trace == nil {
				return out.Bad("a regression test needs a flow and a trace; only a %s was given", given(t))
			}
			if (t.Flow.Path == "" || t.Trace.Path == "") && t.Bundle == nil {
				return out.Bad("a regression test names its files; standard input has no name")
			}
			if every < 0 {
				return out.Bad("--every %d: want a number of steps from 1 on", every)
			}
			if err := dest.Check(output, force, t.Own()); err != nil {
				return err
			}
			text, n, err := a.regression(cmd, args, t, output, every)
			if err != nil {
				return err
			}
			if output == load.Stdin {
				_, err := fmt.Fprint(cmd.OutOrStdout(), text)
				return err
			}
			err = trace.ReplaceFile(output, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
			if err != nil {
				return out.Bad("writing %s: %w", output, err)
			}
			if asJSON {
				return out.JSON(cmd.OutOrStdout(), map[string]any{"file": output, "hashes": n})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written %s: the hash of %s is checked\n", clean(output), plural(n, "state"))
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", load.Stdin, "the `file` to write (\"-\": standard output)")
	dest.Flag(cmd, &force)
	cmd.Flags().IntVar(&every, "every", 0, "check the hash every so many `steps` (default: about ten times)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was written as one JSON document (with -o)")
	return cmd
}

// regression replays and notes the hashes.
func (a *app) regression(cmd *cobra.Command, args []string, t load.Targets, output string, every int) (text string, hashes int, err error) {
	ctx := cmd.Context()
	s, err := a.session(ctx, t, sessionFlags{})
	if err != nil {
		return "", 0, err
	}
	defer s.Close()
	if s.Mode() != debug.Replay {
		return "", 0, out.No("%s: the flow is invalid", t.Flow.Name)
	}
	stop, err := a.drive(ctx, s.Goto(1<<62))
	if err != nil {
		return "", 0, err
	}
	if d := s.Divergence(); d != nil || !s.AtEnd() {
		return "", 0, out.No("no test is made: the flow does not repeat its trace: %s", clean(stop.Text()))
	}
	var b strings.Builder
	names := make([]string, len(args))
	for i, arg := range args {
		if names[i], err = relativeTo(output, arg); err != nil {
			return "", 0, out.Bad("%w", err)
		}
		if strings.ContainsAny(names[i], " \t\n\r") {
			return "", 0, out.Bad("%q: a session file cannot name a file with white space in its name", names[i])
		}
	}
	fmt.Fprintf(&b, "# That %s still does what its trace says. Run it with: flowdbg session FILE\nopen %s\n", t.Flow.Name, strings.Join(names, " "))
	steps := s.State().Begun()
	if every == 0 {
		every = max(1, steps/checkpoints)
	}
	for k := every; k < steps; k += every {
		pos, _ := s.StepPos(k)
		if _, err := a.drive(ctx, s.Goto(pos)); err != nil {
			return "", 0, err
		}
		fmt.Fprintf(&b, "\ngoto step %d\nhash\nexpect %s ≡ trace\n", k, s.Hash())
		hashes++
	}
	if _, err := a.drive(ctx, s.Goto(1<<62)); err != nil {
		return "", 0, err
	}
	fmt.Fprintf(&b, "\ngoto end\nhash\nexpect %s ≡ trace\ncompare\nexpect same\n", s.Hash())
	return b.String(), hashes + 1, nil
}

// relativeTo is a path as a file at another place names it.
func relativeTo(file, path string) (string, error) {
	if file == load.Stdin || filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, full)
	if err != nil {
		return full, nil //nolint:nilerr // on another volume there is no relative path
	}
	return filepath.ToSlash(rel), nil
}
