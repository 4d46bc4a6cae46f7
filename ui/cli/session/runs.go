package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/show"
)

func (in *Interp) fork(context.Context, string) (answer, error) { return in.forkWith(nil) }

func (in *Interp) edit(_ context.Context, args string) (answer, error) {
	e, err := debug.ParseEdit(args)
	if err != nil {
		return answer{}, err
	}
	return in.forkWith(e)
}

func (in *Interp) forkWith(e *debug.Edit) (answer, error) {
	st, err := in.s.Fork(e)
	if err != nil {
		return answer{}, err
	}
	a, err := in.stopped(st)
	a.text = fmt.Sprintf("run %d\n%s", in.s.CurrentRun(), a.text)
	return a, err
}

// runsData is the answer of runs.
type runsData struct {
	Current int             `json:"current"`
	Runs    []debug.RunInfo `json:"runs"`
	Files   []keptFile      `json:"files,omitempty"` // of runs keep
}

// keptFile is where a run was written to.
type keptFile struct {
	Run  int    `json:"run"`
	File string `json:"file"`
}

func (in *Interp) runs(_ context.Context, args string) (answer, error) {
	list := in.s.Runs()
	data, text := runsData{Current: in.s.CurrentRun(), Runs: list}, ""
	switch args {
	case "":
	case "keep":
		for _, r := range list {
			path, err := in.keep(r.ID)
			if err != nil {
				return answer{}, err
			}
			if path == "" {
				continue
			}
			data.Files = append(data.Files, keptFile{r.ID, path})
			text += fmt.Sprintf("\nkept run %d in %s", r.ID, show.Clean(path))
		}
		if text == "" {
			text = "\nkept nothing: nothing has run yet"
		}
	default:
		return answer{}, fmt.Errorf("runs %s: write runs, or runs keep", args)
	}
	return answer{RunTree(list, in.s.CurrentRun()) + text, data}, nil
}

// keep writes a run beside the flow and returns its file, "" for a run without events.
func (in *Interp) keep(id int) (string, error) {
	if in.target.Runs == "" || in.opt.Keep == nil {
		return "", errors.New("there is no flow file beside which runs could be kept")
	}
	events, err := in.events(id)
	if err != nil || len(events) == 0 {
		return "", err
	}
	path := filepath.Join(in.target.Runs, debug.KeptName(events))
	return path, in.opt.Keep(path, events, trace.FormatArray)
}

// RunTree draws runs as a tree; the current one is marked.
func RunTree(list []debug.RunInfo, current int) string {
	var lines []string
	var draw func(parent int, indent string)
	draw = func(parent int, indent string) {
		var kids []debug.RunInfo
		for _, r := range list {
			if r.Parent == parent {
				kids = append(kids, r)
			}
		}
		for i, r := range kids {
			branch, below := "├ ", "│ "
			if i == len(kids)-1 {
				branch, below = "└ ", "  "
			}
			if parent < 0 {
				branch, below = "", ""
			}
			lines = append(lines, indent+branch+runText(r, current))
			draw(r.ID, indent+below)
		}
	}
	draw(-1, "")
	return strings.Join(lines, "\n")
}

func runText(r debug.RunInfo, current int) string {
	mark := "  "
	if r.ID == current {
		mark = "▶ "
	}
	text := fmt.Sprintf("%srun %d  %s  %s", mark, r.ID, r.Cause, show.Plural(r.Total, "event"))
	if r.Length < r.Total {
		text += fmt.Sprintf(", %d made again", r.Length)
	}
	if r.Parent >= 0 && r.Event >= 0 {
		text += fmt.Sprintf("  from event %d of run %d", r.Event, r.Parent)
	}
	if r.Finished {
		text += "  finished"
	}
	if r.Edited {
		text += "  * edited"
	}
	return text
}

func (in *Interp) switchRun(_ context.Context, args string) (answer, error) {
	id, err := strconv.Atoi(args)
	if err != nil {
		return answer{}, fmt.Errorf("%q is no run's number; runs lists them", args)
	}
	st, err := in.s.SwitchRun(id)
	if err != nil {
		return answer{}, err
	}
	return in.stopped(st)
}

