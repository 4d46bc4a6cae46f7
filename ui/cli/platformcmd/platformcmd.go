// Package platformcmd is the command line of a flow's platform: which servers and tools it has, whether they provide what
// the flow requires, and what became of each contract call of a trace. It may read files, start servers when it is told
// --live, and print. It must not decide what engine/platform and contract decide.
package platformcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"flowdbg/contract/meta"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/engine/effect/secret"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

type platformFlags struct {
	live, save, asJSON bool
	today              string
}

// platformAnswer is `platform --json`.
type platformAnswer struct {
	Flow        string                `json:"flow"`
	Version     int                   `json:"version"` // the platform's contract version
	Rules       string                `json:"rules"`   // hash of the rule set
	Servers     []serverAnswer        `json:"servers"`
	Negotiation *platform.Negotiation `json:"negotiation"`
	Warnings    []string              `json:"warnings"`
	Written     string                `json:"written,omitempty"`
}

type serverAnswer struct {
	Server   string `json:"server"`
	Reached  string `json:"reached"`            // the program with its arguments, or the address
	Pinned   int    `json:"pinned,omitempty"`   // contract version
	Name     string `json:"name,omitempty"`     // as the server calls itself
	Version  string `json:"version,omitempty"`  // its own
	Protocol string `json:"protocol,omitempty"` // MCP revision agreed on
	Tools    int    `json:"tools"`              // -1: it was never asked
}

