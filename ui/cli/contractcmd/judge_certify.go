package contractcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

type certifyFlags struct {
	set                                 candidateFlags
	rules, by, dir, signer, at, measure string
	candidates                          []string
	force                               bool
}

func certifyCmd() *cobra.Command {
	var f certifyFlags
	cmd := &cobra.Command{
		Use:   "certify CANDIDATES... --rules RULES --signed-by NAME/vX.Y.Z [--candidate ID]...",
		Short: "Issue certificates: gate, rank and regret, bound to what was judged",
		Long: `Issue the certificate of each named candidate, or of all. A certificate holds the verdict of the gate, the Pareto
rank and the regret, and binds them to the candidate set, the rule file, the snapshots, the tool and its parameters, as
far as the candidate names them; its digest covers all of it. A candidate that does not pass gets a certificate that
says so. Exit 1 if one of them does not pass.

The regret is scalar unless --regret says otherwise; every measure is in regret_detail. Without --out the certificates
are printed: one as an object, several as a list. --at sets the date, so that the same inputs give the same bytes.`,
		Example: `  flowdbg contract certify gcd.candidates.json --rules gcd.rules.json --signed-by Evaluation/v0.2.0 --candidate gcd.heap.s4
  flowdbg contract certify gcd.candidates.json --rules gcd.rules.json --signed-by Evaluation/v0.2.0 --at 2026-01-31T12:00:00Z --out certs`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.set.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.rules, "rules", "", "rule `file` with the gate, and perhaps the objectives")
	fl.StringVar(&f.by, "by", "", "objectives, if the rule file has none: `metric[:lower|:higher],…`")
	fl.StringArrayVar(&f.candidates, "candidate", nil, "`id` of a candidate (default: all)")
	fl.StringVar(&f.signer, "signed-by", "", "who issues: `Name/vX.Y.Z`")
	fl.StringVar(&f.at, "at", "", "date of issue, `RFC 3339` in UTC (default: now)")
	fl.StringVar(&f.measure, "regret", contract.RegretScalar, "`kind` of regret: scalar, chebyshev or pareto")
	fl.StringVar(&f.dir, "out", "", "write ID.cert.json for each into this `directory`")
	dest.Flag(cmd, &f.force)
	for _, name := range []string{"rules", "signed-by"} {
		cobra.CheckErr(cmd.MarkFlagRequired(name))
	}
	return cmd
}

func (f *certifyFlags) run(cmd *cobra.Command, args []string) error {
	set, _, err := f.set.readSet(cmd, args)
	if err != nil {
		return err
	}
	certs, err := f.issue(cmd, set)
	if err != nil {
		return err
	}
	failed := 0
	for i := range certs {
		if certs[i].GateResult.Verdict != contract.GatePass {
			failed++
		}
	}
	if err := f.deliver(cmd, certs, dest.Named(append(args, f.rules)...)); err != nil {
		return err
	}
	if failed > 0 {
		return out.No("%d of %s: no success", failed, judgeCount(len(certs), "certificate"))
	}
	return nil
}

func (f *certifyFlags) issue(cmd *cobra.Command, set []judge.Candidate) ([]*contract.Certificate, error) {
	rules, err := readGateRules(cmd, f.rules)
	if err != nil {
		return nil, err
	}
	objectives, err := objectivesFrom(f.by, nil, rules)
	if err != nil {
		return nil, err
	}
	at := time.Now()
	if f.at != "" {
		if at, err = time.Parse(time.RFC3339, f.at); err != nil {
			return nil, out.Bad("--at %s: want a date such as 2026-01-31T12:00:00Z", f.at)
		}
	}
	gate := rules.Rules
	if gate == nil {
		gate = []judge.Rule{}
	}
	ranking, err := judge.Rank(set, judge.RankOptions{Objectives: objectives, Rules: gate})
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	ids := f.candidates
	if ids == nil {
		for i := range set {
			ids = append(ids, set[i].ID)
		}
	}
	certs := make([]*contract.Certificate, len(ids))
	for i, id := range ids {
		certs[i], err = judge.Issue(ranking, set, id, judge.IssueOptions{RulesHash: rules.Hash, SignedBy: f.signer, SignedAt: at, RegretKind: f.measure})
		if err != nil {
			return nil, out.Bad("%w", err)
		}
	}
	return certs, nil
}

func (f *certifyFlags) deliver(cmd *cobra.Command, certs []*contract.Certificate, own []load.OwnFile) error {
	w := cmd.OutOrStdout()
	if f.dir == "" {
		if len(certs) == 1 {
			return out.JSON(w, certs[0])
		}
		return out.JSON(w, certs)
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return out.Bad("%w", err)
	}
	written := map[string]string{}
	texts := make([]string, len(certs))
	for i, c := range certs { // all are looked at before the first is written
		var text strings.Builder
		if err := out.JSON(&text, c); err != nil {
			return err
		}
		id := judge.CertifiedID(c)
		name := filepath.Join(f.dir, certFileName(id)+".cert.json")
		if other, taken := written[name]; taken {
			return out.Bad("the certificates of %q and %q would share the file %s", other, id, name)
		}
		written[name] = id
		texts[i] = text.String()
		if err := judgeCheck(name, []byte(texts[i]), f.force, own); err != nil {
			return err
		}
	}
	for i, c := range certs {
		name := filepath.Join(f.dir, certFileName(judge.CertifiedID(c))+".cert.json")
		if err := judgeWrite(name, []byte(texts[i])); err != nil {
			return err
		}
		rank := "no rank"
		if c.ParetoPosition.Rank != nil {
			rank = fmt.Sprintf("rank %d", *c.ParetoPosition.Rank)
		}
		fmt.Fprintf(w, "%s  %s, %s, %s regret %s\n", name, c.GateResult.Verdict, rank, c.RegretKind, judgeNumberOr(c.Regret, "null"))
	}
	return nil
}

// certFileName keeps an id from leaving the directory or hiding the file.
func certFileName(id string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, id)
	return strings.TrimLeft(name, ".")
}
