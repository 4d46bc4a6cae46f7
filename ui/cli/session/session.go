// Package session runs a debug session's commands from text, one per line: for bug reports, for tests, and for pipes.
// Every command of the screen that changes or tells something about the session has its word here. The package may hold
// the commands and their answers as text and data; it decides nothing that the packages below decide, opens files only
// through what the caller gives it, and prints to no one but its caller.
package session

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/show"
)

// Target is what a session was opened on.
type Target struct {
	Session *debug.Session
	// Reload reads the flow again, from another file when path is not "". nil when there is no flow that could be read.
	Reload func(ctx context.Context, path string) (*engine.Machine, []flow.Diagnostic, []byte, error)
	Keep   string // the folder that breakpoints, watches and marks are kept in, "" when there is no place for one
	Runs   string // the folder that runs are kept in, "" when there is no place for one
	Close  func() error
}

// Options give the interpreter the world it may touch. Paths are those of the commands; the caller resolves them.
type Options struct {
	Open func(ctx context.Context, args []string) (Target, error) // the command open
	Read func(path string) ([]byte, error)                        // what is kept; nil for a file that is not there
	Log  func(path string) (trace.Log, error)                     // another trace
	// Update replaces what is kept by what change makes of it, nil for a file that is not there; nobody writes in between.
	Update func(path string, change func(old []byte) ([]byte, error)) error
	Save   func(path string, events []trace.Event, format trace.Format) error // the command save
	Keep   func(path string, events []trace.Event, format trace.Format) error // runs beside the flow, whose folder it makes
	// Limit is how many events one command may move over; 0 is DefaultLimit. A flow need not ever end.
	Limit int
}

// DefaultLimit bounds one command (ours).
const DefaultLimit = 5_000_000

// Interp runs commands on one session after another.
type Interp struct {
	opt    Options
	target Target
	s      *debug.Session
	had    map[string][]byte // by kept file, what was read or written last
	looked *looked           // what was searched for last
	last   string            // the text of the command before
	kept   map[string]string // remembered texts
}

// New makes an interpreter; target may be empty when the first command opens one.
func New(opt Options, target Target) *Interp {
	if opt.Limit <= 0 {
		opt.Limit = DefaultLimit
	}
	return &Interp{opt: opt, target: target, s: target.Session, had: map[string][]byte{}, kept: map[string]string{}}
}

// Close closes the files of the session.
func (in *Interp) Close() error {
	if in.target.Close != nil {
		return in.target.Close()
	}
	return nil
}

// Reply is the answer to one command. Text holds names and values of the flow, cleaned of control characters; Data is the
// same for programs.
type Reply struct {
	Line    int    `json:"line"`
	Command string `json:"command"`
	OK      bool   `json:"ok"`
	Error   string `json:"error,omitempty"`
	Text    string `json:"text,omitempty"`
	Data    any    `json:"data,omitempty"`
}

// answer is what a command has to say.
type answer struct {
	text string
	data any
}

func say(data any, format string, args ...any) (answer, error) {
	return answer{fmt.Sprintf(format, args...), data}, nil
}

// Do runs one command. A command that begins with "!" must fail; its error is then its text.
func (in *Interp) Do(ctx context.Context, c Command) Reply {
	r := Reply{Line: c.Line, Command: c.Text}
	text, mustFail := strings.CutPrefix(c.Text, "!")
	a, err := in.do(ctx, strings.TrimSpace(text))
	switch {
	case mustFail && err == nil:
		err = fmt.Errorf("this was expected to fail")
	case mustFail:
		a, err = answer{text: err.Error()}, nil
	}
	if err != nil {
		r.Error = err.Error()
		in.last = r.Error
		return r
	}
	r.OK, r.Text, r.Data = true, a.text, a.data
	if word, _ := cutWord(text); word != "expect" && word != "remember" {
		in.last = a.text
	}
	return r
}

func (in *Interp) do(ctx context.Context, text string) (answer, error) {
	word, rest := cutWord(text)
	c := find(word)
	switch {
	case c == nil:
		return answer{}, fmt.Errorf("unknown command %q%s; help lists them all", show.Clean(word), out.DidYouMean(word, words()))
	case in.s == nil && !c.free:
		return answer{}, fmt.Errorf("nothing is open: name a flow or a trace on the command line, or begin with open")
	}
	return c.run(in, ctx, rest)
}

// Command is one command of a script and its line, from 1.
type Command struct {
	Line int
	Text string
}

// Commands cuts a script: one command per line; lines that begin with # are comments.
func Commands(text string) []Command {
	var list []Command
	for i, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			list = append(list, Command{i + 1, l})
		}
	}
	return list
}

// Inline cuts a one-line script at semicolons that stand outside JSON strings.
func Inline(text string) []Command {
	var list []Command
	from, quoted := 0, false
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, Command{len(list) + 1, part})
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ';' && !quoted:
			add(text[from:i])
			from = i + 1
		}
	}
	add(text[from:])
	return list
}

// cutWord takes the first word off.
func cutWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "/"); ok { // as on the screen, where the text follows the key
		return "/", strings.TrimSpace(rest)
	}
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// cutPlace cuts a name off, in quotes where it holds spaces; what is behind it is a pointer.
func cutPlace(args string) (name, rest string, err error) {
	w, rest, err := debug.CutWord(args)
	return w.Text, strings.TrimSpace(rest), err
}

// oneName is an argument that takes the rest of the line, and may be in quotes all the same.
func oneName(args string) (string, error) {
	if w, rest, err := debug.CutWord(args); w.Quoted && rest == "" || err != nil {
		return w.Text, err
	}
	return args, nil
}

// agentName is an argument that names an agent of the flow, in quotes or not.
func (in *Interp) agentName(args string) (string, error) {
	id, err := oneName(args)
	if err != nil {
		return "", err
	}
	if _, ok := in.s.State().Agent(id); !ok {
		return "", in.noAgent(id)
	}
	return id, nil
}

// command is one word of the language.
type command struct {
	names []string // the first is the word of the help
	args  string
	help  string
	free  bool // may be used with nothing open
	run   func(*Interp, context.Context, string) (answer, error)
}

func find(word string) *command {
	for i := range commands {
		for _, n := range commands[i].names {
			if n == word {
				return &commands[i]
			}
		}
	}
	return nil
}

func words() []string {
	var list []string
	for _, c := range commands {
		list = append(list, c.names...)
	}
	sort.Strings(list)
	return list
}

// Help is the language as a table of words, arguments and what they do.
func Help() string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-34s %s\n", strings.TrimSpace(strings.Join(c.names, ", ")+" "+c.args), c.help)
	}
	return b.String()
}
