package record

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// genTraceCmd is `flowdbg gen-trace`, hidden: it makes traces of any size to measure with.
func (c Config) genTraceCmd() *cobra.Command {
	var output string
	var force bool
	var events, agents, payload int
	cmd := &cobra.Command{
		Use:    "gen-trace -o FILE",
		Short:  "Write a consistent trace of any size, to measure with",
		Hidden: true,
		Long: `Write a consistent trace: a ring of agents passes a message on, every second step asks a model. Memory use does not
depend on the size. The same numbers give the same bytes.`,
		Example: `  flowdbg gen-trace -o 300mb.json --events 1000000 --payload 400
  flowdbg gen-trace -o 1gb.json --events 3000000 --payload 500
  flowdbg gen-trace -o - --events 1000 | flowdbg -`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if events < 1 || agents < 1 || payload < 0 {
				return out.Bad("a trace has at least one event and one agent, and a payload is not negative")
			}
			if err := dest.Check(output, force, nil); err != nil {
				return err
			}
			write := func(w io.Writer) error { return trace.GenTrace(w, events, agents, payload) }
			var err error
			if output == load.Stdin {
				err = write(c.raw(cmd))
			} else if err = trace.ReplaceFile(output, write); err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "written %s\n", output)
			}
			if err != nil {
				return out.Bad("writing %s: %w", output, err)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", `write to this `+"`file`"+` ("-": standard output)`)
	dest.Flag(cmd, &force)
	cmd.Flags().IntVar(&events, "events", 1000, "how many events")
	cmd.Flags().IntVar(&agents, "agents", 10, "how many agents")
	cmd.Flags().IntVar(&payload, "payload", 300, "length of each answer's text, in `bytes`")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}
