package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flowdbg/engine/debug"
	"flowdbg/ui/cli/out"
)

// sayArgs makes every command below cmd say what is missing, or what is too much, and how it is used. The parser's own
// words are only counts.
func sayArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			var exit *out.ExitError
			if err == nil || errors.As(err, &exit) {
				return err
			}
			return out.Bad("%s; the usage is: %s", wrongArgs(c, args, err), usageLine(c))
		}
	}
	for _, sub := range cmd.Commands() {
		sayArgs(sub)
	}
}

// wrongArgs says what is wrong with the number of arguments; err is the parser's, for what this cannot tell.
func wrongArgs(c *cobra.Command, args []string, err error) string {
	words := argWords(c)
	needed, most := 0, len(words)
	for _, w := range words {
		if !strings.HasPrefix(w, "[") {
			needed++
		}
		if strings.Contains(w, "...") || strings.Contains(w, "…") {
			most = len(args)
		}
	}
	first := strings.Split(c.Use, "|")[0]
	switch {
	case len(args) > 0 && c.HasAvailableSubCommands() && most == 0:
		return fmt.Sprintf("there is no command %q%s", c.CommandPath()+" "+args[0], out.DidYouMean(args[0], commandNames(c)))
	case len(args) > most && most == 0:
		return fmt.Sprintf("%q is too much: %s takes no arguments", args[0], c.CommandPath())
	case len(args) > most && first == c.Use:
		return fmt.Sprintf("%q is too much", args[most])
	case len(args) < needed && first == c.Use:
		return strings.Join(words[len(args):needed], " and ") + plural2(needed-len(args)) + " missing"
	case len(args) == 0:
		return "nothing is named"
	case strings.Contains(err.Error(), "unknown command"):
		return fmt.Sprintf("%q is too much", args[0])
	case len(args) < needed:
		return fmt.Sprintf("%s alone is not enough", strings.Join(args, " "))
	}
	return fmt.Sprintf("%d arguments are too many", len(args))
}

func plural2(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

// argWords are the arguments in the first form of a command's usage, without flags and what follows them.
func argWords(c *cobra.Command) []string {
	form := strings.Split(c.Use, " | ")[0]
	var words []string
	for _, w := range strings.Fields(form)[1:] {
		if strings.HasPrefix(strings.TrimPrefix(w, "["), "-") {
			break
		}
		words = append(words, w)
	}
	return words
}

func usageLine(c *cobra.Command) string {
	if c.HasAvailableSubCommands() {
		return c.CommandPath() + " " + strings.Join(commandNames(c), "|")
	}
	_, rest, _ := strings.Cut(c.Use, " ")
	return strings.TrimSpace(c.CommandPath() + " " + rest)
}

// flagError says what a flag takes, and adds the flag that was probably meant to one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if best := out.Closest(strings.TrimLeft(unknown.GetSpecifiedName(), "-"), names); best != "" {
			return fmt.Errorf("%w (did you mean --%s?)", err, best)
		}
	case errors.As(err, &value):
		var number *strconv.NumError
		if !errors.As(err, &number) && !strings.Contains(err.Error(), "strconv.") {
			break
		}
		f := value.GetFlag()
		return fmt.Errorf("--%s %q: want %s", f.Name, value.GetValue(), wanted(f.Value.Type()))
	}
	return err
}

// wanted says what a flag of a type takes.
func wanted(kind string) string {
	switch kind {
	case "int", "int64", "uint":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "another value"
}

// insteadOf says which flag takes what was given as a file that does not exist: "state trace.json 34".
func insteadOf(cmd *cobra.Command, err error) string {
	args := cmd.Flags().Args()
	if len(args) < 2 || !errors.Is(err, fs.ErrNotExist) || cmd.Flags().Lookup("at") == nil {
		return ""
	}
	last := args[len(args)-1]
	p, perr := debug.ParsePlace(last)
	switch {
	case perr != nil || !strings.HasPrefix(err.Error(), last+":"):
		return ""
	case p.Kind == debug.PlaceStep && cmd.Flags().Lookup("step") != nil:
		return fmt.Sprintf("; a step is --step %d", p.N)
	case p.Kind == debug.PlaceStep:
		return ""
	}
	return "; a position is --at " + last
}
