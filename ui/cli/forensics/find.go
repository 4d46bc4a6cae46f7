package forensics

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/names"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/where"
)

// hit is one event of `find --json`.
type hit struct {
	Event  int    `json:"event"`
	Step   int    `json:"step"`
	Type   string `json:"type"`
	Agent  string `json:"agent,omitempty"`
	Offset int    `json:"offset"` // bytes from the event's start
	Around string `json:"around"` // the text there, cut
}

// findAnswer is `find --json`.
type findAnswer struct {
	File  string `json:"file"`
	Text  string `json:"text"`
	Total int    `json:"total"`
	Hits  []hit  `json:"hits"`
}

type findFlags struct {
	ignoreCase, backward, count, asJSON bool
	where                               string
	types, agents, tags                 []string
	fromStep, toStep, start, most       int
}

func (t *tool) findCmd() *cobra.Command {
	var f findFlags
	cmd := &cobra.Command{
		Use:     "find TRACE [TEXT]",
		Aliases: []string{"grep"},
		Short:   "Find events by their text",
		Long: `Find the events whose JSON text, as it stands in the file, holds TEXT; member names count too. Where JSON escapes TEXT (a
quote, a line break) the escaped form is found as well. Filters choose among the events first; without TEXT they are the
whole question. Traces of any size; Ctrl-C stops at once.

Exit 1 when nothing is found.`,
		Example: `  flowdbg find trace.json "interaction nets"
  flowdbg find trace.json -i error --type act,effect --agent critic
  flowdbg find trace.json --tag research --backward --max 1
  flowdbg find trace.json --where 'spent>0.05' --max 1
  flowdbg grep trace.json timeout --count`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: traceFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := ""
			if len(args) == 2 {
				text = args[1]
			}
			return t.find(cmd, args[0], text, f)
		},
	}
	cmd.Flags().BoolVarP(&f.ignoreCase, "ignore-case", "i", false, "capital letters count as small ones")
	cmd.Flags().StringSliceVar(&f.types, "type", nil, "only events of these `types`")
	cmd.Flags().StringSliceVar(&f.agents, "agent", nil, "only events of, or sent to, these `agents`")
	cmd.Flags().StringSliceVar(&f.tags, "tag", nil, "only events that carry a message with one of these `tags`")
	cmd.Flags().StringVar(&f.where, "where", "", "only events for which this Starlark `expression` holds, as in events --where")
	cmd.Flags().IntVar(&f.fromStep, "from-step", 0, "only from this `step` on")
	cmd.Flags().IntVar(&f.toStep, "to-step", 0, "only up to this `step`")
	cmd.Flags().IntVar(&f.start, "from", 0, "begin at this `event`; negative counts from the end")
	cmd.Flags().BoolVar(&f.backward, "backward", false, "go backward, from the end if --from is not given")
	cmd.Flags().IntVarP(&f.most, "max", "m", 0, "stop behind so many `hits` (0: none is too many)")
	cmd.Flags().BoolVar(&f.count, "count", false, "print the number of hits only")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the hits as one JSON document")
	return cmd
}

// mostHits is how many hits one JSON document holds; all are counted.
const mostHits = 10_000

func (t *tool) find(cmd *cobra.Command, arg, text string, f findFlags) error {
	q := trace.FindQuery{Text: text, IgnoreCase: f.ignoreCase, Agents: f.agents, Tags: f.tags, FromStep: f.fromStep, ToStep: f.toStep, Start: f.start, Backward: f.backward}
	for _, name := range f.types {
		q.Types = append(q.Types, trace.Type(name))
	}
	if f.backward && !cmd.Flags().Changed("from") {
		q.Start = -1
	}
	if text == "" && len(f.types)+len(f.agents)+len(f.tags)+len(f.where) == 0 && f.fromStep == 0 && f.toStep == 0 {
		return out.Bad("say what to find: a text, or a filter such as --type send")
	}
	o, err := t.open(cmd, arg)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := names.Agents(o.Log(), f.agents); err != nil {
		return err
	}
	if err := names.Types(o.Log(), f.types); err != nil {
		return err
	}
	holds, err := where.New(f.where, o)
	if err != nil {
		return err
	}
	ans := &findAnswer{File: o.Name, Text: text, Hits: []hit{}}
	tell, stop := t.progress()
	defer stop()
	var failure error
	err = trace.Find(cmd.Context(), o.Log(), q, tell, func(h trace.Hit) bool {
		if ok, err := holds.Match(h.Event); err != nil || !ok {
			failure = err
			return err == nil
		}
		ans.Total++
		if !f.count && !(f.asJSON && len(ans.Hits) == mostHits) {
			failure = ans.take(cmd, o.Log(), h, len(text), f.asJSON)
		}
		return failure == nil && (f.most == 0 || ans.Total < f.most)
	})
	if err == nil {
		err = failure
	}
	if err != nil {
		return failed(err)
	}
	if ans.Total == 0 && len(f.tags) > 0 {
		if err := names.Tags(o.Log(), f.tags); err != nil {
			return err
		}
	}
	switch {
	case f.asJSON:
		err = out.JSON(cmd.OutOrStdout(), ans)
	case f.count:
		_, err = fmt.Fprintln(cmd.OutOrStdout(), ans.Total)
	}
	if err == nil && ans.Total == 0 {
		return out.No("")
	}
	return err
}

// take prints a hit at once, or keeps it for the JSON document.
func (a *findAnswer) take(cmd *cobra.Command, log trace.Log, h trace.Hit, length int, asJSON bool) error {
	e, err := log.Event(h.Event)
	if err != nil {
		return err
	}
	around := what(e)
	if length > 0 {
		around = excerpt(textOf(log, h.Event, e), h.Offset, length)
	}
	if asJSON {
		a.Hits = append(a.Hits, hit{h.Event, e.Step, string(e.Type), e.Agent, h.Offset, around})
		return nil
	}
	agent := ""
	if e.Agent != "" {
		agent = "  " + clean(e.Agent)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s%s  %s\n", label(h.Event, e), agent, clean(around))
	return err
}

// textOf is the event's text as it was searched.
func textOf(log trace.Log, i int, e *trace.Event) string {
	if s, ok := log.(*trace.Store); ok {
		if text, err := s.Text(i); err == nil {
			return string(text)
		}
	}
	return string(e.AppendJSON(nil))
}

// excerpt is the text around a match, on whole characters.
func excerpt(text string, at, length int) string {
	const before, behind = 30, 50
	from, to := max(0, at-before), min(len(text), at+length+behind)
	if at > len(text) {
		from = 0
	}
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	s := strings.ToValidUTF8(text[from:to], "\uFFFD")
	if from > 0 {
		s = "…" + s
	}
	if to < len(text) {
		s += "…"
	}
	return s
}
