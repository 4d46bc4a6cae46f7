package contractcmd

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
	"flowdbg/ui/cli/out"
)

type versionFlags struct {
	sources sourceFlags
	tool    string
	asJSON  bool
}

func versionCmd() *cobra.Command {
	var f versionFlags
	cmd := &cobra.Command{
		Use:   "version TOOLS",
		Short: "Say which contract versions each tool implements, who says so, and its sunset",
		Long: `Say which contract versions the tools of a tools/list answer implement. The first source that has a usable value counts:
the tool's own _meta (contract_versions), the initialize or server/discover answer (contract_version), the version pinned for
the connection, the last known one. A value that cannot be used is discarded whole and journalled as a configuration error.

Whole numbers from 1 are versions, 2.0 as well as 2; 2.5, "2", 0, negatives and booleans are not. A tool is served through
the end of its sunset day in UTC, and excluded from the next day on.

Exit: 0 fine, perhaps with warnings; 1 a configuration error, or a tool is excluded; 2 unreadable.`,
		Example: `  flowdbg contract version tools.json
  flowdbg contract version tools.json --initialize initialize.json --pinned 2 --today 2026-12-31
  flowdbg contract version tools.json --before tools-yesterday.json --tool nextpnr.report --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.sources.add(cmd)
	cmd.Flags().StringVar(&f.tool, "tool", "", "only this tool")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

// toolVersions is one tool of the answer.
type toolVersions struct {
	Tool     string       `json:"tool"`
	Versions []int        `json:"versions"`
	Source   meta.Origin  `json:"source"`
	Sunset   string       `json:"sunset,omitempty"`
	Served   bool         `json:"served"`
	Journal  []meta.Entry `json:"journal"`
}

func (f *versionFlags) run(cmd *cobra.Command, file string) error {
	p, err := f.sources.read(cmd)
	if err != nil {
		return err
	}
	tools, err := readToolList(cmd, file)
	if err != nil {
		return err
	}
	list := []toolVersions{}
	bad := 0
	for _, t := range tools {
		if f.tool != "" && t.Name != f.tool {
			continue
		}
		v := f.judge(p, t)
		if !v.ok() {
			bad++
		}
		list = append(list, v)
	}
	if f.tool != "" && len(list) == 0 {
		return out.Bad("%s lists no tool %q", file, f.tool)
	}
	if f.asJSON {
		err = out.JSON(cmd.OutOrStdout(), map[string]any{"tools": list})
	} else {
		err = f.print(cmd, list)
	}
	if err == nil && bad > 0 {
		return out.No("")
	}
	return err
}

func (f *versionFlags) judge(p *sourcePlatform, t translate.ListedTool) toolVersions {
	d := p.describe(t)
	v := toolVersions{Tool: t.Name, Versions: d.Versions.Versions, Source: d.Versions.Source, Sunset: d.Sunset.Date.String(),
		Served: !d.Sunset.Excluded, Journal: d.Versions.Journal}
	if v.Versions == nil {
		v.Versions = []int{}
	}
	if e := meta.SchemaFinding(p.keys, t.Name, t.Arguments()); e != nil {
		v.Journal = append(v.Journal, *e)
	}
	return v
}

func (v toolVersions) ok() bool {
	for _, e := range v.Journal {
		if e.Level == meta.LevelError {
			return false
		}
	}
	return v.Served
}

func (f *versionFlags) print(cmd *cobra.Command, list []toolVersions) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOOL\tVERSIONS\tSOURCE\tSUNSET")
	for _, v := range list {
		linef(w, "%s\t%s\t%s\t%s\n", v.Tool, versionList(v.Versions), v.Source, f.sunset(v))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, v := range list {
		printJournal(cmd.OutOrStdout(), v.Journal)
	}
	return nil
}

func (f *versionFlags) sunset(v toolVersions) string {
	switch {
	case v.Sunset == "":
		return "-"
	case !v.Served:
		return v.Sunset + " excluded"
	case f.sources.today == "":
		return v.Sunset + " (give --today to judge it)"
	}
	return v.Sunset + " served"
}
