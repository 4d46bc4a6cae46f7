package contractcmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

type planFlags struct {
	rules                        ruleFlags
	sources                      sourceFlags
	tool, tools, request, result string
	call                         int
	native                       []int
	cells                        int64
	asJSON                       bool
}

func planCmd() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Plan the way of a call between contract versions, or say why there is none",
		Long: `Plan how a call gets from the agent's contract version to one that the tool implements, and its result back. Both ways are
planned before anything is sent. Of several versions the nearest is tried first, of two equally near the higher one, and the
first that works both ways is taken.

What the tool implements comes from --native, or from --tools (a tools/list answer) and the sources of "contract version".
With --request the whole order of a call is gone through offline: versions, both plans, validation of the arguments in the
agent's version, translation, validation in the tool's version, capability; the call as it would be forwarded is printed,
or the answer that the agent gets instead. With --result besides, a result is carried back.

Without --tool and --request the rule files are only checked and their steps listed.

Exit: 0 there is a plan, 1 the call is refused or a rule file is bad, 2 unreadable.`,
		Example: `  flowdbg contract plan --rules rules.json
  flowdbg contract plan --rules rules.json --tool iPL.place --call 1 --native 2,3
  flowdbg contract plan --rules rules.json --contract 1=v1.json --contract 2=v2.json --tools tools.json --request call.json --today 2026-12-31
  flowdbg contract plan --rules rules.json --tools tools.json --request call.json --result answer.json --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.rules.add(cmd)
	f.sources.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.tool, "tool", "", "the tool that is called")
	fl.IntVar(&f.call, "call", 0, "contract version of the call")
	fl.IntSliceVar(&f.native, "native", nil, "versions that the tool implements")
	fl.StringVar(&f.tools, "tools", "", "tools/list `FILE` that says what the tool implements, and its sunset and capability")
	fl.StringVar(&f.request, "request", "", "tools/call request `FILE`: its params, or the JSON-RPC message around them")
	fl.StringVar(&f.result, "result", "", "tools/call result `FILE` to carry back; needs --request")
	fl.Int64Var(&f.cells, "cells", -1, "number of cells of the design, for the tool's capability")
	fl.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	cmd.MarkFlagsMutuallyExclusive("native", "tools")
	return cmd
}

func (f *planFlags) run(cmd *cobra.Command) error {
	if f.result != "" && f.request == "" {
		return out.Bad("--result needs --request")
	}
	rules, catalog, err := f.rules.load(cmd, f.asJSON)
	if err != nil {
		return err
	}
	if f.tool == "" && f.request == "" {
		return f.printSteps(cmd, rules)
	}
	src, err := f.sources.read(cmd)
	if err != nil {
		return err
	}
	platform := &translate.Platform{Rules: rules, Catalog: catalog, Keys: src.keys, Current: f.sources.current}
	if f.request != "" {
		return f.wholeCall(cmd, platform, src)
	}
	if f.call < 1 {
		return out.Bad("--call: want the contract version of the call, 1 or more")
	}
	tool, err := f.findTool(cmd, src, platform)
	if err != nil {
		return err
	}
	if tool.Sunset.Excluded {
		// the same order as for a real call decides, so that both say the same
		_, journal, err := platform.Prepare(translate.Call{Meta: fmt.Appendf(nil, `{%q:%d}`, src.keys.Version, f.call)}, tool)
		return sayRefusal(cmd, err, journal, f.asJSON)
	}
	plan, err := rules.Plan(translate.Question{Tool: f.tool, Agent: f.call, Native: tool.Versions.Versions, Current: f.sources.current})
	if err != nil {
		return sayRefusal(cmd, err, tool.Versions.Journal, f.asJSON)
	}
	return f.printPlan(cmd, plan, tool.Versions.Journal)
}

// findTool is what is known of the called tool: from --native, or from --tools and the other sources.
func (f *planFlags) findTool(cmd *cobra.Command, src *sourcePlatform, platform *translate.Platform) (translate.Tool, error) {
	listed := translate.ListedTool{Name: f.tool}
	switch {
	case len(f.native) > 0:
		list := make([]any, len(f.native))
		for i, v := range f.native {
			list[i] = v
		}
		listed.Meta = map[string]any{src.keys.Versions: list}
	case f.tools != "":
		tools, err := readToolList(cmd, f.tools)
		if err != nil {
			return translate.Tool{}, err
		}
		found := false
		for _, t := range tools {
			if t.Name == f.tool {
				listed, found = t, true
			}
		}
		if !found {
			return translate.Tool{}, out.Bad("%s lists no tool %q", f.tools, f.tool)
		}
		if err := f.capability(cmd, platform); err != nil {
			return translate.Tool{}, err
		}
	}
	return src.describe(listed), nil
}

// capability lets the declared capabilities of --tools judge the request.
func (f *planFlags) capability(cmd *cobra.Command, platform *translate.Platform) error {
	data, err := readInput(cmd, f.tools)
	if err != nil {
		return err
	}
	v, _, err := canon.Parse(data, canon.Options{Integers: canon.IntegersAccept})
	if err != nil {
		return out.Bad("%s:%w", f.tools, err)
	}
	tools, err := contract.ReadTools(v)
	if err != nil {
		return out.Bad("%s: %w", f.tools, err)
	}
	var cells *int64
	if f.cells >= 0 {
		cells = &f.cells
	}
	platform.Capable = translate.CapableBy(func(name string) *contract.ToolCapability {
		for _, t := range tools {
			if t.Name == name {
				return t.Capability
			}
		}
		return nil
	}, cells)
	return nil
}

// callParams are the params of a tools/call request.
type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Meta      json.RawMessage `json:"_meta,omitempty"`
}

func (f *planFlags) readRequest(cmd *cobra.Command) (callParams, error) {
	data, err := readInput(cmd, f.request)
	if err != nil {
		return callParams{}, err
	}
	var message struct {
		Params *callParams `json:"params"`
		callParams
	}
	if err := json.Unmarshal(data, &message); err != nil {
		return callParams{}, out.Bad("%s: %w", f.request, err)
	}
	params := message.callParams
	if message.Params != nil {
		params = *message.Params
	}
	if params.Name == "" {
		return params, out.Bad("%s: no tools/call request: it names no tool", f.request)
	}
	return params, nil
}

// callView is a call that was gone through, and the result that was carried back.
type callView struct {
	Forwarded   callParams       `json:"forwarded"`
	ToolVersion int              `json:"tool_version,omitempty"`
	Notes       []translate.Note `json:"notes"`
	Journal     []meta.Entry     `json:"journal"`
	Result      rawJSON          `json:"result,omitempty"`
	ResultNotes []translate.Note `json:"result_notes,omitempty"`
}

func (f *planFlags) wholeCall(cmd *cobra.Command, platform *translate.Platform, src *sourcePlatform) error {
	params, err := f.readRequest(cmd)
	if err != nil {
		return err
	}
	f.tool = params.Name
	tool, err := f.findTool(cmd, src, platform)
	if err != nil {
		return err
	}
	pr, journal, err := platform.Prepare(translate.Call{Arguments: params.Arguments, Meta: params.Meta}, tool)
	if err != nil {
		return sayRefusal(cmd, err, journal, f.asJSON)
	}
	view := callView{Forwarded: callParams{params.Name, pr.Arguments, pr.Meta}, Notes: pr.Notes, Journal: pr.Journal}
	if pr.Plan != nil {
		view.ToolVersion = pr.Plan.ToolVersion
	}
	if f.result != "" {
		raw, err := readInput(cmd, f.result)
		if err != nil {
			return err
		}
		done, err := platform.Finish(pr, raw)
		if err != nil {
			return sayRefusal(cmd, err, journal, f.asJSON)
		}
		view.Result, view.ResultNotes = done.Result, done.Notes
		view.Journal = append(view.Journal, done.Journal...)
	}
	if f.asJSON {
		return out.JSON(cmd.OutOrStdout(), view)
	}
	return view.print(cmd.OutOrStdout())
}

func (v *callView) print(w io.Writer) error {
	if v.ToolVersion > 0 {
		linef(w, "forwarded to %s in version %d\n", v.Forwarded.Name, v.ToolVersion)
	} else {
		linef(w, "forwarded to %s as it came\n", v.Forwarded.Name)
	}
	fmt.Fprintf(w, "  arguments: %s\n", v.Forwarded.Arguments)
	fmt.Fprintf(w, "  _meta: %s\n", v.Forwarded.Meta)
	printNotes(w, v.Notes)
	if v.Result != nil {
		fmt.Fprintf(w, "carried back\n  result: %s\n", v.Result)
		printNotes(w, v.ResultNotes)
	}
	printJournal(w, v.Journal)
	return nil
}

// printNotes writes notes as text; those that differ in array indices only are one line with their number.
func printNotes(w io.Writer, notes []translate.Note) {
	count := map[string]int{}
	var order []string
	for _, n := range notes {
		line := n.Kind + ":" + withoutIndices(n.Path)
		if n.Step != "" {
			line += " (" + n.Step + ")"
		}
		if count[line]++; count[line] == 1 {
			order = append(order, line)
		}
	}
	for _, line := range order {
		times := ""
		if count[line] > 1 {
			times = fmt.Sprintf(", %d times", count[line])
		}
		linef(w, "  note: %s%s\n", line, times)
	}
}

// withoutIndices puts * for the array indices of a pointer. A member whose name is a number looks the same; the JSON form
// of a note keeps them apart.
func withoutIndices(ptr string) string {
	parts := strings.Split(ptr, "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}
