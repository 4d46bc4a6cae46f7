package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/cli/show"
)

func (in *Interp) open(ctx context.Context, args string) (answer, error) {
	if in.opt.Open == nil {
		return answer{}, errors.New("nothing can be opened here")
	}
	words, err := debug.Words(args)
	if err != nil {
		return answer{}, err
	}
	paths := make([]string, len(words))
	for i, w := range words {
		paths[i] = w.Text
	}
	t, err := in.opt.Open(ctx, paths)
	if err != nil {
		return answer{}, err
	}
	if err := in.Close(); err != nil {
		return answer{}, err
	}
	in.target, in.s = t, t.Session
	return in.where(ctx, "")
}

func (in *Interp) reload(ctx context.Context, args string) (answer, error) {
	if in.target.Reload == nil {
		return answer{}, errors.New("there is no flow file that could be read again")
	}
	args, err := oneName(args)
	if err != nil {
		return answer{}, err
	}
	m, diags, data, err := in.target.Reload(ctx, args)
	if err != nil {
		return answer{}, err
	}
	r := in.s.Reload(ctx, m, diags, data)
	if r.Kept {
		var lines []string
		for _, d := range diags {
			lines = append(lines, show.Clean(d.String()))
		}
		return answer{}, fmt.Errorf("the session stays as it was: the flow has errors\n%s", strings.Join(lines, "\n"))
	}
	return in.stopped(r.Stop)
}

// save writes the events of the run, as far as it was run.
func (in *Interp) save(_ context.Context, args string) (answer, error) {
	if in.opt.Save == nil || args == "" {
		return answer{}, errors.New("write save FILE")
	}
	if bare := strings.TrimSuffix(strings.TrimSuffix(args, " --force"), " -f"); bare != args {
		return answer{}, fmt.Errorf("save takes a file's name alone; what exists is replaced when the session is started with --force: flowdbg session --force -e 'save %s'", bare)
	}
	args, err := oneName(args)
	if err != nil {
		return answer{}, err
	}
	events, err := in.events(in.s.CurrentRun())
	if err != nil {
		return answer{}, err
	}
	if err := in.opt.Save(args, events, trace.FormatArray); err != nil {
		return answer{}, err
	}
	return say(map[string]any{"file": args, "events": len(events)}, "%s written to %s", show.Plural(len(events), "event"), show.Clean(args))
}

// events copies the events of a run, as far as it was run.
func (in *Interp) events(id int) ([]trace.Event, error) {
	log := in.s.RunLog(id)
	events := make([]trace.Event, 0, log.Len())
	for i := range log.Len() {
		e, err := log.Event(i)
		if err != nil {
			return nil, err
		}
		events = append(events, *e)
	}
	return events, nil
}

func (in *Interp) remember(_ context.Context, args string) (answer, error) {
	if args == "" {
		return answer{}, errors.New("write remember NAME")
	}
	in.kept[args] = in.last
	return answer{}, nil
}

// expect holds the output of the command before against a text; runs of white space count as one space.
func (in *Interp) expect(_ context.Context, args string) (answer, error) {
	if pos, ok := hashCall(args); ok {
		return in.expectHash(pos)
	}
	if name, ok := strings.CutPrefix(args, "same "); ok {
		text, known := in.kept[strings.TrimSpace(name)]
		if !known {
			return answer{}, fmt.Errorf("nothing is remembered as %q", name)
		}
		if text != in.last {
			return answer{}, fmt.Errorf("not the same as %s\n  then  %s\n  now   %s", name, indent(text), indent(in.last))
		}
		return answer{}, nil
	}
	want, not := strings.CutPrefix(args, "not ")
	if strings.TrimSpace(want) == "" {
		return answer{}, errors.New("write expect TEXT, expect not TEXT, expect same NAME or expect hash = hash(POSITION)")
	}
	if strings.Contains(squeeze(in.last), squeeze(want)) == not {
		word := "holds no"
		if not {
			word = "holds"
		}
		return answer{}, fmt.Errorf("the output before %s %q:\n  %s", word, want, indent(in.last))
	}
	return answer{}, nil
}

// hashCall reads "hash = hash(POSITION)".
func hashCall(args string) (pos string, ok bool) {
	s := strings.ReplaceAll(args, " ", "")
	if !strings.HasPrefix(s, "hash=hash(") || !strings.HasSuffix(s, ")") {
		return "", false
	}
	return args[strings.IndexByte(args, '(')+1 : strings.LastIndexByte(args, ')')], true
}

func (in *Interp) expectHash(text string) (answer, error) {
	if in.s == nil {
		return answer{}, errors.New("nothing is open")
	}
	want, pos, err := in.hashAt(text)
	if err != nil {
		return answer{}, err
	}
	if got := in.s.Hash(); got != want {
		return answer{}, fmt.Errorf("the hash at position %d is %s, that of position %d is %s", in.s.Pos(), got, pos, want)
	}
	return answer{}, nil
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n  ") }
