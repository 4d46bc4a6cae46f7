package contractcmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/ui/cli/out"
)

func schemaCmd() *cobra.Command {
	var extend extendFlags
	var names, asJSON bool
	cmd := &cobra.Command{
		Use:   "schema [TYPE]",
		Short: "Print the JSON Schema of the contract, or of one type of it",
		Long: `Print the JSON Schema (2020-12) of the whole contract, or of one type with everything it refers to.
With --params a tool's own parameter schema extends ToolRequest, with --output its output schema describes the
value of ToolResult; what is printed is what "validate" holds documents against.`,
		Example: `  flowdbg contract schema                # the whole contract
  flowdbg contract schema --list         # the names of all types
  flowdbg contract schema PlaceRequest
  flowdbg contract schema ToolRequest --params route.schema.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case names && len(args) > 0:
				return out.Bad("--list takes no type")
			case names:
				return listTypes(cmd, asJSON)
			case len(args) == 0 && (extend.params != "" || extend.output != ""):
				return out.Bad("--params and --output need the type that is extended, ToolRequest or ToolResult")
			case len(args) == 0:
				_, err := cmd.OutOrStdout().Write(contract.SchemaText())
				return err
			}
			return printTypeSchema(cmd, args[0], &extend)
		},
	}
	extend.add(cmd)
	cmd.Flags().BoolVar(&names, "list", false, "list the types instead")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (a schema is JSON in any case)")
	return cmd
}

func printTypeSchema(cmd *cobra.Command, typ string, extend *extendFlags) error {
	if err := knownType(typ); err != nil {
		return err
	}
	registry, name, err := extend.registry(cmd, typ)
	if err != nil {
		return err
	}
	schema, err := registry.TypeSchema(name)
	if err != nil {
		return out.Internal("schema of %s: %w", typ, err)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(schema.Text()), "", "  "); err != nil {
		return out.Internal("schema of %s: %w", typ, err)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), text.String())
	return err
}

// typeLine is one type of the list.
type typeLine struct {
	Name        string   `json:"name"`
	Members     []string `json:"members"` // optional ones end in "?"
	Description string   `json:"description,omitempty"`
}

func listTypes(cmd *cobra.Command, asJSON bool) error {
	lines := []typeLine{}
	for _, name := range contract.TypeNames() {
		members, err := contract.Members(name)
		if err != nil {
			return out.Internal("%w", err)
		}
		schema, err := contract.TypeSchema(name)
		if err != nil {
			return out.Internal("%w", err)
		}
		description, _ := schema.Get("description").Str()
		lines = append(lines, typeLine{name, members, description})
	}
	if asJSON {
		return out.JSON(cmd.OutOrStdout(), lines)
	}
	for _, l := range lines {
		text := l.Name
		if len(l.Members) > 0 {
			text += " {" + strings.Join(l.Members, ", ") + "}"
		}
		if l.Description != "" {
			text += "\n    " + l.Description
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), text); err != nil {
			return err
		}
	}
	return nil
}
