package contractcmd

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"flowdbg/contract/compat"
	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// classifyFlags are the flags of classify.
type classifyFlags struct {
	prefix, changelog, title, today  string
	oldPackage, newPackage, schemas  string
	oldContract, newContract         int
	rules, fixtures                  []string
	strict, asJSON, all, listedRules bool
}

func classifyCmd() *cobra.Command {
	var f classifyFlags
	cmd := &cobra.Command{
		Use:   "classify OLD NEW",
		Short: "Say which level of change lies between two tool lists, and whether the process was kept",
		Long: `OLD and NEW are tool lists as tools/list returns them, or snapshots. Every tool gets one level:

  unchanged, docs, addition     nobody breaks
  semantic?                     compatible by form; whether it means the same, a person decides
  mechanical break              renamed or rearranged; the step rules bridge it, the contract integer grows by exactly 1
  semantic break                a new name, and a sunset on the old one; in place it is a violation
  removal                       marked [удаление] (or [removal]), and the sunset has passed or the package is below 1.0.0

The second column is the letter of semantic versioning. Arguments are compared as old callers → new tool, results as new
tool → old readers. What cannot be compared and differs is a break. Exit 1 when a demand is unmet; with --strict also when
something is undecided or a gate could not be checked for want of input.

With --schema the files are two versions of one JSON Schema; exit 1 when the change breaks.`,
		Example: `  flowdbg contract classify golden/tools.json tools.json --changelog CHANGELOG.md --title "add seed" --rules rules.json
  flowdbg contract classify old.json new.json --old-package 1.2.0 --new-package 1.3.0 --today 2026-11-30 --json
  flowdbg contract classify old.json new.json --fixtures testdata --strict
  flowdbg contract classify --schema arguments old.schema.json new.schema.json
  flowdbg contract classify --list-rules`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.listedRules {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.listedRules:
				return classifyRules(cmd, f.asJSON)
			case f.schemas != "":
				return f.schemaPair(cmd, args[0], args[1])
			}
			return f.lists(cmd, args[0], args[1])
		},
	}
	f.add(cmd)
	return cmd
}

func (f *classifyFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	compatPrefixFlag(cmd, &f.prefix)
	fl.StringArrayVar(&f.rules, "rules", nil, "rule `FILE` with the steps between contract versions; may be given again")
	fl.StringVar(&f.changelog, "changelog", "", "changelog `FILE` after the change")
	fl.StringVar(&f.title, "title", "", "`TITLE` of the commit or pull request")
	fl.StringVar(&f.today, "today", "", "`DATE` (YYYY-MM-DD, UTC) that sunsets are judged on; today when not given")
	fl.StringVar(&f.oldPackage, "old-package", "", "semantic `VERSION` of the contract package before; else serverInfo.version")
	fl.StringVar(&f.newPackage, "new-package", "", "semantic `VERSION` of the contract package after; else serverInfo.version")
	fl.IntVar(&f.oldContract, "old-contract", 0, "contract `INTEGER` before; else what the list says")
	fl.IntVar(&f.newContract, "new-contract", 0, "contract `INTEGER` after; else what the list says")
	fl.StringArrayVar(&f.fixtures, "fixtures", nil, "`DIR` with fixtures: those of a removed tool must go with it; may be given again")
	fl.StringVar(&f.schemas, "schema", "", "the files are two schemas of `arguments` or results")
	fl.BoolVar(&f.strict, "strict", false, "exit 1 also for undecided rows and gates that were not checked")
	fl.BoolVar(&f.all, "all", false, "show every finding, also of tools that need no attention")
	fl.BoolVar(&f.listedRules, "list-rules", false, "list the ids that findings carry, with level and meaning")
	fl.BoolVar(&f.asJSON, "json", false, "print one JSON document")
}

