package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// runFile is one run in a file.
type runFile struct {
	File     string `json:"file"`
	Events   int    `json:"events"`
	Steps    int    `json:"steps"`
	Finished bool   `json:"finished"`
	Reason   string `json:"reason,omitempty"`
	Edited   bool   `json:"edited"`           // a person intervened
	Parent   string `json:"parent,omitempty"` // the run that it shares its first events with
	Shared   int    `json:"shared_events"`    // how many those are
	Hash     string `json:"state_hash,omitempty"`

	log    trace.Log
	parent int
}

// runsCmd is `flowdbg runs`.
func (a *app) runsCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "runs FLOW | TRACE...",
		Short: "Show how runs descend from each other: the tree of forks",
		Long: `Show the runs that are kept beside a flow (a session keeps its runs with "runs keep"; trace.json beside flow.json
counts too), or the given traces, as a tree: a run that shares its first events with another is its fork. * marks a run in which
a person changed something.`,
		Example: `  flowdbg runs flow.json
  flowdbg runs trace.json fork1.json fork2.json --json`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := a.runFiles(args)
			if err != nil {
				return err
			}
			list, err := a.readRuns(cmd.Context(), files)
			if err != nil {
				return err
			}
			if asJSON {
				return out.JSON(cmd.OutOrStdout(), map[string]any{"runs": list})
			}
			if len(list) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "no runs are kept")
			}
			printRuns(cmd.OutOrStdout(), list, -1, "")
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// runFiles are the traces to look at.
func (a *app) runFiles(args []string) ([]string, error) {
	if len(args) > 1 {
		return args, nil
	}
	path := args[0]
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		path = filepath.Join(path, load.FlowName)
	}
	f, err := load.Read(path, a.cfg.Stdin)
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	if f.Kind != load.Flow {
		return args, nil
	}
	kept, err := filepath.Glob(filepath.Join(load.RunsDir(path), "*.json"))
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	sort.Strings(kept)
	if own := filepath.Join(filepath.Dir(path), load.TraceName); filepath.Base(path) == load.FlowName {
		if _, err := os.Stat(own); err == nil {
			kept = append([]string{own}, kept...)
		}
	}
	return kept, nil
}

func (a *app) readRuns(ctx context.Context, files []string) ([]*runFile, error) {
	var list []*runFile
	for _, name := range files {
		f, err := load.Read(name, a.cfg.Stdin)
		if err != nil {
			return nil, out.Bad("%w", err)
		}
		if f.Kind != load.Trace {
			return nil, out.Bad("%s: this is a %s; runs takes one flow, or traces", name, f.Kind)
		}
		o, err := a.openTrace(ctx, f, nil)
		if err != nil {
			return nil, err
		}
		r := &runFile{File: name, Events: o.Log().Len(), log: o.Log(), parent: -1}
		r.look()
		list = append(list, r)
	}
	// A run in which a person changed something descends from one in which nobody did; else the first named is the parent.
	sort.SliceStable(list, func(i, j int) bool { return !list[i].Edited && list[j].Edited })
	for i, r := range list {
		for k := range i {
			n, err := sharedEvents(ctx, list[k].log, r.log)
			if err != nil {
				return nil, ended(err)
			}
			if n > r.Shared {
				r.Shared, r.parent, r.Parent = n, k, list[k].File
			}
		}
	}
	return list, nil
}

func (r *runFile) look() {
	for i := range r.log.Len() {
		switch h := r.log.Header(i); h.Type {
		case trace.Receive:
			if !h.Cancelled {
				r.Steps++
			}
		case trace.XIntervene:
			r.Edited = true
		case trace.FinishEvent:
			if e, err := r.log.Event(i); err == nil {
				r.Finished, r.Reason, r.Hash = true, e.Finish.Reason, e.Finish.StateHash
			}
		}
	}
}

// sharedEvents is how many events two traces begin with alike. What is of ours beside an event is not compared.
func sharedEvents(ctx context.Context, a, b trace.Log) (int, error) {
	n := min(a.Len(), b.Len())
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if x, y := a.Header(i), b.Header(i); x.Type != y.Type || x.Step != y.Step || x.Agent != y.Agent {
			return i, nil
		}
		x, err := a.Event(i)
		if err != nil {
			return i, out.Bad("event %d: %w", i, err)
		}
		y, err := b.Event(i)
		if err != nil {
			return i, out.Bad("event %d: %w", i, err)
		}
		if x.Compared() != y.Compared() {
			return i, nil
		}
	}
	return n, nil
}

func printRuns(w io.Writer, list []*runFile, parent int, indent string) {
	var kids []int
	for i, r := range list {
		if r.parent == parent {
			kids = append(kids, i)
		}
	}
	for n, i := range kids {
		branch, below := "├ ", "│ "
		if n == len(kids)-1 {
			branch, below = "└ ", "  "
		}
		if parent < 0 {
			branch, below = "", ""
		}
		r := list[i]
		parts := []string{clean(r.File), plural(r.Events, "event"), plural(r.Steps, "step")}
		switch {
		case parent >= 0 && r.Shared == r.Events && r.Events == list[parent].Events:
			parts = append(parts, "the same as "+clean(filepath.Base(list[parent].File)))
		case parent >= 0 && r.Shared == r.Events:
			parts = append(parts, "the start of "+clean(filepath.Base(list[parent].File)))
		case parent >= 0:
			parts = append(parts, fmt.Sprintf("from event %d of %s", r.Shared, clean(filepath.Base(list[parent].File))))
		}
		if r.Finished {
			parts = append(parts, clean(orUnknown(r.Reason)))
		} else {
			parts = append(parts, "no finish")
		}
		if r.Edited {
			parts = append(parts, "* edited")
		}
		fmt.Fprintf(w, "%s%s%s\n", indent, branch, strings.Join(parts, "  "))
		printRuns(w, list, i, indent+below)
	}
}
