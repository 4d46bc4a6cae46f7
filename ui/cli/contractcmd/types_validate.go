package contractcmd

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// validateFlags are the options of `contract validate`.
type validateFlags struct {
	extend     extendFlags
	capability string
	cells      int64
	asJSON     bool
}

// validated is one document with what validation says about it.
type validated struct {
	File       string                    `json:"file"`
	Type       string                    `json:"type"`
	Valid      bool                      `json:"valid"`
	Findings   []locatedFinding          `json:"findings"`
	Capability *contract.CapabilityCheck `json:"capability,omitempty"`
}

// locatedFinding is a finding with its place in the file; 0 when the place does not exist there.
type locatedFinding struct {
	contract.Finding
	Line int `json:"line"`
	Col  int `json:"col"`
}

func validateCmd() *cobra.Command {
	var f validateFlags
	cmd := &cobra.Command{
		Use:   "validate TYPE FILE...",
		Short: "Hold documents against a type of the contract and report every error",
		Long: `Hold documents against a type of the contract. Every error is reported, with line, column and JSON Pointer: those of
the schema, and those that no schema can express (a summary that differs from its lists, an unsorted dirty set, a
difference that is none). Warnings do not make a document invalid.

With --capability a request is also held against what a tool declares, as it would be before a call: scenario, effort,
snapshot, dirty set, technology, and with --cells the size of the design.

Exit: 0 valid, 1 invalid or not capable, 2 unreadable.`,
		Example: `  flowdbg contract validate STAResult result.json
  flowdbg contract validate Proposal proposals/*.json --json
  flowdbg contract validate ToolRequest request.json --params route.schema.json
  flowdbg contract validate PlaceRequest request.json --capability iPL.place.json --cells 125000`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1:]) },
	}
	f.extend.add(cmd)
	cmd.Flags().StringVar(&f.capability, "capability", "", "`FILE` with the ToolCapability that the request is held against")
	cmd.Flags().Int64Var(&f.cells, "cells", -1, "number of cells of the design, for --capability (default: not known)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (f *validateFlags) run(cmd *cobra.Command, typ string, files []string) error {
	if err := knownType(typ); err != nil {
		return err
	}
	registry, name, err := f.extend.registry(cmd, typ)
	if err != nil {
		return err
	}
	tool, err := f.tool(cmd)
	if err != nil {
		return err
	}
	results := []validated{}
	invalid := 0
	for _, file := range files {
		result, err := f.one(cmd, registry, name, file, tool)
		if err != nil {
			return err
		}
		result.Type = typ
		if !result.Valid {
			invalid++
		}
		results = append(results, result)
	}
	if err := printValidated(cmd, results, f.asJSON); err != nil {
		return err
	}
	if invalid > 0 {
		return out.No("")
	}
	return nil
}

// tool reads the capability that requests are held against; nil when none was given.
func (f *validateFlags) tool(cmd *cobra.Command) (*contract.ToolCapability, error) {
	if f.capability == "" {
		return nil, nil
	}
	tools, err := readTools(cmd, f.capability)
	if err != nil {
		return nil, err
	}
	if len(tools) != 1 {
		return nil, out.Bad("%s: holds %s; a request is held against one", f.capability, typesPlural(len(tools), "tool"))
	}
	if tools[0].Capability == nil {
		return nil, out.Bad("%s: no valid capability: %v", f.capability, tools[0].Findings.Err())
	}
	return tools[0].Capability, nil
}

func (f *validateFlags) one(cmd *cobra.Command, registry *contract.Registry, typ, file string, tool *contract.ToolCapability) (validated, error) {
	data, err := readInput(cmd, file)
	if err != nil {
		return validated{}, err
	}
	value, _, err := canon.Parse(data, canon.Options{})
	if err != nil {
		return validated{}, typesJSONError(file, err)
	}
	findings, err := registry.ValidateValue(typ, value)
	if err != nil {
		return validated{}, out.Internal("%s: %w", file, err)
	}
	result := validated{File: file, Valid: findings.Valid(), Findings: locate(data, findings)}
	if tool == nil {
		return result, nil
	}
	var request contract.ToolRequest
	if err := json.Unmarshal([]byte(value.Text()), &request); err != nil {
		if result.Valid {
			return validated{}, out.Bad("%s: --capability needs a request: %w", file, err)
		}
		return result, nil // the findings say why it is no request
	}
	var cells *int64
	if f.cells >= 0 {
		cells = &f.cells
	}
	check := contract.CheckRequest(tool, &request, cells)
	result.Capability, result.Valid = &check, result.Valid && len(check.Refusals) == 0
	return result, nil
}

// locate finds the line and column of each finding; a missing member is located at the object that lacks it.
func locate(data []byte, findings contract.Findings) []locatedFinding {
	located := make([]locatedFinding, len(findings))
	doc, errs := canon.ParseDoc(data)
	for i, f := range findings {
		located[i].Finding = f
		if doc != nil && doc.Root != nil && len(errs) == 0 {
			located[i].Line, located[i].Col = doc.Position(offsetOf(doc.Root, f.Pointer))
		}
	}
	return located
}

func printValidated(cmd *cobra.Command, results []validated, asJSON bool) error {
	w := cmd.OutOrStdout()
	if asJSON {
		return out.JSON(w, results)
	}
	for _, r := range results {
		for _, f := range r.Findings {
			linef(w, "%s:%d:%d: %s: %s [%s]\n", r.File, f.Line, f.Col, f.Severity, f.Finding, f.Rule)
		}
		if c := r.Capability; c != nil {
			for _, refusal := range c.Refusals {
				linef(w, "%s: %s\n", r.File, refusal.Error())
			}
			for _, text := range c.NotCheckable {
				linef(w, "%s: not checkable: %s\n", r.File, text)
			}
			for _, text := range c.Warnings {
				linef(w, "%s: warning: %s\n", r.File, text)
			}
		}
		linef(w, "%s: %s\n", r.File, verdictOf(r))
	}
	return nil
}

func verdictOf(r validated) string {
	errors, warnings := 0, 0
	for _, f := range r.Findings {
		if f.Severity == contract.SeverityError {
			errors++
		} else {
			warnings++
		}
	}
	text := "valid " + r.Type
	switch {
	case errors > 0:
		text = fmt.Sprintf("invalid %s, %s", r.Type, typesPlural(errors, "error"))
	case !r.Valid:
		text += ", but not_capable"
	}
	if warnings > 0 {
		text += ", " + typesPlural(warnings, "warning")
	}
	return text
}
