package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/engine/typed"
	"flowdbg/ui/cli/contractcmd"
	"flowdbg/ui/cli/out"
)

// deltaAnswer is `delta --json`. Claimed and measured are said in the trace; between is measured here.
type deltaAnswer struct {
	ID       string                `json:"id"`
	Claimed  *contract.DesignDelta `json:"claimed"`
	Measured *contract.DesignDelta `json:"measured"`
	// Far is how far the cells of the two were moved.
	Far struct {
		Claimed  *design.Displacement `json:"claimed,omitempty"`
		Measured *design.Displacement `json:"measured,omitempty"`
	} `json:"displacement"`
	Between *design.Answer `json:"between"`                // from the snapshot it was made from to the one it gave
	Missing string         `json:"between_note,omitempty"` // why that was not measured
}

// deltaCmd is `flowdbg delta`.
func (a *app) deltaCmd() *cobra.Command {
	var f typedFlags
	var rows int
	var ascii bool
	var store string
	cmd := &cobra.Command{
		Use:   "delta TRACE|FOLDER ID",
		Short: "Show what a candidate changed in the design: claimed and measured",
		Long: `Show the design deltas of a candidate: what its proposal claims, and what was measured, as they stand in the trace; and
what lies between the snapshot that it was made from and the one that it gave, measured here, when both are kept (in the
folder snaps beside the trace, or --store). The deltas of any two snapshots are measured by flowdbg contract delta. Exit 1
when the candidate has no delta at all.`,
		Example: `  flowdbg delta examples/exploration gcd.heap.s4
  flowdbg delta examples/explorer base.s3 --json | jq .between.displacement
  flowdbg delta trace.json p-017 --json | jq .measured.summary`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, ex, err := a.explore(cmd, args[:1], f)
			if err != nil {
				return err
			}
			c, err := candidateOf(ex, args[1])
			if err != nil {
				return err
			}
			if store == "" {
				store = snapsBeside(args[0])
			}
			ans := deltaAnswer{ID: c.ID, Claimed: c.Claimed, Measured: c.Delta}
			if ans.Between, ans.Missing, err = between(c, store); err != nil {
				return err
			}
			if f.asJSON {
				return out.JSON(cmd.OutOrStdout(), ans.far())
			}
			if c.Claimed == nil && c.Delta == nil && ans.Between == nil {
				return out.No("%s has no design delta at position %d", c.ID, ex.Position)
			}
			return ans.print(cmd, rows, ascii)
		},
	}
	f.add(cmd)
	cmd.Flags().IntVar(&rows, "moves", 10, "how many `rows` of each list are shown; -1 is all")
	cmd.Flags().BoolVar(&ascii, "ascii", false, "draw with ASCII characters only")
	cmd.Flags().StringVar(&store, "store", "", "`folder` in which snapshots lie (default: snaps beside the trace)")
	return cmd
}

// snapsBeside is the folder of snapshots of a trace or of an example's folder.
func snapsBeside(path string) string {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return filepath.Join(path, "snaps")
	}
	return filepath.Join(filepath.Dir(path), "snaps")
}

// between measures what lies between the two snapshots of a candidate; note says why that cannot be.
func between(c *typed.Candidate, dir string) (ans *design.Answer, note string, err error) {
	before, after, ok := c.Snapshots()
	if !ok {
		return nil, "the trace does not name both snapshots", nil
	}
	store := design.NewStore(dir)
	var sides [2]*design.Snapshot
	for i, ref := range []contract.SnapshotRef{before, after} {
		sides[i], err = store.Get(ref)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Sprintf("snapshot %s is not kept in %s", ref, dir), nil
		}
		if err != nil {
			return nil, "", out.Bad("%w", err)
		}
	}
	ans, err = design.Delta(sides[0], sides[1], design.Rule{})
	if err != nil {
		return nil, "", out.Bad("the snapshots of %s: %w", c.ID, err)
	}
	return ans, "", nil
}

func (ans *deltaAnswer) far() *deltaAnswer {
	for _, x := range []struct {
		of *contract.DesignDelta
		to **design.Displacement
	}{{ans.Claimed, &ans.Far.Claimed}, {ans.Measured, &ans.Far.Measured}} {
		if x.of != nil {
			d := design.Said(x.of)
			*x.to = &d
		}
	}
	return ans
}

func (ans *deltaAnswer) print(cmd *cobra.Command, rows int, ascii bool) error {
	w := cmd.OutOrStdout()
	for _, d := range []struct {
		name string
		of   *contract.DesignDelta
	}{{"claimed", ans.Claimed}, {"measured", ans.Measured}} {
		if d.of == nil {
			fmt.Fprintf(w, "%s: nothing\n", d.name)
			continue
		}
		fmt.Fprintf(w, "%s by %s\n", d.name, clean(ans.ID))
		if err := contractcmd.PrintDelta(w, d.of, rows, ascii); err != nil {
			return err
		}
	}
	if ans.Between == nil {
		fmt.Fprintf(w, "between its snapshots: not measured, %s\n", clean(ans.Missing))
		return nil
	}
	fmt.Fprintln(w, "between its snapshots, measured here")
	return contractcmd.PrintMeasured(w, ans.Between, rows, ascii)
}
