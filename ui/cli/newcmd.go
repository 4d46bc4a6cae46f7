package cli

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"flowdbg/engine/behavior/script"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// starters are the starter flows. Each is a whole flow that runs to idle; its id is replaced by the file's name.
//
//go:embed starter/*.json starter/*.star
var starters embed.FS

// starterOf says which starter shows a kind.
var starterOf = map[string]string{
	"researcher": "pipeline", "critic": "pipeline", "writer": "pipeline",
	"gate": "loop", "echo": "loop", "router": "router", "collect": "router", "counter": "router",
	"script": "script",
}

// scriptName is the file beside the starter of scripts.
const scriptName = "agent.star"

// starterID is the id that stands in every starter.
const starterID = `"my-flow"`

// newCmd is `flowdbg new`.
func (a *app) newCmd() *cobra.Command {
	var kind string
	var force bool
	cmd := &cobra.Command{
		Use:   "new [FILE]",
		Short: "Write a starter flow",
		Long: `Write a starter flow that runs as it is, to flow.json or to the file named ("-" is standard output). Its id is the
file's name. An existing file is left alone unless --force is given.

--kind chooses a flow that shows that kind of agent: researcher, critic and writer are a pipeline; gate and echo a loop
that stops at a score; router, collect and counter a fan-out; script an agent in Starlark, whose file agent.star is
written beside the flow.`,
		Example: `  flowdbg new
  flowdbg new loop.json --kind gate
  flowdbg new - --kind router | flowdbg check -`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := findKind(load.Kinds(".", nil), kind); err != nil {
				return err
			}
			path := load.FlowName
			if len(args) == 1 {
				path = args[0]
			}
			text, err := starter(kind, path)
			if err != nil {
				return err
			}
			if path == load.Stdin {
				if kind == script.Name {
					return out.Bad("a scripted agent needs a second file, %s: name a file for the flow", scriptName)
				}
				_, err := a.raw.Write(text)
				return err
			}
			if kind == script.Name {
				if err := writeScript(path, force); err != nil {
					return err
				}
			}
			if err := writeNew(path, text, force); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is written; flowdbg %s opens it, flowdbg run %s runs it\n", path, path, path)
			return nil
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "researcher", "the kind of agent that the flow shows; flowdbg kinds lists them")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "replace the file if it exists")
	_ = cmd.RegisterFlagCompletionFunc("kind", completeKinds)
	return cmd
}

// starter is the text of a starter flow, with an id made of the file's name.
func starter(kind, path string) ([]byte, error) {
	name, ok := starterOf[kind]
	if !ok {
		return nil, out.Bad("there is no starter flow for kind %q; there is one for %s", kind, strings.Join(starterKinds(), ", "))
	}
	text, err := starters.ReadFile("starter/" + name + ".json")
	if err != nil {
		return nil, out.Internal("%w", err)
	}
	id := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if path == load.Stdin || !goodID(id) {
		return text, nil
	}
	return []byte(strings.Replace(string(text), starterID, canon.String(id).Text(), 1)), nil
}

func starterKinds() []string {
	var names []string
	for k := range starterOf {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

// goodID is true for a file name that can stand in a flow as its id.
func goodID(id string) bool {
	return id != "" && len(id) <= flow.MaxIDBytes && !strings.ContainsFunc(id, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) })
}

// writeScript writes the script that the starter of scripts names.
func writeScript(flowPath string, force bool) error {
	if _, err := os.Stat(flowPath); err == nil && !force {
		return nil // the flow is refused next; nothing may be written before that
	}
	text, err := starters.ReadFile("starter/" + scriptName)
	if err != nil {
		return out.Internal("%w", err)
	}
	return writeNew(filepath.Join(filepath.Dir(flowPath), scriptName), text, force)
}

func writeNew(path string, text []byte, force bool) error {
	if err := dest.Check(path, force, nil); err != nil {
		return err
	}
	if force {
		if err := trace.ReplaceFile(path, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return out.Bad("writing %s: %w", path, err)
		}
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return out.Bad("%s exists already; --force replaces it", path)
	}
	if err != nil {
		return out.Bad("%w", err)
	}
	_, err = f.Write(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(path) // half a flow would be in the way of the next try
		return out.Bad("writing %s: %w", path, err)
	}
	return nil
}
