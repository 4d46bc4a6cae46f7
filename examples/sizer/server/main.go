// Command server is an MCP server on standard input and output over OpenSTA as a co-process: the design is loaded once, and
// each call is one real what-if, answered in milliseconds. Its tools speak the contract's ToolRequest and ToolResult.
//
// It may hold the talk with OpenSTA and the state of the sizing. Which resize is worth keeping is the flow's.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

//go:embed tools.json
var toolsJSON []byte

const serverVersion = "1.0.0"

func main() {
	var c config
	flag.StringVar(&c.netlist, "netlist", "gcd.v", "mapped Verilog `file`")
	flag.StringVar(&c.lib, "lib", "/usr/share/qflow/tech/osu035/osu035_stdcells.lib", "Liberty `file`; it is used in place")
	flag.StringVar(&c.top, "top", "gcd", "top module")
	flag.StringVar(&c.clock, "clock", "clk", "clock port")
	flag.StringVar(&c.period, "period", "4.2", "clock period, `ns`")
	flag.StringVar(&c.load, "load", "0.05", "load of every net, `pF`: an estimate of its wire")
	flag.Parse()
	if err := run(c); err != nil && !errors.Is(err, io.EOF) {
		log.Fatal(err)
	}
}

func run(c config) error {
	var err error
	for _, path := range []*string{&c.netlist, &c.lib} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	z, err := start(context.Background(), c)
	if err != nil {
		return err
	}
	defer z.s.close()
	server, err := serve(z)
	if err != nil {
		return err
	}
	return server.Run(context.Background(), &mcp.StdioTransport{})
}

type work func(ctx context.Context, args canon.Value) (value any, input contract.SnapshotRef, err error)

func serve(z *sizing) (*mcp.Server, error) {
	works := map[string]work{"sta.status": z.status, "sta.what_if": z.whatIf}
	var list struct {
		Tools []*mcp.Tool `json:"tools"`
	}
	if err := json.Unmarshal(toolsJSON, &list); err != nil {
		return nil, fmt.Errorf("tools.json: %w", err)
	}
	version := serverVersion + "+opensta-" + z.s.version
	server := mcp.NewServer(&mcp.Implementation{Name: "sizer", Version: serverVersion}, nil)
	var turn sync.Mutex // one question at a time
	for _, t := range list.Tools {
		name, do := t.Name, works[t.Name]
		capability, ok := t.Meta["flowdbg/capability"].(map[string]any)
		if do == nil || !ok {
			return nil, fmt.Errorf("tools.json: %s has no capability, or nobody wrote it", name)
		}
		t.Meta["flowdbg/version"], capability["version"], capability["tool_name"] = version, version, name
		server.AddTool(t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			turn.Lock()
			defer turn.Unlock()
			return call(ctx, name, version, do, req.Params.Arguments)
		})
	}
	return server, nil
}

func call(ctx context.Context, name, version string, do work, raw json.RawMessage) (*mcp.CallToolResult, error) {
	began := time.Now()
	args, _, err := canon.Parse(raw, canon.Options{})
	var hash contract.Hash
	if err == nil {
		hash, err = contract.ParamsHash(args)
	}
	var value any
	var input contract.SnapshotRef
	if err == nil {
		value, input, err = do(ctx, args)
	}
	if err != nil { // the tool's own refusal is an answer
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	exact := 0.0
	res := contract.ToolResult{Value: text, Uncertainty: &exact, ElapsedMS: sinceMS(began), Provenance: &contract.Provenance{ToolName: name, ToolVersion: version,
		InputSnap: input, InputParamsHash: hash, ComputedAt: contract.TimestampOf(began)}}
	if text, err = json.Marshal(res); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), Content: []mcp.Content{&mcp.TextContent{Text: name + " answered"}}}, nil
}
