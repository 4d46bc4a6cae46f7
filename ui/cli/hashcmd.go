package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// hashAnswer is `hash --json`.
type hashAnswer struct {
	StateHash string          `json:"state_hash"`
	Position  int             `json:"position"`
	Step      int             `json:"step"`
	Bytes     int             `json:"document_bytes"`
	OneWay    bool            `json:"hash_one_way,omitempty"` // too large a document for the second canonicaliser
	Recorded  string          `json:"recorded,omitempty"`     // finish.state_hash, when the position is at the end
	Equal     *bool           `json:"equal,omitempty"`        // with recorded
	Sections  []trace.Section `json:"sections,omitempty"`     // with --explain
	Document  canon.Value     `json:"document,omitzero"`      // with --document
}

// hashCmd is `flowdbg hash`.
func (a *app) hashCmd() *cobra.Command {
	var f positionFlags
	var explain, document, asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "hash FLOW [TRACE] | FOLDER",
		Short: "Compute the state hash at a position, two independent ways",
		Long: `Compute the state hash: the sha256 of the canonical JSON (RFC 8785) of agents, ledger and outputs. The document is
canonicalised by two independent implementations; if they differ, no hash is printed and the command exits 3. Above
32 MiB there is one way only, and it says so.

With a trace the recorded events are folded, so that a foreign trace can be checked; at its end the hash is compared
with the recorded one (exit 1 when they differ). Without a trace the flow is run, with mocks. The flow is always needed:
kinds and ports are part of the document.

--explain prints the sha256 of the canonical bytes of each agent, of the ledger and of the outputs, so that a mismatch
with another runtime can be located.`,
		Example: `  flowdbg hash flow.json
  flowdbg hash flow.json trace.json --explain
  flowdbg hash flow.json trace.json --at 12 --document | sha256sum`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if document && (explain || asJSON) {
				return out.Bad("--document prints the hashed bytes alone; leave --explain and --json out")
			}
			p, err := a.place(cmd, args, f, strict)
			if err != nil {
				return err
			}
			return a.hash(cmd, p, explain, document, asJSON)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&explain, "explain", false, "add the sha256 of every section")
	cmd.Flags().BoolVar(&document, "document", false, "print the canonical bytes that are hashed, without a newline")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&strict, "strict", false, "unknown fields of the flow are errors")
	return cmd
}

func (a *app) hash(cmd *cobra.Command, p *place, explain, document, asJSON bool) error {
	if p.state.Flowless() {
		if f := p.state.Finished(); f != nil && f.StateHash != "" {
			return out.Bad("kinds and ports are part of the hash: give the flow too (the trace records %s)", f.StateHash)
		}
		return out.Bad("kinds and ports are part of the hash: give the flow too")
	}
	hash, err := engine.CheckedHash(p.state)
	oneWay := errors.Is(err, canon.ErrOracleSkipped)
	if err != nil && !oneWay {
		return out.Internal("no hash is printed: %w", err)
	}
	if p.state.Partial() {
		a.warn("the trace holds an event type that is not known: the hash is that of what could be applied")
	}
	doc := p.state.AppendDocument(nil)
	if document {
		_, err := a.raw.Write(doc)
		return err
	}
	ans := &hashAnswer{StateHash: hash, Position: p.pos, Step: p.state.Step(), Bytes: len(doc), OneWay: oneWay}
	if explain {
		ans.Sections = p.state.Explain()
	}
	if f := p.state.Finished(); p.mode == debug.Playback && f != nil && f.StateHash != "" {
		equal := f.StateHash == hash
		ans.Recorded, ans.Equal = f.StateHash, &equal
	}
	if asJSON {
		err = out.JSON(cmd.OutOrStdout(), ans)
	} else {
		err = ans.print(cmd.OutOrStdout())
	}
	if err == nil && ans.Equal != nil && !*ans.Equal {
		return out.No("the recorded events do not fold to the recorded hash")
	}
	return err
}

func (h *hashAnswer) print(w io.Writer) error {
	fmt.Fprintln(w, h.StateHash)
	if h.Equal != nil && !*h.Equal {
		fmt.Fprintf(w, "recorded %s\n", clean(h.Recorded))
	}
	if h.OneWay {
		fmt.Fprintln(w, "the state document is above 32 MiB: its hash was computed one way only")
	}
	if len(h.Sections) == 0 {
		return nil
	}
	fmt.Fprintf(w, "position %d · step %d · %s of canonical JSON\n", h.Position, h.Step, plural(h.Bytes, "byte"))
	tw := table(w)
	for _, s := range h.Sections {
		fmt.Fprintf(tw, "%s\t%d\t%s\n", clean(s.Name), s.Bytes, s.SHA256)
	}
	return tw.Flush()
}
