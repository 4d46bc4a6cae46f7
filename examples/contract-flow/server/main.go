// Command server is an MCP server on standard input and output whose tools say in `_meta` which contract versions they
// implement, until when they are served, and what they can do (seeds 000 and 003). It places a design that exists only as a
// formula, so that its answers are the same everywhere.
//
// With -as FILE it plays another server: the file has the form of tools.json, where a tool with an "answer" says just that.
// With -log FILE it writes down every message as it came and went.
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
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:embed tools.json
var ownTools []byte

// script is what a server says: `_meta` of its initialize answer, and its tools.
type script struct {
	InitializeMeta mcp.Meta `json:"initialize_meta"`
	Tools          []entry  `json:"tools"`
}

// entry is one tool as tools/list gives it. A tool without an answer is one of ours.
type entry struct {
	mcp.Tool
	Answer json.RawMessage `json:"answer"`
}

// ours are the tools that compute something, in the contract version that tools.json states.
var ours = map[string]func(json.RawMessage) (any, error){"iPL.place": place, "iSTA.analyze": analyze}

func main() {
	as := flag.String("as", "", "play the server of this `FILE`")
	logTo := flag.String("log", "", "append every message to this `FILE`")
	flag.Parse()
	if err := run(*as, *logTo); err != nil && !errors.Is(err, io.EOF) {
		log.Fatal(err)
	}
}

func run(as, logTo string) error {
	data := ownTools
	if as != "" {
		var err error
		if data, err = os.ReadFile(as); err != nil {
			return err
		}
	}
	server, err := build(data)
	if err != nil {
		return err
	}
	var transport mcp.Transport = &mcp.StdioTransport{}
	if logTo != "" {
		f, err := os.OpenFile(logTo, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		transport = &mcp.LoggingTransport{Transport: transport, Writer: f}
	}
	return server.Run(context.Background(), transport)
}

func build(data []byte) (*mcp.Server, error) {
	var s script
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("the list of tools: %w", err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "contract-flow", Version: "1.0.0"}, nil)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if init, ok := res.(*mcp.InitializeResult); ok && err == nil {
				init.Meta = s.InitializeMeta
			}
			return res, err
		}
	})
	for i := range s.Tools {
		e := &s.Tools[i]
		server.AddTool(&e.Tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return e.call(req.Params.Arguments)
		})
	}
	return server, nil
}

func (e *entry) call(arguments json.RawMessage) (*mcp.CallToolResult, error) {
	if e.Answer != nil {
		var res mcp.CallToolResult
		err := json.Unmarshal(e.Answer, &res)
		return &res, err
	}
	compute := ours[e.Name]
	if compute == nil {
		return nil, fmt.Errorf("nobody wrote the tool %s", e.Name)
	}
	value, err := compute(arguments)
	if err != nil { // the tool's own refusal is an answer
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil
}
