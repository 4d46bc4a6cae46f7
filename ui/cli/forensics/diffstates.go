package forensics

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/cli/at"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/show"
)

// statesFlags choose the place at which states are compared.
type statesFlags struct {
	on             bool
	at, atRecorded at.Place
}

func (f *statesFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "states", false, "what differs between the states behind the first difference, or at --at")
	cmd.Flags().Var(&f.at, "at", "with --states: at this position of GOT, behind event eN, or at a mark")
	cmd.Flags().Var(&f.atRecorded, "at-recorded", "the same, of RECORDED")
	cmd.MarkFlagsMutuallyExclusive("at", "at-recorded")
	_ = cmd.RegisterFlagCompletionFunc("at", marksOf(1))
	_ = cmd.RegisterFlagCompletionFunc("at-recorded", marksOf(0))
}

// place is the side and the position that were asked for; a position below 0 is none.
func (f *statesFlags) place(cmd *cobra.Command, args []string, a, b *trace.Opened) (trace.Side, int, error) {
	side, p, o, arg := trace.GotSide, &f.at, b, args[1]
	switch {
	case cmd.Flags().Changed("at-recorded"):
		side, p, o, arg = trace.RecordedSide, &f.atRecorded, a, args[0]
	case !cmd.Flags().Changed("at"):
		return side, -1, nil
	}
	if err := p.Find(func() ([]debug.Mark, error) { return marksBeside(arg) }); err != nil {
		return side, 0, err
	}
	pos, err := p.In(o.Log())
	return side, pos, err
}

// states prints what differs between the states at a place. Both traces are folded as they were recorded, without a flow.
func (t *tool) states(cmd *cobra.Command, args []string, a, b *trace.Opened, f *diffFlags) error {
	side, pos, err := f.states.place(cmd, args, a, b)
	if err != nil {
		return err
	}
	tell, stop := t.progress()
	place, err := trace.AlignAt(cmd.Context(), a.Log(), b.Log(), side, pos, tell)
	stop()
	if err != nil {
		return failed(err)
	}
	recorded, err := stateAt(cmd.Context(), a, place.Recorded)
	if err != nil {
		return err
	}
	got, err := stateAt(cmd.Context(), b, place.Got)
	if err != nil {
		return err
	}
	d := show.StatesOf(trace.DiffStates(recorded, got, nil), "recorded", "got", place)
	if f.asJSON {
		err = out.JSON(cmd.OutOrStdout(), struct {
			RecordedFile string `json:"recorded_file"`
			GotFile      string `json:"got_file"`
			*show.States
		}{a.Name, b.Name, d})
	} else {
		fmt.Fprintln(cmd.OutOrStdout(), d.Text())
	}
	if err == nil && !d.Equal {
		return out.No("")
	}
	return err
}

func stateAt(ctx context.Context, o *trace.Opened, pos int) (*trace.State, error) {
	if o.Store != nil {
		st, err := o.Store.FoldAt(pos)
		if err != nil {
			return nil, fmt.Errorf("%s: the state at position %d: %w", o.Name, pos, err)
		}
		return st, nil
	}
	st := trace.NewState(trace.PlaybackSetup(o.Trace.Events))
	for i := range pos {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		st.Apply(&o.Trace.Events[i])
	}
	return st, nil
}
