package contractcmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/trace"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// judgeCmds are the commands that judge results: gate, rank, certify and verify.
func judgeCmds() []*cobra.Command {
	return []*cobra.Command{gateCmd(), rankCmd(), certifyCmd(), verifyCmd()}
}

// candidateFlags say how candidate files are read; every command that takes candidates has them.
type candidateFlags struct {
	id, group, format string
	where             []string

	points *judge.Points // what was read, when it was one file of bare points
}

func (f *candidateFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.id, "id", "", "template for the ids of a plain list of runs, such as `{d}.{placer}.s{seed}`")
	cmd.Flags().StringVar(&f.group, "group", "", "template that joins runs differing only in their seed, such as `{d}.{placer}`")
	cmd.Flags().StringArrayVar(&f.where, "where", nil, "keep only candidates whose member equals a text: `member=text`")
	cmd.Flags().StringVar(&f.format, "format", "", "format of metrics files: own, orfs, openroad, ieda or nextpnr (default: detected)")
}

func (f *candidateFlags) options() (judge.ListOptions, error) {
	opt := judge.ListOptions{ID: f.id, Group: f.group, Where: map[string]string{}}
	for _, w := range f.where {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return opt, out.Bad("--where %s: want member=text", w)
		}
		opt.Where[key] = value
	}
	return opt, nil
}

// readSet reads candidates from files: a file is a candidate set, a plain list of runs, bare points, or the metrics of one
// run, which is then named after its file. arrival lists the ids in the order of the files.
func (f *candidateFlags) readSet(cmd *cobra.Command, names []string) (set []judge.Candidate, arrival []string, err error) {
	opt, err := f.options()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		data, err := readInput(cmd, name)
		if err != nil {
			return nil, nil, err
		}
		list, order, err := f.readFile(name, data, opt)
		if err != nil {
			return nil, nil, out.Bad("%s:%w", name, err)
		}
		set = append(set, list...)
		arrival = append(arrival, order...)
	}
	if len(names) > 1 {
		f.points = nil
	}
	if err := judge.SortCandidates(set); err != nil {
		return nil, nil, out.Bad("%w", err)
	}
	return set, arrival, nil
}

func (f *candidateFlags) readFile(name string, data []byte, opt judge.ListOptions) ([]judge.Candidate, []string, error) {
	if points, ok, err := judge.ReadPoints(data); f.format == "" && ok {
		if err != nil {
			return nil, nil, err
		}
		f.points = points
		return points.Candidates, judge.Arrival(points.Candidates), nil
	}
	if f.format == "" && judge.IsCandidateSet(data) {
		list, err := judge.ReadCandidates(data, opt)
		return list, judge.Arrival(list), err
	}
	m, err := judge.ReadMetrics(data, judge.Format(f.format))
	if err != nil {
		return nil, nil, err
	}
	id := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	return []judge.Candidate{{ID: id, Metrics: m}}, []string{id}, nil
}

func readGateRules(cmd *cobra.Command, name string) (*judge.Rules, error) {
	data, err := readInput(cmd, name)
	if err != nil {
		return nil, err
	}
	rules, err := judge.ReadRules(data)
	if err != nil {
		return nil, out.Bad("%s:%w", name, err)
	}
	return rules, nil
}

// parseObjectives reads --by: `metric`, `metric:lower` or `metric:higher`, separated by commas.
func parseObjectives(by string, textNumbers []string) ([]judge.Objective, error) {
	var list []judge.Objective
	for _, s := range strings.Split(by, ",") {
		var o judge.Objective
		o.Metric = strings.TrimSpace(s)
		for _, d := range []contract.Direction{contract.LowerIsBetter, contract.HigherIsBetter} {
			if metric, ok := strings.CutSuffix(o.Metric, ":"+string(d)); ok {
				o.Metric, o.Direction = metric, d
				break
			}
		}
		for _, name := range textNumbers {
			o.AcceptText = o.AcceptText || name == o.Metric
		}
		list = append(list, o)
	}
	if _, err := judge.Resolve(list); err != nil {
		return nil, out.Bad("--by: %w", err)
	}
	return list, nil
}

// objectivesFrom takes the objectives of the rule file or of --by; both would leave open which holds.
func objectivesFrom(by string, textNumbers []string, rules *judge.Rules) ([]judge.Objective, error) {
	inRules := rules != nil && len(rules.Objectives) > 0
	switch {
	case by != "" && inRules:
		return nil, out.Bad("--by and the objectives of the rule file: want one of them")
	case by != "":
		return parseObjectives(by, textNumbers)
	case inRules:
		return rules.Objectives, nil
	}
	return nil, out.Bad("nothing to rank by: want --by metric,metric:lower or objectives in the rule file")
}

// parseAssignments reads `metric=number` flags.
func parseAssignments(flag string, list []string, each func(metric string, v float64) error) error {
	for _, s := range list {
		i := strings.LastIndexByte(s, '=')
		if i <= 0 {
			return out.Bad("--%s %s: want metric=number", flag, s)
		}
		v, err := strconv.ParseFloat(s[i+1:], 64)
		if err != nil || v-v != 0 {
			return out.Bad("--%s %s: want a finite number after =", flag, s)
		}
		if err := each(s[:i], v); err != nil {
			return err
		}
	}
	return nil
}

// judgeTable aligns the cells that fill writes, separated by tabs, and cuts the blanks at the ends of lines.
func judgeTable(w io.Writer, fill func(tab io.Writer)) {
	var b strings.Builder
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fill(tab)
	_ = tab.Flush() // a strings.Builder takes everything
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}

// judgeText is a name or sentence that holds text from a file: one with characters that do not print, such as a line
// feed that would forge a line of the answer, is quoted.
func judgeText(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// judgeNumber is a value as short as it can be read back.
func judgeNumber(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }

func judgeNumberOr(v *float64, absent string) string {
	if v == nil {
		return absent
	}
	return strconv.FormatFloat(*v, 'g', 4, 64)
}

// judgeCheck refuses to replace a file, unless it holds the same already.
func judgeCheck(name string, data []byte, force bool, own []load.OwnFile) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return dest.Check(name, force, own)
}

// judgeWrite writes a file as a whole, so that no reader ever sees half of it.
func judgeWrite(name string, data []byte) error {
	if err := trace.ReplaceFile(name, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
		return out.Bad("%s: %w", name, err)
	}
	return nil
}

func judgeCount(n int, one string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}
