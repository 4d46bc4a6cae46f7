package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

//go:embed tools.json
var toolsJSON []byte

// work is what one tool does with its arguments.
type work func(ctx context.Context, args canon.Value) (*answer, error)

// server lists the tools of tools.json. Their version is that of this server with the programs' versions behind the plus
// sign, so that another nextpnr is another tool version (seed 000, provenance).
func (b *bench) server() (*mcp.Server, error) {
	works := map[string]work{"ice40.synth": b.synth, "ice40.place": b.place, "ice40.time": b.time, "ice40.delta": b.delta}
	var list struct {
		Tools []*mcp.Tool `json:"tools"`
	}
	if err := json.Unmarshal(toolsJSON, &list); err != nil {
		return nil, fmt.Errorf("tools.json: %w", err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "ice40", Version: serverVersion}, nil)
	for _, t := range list.Tools {
		do := works[t.Name]
		if do == nil {
			return nil, fmt.Errorf("tools.json: nobody wrote the tool %s", t.Name)
		}
		name := t.Name
		version := b.version(name)
		t.Meta["flowdbg/version"] = version
		capability, ok := t.Meta["flowdbg/capability"].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("tools.json: %s has no capability", name)
		}
		capability["tool_name"], capability["version"] = name, version
		server.AddTool(t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return b.call(ctx, name, do, req.Params.Arguments)
		})
	}
	return server, nil
}

// call runs one tool. What the tool refuses, and a run that failed or was killed, is an answer with isError; only a broken
// server is an error of the protocol.
func (b *bench) call(ctx context.Context, name string, do work, raw json.RawMessage) (*mcp.CallToolResult, error) {
	b.turn.Lock()
	defer b.turn.Unlock()
	args, _, err := canon.Parse(raw, canon.Options{})
	if err != nil {
		return refused(fmt.Errorf("arguments: %w", err)), nil
	}
	a, err := b.answered(ctx, name, do, args)
	if err != nil {
		return refused(err), nil
	}
	text, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("%s: writing the answer: %w", name, err)
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), IsError: a.failed,
		Content: []mcp.Content{&mcp.TextContent{Text: a.summary}}}, nil
}

func refused(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
}

// answer is a ToolResult (seed 000) with two members of this server: what the call cost, and everything that is needed to
// run it again.
type answer struct {
	Value       any                  `json:"value"`
	Uncertainty *float64             `json:"uncertainty,omitempty"`
	Coverage    *float64             `json:"coverage,omitempty"`
	Provenance  *contract.Provenance `json:"provenance"`
	Warnings    []string             `json:"warnings,omitempty"`
	ElapsedMS   int64                `json:"elapsed_ms"`
	Cost        cost                 `json:"cost"`
	Made        made                 `json:"made"`

	failed  bool
	summary string
	input   contract.SnapshotRef
}

// cost is what the programs used. It differs from run to run.
type cost struct {
	CPUMS        int64 `json:"cpu_ms"`
	PeakMemoryMB int64 `json:"peak_memory_mb"`
}

// made says how the answer came about: command lines as they ran in an empty folder, and hashes of every file.
type made struct {
	Commands [][]string        `json:"commands"`
	Programs map[string]string `json:"programs"` // program → version
	Inputs   map[string]string `json:"inputs"`   // file → sha256:…
	Outputs  map[string]string `json:"outputs"`
}
