// Package contractcmd is `flowdbg contract …`: the commands over the contract library. Each file builds the commands of
// one part of it. It may parse flags and print; every decision is made in package contract and below.
package contractcmd

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"flowdbg/ui/cli/out"
)

// New builds the `contract` command with all its subcommands. Output goes to the command's own writers.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Check, negotiate, translate and judge by the typed tool contract",
		Args:  cobra.NoArgs, // asked only of a command that runs: a misspelt subcommand must not pass for a request for help
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, build := range []func() []*cobra.Command{typeCmds, translateCmds, compatCmds, designCmds, judgeCmds} {
		cmd.AddCommand(build()...)
	}
	return cmd
}

// readInput reads a file, or standard input for "-".
func readInput(cmd *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return nil, out.Bad("standard input: %w", err)
		}
		return data, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	return data, nil
}
