package contractcmd

import (
	"io"

	"github.com/spf13/cobra"

	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
	"flowdbg/ui/cli/out"
)

// stepView is one step of a rule set.
type stepView struct {
	Step   string   `json:"step"`
	Tool   string   `json:"tool"`
	Input  []string `json:"input"`
	Output []string `json:"output"`
	Note   string   `json:"note,omitempty"`
	At     string   `json:"at"`
}

func viewStep(s *translate.Step) stepView {
	return stepView{s.Name(), s.Tool, opTexts(s.Input), opTexts(s.Output), s.Note, s.File + s.Pointer}
}

func opTexts(ops translate.Ops) []string {
	texts := make([]string, len(ops))
	for i, o := range ops {
		texts[i] = o.String()
	}
	return texts
}

func (f *planFlags) printSteps(cmd *cobra.Command, rules *translate.RuleSet) error {
	steps := []stepView{}
	for _, s := range rules.Steps() {
		steps = append(steps, viewStep(s))
	}
	w := cmd.OutOrStdout()
	if f.asJSON {
		return out.JSON(w, map[string]any{"steps": steps, "highest": rules.Highest(), "hash": rules.Hash()})
	}
	for _, s := range steps {
		linef(w, "%s %s  (%s)\n", s.Step, s.Tool, s.At)
		if s.Note != "" {
			linef(w, "  # %s\n", s.Note)
		}
		printOps(w, "input ", s.Input)
		printOps(w, "output", s.Output)
	}
	linef(w, "%d steps, highest version %d, rule set %s\n", len(steps), rules.Highest(), rules.Hash())
	return nil
}

func printOps(w io.Writer, side string, ops []string) {
	for _, o := range ops {
		linef(w, "  %s  %s\n", side, o)
	}
}

// legView is one leg of a plan.
type legView struct {
	Step      string   `json:"step"`
	Direction string   `json:"direction"`
	Ops       []string `json:"ops"` // as written, older to newer; down goes through them backwards
	At        string   `json:"at,omitempty"`
}

// planView is a plan.
type planView struct {
	Tool         string       `json:"tool"`
	AgentVersion int          `json:"agent_version"`
	ToolVersion  int          `json:"tool_version"`
	PassThrough  bool         `json:"pass_through"`
	Input        []legView    `json:"input"`
	Output       []legView    `json:"output"`
	Tried        []triedView  `json:"tried"`
	Journal      []meta.Entry `json:"journal"`
}

type triedView struct {
	Version int    `json:"version"`
	Reason  string `json:"reason"`
	Step    string `json:"step,omitempty"`
}

func viewLegs(legs []translate.Leg, side translate.Side) []legView {
	list := []legView{}
	for _, l := range legs {
		list = append(list, legView{l.Step.Name(), l.Dir.String(), opTexts(l.Step.Ops(side)), l.Step.File + l.Step.Pointer})
	}
	return list
}

func (f *planFlags) printPlan(cmd *cobra.Command, p *translate.Plan, journal []meta.Entry) error {
	v := planView{Tool: p.Tool, AgentVersion: p.AgentVersion, ToolVersion: p.ToolVersion, PassThrough: p.Identity(),
		Input: viewLegs(p.Input, translate.Input), Output: viewLegs(p.Output, translate.Output), Tried: []triedView{}, Journal: journal}
	for _, t := range p.Tried {
		v.Tried = append(v.Tried, triedView{t.Version, t.Why.Reason, t.Why.Step + t.Why.MissingStep})
	}
	w := cmd.OutOrStdout()
	if f.asJSON {
		return out.JSON(w, v)
	}
	for _, t := range v.Tried {
		linef(w, "version %d is nearer but does not work: %s %s\n", t.Version, t.Reason, t.Step)
	}
	if v.PassThrough {
		linef(w, "%s: call %d, tool %d: bytes pass through unchanged\n", v.Tool, v.AgentVersion, v.ToolVersion)
	} else {
		linef(w, "%s: call %d, tool %d\n", v.Tool, v.AgentVersion, v.ToolVersion)
		printLegs(w, "arguments", v.Input)
		printLegs(w, "result", v.Output)
	}
	printJournal(w, journal)
	return nil
}

func printLegs(w io.Writer, what string, legs []legView) {
	for _, l := range legs {
		linef(w, "  %-9s  %s %s\n", what, l.Step, l.Direction)
		for i := range l.Ops {
			at := i
			if l.Direction == "down" {
				at = len(l.Ops) - 1 - i
			}
			linef(w, "               %s\n", l.Ops[at])
		}
	}
}
