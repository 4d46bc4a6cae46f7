package contractcmd

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
	"flowdbg/ui/cli/out"
)

// translateCmds are the commands over contract versions: version, plan and translate.
func translateCmds() []*cobra.Command {
	return []*cobra.Command{versionCmd(), planCmd(), translateCmd()}
}

// translateBad puts the file in front of an error; one that knows its place gets file:line:col.
func translateBad(name string, err error) error {
	var at *translate.SyntaxError
	if errors.As(err, &at) {
		return out.Bad("%s:%w", name, at)
	}
	return out.Bad("%s: %w", name, err)
}

// ruleFlags are rule files and the snapshots of the contract they are checked against.
type ruleFlags struct{ rules, contracts []string }

func (f *ruleFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.rules, "rules", nil, "rule `FILE`; repeat for several (without any: the empty rule set that ships)")
	cmd.Flags().StringArrayVar(&f.contracts, "contract", nil, "`N=FILE`: the tools/list answer that is contract version N; its schemas check rules and documents")
}

// badRulesView is the answer of --json for rule files that were refused.
type badRulesView struct {
	BadRules translate.RuleErrors `json:"bad_rules"`
}

// load reads the snapshots, then the rules. Faults of rules are the answer "no", not unreadable input.
func (f *ruleFlags) load(cmd *cobra.Command, asJSON bool) (*translate.RuleSet, *translate.Catalog, error) {
	catalog := translate.NewCatalog()
	for _, c := range f.contracts {
		number, file, ok := strings.Cut(c, "=")
		version, err := strconv.Atoi(number)
		if !ok || err != nil {
			return nil, nil, out.Bad("--contract %s: want N=FILE", c)
		}
		data, err := readInput(cmd, file)
		if err != nil {
			return nil, nil, err
		}
		if err := catalog.AddToolList(version, data); err != nil {
			return nil, nil, translateBad(file, err)
		}
	}
	var sources []translate.Source
	for _, name := range f.rules {
		data, err := readInput(cmd, name)
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, translate.Source{Name: name, Data: data})
	}
	rules, err := translate.Load(sources, catalog)
	var bad translate.RuleErrors
	switch {
	case asJSON && errors.As(err, &bad):
		if err := out.JSON(cmd.OutOrStdout(), badRulesView{bad}); err != nil {
			return nil, nil, err
		}
		return nil, nil, out.No("")
	case err != nil:
		return nil, nil, out.No("%w", err)
	}
	for _, w := range rules.Warnings() {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
	}
	return rules, catalog, nil
}

// sourceFlags are everything that may say which versions a tool implements.
type sourceFlags struct {
	initialize, today, prefix, protocol, before string
	pinned, lastKnown, current                  int
}

func (f *sourceFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.initialize, "initialize", "", "`FILE` with the initialize or server/discover answer")
	fl.IntVar(&f.pinned, "pinned", 0, "version pinned for the connection")
	fl.IntVar(&f.lastKnown, "last-known", 0, "highest version seen for the tool so far")
	fl.IntVar(&f.current, "current", 0, "the platform's current version")
	fl.StringVar(&f.today, "today", "", "`YYYY-MM-DD` to judge sunsets by; without it nothing is excluded")
	fl.StringVar(&f.prefix, "prefix", meta.DefaultPrefix, "prefix of the _meta keys")
	fl.StringVar(&f.protocol, "protocol", "", "MCP revision whose _meta grammar the prefix must fit (default: the newest known)")
	fl.StringVar(&f.before, "before", "", "`FILE` with an earlier tools/list answer: a version list that vanished since is a warning")
}

// sourcePlatform is what sourceFlags say.
type sourcePlatform struct {
	keys    meta.Keys
	today   meta.Date
	answer  map[string]any
	listed  map[string]bool // tools that listed versions before
	sources meta.Sources
}

func (f *sourceFlags) read(cmd *cobra.Command) (*sourcePlatform, error) {
	p := &sourcePlatform{listed: map[string]bool{}, sources: meta.Sources{Pinned: f.pinned, LastKnown: f.lastKnown, Current: f.current}}
	var err error
	if p.keys, err = meta.NewKeys(f.prefix, f.protocol); err != nil {
		return nil, out.Bad("--prefix: %w", err)
	}
	if f.today != "" {
		if p.today, err = meta.ParseDate(f.today); err != nil {
			return nil, out.Bad("--today: %w", err)
		}
	}
	if f.initialize != "" {
		data, err := readInput(cmd, f.initialize)
		if err != nil {
			return nil, err
		}
		if p.answer, err = meta.OfAnswer(data); err != nil {
			return nil, out.Bad("%s: %w", f.initialize, err)
		}
	}
	if f.before != "" {
		tools, err := readToolList(cmd, f.before)
		if err != nil {
			return nil, err
		}
		for _, t := range tools {
			_, p.listed[t.Name] = t.Meta[p.keys.Versions]
		}
	}
	return p, nil
}

// describe gathers what is known of one tool.
func (p *sourcePlatform) describe(tool translate.ListedTool) translate.Tool {
	s := p.sources
	s.Tool, s.Initialize, s.Listed = tool.Meta, p.answer, p.listed[tool.Name]
	return translate.Describe(p.keys, tool.Name, s, p.today)
}

func readToolList(cmd *cobra.Command, name string) ([]translate.ListedTool, error) {
	data, err := readInput(cmd, name)
	if err != nil {
		return nil, err
	}
	tools, err := translate.ToolList(data)
	if err != nil {
		return nil, translateBad(name, err)
	}
	return tools, nil
}

// printJournal writes journal entries as lines of text.
func printJournal(w io.Writer, entries []meta.Entry) {
	for _, e := range entries {
		linef(w, "%s: %s: %s (%s): %s\n", e.Level, e.Tool, e.Code, e.Source, e.Text)
	}
}

// refusalView is a refusal with the answer that the agent gets for it.
type refusalView struct {
	Refusal *contract.Refusal `json:"refusal"`
	Answer  rawJSON           `json:"answer"`
	Journal []meta.Entry      `json:"journal"`
}

// rawJSON is JSON text inside a JSON document.
type rawJSON []byte

// MarshalJSON gives the text as it is; nothing is null.
func (r rawJSON) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// sayRefusal prints a refusal and ends with "no"; any other error is unreadable input.
func sayRefusal(cmd *cobra.Command, err error, journal []meta.Entry, asJSON bool) error {
	r, ok := translate.AsRefusal(err)
	if !ok {
		return out.Bad("%w", err)
	}
	if journal == nil {
		journal = []meta.Entry{}
	}
	w := cmd.OutOrStdout()
	if asJSON {
		if err := out.JSON(w, refusalView{r, translate.Answer(r), journal}); err != nil {
			return err
		}
		return out.No("")
	}
	linef(w, "refused: %s\n", r)
	for _, line := range [][2]string{
		{"direction", r.Direction}, {"missing step", r.MissingStep}, {"step", r.Step}, {"rule", r.Rule}, {"path", r.Path},
	} {
		if line[1] != "" {
			linef(w, "  %-12s %s\n", line[0], line[1])
		}
	}
	if len(r.ToolVersions) > 0 {
		linef(w, "  %-12s call %d, tool %s\n", "versions", r.AgentVersion, versionList(r.ToolVersions))
	}
	printJournal(w, journal)
	linef(w, "answer to the agent: %s\n", translate.Answer(r))
	return out.No("")
}

func versionList(list []int) string {
	if len(list) == 0 {
		return "none"
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = strconv.Itoa(v)
	}
	return strings.Join(texts, ", ")
}