func (f *classifyFlags) lists(cmd *cobra.Command, oldFile, newFile string) error {
	keys, err := compatKeys(f.prefix)
	if err != nil {
		return err
	}
	change := compat.Change{OldPackage: f.oldPackage, NewPackage: f.newPackage, OldContract: f.oldContract,
		NewContract: f.newContract, Title: f.title, Keys: keys, Today: meta.DateOf(time.Now())}
	if change.Old, err = compatRead(cmd, keys, oldFile); err != nil {
		return err
	}
	if change.New, err = compatRead(cmd, keys, newFile); err != nil {
		return err
	}
	if err := f.surroundings(cmd, &change); err != nil {
		return err
	}
	report := compat.Classify(change)
	if f.asJSON {
		err = out.JSON(cmd.OutOrStdout(), report)
	} else {
		err = compatPrint(cmd.OutOrStdout(), report, f.all)
	}
	if err != nil {
		return err
	}
	open := report.Undecided + compatUnchecked(report)
	if !report.OK || f.strict && open > 0 {
		return out.No("")
	}
	return nil
}

func compatUnchecked(r compat.Report) int {
	n := 0
	for _, g := range r.Gates {
		if g.Status == compat.NotChecked {
			n++
		}
	}
	return n
}

// surroundings reads what a change is judged with besides the lists.
func (f *classifyFlags) surroundings(cmd *cobra.Command, c *compat.Change) error {
	if f.today != "" {
		day, err := meta.ParseDate(f.today)
		if err != nil {
			return out.Bad("--today: %w", err)
		}
		c.Today = day
	}
	if f.changelog != "" {
		data, err := readInput(cmd, f.changelog)
		if err != nil {
			return err
		}
		text := string(data)
		c.Changelog = &text
	}
	var sources []translate.Source
	for _, file := range f.rules {
		data, err := readInput(cmd, file)
		if err != nil {
			return err
		}
		sources = append(sources, translate.Source{Name: file, Data: data})
	}
	var err error
	if c.Rules, err = translate.Load(sources, nil); err != nil {
		return out.Bad("%w", err)
	}
	for _, dir := range f.fixtures {
		found, err := compatFixtures(dir)
		if err != nil {
			return out.Bad("--fixtures: %w", err)
		}
		c.Fixtures = append(c.Fixtures, found...)
	}
	return nil
}

func compatFixtures(dir string) ([]string, error) {
	found := []string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			// Relative, so that a directory above the fixtures never counts as a tool's name.
			rel, relErr := filepath.Rel(dir, path)
			if relErr != nil {
				return relErr
			}
			found = append(found, filepath.ToSlash(rel))
		}
		return err
	})
	slices.Sort(found)
	return found, err
}

// schemaAnswer is what classify --schema prints with --json.
type schemaAnswer struct {
	Direction compat.Direction `json:"direction"`
	Level     compat.Level     `json:"level"`
	Letter    compat.Letter    `json:"letter"`
	Findings  []compat.Finding `json:"findings"`
}

func (f *classifyFlags) schemaPair(cmd *cobra.Command, oldFile, newFile string) error {
	dir := compat.Arguments
	switch f.schemas {
	case "arguments":
	case "results":
		dir = compat.Results
	default:
		return out.Bad("--schema %q: want arguments or results", f.schemas)
	}
	var docs [2]canon.Value
	for i, file := range [...]string{oldFile, newFile} {
		data, err := readInput(cmd, file)
		if err != nil {
			return err
		}
		if docs[i], _, err = canon.Parse(data, canon.Options{Integers: canon.IntegersAccept}); err != nil {
			return typesJSONError(file, err)
		}
	}
	found := compat.Diff(dir, docs[0], docs[1])
	a := schemaAnswer{Direction: dir, Level: compat.Worst(found), Letter: compat.WorstLetter(found), Findings: found}
	if a.Findings == nil {
		a.Findings = []compat.Finding{}
	}
	w := cmd.OutOrStdout()
	if f.asJSON {
		if err := out.JSON(w, a); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(w, "%s: %s, %s\n", a.Direction, a.Level, a.Letter)
		for _, finding := range found {
			compatFinding(w, finding)
		}
	}
	if a.Level == compat.LevelBreak || f.strict && a.Level == compat.LevelSemantic {
		return out.No("")
	}
	return nil
}

func classifyRules(cmd *cobra.Command, asJSON bool) error {
	if asJSON {
		return out.JSON(cmd.OutOrStdout(), compat.Rules())
	}
	for _, r := range compat.Rules() {
		fmt.Fprintf(cmd.OutOrStdout(), "%-30s %-9s %s\n", r.ID, r.Level, r.Means)
	}
	return nil
}