// compareData is the answer of compare.
type compareData struct {
	Recorded string            `json:"recorded"` // which run is which side
	Got      string            `json:"got"`
	Verdict  trace.DiffVerdict `json:"verdict"`
	Equal    int               `json:"equal"`
	First    *trace.DiffPoint  `json:"first,omitempty"`
}

// compare compares two runs, one with the current one, or the current one with its record or the run that it began in.
func (in *Interp) compare(ctx context.Context, args string) (answer, error) {
	f, cur := strings.Fields(args), strconv.Itoa(in.s.CurrentRun())
	if i := slices.Index(f, "states"); i >= 0 {
		return in.compareStates(ctx, f[:i], strings.Join(f[i+1:], " "))
	}
	switch len(f) {
	case 0:
		run, record, ok := in.s.Beside()
		if record || !ok {
			return in.compareRecord()
		}
		return in.compareRuns(ctx, strconv.Itoa(run), cur)
	case 1:
		return in.compareRuns(ctx, f[0], cur)
	case 2:
		return in.compareRuns(ctx, f[0], f[1])
	}
	return answer{}, fmt.Errorf("write compare, compare A, or compare A B with the numbers of runs; states behind it says what differs in the states")
}

// soFar is the verdict over two runs of which one was not run to its end.
const soFar trace.DiffVerdict = "equal_so_far"

func (in *Interp) compareRuns(ctx context.Context, ids ...string) (answer, error) {
	var sides [2]trace.Log
	var names [2]string
	var infos [2]debug.RunInfo
	for i, text := range ids {
		id, err := strconv.Atoi(text)
		if err == nil {
			sides[i] = in.s.RunTrace(id)
		}
		if sides[i] == nil {
			return answer{}, fmt.Errorf("there is no run %q; runs lists them", text)
		}
		names[i], infos[i] = fmt.Sprintf("run %d", id), in.s.Runs()[id]
	}
	if ids[0] == ids[1] {
		return answer{}, fmt.Errorf("%s is the same run on both sides; runs lists them", names[0])
	}
	rep, err := trace.Diff(ctx, sides[0], sides[1], trace.DiffOptions{FirstOnly: true}, nil)
	if err != nil {
		return answer{}, err
	}
	d := compareData{names[0], names[1], rep.Verdict, rep.Equal, rep.FirstReal}
	if text := unfinished(rep, infos); text != "" {
		d.Verdict, d.First = soFar, nil
		return say(d, "%s and %s: %s", names[0], names[1], text)
	}
	if d.First == nil {
		return say(d, "%s and %s: %s, %s equal", names[0], names[1], rep.Verdict, show.Plural(rep.Equal, "event"))
	}
	text := fmt.Sprintf("%s and %s: %s behind %s\n", names[0], names[1], rep.Verdict, show.Plural(rep.Equal, "equal event"))
	return answer{text + pointText(d.First, names[0], names[1]), d}, nil
}

// unfinished says how far two runs were compared of which one was not run to its end, "" when both were.
func unfinished(rep *trace.DiffReport, infos [2]debug.RunInfo) string {
	short := ""
	switch {
	case infos[0].Finished && infos[1].Finished:
		return ""
	case rep.Verdict == trace.DiffRecordedPrefix, infos[0].Total == 0:
		short = fmt.Sprintf("run %d was run", infos[0].ID)
	case rep.Verdict == trace.DiffGotPrefix, infos[1].Total == 0:
		short = fmt.Sprintf("run %d was run", infos[1].ID)
	case rep.Verdict == trace.DiffSame:
		short = "both were run"
	default:
		return ""
	}
	return fmt.Sprintf("equal as far as %s: %s", short, show.Plural(rep.Equal, "event"))
}

