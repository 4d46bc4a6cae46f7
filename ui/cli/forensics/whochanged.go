package forensics

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/cli/at"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/names"
	"flowdbg/ui/cli/out"
)

// changesAnswer is `who-changed --json`.
type changesAnswer struct {
	Agent   string         `json:"agent"`
	Pointer string         `json:"pointer"`
	Before  int            `json:"before"` // changes by events from here on are not looked at
	Changes []trace.Change `json:"changes"`
}

func (t *tool) whoChangedCmd() *cobra.Command {
	var asJSON bool
	var place at.Place
	var limit int
	cmd := &cobra.Command{
		Use:   "who-changed TRACE AGENT [POINTER]",
		Short: "Find the event that last changed a value in an agent's state",
		Long: `Go backward from the end (or from --at) to the last event that changed the value at a JSON Pointer in an agent's state:
an act, a first state, or a person's edit. Without POINTER: the state as a whole.

Exit 1 when nothing changed it.`,
		Example: `  flowdbg who-changed trace.json critic /last/score
  flowdbg who-changed trace.json critic /pending --at 120 --last 5
  flowdbg who-changed trace.json critic /pending --at e120
  flowdbg who-changed trace.json writer --json`,
		Args:              cobra.RangeArgs(2, 3),
		ValidArgsFunction: traceFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			pointer := ""
			if len(args) == 3 {
				pointer = args[2]
			}
			if limit < 1 {
				return out.Bad("--last %d: at least 1", limit)
			}
			o, err := t.open(cmd, args[0])
			if err != nil {
				return err
			}
			defer o.Close()
			pos := o.Log().Len()
			if cmd.Flags().Changed("at") {
				if err := place.Find(func() ([]debug.Mark, error) { return marksBeside(args[0]) }); err != nil {
					return err
				}
				if note := place.Note(o.Log()); note != "" {
					fmt.Fprintf(cmd.ErrOrStderr(), "flowdbg: %s\n", note)
				}
				if pos, err = place.In(o.Log()); err != nil {
					return err
				}
			}
			tell, stop := t.progress()
			list, err := trace.Changes(cmd.Context(), o.Log(), args[1], pointer, pos, limit, tell)
			stop()
			if err != nil {
				return failed(err)
			}
			if len(list) == 0 {
				if err := names.Agents(o.Log(), args[1:2]); err != nil {
					return err
				}
			}
			return printChanges(cmd, &changesAnswer{args[1], pointer, pos, append([]trace.Change{}, list...)}, asJSON)
		},
	}
	cmd.Flags().Var(&place, "at", at.Usage)
	_ = cmd.RegisterFlagCompletionFunc("at", marksOf(0))
	cmd.Flags().IntVar(&limit, "last", 1, "how many changes are told, the latest first")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the changes as one JSON document")
	return cmd
}

// marksBeside are the marks that are kept beside a trace, or beside the flow of its folder.
func marksBeside(arg string) ([]debug.Mark, error) {
	if arg == load.Stdin {
		return nil, errors.New("standard input has no marks")
	}
	t, err := load.Open([]string{arg}, nil)
	if err != nil {
		return nil, err
	}
	return t.Marks()
}

// marksOf completes the names of marks beside the n-th argument.
func marksOf(n int) cobra.CompletionFunc {
	return at.Complete(func(args []string) ([]debug.Mark, error) {
		if n >= len(args) {
			return nil, nil
		}
		return marksBeside(args[n])
	})
}

// lookEvery is after how many headers a search looks at its context.
const lookEvery = 4096

func printChanges(cmd *cobra.Command, a *changesAnswer, asJSON bool) error {
	if asJSON {
		if err := out.JSON(cmd.OutOrStdout(), a); err != nil {
			return err
		}
	} else {
		w := cmd.OutOrStdout()
		for _, c := range a.Changes {
			fmt.Fprintf(w, "event %d  step %d  %s of %s  %s: %s → %s\n", c.Event, c.Step, c.Type, clean(c.Agent), clean(orState(a.Pointer)), orNothing(c.Before.Text()), orNothing(c.After.Text()))
		}
		if len(a.Changes) == 0 {
			fmt.Fprintf(w, "nothing before event %d changed %s of %s\n", a.Before, clean(orState(a.Pointer)), clean(a.Agent))
		}
	}
	if len(a.Changes) == 0 {
		return out.No("")
	}
	return nil
}

func orState(ptr string) string {
	if ptr == "" {
		return "the state"
	}
	return ptr
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return cut(text, 2*shown)
}
