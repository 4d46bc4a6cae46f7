// Package contractcmd is `flowdbg contract …`: the commands over the contract library. Each file builds the commands of
// one part of it. It may parse flags and print; every decision is made in package contract and below.
package contractcmd

import "github.com/spf13/cobra"

// New builds the `contract` command with all its subcommands. Output goes to the command's own writers.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Check, negotiate, translate and judge by the typed tool contract",
		Args:  cobra.NoArgs,
	}
	for _, build := range []func() []*cobra.Command{typeCmds, translateCmds, compatCmds, designCmds, judgeCmds} {
		cmd.AddCommand(build()...)
	}
	return cmd
}
