package forensics

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// exportAnswer is `export --json`.
type exportAnswer struct {
	File    string             `json:"file"`
	Written string             `json:"written"`
	Format  trace.ExportFormat `json:"format"`
	*trace.ExportReport
}

type exportFlags struct {
	format, output string
	from, to       int
	asJSON, force  bool
}

// manyLines is how many lines of a diagram are too many for a renderer's usual limits.
const manyLines = 400

func (t *tool) exportCmd() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export TRACE",
		Short: "Write a trace, or a part of it, as an array, as lines, or as a diagram",
		Long: `Write a trace again: as a JSON array with one event per line, as JSON Lines, or as a Mermaid sequence diagram. Steps that
were taken back and text that is no event are left out, and that is said. A file is written beside its target and renamed
into place when it is whole.`,
		Example: `  flowdbg export trace.json --format lines | jq .type
  flowdbg export torn.json -o whole.json
  flowdbg export trace.json --format mermaid --from 0 --to 60 -o run.mmd`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: traceFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return t.export(cmd, args[0], f) },
	}
	cmd.Flags().StringVar(&f.format, "format", string(trace.ExportArray), "array, lines or mermaid")
	cmd.Flags().StringVarP(&f.output, "output", "o", load.Stdin, "the `file` to write (\"-\": standard output)")
	dest.Flag(cmd, &f.force)
	cmd.Flags().IntVar(&f.from, "from", 0, "the first `event`")
	cmd.Flags().IntVar(&f.to, "to", 0, "the `event` behind the last one (0: to the end)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print what was written as one JSON document (with -o)")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func formatNames() []string {
	var names []string
	for _, f := range trace.ExportFormats {
		names = append(names, string(f))
	}
	return names
}

func (t *tool) export(cmd *cobra.Command, arg string, f exportFlags) error {
	known := false
	for _, name := range formatNames() {
		known = known || name == f.format
	}
	if !known {
		return out.Bad("unknown format %q%s; there are array, lines and mermaid", f.format, out.DidYouMean(f.format, formatNames()))
	}
	if f.asJSON && f.output == load.Stdin {
		return out.Bad("--json needs -o FILE: standard output holds the trace")
	}
	if err := dest.Check(f.output, f.force, dest.Named(arg)); err != nil {
		return err
	}
	o, err := t.open(cmd, arg)
	if err != nil {
		return err
	}
	defer o.Close()
	opt := trace.ExportOptions{Format: trace.ExportFormat(f.format), From: f.from, To: f.to}
	tell, stop := t.progress()
	defer stop()
	var rep *trace.ExportReport
	if f.output == load.Stdin {
		w := t.Raw
		if w == nil {
			w = cmd.OutOrStdout()
		}
		rep, err = trace.Export(cmd.Context(), w, o.Log(), opt, tell)
	} else {
		rep, err = trace.ExportFile(cmd.Context(), f.output, o.Log(), opt, tell)
	}
	if err != nil {
		return failed(fmt.Errorf("exporting %s: %w", o.Name, err))
	}
	if f.asJSON {
		return out.JSON(cmd.OutOrStdout(), &exportAnswer{o.Name, f.output, opt.Format, rep})
	}
	if f.output != load.Stdin {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s of %s\n", f.output, plural(rep.Events, "event"), o.Name)
	}
	leftOut(cmd.ErrOrStderr(), rep, opt.Format)
	return nil
}

// leftOut says on standard error what is not in the export.
func leftOut(w io.Writer, r *trace.ExportReport, format trace.ExportFormat) {
	if r.Cancelled > 0 {
		fmt.Fprintf(w, "flowdbg: %s of cancelled steps left out\n", plural(r.Cancelled, "event"))
	}
	if r.Damaged > 0 {
		fmt.Fprintf(w, "flowdbg: %s of text that is no event left out\n", plural(r.Damaged, "piece"))
	}
	if r.Rounded > 0 {
		fmt.Fprintf(w, "flowdbg: %s beyond ±(2^53−1) written rounded\n", plural(r.Rounded, "integer"))
	}
	if format == trace.ExportMermaid && r.Events > manyLines {
		fmt.Fprintf(w, "flowdbg: %d lines may be too many for a renderer; --from and --to choose a part\n", r.Events)
	}
}
