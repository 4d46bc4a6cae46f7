package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flowdbg/engine/debug"
	"flowdbg/ui/cli/out"
)

// markJSON is one mark of `marks --json`.
type markJSON struct {
	debug.Mark
	Position int             `json:"position"`
	What     string          `json:"what"`
	Place    debug.MarkPlace `json:"place,omitempty"` // in the trace; absent without one
}

// marksCmd is `flowdbg marks`.
func (a *app) marksCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "marks FLOW | TRACE | FLOW TRACE | FOLDER",
		Short: "List the marks that are kept beside a flow or a trace",
		Long: `List the named places that were marked in a run (m on the screen, "mark NAME" in a session), with the event that each
stands at. With a trace it says of each whether that event is there: a mark is never moved to another one. Commands that
take --at go to a mark by its name.

A mark is set from the shell by a session: flowdbg session --breaks -e 'goto step 4; mark here' flow.json`,
		Example: `  flowdbg marks flow.json trace.json
  flowdbg marks trace.json --json | jq '.marks[].name'
  flowdbg state flow.json trace.json --at here`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := a.listMarks(cmd, args)
			if err != nil {
				return err
			}
			if asJSON {
				return out.JSON(cmd.OutOrStdout(), map[string]any{"marks": list})
			}
			return printMarks(cmd.OutOrStdout(), list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func (a *app) listMarks(cmd *cobra.Command, args []string) ([]markJSON, error) {
	t, err := a.open(args)
	if err != nil {
		return nil, err
	}
	marks, err := t.Marks()
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	list := make([]markJSON, len(marks))
	for i := range marks {
		m := &marks[i]
		list[i] = markJSON{Mark: *m, Position: m.Pos(), What: m.What()}
	}
	if t.Trace == nil || len(list) == 0 {
		return list, nil
	}
	o, err := a.openTrace(cmd.Context(), t.Trace, nil)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Place = marks[i].In(o.Log())
	}
	return list, nil
}

func printMarks(w io.Writer, list []markJSON) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "no marks")
		return err
	}
	tw := table(w)
	for _, m := range list {
		place := m.Place.Text()
		if m.Place == "" {
			place = "unchecked"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", clean(m.Name), clean(m.Where()), place, clean(m.Note))
	}
	return tw.Flush()
}
