package platformcmd

import (
	"fmt"
	"io"
	"strings"

	"flowdbg/contract/meta"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/ui/cli/show"
)

// tell prints diagnostics, each with its line.
func tell(w io.Writer, diags []flow.Diagnostic, source []byte) {
	for _, d := range diags {
		if d.Severity == flow.Lint {
			continue
		}
		fmt.Fprintln(w, d)
		if ex := Excerpt(d, d.File, nil); ex != "" {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(ex, "\n", "\n    "))
		}
	}
}

func (a *platformAnswer) print(w io.Writer) error {
	fmt.Fprintf(w, "%s: contract version %d, rules %s\n\n", show.Clean(a.Flow), a.Version, a.Rules[:min(len(a.Rules), 19)])
	if len(a.Servers) == 0 {
		fmt.Fprintln(w, "the flow has no servers: it names none in mcpServers")
	}
	tw := show.Table(w)
	if len(a.Servers) > 0 {
		fmt.Fprintln(tw, "server\treached by\tcalls itself\tprotocol\ttools")
	}
	for _, s := range a.Servers {
		tools := "never asked"
		if s.Tools >= 0 {
			tools = fmt.Sprint(s.Tools)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", show.Clean(s.Server), show.Clean(s.Reached), show.OrDash(show.Clean(strings.TrimSpace(s.Name+" "+s.Version))), show.OrDash(s.Protocol), tools)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	PrintNegotiation(w, a.Negotiation, true)
	if a.Written != "" {
		fmt.Fprintf(w, "lock written: %s\n", a.Written)
	}
	return nil
}

// PrintNegotiation writes a negotiation as text; with tools each tool of the lock gets a line.
func PrintNegotiation(w io.Writer, n *platform.Negotiation, tools bool) {
	if tools && len(n.Tools) > 0 {
		printTools(w, n)
	}
	if r := n.Report; r != nil && len(r.Verdicts) > 0 {
		tw := show.Table(w)
		for _, v := range r.Verdicts {
			fmt.Fprintf(tw, "requires\t%s %s\t%s\t%s\n", show.Clean(v.Name), show.Clean(v.Constraints), v.Verdict, show.Clean(v.Reason))
		}
		tw.Flush()
		for _, v := range r.Verdicts {
			for _, l := range v.Lints {
				fmt.Fprintf(w, "  lint: %s: %s [%s]\n", show.Clean(v.Name), show.Clean(l.Message), l.Rule)
			}
		}
	}
	printWays(w, n.Ways)
	for _, e := range n.Journal {
		fmt.Fprintf(w, "%s: %s (%s): %s [%s]\n", e.Level, show.Clean(e.Tool), e.Source, show.Clean(e.Text), e.Code)
	}
	for _, text := range n.Warnings {
		fmt.Fprintf(w, "warning: %s\n", show.Clean(text))
	}
	fmt.Fprintf(w, "platform: %s", n.Verdict)
	if n.Why != "" {
		fmt.Fprintf(w, ": %s", show.Clean(n.Why))
	}
	if n.Day != "" {
		fmt.Fprintf(w, " (lock of %s, judged on %s)", show.Clean(n.Day), n.Today)
	}
	fmt.Fprintln(w)
}

func printTools(w io.Writer, n *platform.Negotiation) {
	tw := show.Table(w)
	fmt.Fprintln(tw, "tool\tserver\tversion\tcontract\tsaid by\tclass\tprice\tsunset")
	for _, t := range n.Tools {
		versions := strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Versions), " ", ","), "[]")
		price := "declared free"
		if t.USD > 0 {
			price = show.Number(t.USD) + " usd"
		}
		sunset := show.OrDash(t.Sunset)
		if t.Excluded {
			sunset += " (excluded)"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", show.Clean(t.Tool), show.Clean(t.Server), show.OrDash(show.Clean(t.Version)), show.OrDash(versions), said(t.Source), t.Class, price, sunset)
	}
	tw.Flush()
	fmt.Fprintln(w)
}

// said is the source of a version in words.
func said(source string) string {
	switch meta.Origin(source) {
	case meta.SourceTool:
		return "tool"
	case meta.SourceInitialize:
		return "initialize"
	case meta.SourcePinned:
		return "pin"
	case meta.SourceLastKnown:
		return "last known"
	case meta.SourceCurrent:
		return "nobody"
	}
	return show.OrDash(source)
}

func printWays(w io.Writer, ways []platform.Way) {
	if len(ways) == 0 {
		return
	}
	tw := show.Table(w)
	for _, x := range ways {
		way := "no way: " + show.Clean(x.Why)
		switch {
		case x.OK && x.Steps == 0 && x.Version == x.ToolVersion:
			way = "unchanged"
		case x.OK:
			way = fmt.Sprintf("to %d in %s", x.ToolVersion, show.Plural(x.Steps, "step"))
		}
		fmt.Fprintf(tw, "calls at %d\t%s\t%s\tby %s\n", x.Version, show.Clean(x.Tool), way, show.Clean(strings.Join(x.Agents, ", ")))
	}
	tw.Flush()
}