// New is the command `platform`.
func New() *cobra.Command {
	var f platformFlags
	cmd := &cobra.Command{
		Use:   "platform FLOW | FOLDER",
		Short: "Show the servers and tools of a flow, and write the lock",
		Long: `Show which MCP servers a flow has, which tools they list, in which contract versions, and whether that is what the flow
requires. Without --live nothing is started: what is shown is the lock, FLOW's folder .dbg/platform.lock.json.

With --live every server is started or dialled and asked for its tools; no tool is called. With --save besides, the lock
is written: tools, versions and schemas as listed, and the highest contract version ever seen for each tool. "check"
negotiates against it. A lock that would hold the value of a secret is not written.

Exit: 0 the platform provides what is required, 1 it does not, or there is no lock, 2 unreadable.`,
		Example: `  flowdbg platform examples/contract-flow
  flowdbg platform flow.json --live --save
  flowdbg platform flow.json --today 2027-01-01 --json | jq .negotiation.ways`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cmd.Flags().BoolVar(&f.live, "live", false, "start the servers and ask them for their tools")
	cmd.Flags().BoolVar(&f.save, "save", false, "write the lock; needs --live")
	cmd.Flags().StringVar(&f.today, "today", "", "judge sunsets on this `day`, YYYY-MM-DD (default: today in UTC)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

// Today is the day that a flag names, or the present one in UTC.
func Today(flag string) (meta.Date, error) {
	if flag == "" {
		return meta.DateOf(time.Now()), nil
	}
	d, err := meta.ParseDate(flag)
	if err != nil {
		return d, out.Bad("--today: %w", err)
	}
	return d, nil
}

func (f *platformFlags) run(cmd *cobra.Command, arg string) error {
	if f.save && !f.live {
		return out.Bad("--save writes what the servers say, so it needs --live")
	}
	today, err := Today(f.today)
	if err != nil {
		return err
	}
	t, err := load.Open([]string{arg}, cmd.InOrStdin())
	if err != nil {
		return out.Bad("%w", err)
	}
	if t.Flow == nil {
		return out.Bad("%s: this is a trace; give a flow", arg)
	}
	m, diags := t.Flow.Machine(false, nil)
	if m == nil {
		tell(cmd.ErrOrStderr(), diags, t.Flow.Data)
		return out.No("%s: the flow is invalid", t.Flow.Name)
	}
	p, diags := platform.Open(m.Flow(), filepath.Dir(t.Flow.Path))
	tell(cmd.ErrOrStderr(), diags, t.Flow.Data)
	if p == nil {
		return out.No("%s: the platform cannot be read", t.Flow.Name)
	}
	return f.show(cmd, p, t.Flow.Path, today)
}

func (f *platformFlags) show(cmd *cobra.Command, p *platform.Platform, flowPath string, today meta.Date) error {
	path := platform.LockPath(flowPath)
	lock, err := platform.ReadLock(path)
	if err != nil {
		return out.Bad("%w", err)
	}
	ans := &platformAnswer{Flow: p.Flow.ID, Version: p.Current, Rules: p.Rules.Hash(), Warnings: []string{}}
	if f.live {
		if lock, err = survey(cmd.Context(), p, lock, today); err != nil {
			return err
		}
		if f.save {
			if err := save(path, lock, p); err != nil {
				return err
			}
			ans.Written = path
		}
	}
	if ans.Negotiation, err = p.NegotiateWith(lock, today); err != nil {
		return out.Bad("%w", err)
	}
	ans.Negotiation.Lock = path
	if lock == nil || f.live && !f.save {
		ans.Negotiation.Lock = ""
	}
	for _, s := range p.Servers {
		ans.Servers = append(ans.Servers, serverOf(s, lock))
	}
	if f.asJSON {
		err = out.JSON(cmd.OutOrStdout(), ans)
	} else {
		err = ans.print(cmd.OutOrStdout())
	}
	if err == nil && !ans.Negotiation.OK {
		return out.No("")
	}
	return err
}

func serverOf(s *mcpx.Server, lock *platform.Lock) serverAnswer {
	a := serverAnswer{Server: s.Name, Reached: s.URL, Pinned: s.Pinned, Tools: -1}
	if s.URL == "" {
		a.Reached = s.Command
		for _, arg := range s.Args {
			a.Reached += " " + arg
		}
	}
	if lock == nil {
		return a
	}
	if l, ok := lock.Servers[s.Name]; ok {
		a.Name, a.Version, a.Protocol, a.Tools = l.Name, l.Version, l.Protocol, len(l.Tools)
	}
	return a
}

// survey asks the servers and ends them again.
func survey(ctx context.Context, p *platform.Platform, before *platform.Lock, today meta.Date) (*platform.Lock, error) {
	vault := secret.NewVault(nil, p.SecretNames()...)
	pool := mcpx.NewPool(p.Servers, vault)
	lock, _, err := p.Survey(ctx, pool, before, today)
	if closing := pool.Close(); err == nil {
		err = closing
	}
	switch {
	case err == nil:
		return lock, nil
	case ctx.Err() != nil:
		return nil, out.No("interrupted")
	}
	text, _ := vault.Scanner().Redact(withStderr(err))
	return nil, out.No("%s", text)
}

// withStderr adds what the servers wrote to their standard error.
func withStderr(err error) string {
	text := err.Error()
	var list interface{ Unwrap() []error }
	errs := []error{err}
	if errors.As(err, &list) {
		errs = list.Unwrap()
	}
	for _, e := range errs {
		var failed *mcpx.Error
		if errors.As(e, &failed) && failed.Stderr != "" {
			text += fmt.Sprintf("\n%s wrote to standard error:\n%s", failed.Server, failed.Stderr)
		}
	}
	return text
}

// save writes the lock unless it would hold the value of a secret.
func save(path string, lock *platform.Lock, p *platform.Platform) error {
	text, err := lock.Text()
	if err != nil {
		return out.Internal("%w", err)
	}
	if names := secret.NewVault(nil, p.SecretNames()...).Scanner().Find(string(text)); len(names) > 0 {
		return out.No("%s is not written: what the servers list holds the value of the secret %s", path, names[0])
	}
	if err := platform.WriteLock(path, text); err != nil {
		return out.Bad("%w", err)
	}
	return nil
}

// Check is what `check` says of a flow's platform, offline. The negotiation is nil when there is nothing to say: no
// contracts and no lock, or a platform that cannot be read, which the diagnostics tell.
func Check(f *flow.Flow, flowPath string, today meta.Date) (*platform.Negotiation, []flow.Diagnostic, error) {
	if !platform.Uses(f) {
		return nil, nil, nil
	}
	p, diags := platform.Open(f, filepath.Dir(flowPath))
	if p == nil {
		return nil, diags, nil
	}
	path := platform.LockPath(flowPath)
	n, err := p.Negotiate(path, today)
	if err != nil {
		return nil, diags, out.Bad("%w", err)
	}
	if f.Contracts == nil && n.Lock == "" {
		return nil, diags, nil
	}
	return n, diags, nil
}

// sourceOf is the text that a diagnostic is about, nil when it cannot be read.
func sourceOf(d flow.Diagnostic, flowName string, flowText []byte) []byte {
	if d.File == flowName {
		return flowText
	}
	data, err := os.ReadFile(d.File)
	if err != nil {
		return nil
	}
	return data
}

// Excerpt is the line of a diagnostic about a flow or about a file that its contracts name.
func Excerpt(d flow.Diagnostic, flowName string, flowText []byte) string {
	return out.Excerpt(sourceOf(d, flowName, flowText), d.Line, d.Col)
}
