package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"flowdbg/ui/cli/out"
)

// versionAnswer is `version --json`.
type versionAnswer struct {
	Version  string `json:"version"`
	FlowSpec int    `json:"flowspec"` // the version of the specification that is read
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from a tree with changes
}

// versionCmd is `flowdbg version`.
func (a *app) versionCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version and what the program was built with",
		Example: "  flowdbg version --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versionAnswer{Version: a.cfg.Version, FlowSpec: 1, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					switch s.Key {
					case "vcs.revision":
						v.Commit = s.Value
					case "vcs.modified":
						v.Modified = s.Value == "true"
					}
				}
			}
			if asJSON {
				return out.JSON(cmd.OutOrStdout(), v)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "flowdbg %s\nFlowSpec %d\n%s %s\n", v.Version, v.FlowSpec, v.Go, v.Platform)
			if v.Commit != "" {
				mark := ""
				if v.Modified {
					mark = " (modified)"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "commit %s%s\n", v.Commit, mark)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
