// Package contractcmd is `flowdbg contract …`: the commands over the contract library. Each file builds the commands of
// one part of it. It may parse flags and print; every decision is made in package contract and below.
package contractcmd

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/ui/cli/out"
)

// New builds the `contract` command with all its subcommands. Output goes to the command's own writers.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Check, negotiate, translate and judge by the typed tool contract",
		Example: `  flowdbg contract negotiate examples/contract/negotiation/required.json examples/contract/negotiation/platform.json
  flowdbg contract schema --list
  flowdbg help contract gate`,
		Args: cobra.NoArgs, // asked only of a command that runs: a misspelt subcommand must not pass for a request for help
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
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

// linef prints like fmt.Fprintf, with what does not print in the arguments escaped: names and texts from files cannot end a
// line and begin another that looks like the command's own.
func linef(w io.Writer, format string, args ...any) {
	for i, a := range args {
		switch x := a.(type) {
		case string:
			args[i] = oneLine(x)
		case error:
			args[i] = oneLine(x.Error())
		case fmt.Stringer:
			args[i] = oneLine(x.String())
		default:
			if v := reflect.ValueOf(a); v.Kind() == reflect.String {
				args[i] = oneLine(v.String())
			}
		}
	}
	fmt.Fprintf(w, format, args...)
}

// oneLine escapes what does not print, such as line feeds and tabs, as Go spells it.
func oneLine(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
