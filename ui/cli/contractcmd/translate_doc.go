package contractcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/contract/translate"
	"flowdbg/ui/cli/out"
)

type translateFlags struct {
	rules      ruleFlags
	tool, side string
	from, to   int
	asJSON     bool
	cases      bool
	ruleSchema bool
}

func translateCmd() *cobra.Command {
	var f translateFlags
	cmd := &cobra.Command{
		Use:   "translate [FILE]",
		Short: "Carry arguments or a result from one contract version to another",
		Long: `Carry one JSON document from one contract version to another through the steps of rule files, up or down, and print it. Numbers
keep their spelling and members their order. What was lost on the way, or invented, is noted on standard error (loss:/pointer,
invented:/pointer). With --contract the document is validated before and after.

--cases runs data cases instead, for the authors of rules: FILE is a JSON array of {n, ops, up, side, in, want} or
{n, ops, up, side, in, err, at}, with "notes" where they matter. --rule-schema prints the JSON Schema of rule files.

Exit: 0 translated, 1 refused or not valid or a case failed, 2 unreadable.`,
		Example: `  flowdbg contract translate args.json --rules rules.json --tool iPL.place --from 1 --to 3
  flowdbg contract translate result.json --rules rules.json --tool iPL.place --from 3 --to 1 --side output --json
  flowdbg contract translate --cases my-cases.json
  flowdbg contract translate --rule-schema`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.rules.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.tool, "tool", "", "the tool whose rules apply")
	fl.IntVar(&f.from, "from", 0, "contract version of the document")
	fl.IntVar(&f.to, "to", 0, "contract version that is wanted")
	fl.StringVar(&f.side, "side", string(translate.Input), "what the document is: input (arguments) or output (a structured result)")
	fl.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	fl.BoolVar(&f.cases, "cases", false, "FILE holds data cases: run them")
	fl.BoolVar(&f.ruleSchema, "rule-schema", false, "print the JSON Schema of rule files")
	return cmd
}

func (f *translateFlags) run(cmd *cobra.Command, args []string) error {
	if f.ruleSchema {
		_, err := cmd.OutOrStdout().Write(translate.RuleSchema())
		return err
	}
	if len(args) == 0 {
		return out.Bad("give the FILE to translate, or - for standard input")
	}
	data, err := readInput(cmd, args[0])
	if err != nil {
		return err
	}
	if f.cases {
		return runCases(cmd, args[0], data, f.asJSON)
	}
	side := translate.Side(f.side)
	switch {
	case side != translate.Input && side != translate.Output:
		return out.Bad("--side %s: want input or output", f.side)
	case f.tool == "":
		return out.Bad("--tool: which tool's rules apply?")
	case f.from < 1 || f.to < 1:
		return out.Bad("--from and --to: want contract versions, 1 or more")
	}
	rules, catalog, err := f.rules.load(cmd, f.asJSON)
	if err != nil {
		return err
	}
	return f.translate(cmd, args[0], data, side, rules, catalog)
}

// translationView is a document that was carried.
type translationView struct {
	Tool     string           `json:"tool"`
	Side     translate.Side   `json:"side"`
	From     int              `json:"from"`
	To       int              `json:"to"`
	Document rawJSON          `json:"document"`
	Notes    []translate.Note `json:"notes"`
	Checked  bool             `json:"checked"` // validated against a schema of the wanted version
}

func (f *translateFlags) translate(cmd *cobra.Command, file string, data []byte, side translate.Side, rules *translate.RuleSet, catalog *translate.Catalog) error {
	if _, err := f.valid(cmd, catalog, f.from, side, file, data); err != nil {
		return err
	}
	plan, err := rules.OneWay(f.tool, f.from, f.to, side)
	if err != nil {
		return sayRefusal(cmd, err, nil, f.asJSON)
	}
	doc, notes, err := plan.Translate(side, data)
	if err != nil {
		return sayRefusal(cmd, err, nil, f.asJSON)
	}
	checked, err := f.valid(cmd, catalog, f.to, side, "the translated document", doc)
	if err != nil {
		return err
	}
	if notes == nil {
		notes = []translate.Note{}
	}
	if f.asJSON {
		return out.JSON(cmd.OutOrStdout(), translationView{f.tool, side, f.from, f.to, doc, notes, checked})
	}
	printNotes(cmd.ErrOrStderr(), notes)
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", doc)
	return err
}

// invalidView is a document that does not fit the schema of one version, before or after it was carried.
type invalidView struct {
	Tool    string              `json:"tool"`
	Side    translate.Side      `json:"side"`
	Version int                 `json:"version"`
	Name    string              `json:"name"` // of the file, or words for the translated document
	Invalid []translate.Invalid `json:"invalid"`
}

// shownFaults is how many places of an invalid document are listed: enough to see the pattern.
const shownFaults = 8

// valid checks a document where the snapshots know its schema.
func (f *translateFlags) valid(cmd *cobra.Command, catalog *translate.Catalog, version int, side translate.Side, name string, doc []byte) (bool, error) {
	bad, checked, err := catalog.Validate(f.tool, version, side, doc)
	if err != nil {
		return false, translateBad(name, err)
	}
	if len(bad) == 0 {
		return checked, nil
	}
	if f.asJSON {
		if err := out.JSON(cmd.OutOrStdout(), invalidView{f.tool, side, version, name, bad}); err != nil {
			return false, err
		}
		return false, out.No("")
	}
	text := ""
	for i, v := range bad {
		if i == shownFaults {
			text += fmt.Sprintf("\n  and %d more", len(bad)-i)
			break
		}
		text += "\n  " + v.String()
	}
	return true, out.No("%s is no valid %s of %s in contract version %d:%s", name, side, f.tool, version, text)
}
