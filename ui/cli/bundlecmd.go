package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/trace"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// bundleAnswer is `bundle --json`.
type bundleAnswer struct {
	File      string   `json:"file,omitempty"`   // that was written
	Folder    string   `json:"folder,omitempty"` // that was unpacked to
	Bytes     int      `json:"bytes"`
	Flow      string   `json:"flow,omitempty"`
	Trace     string   `json:"trace,omitempty"`
	Events    int      `json:"events"`
	Files     []string `json:"files"`
	Snapshots int      `json:"snapshots"`
	Breaks    bool     `json:"breakpoints"`
	Lock      bool     `json:"platform_lock"`
}

// bundleCmd is `flowdbg bundle`.
func (a *app) bundleCmd() *cobra.Command {
	var output, unpack string
	var asJSON, force bool
	cmd := &cobra.Command{
		Use:   "bundle FLOW [TRACE] -o FILE | BUNDLE --unpack FOLDER",
		Short: "Put a flow, its scripts, its trace and what lies beside it into one file",
		Long: `Put into one file what somebody else needs to see what you see: the flow, its scripts, the trace, and from the folder
beside the flow the breakpoints, the platform lock and the snapshots. Every command that takes a flow or a trace takes
the bundle, and nothing has to be unpacked; --unpack writes the parts into a new folder.

Scripts and flow are kept byte for byte. A file that holds the value of a secret which the flow names is refused.`,
		Example: `  flowdbg bundle flow.json trace.json -o bug.bundle.json
  flowdbg bug.bundle.json
  flowdbg replay bug.bundle.json
  flowdbg bundle bug.bundle.json --unpack bug/`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := a.open(args)
			if err != nil {
				return err
			}
			var ans *bundleAnswer
			switch {
			case unpack != "" && t.Bundle == nil:
				return out.Bad("--unpack takes a bundle; %s is none", args[0])
			case unpack != "":
				ans, err = a.unpack(t.Bundle, unpack)
			case output == "":
				return out.Bad("say with -o which file to write, or with --unpack where to unpack to")
			case t.Bundle != nil:
				return out.Bad("%s is a bundle already", args[0])
			default:
				if err = dest.Check(output, force, t.Own()); err == nil {
					ans, err = a.pack(cmd, t, output)
				}
			}
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if output == load.Stdin {
				w = a.stderr
			}
			if asJSON {
				return out.JSON(w, ans)
			}
			ans.print(w)
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the `file` to write (\"-\": standard output)")
	dest.Flag(cmd, &force)
	cmd.Flags().StringVar(&unpack, "unpack", "", "write the parts of a bundle into this new `folder`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.MarkFlagsMutuallyExclusive("output", "unpack")
	return cmd
}

func (a *app) pack(cmd *cobra.Command, t load.Targets, output string) (*bundleAnswer, error) {
	var scripts []behavior.SourceFile
	var m *engine.Machine
	if t.Flow != nil {
		if m, _ = t.Flow.Machine(false, nil); m == nil {
			a.warn("%s: the flow is invalid: its scripts are not known and are left out", t.Flow.Name)
		} else {
			scripts = m.Sources()
		}
	}
	var events []trace.Event
	if t.Trace != nil {
		o, err := a.openTrace(cmd.Context(), t.Trace, m)
		if err != nil {
			return nil, err
		}
		if events, err = engine.Events(o.Log()); err != nil {
			return nil, out.Bad("%s: %w", t.Trace.Name, err)
		}
	}
	b, err := load.Pack(t, scripts, events)
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	data, err := b.Encode()
	if err != nil {
		return nil, out.Internal("%w", err)
	}
	if m != nil {
		if names := m.SecretScanner().Find(string(data)); names != nil {
			return nil, out.No("the bundle would hold the value of the secret %s: it is not written", strings.Join(names, ", "))
		}
	}
	if output == load.Stdin {
		_, err = a.raw.Write(data)
	} else {
		err = trace.ReplaceFile(output, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	if err != nil {
		return nil, out.Bad("writing %s: %w", output, err)
	}
	ans := bundleOf(b)
	ans.File, ans.Bytes, ans.Events = output, len(data), len(events)
	return ans, nil
}

func bundleOf(b *load.Bundle) *bundleAnswer {
	ans := &bundleAnswer{Flow: b.FlowName, Trace: b.TraceName, Files: []string{}, Snapshots: len(b.Snapshots), Breaks: len(b.Breaks) > 0, Lock: len(b.Lock) > 0}
	ans.Files = append(ans.Files, b.FileNames()...)
	return ans
}

func (a *app) unpack(b *load.Bundle, dir string) (*bundleAnswer, error) {
	if _, err := os.Lstat(dir); err == nil {
		return nil, out.Bad("%s exists: name a folder that does not", dir)
	}
	if _, err := b.Unpack(dir); err != nil {
		return nil, out.Bad("%w", err)
	}
	ans := bundleOf(b)
	ans.Folder = dir
	return ans, nil
}

func (b *bundleAnswer) print(w io.Writer) {
	if b.Folder != "" {
		fmt.Fprintf(w, "unpacked to %s\n", clean(b.Folder))
	} else {
		fmt.Fprintf(w, "written %s, %s\n", clean(b.File), plural(b.Bytes, "byte"))
	}
	if b.Flow != "" {
		fmt.Fprintf(w, "flow     %s\n", clean(b.Flow))
	}
	for _, f := range b.Files {
		fmt.Fprintf(w, "file     %s\n", clean(f))
	}
	if b.Trace != "" {
		fmt.Fprintf(w, "trace    %s\n", clean(b.Trace))
	}
	if b.Breaks {
		fmt.Fprintln(w, "breakpoints")
	}
	if b.Lock {
		fmt.Fprintln(w, "platform lock")
	}
	if b.Snapshots > 0 {
		fmt.Fprintf(w, "%s\n", plural(b.Snapshots, "snapshot"))
	}
}
