package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/show"
)

// repairAnswer is `repair --json`.
type repairAnswer struct {
	Trace    string              `json:"trace"`
	Whole    bool                `json:"whole"` // there was nothing to repair
	Written  string              `json:"written,omitempty"`
	Events   int                 `json:"events"`
	Complete bool                `json:"complete"` // the new trace ends in its only finish
	Dropped  int64               `json:"dropped_bytes"`
	Behind   int                 `json:"events_behind_damage"` // whole ones that were not kept
	Damages  []trace.DamagedText `json:"damages"`
	Tear     *trace.Tear         `json:"tear,omitempty"`
	Notes    []string            `json:"notes"`
}

// repairCmd is `flowdbg repair`.
func (c Config) repairCmd() *cobra.Command {
	var output string
	var both, asJSON, force bool
	cmd := &cobra.Command{
		Use:   "repair TRACE | FOLDER",
		Short: "Write what is whole of a torn or damaged trace to a new file",
		Long: `Write what is whole of a torn or damaged trace to a new file, and say what was dropped. The trace itself is never
touched. An event's text is kept as it is, one event per line.

  torn      the file ends in the middle of an event, or before its ]: everything before the tear is kept
  damaged   text that is no event stands before whole ones: the new trace ends before it, so that it is the beginning
            of a run and can be replayed and resumed. --both-sides keeps what is behind it too, with a line of type
            x-damage in its place; such a trace can be looked at and is never verified.

A trace that is whole is left alone, and nothing is written.`,
		Example: `  flowdbg repair trace.json.recording
  flowdbg repair damaged.json --both-sides -o both.json
  gunzip -c trace.json.gz | flowdbg repair - -o whole.json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: traceFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := args[0]
			if st, err := os.Stat(name); err == nil && st.IsDir() {
				name = filepath.Join(name, load.TraceName)
			}
			path, err := target(output, "repaired", force, name, dest.Named(args[0], name))
			if err != nil {
				return err
			}
			return c.repair(cmd, name, path, trace.RepairOptions{BothSides: both}, asJSON)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the new trace to this `file` (\"-\": standard output; default: TRACE with .repaired before its ending)")
	dest.Flag(cmd, &force)
	cmd.Flags().BoolVar(&both, "both-sides", false, "keep the events behind damage too, with a mark in its place")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// errWhole keeps a file from being written.
var errWhole = errors.New("nothing to repair")

func (c Config) repair(cmd *cobra.Command, name, path string, opt trace.RepairOptions, asJSON bool) error {
	var rep *trace.RepairReport
	fill := func(w io.Writer) (err error) {
		if name == load.Stdin {
			rep, err = trace.RepairReader(cmd.InOrStdin(), w, opt)
		} else {
			rep, err = trace.Repair(name, w, opt)
		}
		if err == nil && rep.Whole() && path != load.Stdin {
			err = errWhole
		}
		return err
	}
	var err error
	if path == load.Stdin {
		err = fill(c.raw(cmd))
	} else {
		err = trace.ReplaceFile(path, fill)
	}
	if err != nil && !errors.Is(err, errWhole) {
		return unreadable(shown(name), err)
	}
	a := repairAnswer{Trace: shown(name), Whole: rep.Whole(), Events: rep.Events, Complete: rep.Complete, Dropped: rep.Dropped, Behind: rep.Behind,
		Damages: rep.Damages, Tear: rep.Tear, Notes: []string{}}
	if a.Damages == nil {
		a.Damages = []trace.DamagedText{}
	}
	for _, f := range rep.Odd {
		a.Notes = append(a.Notes, f.Text)
	}
	if err == nil {
		a.Written = path
	}
	w := report(cmd, path)
	if asJSON {
		return out.JSON(w, a)
	}
	a.print(w, opt.BothSides)
	return nil
}

func shown(name string) string {
	if name == load.Stdin {
		return load.StdinName
	}
	return name
}

func (a *repairAnswer) print(w io.Writer, both bool) {
	if a.Whole {
		fmt.Fprintf(w, "%s: whole, nothing to repair: %s%s\n", a.Trace, show.Plural(a.Events, "event"), unfinished(a.Complete))
		return
	}
	for _, d := range a.Damages {
		fmt.Fprintf(w, "%s:%d: damaged: %s are no event: %s\n", a.Trace, d.Line, show.Plural(int(d.Bytes), "byte"), d.Why)
	}
	if t := a.Tear; t != nil {
		fmt.Fprintf(w, "%s:%d: torn: %s\n", a.Trace, t.Line, t.What)
	}
	for _, n := range a.Notes {
		fmt.Fprintf(w, "%s: %s\n", a.Trace, n)
	}
	fmt.Fprintf(w, "kept     %s%s\n", show.Plural(a.Events, "event"), unfinished(a.Complete))
	fmt.Fprintf(w, "dropped  %s\n", show.Plural(int(a.Dropped), "byte"))
	if a.Behind > 0 {
		fmt.Fprintf(w, "         %s behind the damage among them: --both-sides keeps them\n", show.Plural(a.Behind, "whole event"))
	}
	if both && len(a.Damages) > 0 {
		fmt.Fprintf(w, "marked   %s: nothing behind can be verified\n", show.Plural(len(a.Damages), "gap"))
	}
	if a.Written != "" && a.Written != load.Stdin {
		fmt.Fprintf(w, "written  %s\n", a.Written)
	}
}

func unfinished(complete bool) string {
	if complete {
		return ", the run is complete"
	}
	return ", without finish: the beginning of a run"
}
