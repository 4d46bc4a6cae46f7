package session

import (
	"context"

	"flowdbg/ui/cli/show"
)

// print evaluates an expression at the position, or in the frame of the script that is walked through.
func (in *Interp) print(_ context.Context, args string) (answer, error) {
	p, err := in.s.Print(args)
	switch {
	case err != nil:
		return answer{}, err
	case p.Value.IsAbsent():
		return say(p, "%s", show.Clean(p.Text))
	}
	return say(p, "%s", show.Indented(p.Value))
}
