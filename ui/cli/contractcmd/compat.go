package contractcmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/contract/compat"
	"flowdbg/contract/meta"
	"flowdbg/ui/cli/out"
)

// compatCmds are the commands over changes of a tool list: snapshot and classify.
func compatCmds() []*cobra.Command { return []*cobra.Command{snapshotCmd(), classifyCmd()} }

// compatKeys are the `_meta` keys under the prefix that was given.
func compatKeys(prefix string) (meta.Keys, error) {
	keys, err := meta.NewKeys(prefix, "")
	if err != nil {
		return keys, out.Bad("--prefix: %w", err)
	}
	return keys, nil
}

func compatPrefixFlag(cmd *cobra.Command, prefix *string) {
	cmd.Flags().StringVar(prefix, "prefix", meta.DefaultPrefix, "`DOMAIN` before the _meta keys contract_versions, contract_version and sunset")
}

// snapshotAnswer is what snapshot prints with --json.
type snapshotAnswer struct {
	Tools    int             `json:"tools"`
	Package  string          `json:"package"`
	Contract int             `json:"contract"`
	Hash     string          `json:"hash"` // sha256 of the snapshot's bytes
	Notes    []string        `json:"notes"`
	Same     *bool           `json:"same,omitempty"` // with --check: whether the golden file holds the same bytes
	Snapshot json.RawMessage `json:"snapshot"`
}

func snapshotCmd() *cobra.Command {
	var prefix, golden string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "snapshot TOOLS [NEXT-PAGE...]",
		Short: "Write a tool list in its stable form, for golden files",
		Long: `Reads what a server answered to tools/list and writes it in a form that two runs share: tools sorted by name,
members in canonical order, "required", "type" and the contract versions sorted, no cursors and no JSON-RPC envelope.
The order in which a server lists things is then no difference, and the file can stand in version control.

With --check the golden file is compared: exit 1 when it differs, and then classify says what the difference means.`,
		Example: `  flowdbg contract snapshot tools.json > golden/tools.json
  flowdbg contract snapshot page1.json page2.json
  flowdbg contract snapshot tools.json --check golden/tools.json
  node .ci/capture-mcp.mjs tools.json npx -y @modelcontextprotocol/server-memory && flowdbg contract snapshot tools.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := compatKeys(prefix)
			if err != nil {
				return err
			}
			list, err := compatRead(cmd, keys, args...)
			if err != nil {
				return err
			}
			text, err := list.Snapshot(keys)
			if err != nil {
				return out.Internal("%w", err)
			}
			return snapshotPrint(cmd, list, text, golden, asJSON)
		},
	}
	compatPrefixFlag(cmd, &prefix)
	cmd.Flags().StringVar(&golden, "check", "", "compare with the golden `FILE` instead of printing; exit 1 when it differs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document with counts, hash and notes around the snapshot")
	return cmd
}

// compatRead reads the pages of one tool list.
func compatRead(cmd *cobra.Command, keys meta.Keys, files ...string) (*compat.ToolList, error) {
	var pages [][]byte
	for _, f := range files {
		data, err := readInput(cmd, f)
		if err != nil {
			return nil, err
		}
		pages = append(pages, data)
	}
	list, err := compat.ReadToolList(keys, pages...)
	if err != nil {
		name := files[0]
		if len(files) > 1 {
			for i, p := range pages { // the page at fault: the others were read before it
				if _, e := compat.ReadToolList(keys, p); e != nil && e.Error() == err.Error() {
					name = files[i]
				}
			}
		}
		return nil, typesJSONError(name, err)
	}
	return list, nil
}

func snapshotPrint(cmd *cobra.Command, list *compat.ToolList, text []byte, golden string, asJSON bool) error {
	sum := sha256.Sum256(text)
	a := snapshotAnswer{Tools: len(list.Tools), Package: list.Package, Contract: list.Contract, Notes: []string{},
		Hash: "sha256:" + hex.EncodeToString(sum[:]), Snapshot: text}
	for _, e := range list.Journal {
		a.Notes = append(a.Notes, e.Text)
	}
	for _, t := range list.Tools {
		for _, e := range t.Journal {
			a.Notes = append(a.Notes, t.Name+": "+e.Text)
		}
	}
	if golden != "" {
		want, err := readInput(cmd, golden)
		if err != nil {
			return err
		}
		same := bytes.Equal(want, text)
		a.Same = &same
	}
	w := cmd.OutOrStdout()
	switch {
	case asJSON:
		if err := out.JSON(w, a); err != nil {
			return err
		}
	case golden == "":
		if _, err := w.Write(text); err != nil {
			return err
		}
	case *a.Same:
		fmt.Fprintf(w, "%s holds this snapshot: %d tools, %s\n", golden, a.Tools, a.Hash)
	}
	if !asJSON {
		for _, n := range a.Notes {
			linef(cmd.ErrOrStderr(), "note: %s\n", n)
		}
	}
	if a.Same != nil && !*a.Same {
		return out.No("%s holds another snapshot: `flowdbg contract classify %s …` says what the difference means", golden, golden)
	}
	return nil
}
