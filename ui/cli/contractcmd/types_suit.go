package contractcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// suitFlags are the options of `contract suit`; −1 stands for "not said" of a number.
type suitFlags struct {
	wish                  contract.Wish
	cells, wallMS, memory int64
	asJSON                bool
}

func suitCmd() *cobra.Command {
	var f suitFlags
	cmd := &cobra.Command{
		Use:   "suit FILE",
		Short: "List which tools fit a scenario, technology, size and budget, before any call",
		Long: `List which of the tools in a listing fit. FILE holds ToolCapabilities (one, or a list), a tools/list answer whose tools
carry _meta keys flowdbg/capability and flowdbg/version, or a platform file with "tools".

Each tool gets one of four answers; its worst aspect decides:
  fits           everything that was asked is declared
  warning        it fits, but the latency or memory it predicts is over the budget
  not_checkable  something could not be decided, such as a size limit when --cells is not given; never a pass
  unfit          outside of what the tool declares

A latency is scaled to the design only if the profile states reference_cells, the size that it is typical for.
Exit: 0 some tool fits (perhaps with a warning), 1 none does, 2 unreadable.`,
		Example: `  flowdbg contract suit platform.json --scenario placement --tech sky130hd --cells 125000
  flowdbg contract suit tools-list.json --scenario sta --effort quick --wall-ms 60000 --peak-memory-mb 4096 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.wish.Scenario, "scenario", "", "flow step, such as placement")
	flags.StringVar(&f.wish.Tech, "tech", "", "technology library, such as sky130hd")
	flags.StringVar(&f.wish.Effort, "effort", "", "fidelity level, such as quick")
	flags.Int64Var(&f.cells, "cells", -1, "number of cells of the design (default: not known)")
	flags.Int64Var(&f.wallMS, "wall-ms", -1, "budget of wall-clock time, ms (default: no limit)")
	flags.Int64Var(&f.memory, "peak-memory-mb", -1, "budget of memory, MB (default: no limit)")
	flags.BoolVar(&f.wish.NoSnapshot, "no-snapshot", false, "there is no snapshot to hand to the tool")
	flags.BoolVar(&f.wish.NoDirtySet, "no-dirty-set", false, "there is no dirty set to hand to the tool")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (f *suitFlags) run(cmd *cobra.Command, file string) error {
	tools, err := readTools(cmd, file)
	if err != nil {
		return err
	}
	if f.cells >= 0 {
		f.wish.Cells = &f.cells
	}
	if f.wallMS >= 0 || f.memory >= 0 {
		f.wish.Budget = &contract.CostBudget{}
	}
	if f.wallMS >= 0 {
		f.wish.Budget.WallMS = &f.wallMS
	}
	if f.memory >= 0 {
		f.wish.Budget.PeakMemoryMB = &f.memory
	}
	answers := contract.SuitListed(tools, f.wish)
	if f.asJSON {
		err = out.JSON(cmd.OutOrStdout(), answers)
	} else {
		err = printSuit(cmd, answers)
	}
	if err != nil {
		return err
	}
	for _, a := range answers {
		if a.Status == contract.StatusFits || a.Status == contract.StatusWarning {
			return nil
		}
	}
	return out.No("")
}

func printSuit(cmd *cobra.Command, answers []contract.Suitability) error {
	w := cmd.OutOrStdout()
	if len(answers) == 0 {
		_, err := fmt.Fprintln(w, "no tools in the listing")
		return err
	}
	for _, a := range answers {
		name := a.Tool
		if a.Version != "" {
			name += " @ " + a.Version
		}
		linef(w, "%-13s %s\n", a.Status, name)
		for _, x := range a.Aspects {
			linef(w, "    %-13s %s: %s\n", x.Status, x.Name, x.Reason)
		}
		for _, text := range a.Limitations {
			linef(w, "    known limitation: %s\n", text)
		}
	}
	return nil
}

// readTools reads a listing of tools and tells on standard error what is wrong in it.
func readTools(cmd *cobra.Command, file string) ([]contract.ListedTool, error) {
	data, err := readInput(cmd, file)
	if err != nil {
		return nil, err
	}
	return toolsIn(cmd, file, data)
}

// toolsIn is readTools for a file that was read already.
func toolsIn(cmd *cobra.Command, file string, data []byte) ([]contract.ListedTool, error) {
	v, _, err := canon.Parse(data, canon.Options{})
	if err != nil {
		return nil, typesJSONError(file, err)
	}
	tools, err := contract.ReadTools(v)
	if err != nil {
		return nil, out.Bad("%s: %w", file, err)
	}
	for _, t := range tools {
		for _, f := range t.Findings {
			linef(cmd.ErrOrStderr(), "%s: %s: %s [%s]\n", file, f.Severity, f, f.Rule)
		}
	}
	return tools, nil
}
