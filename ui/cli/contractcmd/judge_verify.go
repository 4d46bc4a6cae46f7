package contractcmd

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// verifyAnswer is one certificate's verification in `verify --json`.
type verifyAnswer struct {
	File string `json:"file"`
	*judge.Verification
}

func verifyCmd() *cobra.Command {
	var set candidateFlags
	var rulesFile, snaps string
	var candidates []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify CERT... --rules RULES --candidates CANDIDATES [--snaps DIR]",
		Short: "Recompute certificates offline and name what is stale",
		Long: `Recompute certificates from their inputs: digest, rule file, candidate set, stored snapshots, then verdict, rank and
regret. What does not fit is named by its cause: certificate (it was altered), rules, metrics (of the judged
candidate), candidate_set (the others), snapshot, binding (tool, version, parameters, proposal), or result (same inputs,
other answer). What only follows from a cause is listed apart. DIR holds one file per snapshot, named by its hash.
Exit 1 if a certificate is stale.`,
		Example: `  flowdbg contract verify certs/gcd.heap.s4.cert.json --rules gcd.rules.json --candidates gcd.candidates.json
  flowdbg contract verify certs/*.cert.json --rules gcd.rules.json --candidates gcd.candidates.json --snaps snaps --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rules, err := readInput(cmd, rulesFile)
			if err != nil {
				return err
			}
			list, _, err := set.readSet(cmd, candidates)
			if err != nil {
				return err
			}
			in := judge.VerifyInput{Rules: rules, Candidates: list}
			if snaps != "" {
				in.Snapshot = func(hash contract.Hash) ([]byte, error) { return readStoredSnapshot(snaps, hash) }
			}
			var answers []verifyAnswer
			for _, name := range args {
				if in.Certificate, err = readInput(cmd, name); err != nil {
					return err
				}
				v, err := judge.Verify(in)
				if err != nil {
					return verifyBad(name, rulesFile, err)
				}
				answers = append(answers, verifyAnswer{name, v})
			}
			return printVerify(cmd.OutOrStdout(), answers, asJSON)
		},
	}
	set.add(cmd)
	cmd.Flags().StringVar(&rulesFile, "rules", "", "rule `file` that the gate was judged by")
	cmd.Flags().StringArrayVar(&candidates, "candidates", nil, "`file` with the candidates; may be given several times")
	cmd.Flags().StringVar(&snaps, "snaps", "", "snapshot `directory`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	for _, name := range []string{"rules", "candidates"} {
		cobra.CheckErr(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// verifyBad puts the file that cannot be read in front of its error.
func verifyBad(cert, rules string, err error) error {
	var at *canon.Error
	name := cert
	if errors.Is(err, judge.ErrRules) {
		name = rules
	}
	if errors.As(err, &at) {
		return out.Bad("%s:%w", name, at)
	}
	return out.Bad("%s: %w", name, err)
}

// readStoredSnapshot finds a stored snapshot by its hash; the name must be a plain hash, for it comes from the certificate.
// A file in gzip stands for its text.
func readStoredSnapshot(dir string, hash contract.Hash) ([]byte, error) {
	hex, ok := strings.CutPrefix(string(hash), "sha256:")
	if !ok || len(hex) != 64 || strings.Trim(hex, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("%q is no snapshot hash", hash)
	}
	data, err := os.ReadFile(filepath.Join(dir, hex))
	if err != nil || len(data) < 2 || data[0] != 0x1f || data[1] != 0x8b {
		return data, err
	}
	text, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(text, maxSnapshotBytes))
}

// maxSnapshotBytes keeps a compressed snapshot from filling the memory; what is cut off does not fit its hash.
const maxSnapshotBytes = 4 << 30

func printVerify(w io.Writer, answers []verifyAnswer, asJSON bool) error {
	stale := 0
	for _, a := range answers {
		if !a.OK {
			stale++
		}
	}
	if asJSON {
		if err := out.JSON(w, answers); err != nil {
			return err
		}
	} else {
		for _, a := range answers {
			printVerification(w, a)
		}
		if len(answers) > 1 {
			fmt.Fprintf(w, "%d of %s hold\n", len(answers)-stale, judgeCount(len(answers), "certificate"))
		}
	}
	if stale > 0 {
		return out.No("")
	}
	return nil
}

func printVerification(w io.Writer, a verifyAnswer) {
	state := "holds"
	if !a.OK {
		state = "STALE"
	}
	rank := "no rank"
	if a.Rank != nil {
		rank = fmt.Sprintf("rank %d", *a.Rank)
	}
	fmt.Fprintf(w, "%s: %s (%s, %s)\n", judgeText(a.File), state, judgeText(a.Verdict), rank)
	for _, f := range a.Stale {
		fmt.Fprintf(w, "  stale %s: %s\n", f.What, judgeText(f.Text))
	}
	for _, f := range a.Follows {
		fmt.Fprintf(w, "  follows %s: %s\n", f.What, judgeText(f.Text))
	}
	for _, s := range a.NotChecked {
		fmt.Fprintf(w, "  not checked: %s\n", judgeText(s))
	}
}
