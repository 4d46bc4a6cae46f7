package contractcmd

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/plot"
)

type rankFlags struct {
	set                          candidateFlags
	rules, by, plot, save        string
	textNumbers                  []string
	reference, uncertain, period []string
	spread                       []string
	asJSON, history, force       bool
}

// rankAnswer is what `rank --json` prints.
type rankAnswer struct {
	*judge.Ranking
	Resolution map[string]judge.Resolution `json:"resolution,omitempty"`
	History    []judge.Step                `json:"history,omitempty"`
}

func rankCmd() *cobra.Command {
	var f rankFlags
	cmd := &cobra.Command{
		Use:   "rank CANDIDATES... [--rules RULES] [--by METRICS]",
		Short: "Sort candidates into Pareto fronts, with crowding, hypervolume and regret",
		Long: `Sort candidates into Pareto fronts.

CANDIDATES are a candidate set {"candidates": [{"id", "metrics"}]}, a plain list of runs, one metrics file per run, or bare
points to be minimised {"p": [[…], …], "ref": […]}, which need no --by: their objectives are f0, f1, …
A candidate whose metrics are no results (NaN, -1, 9e99, 1e-316, a number in quotes, a key given twice, missing, an
unknown unit) or whose run did not end well is never ranked; the reason is shown. With --rules, a candidate that does
not pass the gate has no rank.

Rank 0 is the first front: nothing is better in every objective. Equal results share a rank. Crowding is how far the
neighbours on the front are (the ends have none), not divided by the number of objectives. Regrets are relative to the
candidates that pass the gate, on objectives scaled to the range of the whole set: scalar (weighted sum), Chebyshev
(worst objective), Pareto (how much better in everything it would have to be). Hypervolume is computed for up to four
objectives. Exit 1 if no candidate can be ranked.`,
		Example: `  flowdbg contract rank gcd.candidates.json --by fmax_mhz,wirelen,cpu_s:lower
  flowdbg contract rank sweep.json --where d=gcd --id '{d}.{placer}.s{seed}' --group '{d}.{placer}' --by fmax,wirelen,cpu:lower --spread fmax=auto
  flowdbg contract rank gcd.candidates.json --rules gcd.rules.json --history --json
  flowdbg contract rank points.json --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.set.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.rules, "rules", "", "rule `file` with the gate, and perhaps objectives, reference and resolution")
	fl.StringVar(&f.by, "by", "", "objectives: `metric[:lower|:higher],…`; the direction may be left out where the name tells it")
	fl.StringArrayVar(&f.textNumbers, "text-numbers", nil, "accept numbers in quotes for this `metric`")
	fl.StringArrayVar(&f.reference, "reference", nil, "reference of the hypervolume: `metric=number`")
	fl.StringArrayVar(&f.uncertain, "uncertainty", nil, "relative uncertainty of a metric, 0 to 1: `metric=fraction`")
	fl.StringArrayVar(&f.spread, "spread", nil, "difference that another seed makes: `metric=number`, or metric=auto to measure it within the groups")
	fl.StringArrayVar(&f.period, "period", nil, "clock period that the uncertainty of a slack refers to: `metric=number`")
	fl.StringVar(&f.plot, "plot", "", "the two objectives to draw: `x,y` (default: the first two)")
	fl.StringVar(&f.save, "save", "", "write the set, as it was read, to `file` as {\"candidates\": …}")
	dest.Flag(cmd, &f.force)
	fl.BoolVar(&f.history, "history", false, "show who entered and left the front in the order of the files")
	fl.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

func (f *rankFlags) run(cmd *cobra.Command, args []string) error {
	set, arrival, err := f.set.readSet(cmd, args)
	if err != nil {
		return err
	}
	if f.save != "" {
		data := judge.WriteCandidates(set)
		if err := judgeCheck(f.save, data, f.force, dest.Named(append(args, f.rules)...)); err != nil {
			return err
		}
		if err := judgeWrite(f.save, data); err != nil {
			return err
		}
	}
	opt, err := f.options(cmd, set)
	if err != nil {
		return err
	}
	ranking, err := judge.Rank(set, opt)
	if err != nil {
		return out.Bad("%w", err)
	}
	answer := rankAnswer{Ranking: ranking, Resolution: opt.Resolutions}
	if f.history {
		answer.History = ranking.History(arrival)
	}
	w := cmd.OutOrStdout()
	if f.asJSON {
		err = out.JSON(w, answer)
	} else {
		err = f.print(w, &answer)
	}
	if err != nil {
		return err
	}
	if len(ranking.Front) == 0 {
		return out.No("no candidate can be ranked")
	}
	return nil
}

func (f *rankFlags) options(cmd *cobra.Command, set []judge.Candidate) (judge.RankOptions, error) {
	opt := judge.RankOptions{Reference: map[string]float64{}, Resolutions: map[string]judge.Resolution{}, Contributions: true}
	var rules *judge.Rules
	var err error
	if f.rules != "" {
		if rules, err = readGateRules(cmd, f.rules); err != nil {
			return opt, err
		}
		opt.Rules = rules.Rules
		maps.Copy(opt.Reference, rules.Reference)
		maps.Copy(opt.Resolutions, rules.Resolutions)
	}
	if p := f.set.points; p != nil && f.by == "" && (rules == nil || len(rules.Objectives) == 0) {
		opt.Objectives = p.Objectives
		maps.Copy(opt.Reference, p.Reference)
	} else if opt.Objectives, err = objectivesFrom(f.by, f.textNumbers, rules); err != nil {
		return opt, err
	}
	err = parseAssignments("reference", f.reference, func(m string, v float64) error { opt.Reference[m] = v; return nil })
	if err != nil {
		return opt, err
	}
	return opt, f.resolutions(set, &opt)
}

func (f *rankFlags) resolutions(set []judge.Candidate, opt *judge.RankOptions) error {
	change := func(metric string, set func(r *judge.Resolution)) {
		r := opt.Resolutions[metric]
		set(&r)
		opt.Resolutions[metric] = r
	}
	var plain []string
	for _, s := range f.spread {
		metric, auto := strings.CutSuffix(s, "=auto")
		if !auto {
			plain = append(plain, s)
			continue
		}
		i := slices.IndexFunc(opt.Objectives, func(o judge.Objective) bool { return o.Metric == metric })
		if i < 0 {
			return out.Bad("--spread %s: it is no objective", s)
		}
		spread, ok := judge.SeedSpread(set, opt.Objectives[i])
		if !ok {
			return out.Bad("--spread %s: no group has two usable runs; say with --group what differs only in the seed", s)
		}
		change(metric, func(r *judge.Resolution) { r.Spread = spread })
	}
	for _, flag := range []struct {
		name string
		list []string
		most float64
		set  func(r *judge.Resolution, v float64)
	}{
		{"spread", plain, 1e30, func(r *judge.Resolution, v float64) { r.Spread = v }},
		{"uncertainty", f.uncertain, 1, func(r *judge.Resolution, v float64) { r.Uncertainty = v }},
		{"period", f.period, 1e30, func(r *judge.Resolution, v float64) { r.Period = v }},
	} {
		err := parseAssignments(flag.name, flag.list, func(metric string, v float64) error {
			if v < 0 || v > flag.most {
				return out.Bad("--%s %s=%v: want 0 to %v", flag.name, metric, v, flag.most)
			}
			change(metric, func(r *judge.Resolution) { flag.set(r, v) })
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *rankFlags) print(w io.Writer, a *rankAnswer) error {
	x, y, err := f.axes(a.Objectives)
	if err != nil {
		return err
	}
	printRankHead(w, a)
	labels := map[string]rune{}
	for i, id := range a.Front {
		labels[id] = plot.FrontMark(i, len(a.Front))
	}
	printRankTable(w, a.Ranking, labels)
	printFront(w, a)
	if x >= 0 {
		s := plot.Scatter{Width: 56, Height: 12, XName: judgeText(a.Objectives[x].Metric), YName: judgeText(a.Objectives[y].Metric), Number: judgeNumber}
		for i := range a.Entries {
			if e := &a.Entries[i]; e.Rank != nil {
				s.Points = append(s.Points, plot.Point{X: e.Values[x], Y: e.Values[y], Mark: labels[e.ID]})
			}
		}
		for _, line := range s.Draw() {
			fmt.Fprintln(w, line)
		}
	}
	printHistory(w, a.History)
	return nil
}

// axes are the objectives to draw; negative when there is only one.
func (f *rankFlags) axes(objectives []judge.Objective) (x, y int, err error) {
	if f.plot == "" {
		if len(objectives) < 2 {
			return -1, -1, nil
		}
		return 0, 1, nil
	}
	at := func(name string) int {
		return slices.IndexFunc(objectives, func(o judge.Objective) bool { return o.Metric == strings.TrimSpace(name) })
	}
	xName, yName, ok := strings.Cut(f.plot, ",")
	x, y = at(xName), at(yName)
	if !ok || x < 0 || y < 0 {
		return 0, 0, out.Bad("--plot %s: want two objectives, x,y", f.plot)
	}
	return x, y, nil
}

func printRankHead(w io.Writer, a *rankAnswer) {
	var names []string
	for _, o := range a.Objectives {
		names = append(names, fmt.Sprintf("%s (%s is better)", judgeText(o.Metric), o.Direction))
	}
	fmt.Fprintf(w, "%s by %s\n", judgeCount(len(a.Entries), "candidate"), strings.Join(names, ", "))
	if a.Gated {
		fmt.Fprintf(w, "%d pass the gate", a.Feasible)
	} else {
		fmt.Fprintf(w, "no gate: %d can be ranked", a.Feasible)
	}
	fmt.Fprintf(w, ", %d cannot be ranked; candidate set %.19s…\n", a.Unrankable, a.CandidateSet)
	if len(a.Constant) > 0 {
		fmt.Fprintf(w, "note: no two candidates differ in %s: it separates nothing and makes every Pareto regret 0\n", judgeText(strings.Join(a.Constant, ", ")))
	}
	for _, metric := range slices.Sorted(maps.Keys(a.Resolution)) {
		r := a.Resolution[metric]
		fmt.Fprintf(w, "resolution of %s: uncertainty %s, spread %s\n", judgeText(metric), judgeNumber(r.Uncertainty), judgeNumber(r.Spread))
	}
}

func printRankTable(w io.Writer, r *judge.Ranking, labels map[string]rune) {
	judgeTable(w, func(tab io.Writer) {
		fmt.Fprint(tab, "rank\t\tcandidate")
		for _, o := range r.Objectives {
			fmt.Fprintf(tab, "\t%s", judgeText(o.Metric))
		}
		fmt.Fprint(tab, "\tcrowding\tscalar\tchebyshev\tpareto\tadds\t\n")
		for _, i := range r.Order() {
			printEntry(tab, r, &r.Entries[i], labels)
		}
	})
}

func printEntry(tab io.Writer, r *judge.Ranking, e *judge.Entry, labels map[string]rune) {
	rank, label, crowding := "-", "", "-"
	if e.Rank != nil {
		rank = strconv.Itoa(*e.Rank)
		crowding = judgeNumberOr(e.Crowding, "boundary")
	}
	if l, ok := labels[e.ID]; ok {
		label = string(l)
	}
	fmt.Fprintf(tab, "%s\t%s\t%s", rank, label, judgeText(e.ID))
	for k := range r.Objectives {
		if e.Values == nil {
			fmt.Fprint(tab, "\t-")
			continue
		}
		fmt.Fprintf(tab, "\t%s", judgeNumber(e.Values[k]))
	}
	fmt.Fprintf(tab, "\t%s\t%s\t%s\t%s\t%s\t%s\n", crowding, judgeNumberOr(e.Regret.Scalar, "-"), judgeNumberOr(e.Regret.Chebyshev, "-"),
		judgeNumberOr(e.Regret.Pareto, "-"), judgeNumberOr(e.Contribution, "-"), judgeText(rankRemark(e)))
}

// rankRemark says why an entry has no rank, or whom it cannot be told apart from.
func rankRemark(e *judge.Entry) string {
	var notes []string
	for _, r := range e.Reasons {
		notes = append(notes, r.String())
	}
	if e.Gate != nil && e.Gate.Verdict != contract.GatePass {
		note := "gate " + e.Gate.Verdict
		for _, c := range e.Gate.Checks {
			if c.Level == contract.LevelError && c.Verdict == contract.CheckFail && c.Actual != nil {
				note += fmt.Sprintf(": %s %s, want %s %s", c.Metric, judgeNumber(*c.Actual), c.Op, judgeNumber(c.Limit))
			} else if c.Level == contract.LevelError && c.Verdict != contract.CheckPass {
				note += fmt.Sprintf(": %s %s", c.Metric, c.Verdict)
			}
		}
		notes = append(notes, note)
	}
	if len(e.NotResolved) > 0 {
		notes = append(notes, "not told apart from "+strings.Join(e.NotResolved, ", "))
	}
	return strings.Join(notes, "; ")
}

func printFront(w io.Writer, a *rankAnswer) {
	if a.Hypervolume == nil {
		fmt.Fprintf(w, "front of %d; hypervolume %s\n", len(a.Front), a.HypervolumeNote)
		return
	}
	var ref []string
	for i, o := range a.Objectives {
		ref = append(ref, judgeText(o.Metric)+" "+judgeNumber(a.Reference[i]))
	}
	fmt.Fprintf(w, "front of %d; hypervolume %s against %s\n", len(a.Front), judgeNumber(*a.Hypervolume), strings.Join(ref, ", "))
}

func printHistory(w io.Writer, steps []judge.Step) {
	for i, s := range steps {
		fmt.Fprintf(w, "%4d %s ", i+1, judgeText(s.ID))
		switch {
		case s.Skipped != "":
			fmt.Fprintf(w, "skipped: %s", judgeText(s.Skipped))
		case s.Entered:
			fmt.Fprintf(w, "entered, front of %d, hypervolume %s (+%s)", s.FrontSize, judgeNumberOr(s.Hypervolume, "not computed"), judgeNumberOr(s.Gained, "-"))
		default:
			fmt.Fprintf(w, "dominated by %s (%s)", judgeText(s.DominatedBy.By), frontDeltas(s.DominatedBy.Deltas))
		}
		for _, l := range s.Left {
			fmt.Fprintf(w, "; %s left (%s)", judgeText(l.ID), frontDeltas(l.Deltas))
		}
		fmt.Fprintln(w)
	}
}

func frontDeltas(list []judge.Delta) string {
	var parts []string
	for _, d := range list {
		parts = append(parts, fmt.Sprintf("%s %+.6g", judgeText(d.Metric), d.Delta))
	}
	return strings.Join(parts, ", ")
}
