package contractcmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// typeCmds are the commands over types, capabilities and requirements: schema, validate, suit and negotiate.
func typeCmds() []*cobra.Command {
	return []*cobra.Command{schemaCmd(), validateCmd(), suitCmd(), negotiateCmd()}
}

// typesJSONError puts the file in front of an error that begins with line:col, if it does.
func typesJSONError(name string, err error) error {
	var at *canon.Error
	if errors.As(err, &at) {
		return out.Bad("%s:%w", name, err)
	}
	return out.Bad("%s: %w", name, err)
}

// extendFlags let a tool's own schemas extend the contract's ToolRequest and ToolResult.
type extendFlags struct{ params, output string }

func (f *extendFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.params, "params", "", "`SCHEMA` of a tool's own parameters; ToolRequest is extended by it")
	cmd.Flags().StringVar(&f.output, "output", "", "`SCHEMA` of a tool's value; ToolResult is extended by it")
}

// Names of the extended types in a registry.
const (
	extendedRequest = "ToolRequest extended"
	extendedResult  = "ToolResult extended"
)

// registry holds the contract's types and the extensions that were given; typ is the name to use for a type.
func (f *extendFlags) registry(cmd *cobra.Command, typ string) (*contract.Registry, string, error) {
	r := contract.NewRegistry()
	switch {
	case f.params != "" && f.output != "":
		return nil, "", out.Bad("give --params for a request or --output for a result, not both")
	case f.params != "" && typ != "ToolRequest":
		return nil, "", out.Bad("--params extends ToolRequest, not %s", typ)
	case f.output != "" && typ != "ToolResult":
		return nil, "", out.Bad("--output extends ToolResult, not %s", typ)
	case f.params == "" && f.output == "":
		return r, typ, nil
	}
	file, name, register := f.params, extendedRequest, r.RegisterRequest
	if f.output != "" {
		file, name, register = f.output, extendedResult, r.RegisterResult
	}
	schema, err := readInput(cmd, file)
	if err != nil {
		return nil, "", err
	}
	if err := register(name, schema); err != nil {
		return nil, "", out.Bad("%s: %w", file, err)
	}
	return r, name, nil
}

// knownType refuses a type's name that does not exist, and lists those that do.
func knownType(typ string) error {
	for _, name := range contract.TypeNames() {
		if name == typ {
			return nil
		}
	}
	return out.Bad("no type %q; `flowdbg contract schema --list` names them", typ)
}

func typesPlural(n int, one string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}
