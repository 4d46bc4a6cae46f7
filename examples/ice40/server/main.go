// Command server is an MCP server on standard input and output that synthesises, places and times small designs on an iCE40
// FPGA with yosys, nextpnr and icetime as they are installed. Its tools speak the contract's ToolRequest and ToolResult.
//
// It may hold how these programs are run and how their files are read. What a delta is and how snapshots are hashed is
// contract/design's; who asks, and what for, is the flow's.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	stdlog "log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	rtl := flag.String("rtl", "../ice40/rtl", "`folder` with the designs: NAME.v and, where pins are given, NAME.pcf")
	store := flag.String("store", "snaps", "`folder` of snapshots")
	measure := flag.Bool("calibrate", false, "measure how good estimates are, and print what calibration.json holds")
	flag.Parse()
	if err := run(*rtl, *store, *measure); err != nil && !errors.Is(err, io.EOF) {
		stdlog.Fatal(err)
	}
}

func run(rtl, store string, measure bool) error {
	b, err := newBench(rtl, store)
	if err != nil {
		return err
	}
	defer b.close()
	if measure {
		return b.calibrate(context.Background(), os.Stdout)
	}
	server, err := b.server()
	if err != nil {
		return err
	}
	return server.Run(context.Background(), &mcp.StdioTransport{})
}
