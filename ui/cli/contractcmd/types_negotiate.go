package contractcmd

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/contract/require"
	"flowdbg/ui/cli/out"
)

// negotiateFlags are the options of `contract negotiate`.
type negotiateFlags struct {
	require, provide []string
	asJSON           bool
}

func negotiateCmd() *cobra.Command {
	var f negotiateFlags
	cmd := &cobra.Command{
		Use:   "negotiate [REQUIRED PLATFORM]",
		Short: "Decide whether a platform provides the tool versions that an agent requires",
		Long: `Decide whether a platform provides what an agent requires. Every requirement gets a verdict, not only the first that
fails; the platform connects only if all are satisfied.

REQUIRED holds "NAME CONSTRAINTS" lines, or JSON: {"required_contracts": {NAME: CONSTRAINTS, ...}}, that object, or a list.
PLATFORM holds "NAME @ VERSION" lines, or JSON as "contract suit" reads it. A comma means "and"; operators are
= != < <= > >= ~ ^; versions are strict Semantic Versioning 2.0.0. A name is a tool, or else a component, whose tools
(NAME.*) must all satisfy. A prerelease matches only when the constraint names one.

Exit: 0 connects, 1 does not, 2 unreadable.`,
		Example: `  flowdbg contract negotiate required.json platform.json
  flowdbg contract negotiate --require 'iPL.place >= 1.2.0, < 2.0.0' --provide 'iPL.place @ 1.3.1'
  flowdbg contract negotiate required.txt tools-list.json --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return out.Bad("give REQUIRED and PLATFORM, or --require and --provide")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.Flags().StringArrayVar(&f.require, "require", nil, "a requirement, `'NAME CONSTRAINTS'` (repeatable)")
	cmd.Flags().StringArrayVar(&f.provide, "provide", nil, "a provided tool, `'NAME @ VERSION'` (repeatable)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (f *negotiateFlags) run(cmd *cobra.Command, args []string) error {
	required, provided, err := f.given()
	if err != nil {
		return err
	}
	if len(args) == 2 {
		data, err := readInput(cmd, args[0])
		if err != nil {
			return err
		}
		more, err := require.Read(data)
		if err != nil {
			return typesJSONError(args[0], err)
		}
		offered, err := readProvided(cmd, args[1])
		if err != nil {
			return err
		}
		required, provided = append(required, more...), append(provided, offered...)
	}
	if len(required) == 0 {
		return out.Bad("nothing is required: a negotiation about nothing would always succeed")
	}
	report := require.Negotiate(required, provided)
	if f.asJSON {
		err = out.JSON(cmd.OutOrStdout(), report)
	} else {
		err = printReport(cmd, report)
	}
	if err == nil && !report.Connects {
		err = out.No("")
	}
	return err
}

func (f *negotiateFlags) given() (required []require.Requirement, provided []require.Provided, err error) {
	for _, text := range f.require {
		r, err := require.Parse(text)
		if err != nil {
			return nil, nil, out.Bad("--require %q: %w", text, err)
		}
		required = append(required, r)
	}
	for _, text := range f.provide {
		p, err := require.ParseProvided(text)
		if err != nil {
			return nil, nil, out.Bad("--provide %q: %w", text, err)
		}
		provided = append(provided, p)
	}
	return required, provided, nil
}

// readProvided reads a platform: "NAME @ VERSION" lines, or a listing of tools as JSON.
func readProvided(cmd *cobra.Command, file string) ([]require.Provided, error) {
	data, err := readInput(cmd, file)
	if err != nil {
		return nil, err
	}
	if text := bytes.TrimLeft(data, " \t\r\n"); len(text) == 0 || text[0] != '{' && text[0] != '[' {
		provided, err := require.ReadProvided(data)
		if err != nil {
			return nil, out.Bad("%s: %w", file, err)
		}
		return provided, nil
	}
	tools, err := toolsIn(cmd, file, data)
	if err != nil {
		return nil, err
	}
	provided := make([]require.Provided, 0, len(tools))
	for _, t := range tools {
		provided = append(provided, require.Provided{Name: t.Name, Version: t.Version})
	}
	return provided, nil
}

func printReport(cmd *cobra.Command, report require.Report) error {
	w := cmd.OutOrStdout()
	for _, v := range report.Verdicts {
		linef(w, "%-14s %s %s\n", v.Verdict, v.Name, v.Constraints)
		for _, t := range v.Tools {
			linef(w, "    %s  %s\n", t.Provided, t.Line())
		}
		if len(v.Tools) == 0 {
			linef(w, "    %s\n", v.Reason)
		}
		for _, l := range v.Lints {
			linef(w, "    lint: %s [%s]\n", l.Message, l.Rule)
		}
	}
	for _, name := range report.Duplicates {
		linef(w, "the platform lists %s more than once; every version must satisfy\n", name)
	}
	answer := "connects: yes, " + typesPlural(len(report.Verdicts), "requirement") + " satisfied"
	if !report.Connects {
		answer = fmt.Sprintf("connects: no, %d of %s not satisfied", report.Unmet(), typesPlural(len(report.Verdicts), "requirement"))
	}
	_, err := fmt.Fprintln(w, answer)
	return err
}