func pointText(p *trace.DiffPoint, recorded, got string) string {
	a, b := show.PreviewPair(p.RecordedValue, p.GotValue, 2*show.PreviewLen)
	event := fmt.Sprintf("event %d", max(p.Recorded, p.Got))
	if p.Recorded >= 0 && p.Got >= 0 && p.Recorded != p.Got {
		event = fmt.Sprintf("event %d (event %d in %s)", p.Recorded, p.Got, got)
	}
	place := strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", p.Type, show.Clean(p.Agent), show.Clean(p.Path))), " ")
	return fmt.Sprintf("first difference at %s, step %d, %s\n  %s  %s\n  %s  %s", event, p.Step, place, recorded, a, got, b)
}

func (in *Interp) compareRecord() (answer, error) {
	if in.s.Mode() == debug.Playback {
		return answer{}, errors.New("nothing is run again in playback; open the flow too, or name two runs")
	}
	if d := in.s.Divergence(); d != nil {
		a, b := show.PreviewPair(d.Recorded, d.Got, 2*show.PreviewLen)
		return say(map[string]any{"verdict": d.Verdict, "event": d.Index, "step": d.Step, "path": d.Path, "recorded": d.Recorded, "got": d.Got},
			"%s at event %d, step %d, %s\n  recorded  %s\n  got       %s", d.Verdict, d.Index, d.Step, show.Clean(show.OrDash(d.Path)), a, b)
	}
	if in.s.Mode() == debug.Live {
		return answer{}, errors.New("this run has no recorded trace beside it; name two runs")
	}
	verdict := "no difference so far"
	if in.s.HashStatus().Kind == debug.HashEqual && in.s.AtEnd() {
		verdict = "same"
	}
	return say(map[string]any{"verdict": verdict, "compared": in.s.Len()}, "%s: %s made again and equal to the record", verdict, show.Plural(in.s.Len(), "event"))
}

// Pending is the effect that a run waits for.
type Pending struct {
	Agent string      `json:"agent"`
	Step  int         `json:"step"`
	Op    string      `json:"op"`
	Input canon.Value `json:"input,omitzero"`
	Hash  string      `json:"request_hash"`
	Why   string      `json:"why"`
}

func pendingOf(s *debug.Session) *Pending {
	p := s.Pending()
	if p == nil {
		return nil
	}
	return &Pending{p.Agent, p.Step, p.Request.Op, p.Request.Input, p.Request.Hash(), p.Why}
}

func (p *Pending) text() string {
	return fmt.Sprintf("waits: %s asks %s %s\n  %s; go on with answer JSON, mock, send or answers TRACE", show.Clean(p.Agent), show.Clean(trace.NewRequest(p.Op, p.Input).Asks()),
		show.Preview(p.Input, show.PreviewLen), show.Clean(p.Why))
}

func (in *Interp) pending(context.Context, string) (answer, error) {
	p := pendingOf(in.s)
	if p == nil {
		return say(nil, "no effect waits")
	}
	return answer{p.text(), p}, nil
}

func (in *Interp) answerIt(_ context.Context, args string) (answer, error) {
	v, _, err := canon.Parse([]byte(args), canon.Options{})
	if err != nil {
		return answer{}, fmt.Errorf("the answer is no JSON: %w", err)
	}
	if err := in.s.AnswerPending(v); err != nil {
		return answer{}, err
	}
	return say(nil, "answered; go on with step or continue")
}

func (in *Interp) mock(context.Context, string) (answer, error) {
	if err := in.s.MockPending(); err != nil {
		return answer{}, err
	}
	return say(nil, "the mock answers; go on with step or continue")
}

func (in *Interp) send(context.Context, string) (answer, error) {
	if err := in.s.SendPending(); err != nil {
		return answer{}, err
	}
	return say(nil, "it may be sent; go on with step or continue")
}

func (in *Interp) answers(_ context.Context, args string) (answer, error) {
	if in.opt.Log == nil {
		return answer{}, errors.New("no other trace can be read here")
	}
	log, err := in.opt.Log(args)
	if err != nil {
		return answer{}, err
	}
	n, err := in.s.TakeAnswersFrom(log)
	if err != nil {
		return answer{}, err
	}
	return say(map[string]int{"answers": n}, "%s taken", show.Plural(n, "answer"))
}
