package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/engine/behavior"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// kindsCmd is `flowdbg kinds`.
func (a *app) kindsCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "kinds [NAME]",
		Short: "List the kinds of agents, or describe one: messages, ports, config, state",
		Example: `  flowdbg kinds
  flowdbg kinds gate
  flowdbg kinds router --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeKinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			kinds := load.Kinds(".", nil)
			if len(args) == 1 {
				k, err := findKind(kinds, args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return out.JSON(cmd.OutOrStdout(), k)
				}
				return printKind(cmd.OutOrStdout(), k)
			}
			list := make([]behavior.Kind, 0, len(kinds.Names()))
			for _, n := range kinds.Names() {
				k, _ := kinds.Find(n)
				list = append(list, k)
			}
			if asJSON {
				return out.JSON(cmd.OutOrStdout(), list)
			}
			tw := table(cmd.OutOrStdout())
			for _, k := range list {
				fmt.Fprintf(tw, "%s\t%s\n", k.Name, k.Summary)
			}
			return tw.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func completeKinds(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return load.Kinds(".", nil).Names(), cobra.ShellCompDirectiveNoFileComp
}

func findKind(kinds *behavior.Registry, name string) (behavior.Kind, error) {
	k, ok := kinds.Find(name)
	if !ok {
		return k, out.Bad("there is no kind %q%s; there are %s", name, out.DidYouMean(name, kinds.Names()), strings.Join(kinds.Names(), ", "))
	}
	return k, nil
}

func printKind(w io.Writer, k behavior.Kind) error {
	fmt.Fprintf(w, "%s: %s\n", k.Name, k.Summary)
	fmt.Fprintf(w, "receives  %s\n", strings.Join(k.Receives, ", "))
	for _, p := range k.Ports {
		fmt.Fprintf(w, "port      %s: %s\n", p.Name, p.Sends)
	}
	if len(k.Effects) > 0 {
		fmt.Fprintf(w, "asks      %s\n", strings.Join(k.Effects, ", "))
	}
	fmt.Fprintf(w, "state     %s\n", k.State)
	if len(k.Config) == 0 {
		return nil
	}
	fmt.Fprintln(w, "config")
	tw := table(w)
	for _, f := range k.Config {
		def := f.Default
		if def == "" {
			def = "-"
		}
		fmt.Fprintf(tw, "  %s\t%s\tdefault: %s\t%s\n", f.Name, f.Type, def, f.Doc)
	}
	return tw.Flush()
}
