package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/engine/typed"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/plot"
)

// paretoAnswer is `pareto --json`.
type paretoAnswer struct {
	Position    int           `json:"position"`
	X           string        `json:"x"`
	Y           string        `json:"y"`
	Points      []paretoPoint `json:"points"`
	Front       []string      `json:"front"`
	Hypervolume *float64      `json:"hypervolume"`
	History     []typed.Front `json:"front_history"`
}

type paretoPoint struct {
	ID   string  `json:"id"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Rank *int    `json:"rank"`
}

// paretoCmd is `flowdbg pareto`.
func (a *app) paretoCmd() *cobra.Command {
	var f typedFlags
	var x, y string
	var width, height int
	var ascii bool
	cmd := &cobra.Command{
		Use:   "pareto " + typedArgs,
		Short: "Draw the candidates of a search over two metrics, by rank",
		Long: `Draw the candidates that are measured at a position over two metrics, both as measured. ⓪ is rank 0, the front, ① the
rank behind it, and so on; a dot has no rank. Below: who entered and left the front, and how the hypervolume grew. Exit 1 when
nothing can be drawn.`,
		Example: `  flowdbg pareto examples/exploration
  flowdbg pareto flow.json trace.json --step 30 --x fmax --y wirelen
  flowdbg pareto trace.json --json | jq -r '.points[] | [.id, .rank] | @tsv'`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, ex, err := a.explore(cmd, args, f)
			if err != nil {
				return err
			}
			ans, err := paretoOf(ex, x, y)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if f.asJSON {
				return out.JSON(w, ans)
			}
			fmt.Fprintln(w, p.positionText())
			ans.draw(w, width, height, ascii)
			printFronts(w, p.log, ex, ascii)
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&x, "x", "", "the `metric` to the right (default: the first objective)")
	cmd.Flags().StringVar(&y, "y", "", "the `metric` upwards (default: the second objective)")
	cmd.Flags().IntVar(&width, "width", 56, "characters across")
	cmd.Flags().IntVar(&height, "height", 14, "characters high")
	cmd.Flags().BoolVar(&ascii, "ascii", false, "draw with ASCII characters only")
	return cmd
}

// paretoOf chooses the axes and the points.
func paretoOf(ex *typed.Exploration, x, y string) (*paretoAnswer, error) {
	if ex.Ranking == nil {
		why := "no candidate is measured"
		if len(ex.Notes) > 0 {
			why = strings.Join(ex.Notes, "; ")
		}
		return nil, out.No("nothing can be drawn at position %d: %s", ex.Position, why)
	}
	var names []string
	for _, o := range ex.Ranking.Objectives {
		names = append(names, o.Metric)
	}
	ans := &paretoAnswer{Position: ex.Position, X: x, Y: y, Points: []paretoPoint{}, Front: ex.Ranking.Front, Hypervolume: ex.Ranking.Hypervolume, History: ex.History}
	if ans.X == "" {
		ans.X = names[0]
	}
	if ans.Y == "" {
		ans.Y = names[min(1, len(names)-1)]
	}
	known := map[string]bool{}
	for _, c := range ex.Candidates {
		for name := range c.Metrics {
			known[name] = true
		}
		px, okX := c.Metrics[ans.X]
		py, okY := c.Metrics[ans.Y]
		if okX && okY {
			ans.Points = append(ans.Points, paretoPoint{c.ID, px, py, c.Rank})
		}
	}
	for _, axis := range []string{ans.X, ans.Y} {
		if !known[axis] {
			all := make([]string, 0, len(known))
			for name := range known {
				all = append(all, name)
			}
			return nil, out.Bad("no candidate has the metric %q%s", axis, out.DidYouMean(axis, all))
		}
	}
	return ans, nil
}

func (p *paretoAnswer) draw(w io.Writer, width, height int, ascii bool) {
	s := plot.Scatter{Width: width, Height: height, XName: clean(p.X), YName: clean(p.Y), Number: number}
	for _, front := range []bool{true, false} { // a front's mark wins over those behind it
		for _, pt := range p.Points {
			if (pt.Rank != nil && *pt.Rank == 0) != front {
				continue
			}
			mark := rune(0)
			if pt.Rank != nil {
				mark = plot.RankMark(*pt.Rank, ascii)
			} else if ascii {
				mark = '.'
			}
			s.Points = append(s.Points, plot.Point{X: pt.X, Y: pt.Y, Mark: mark})
		}
	}
	for _, line := range s.Draw() {
		if ascii {
			line = strings.NewReplacer("│", "|", "└", "+", "─", "-").Replace(line)
		}
		fmt.Fprintln(w, line)
	}
}
