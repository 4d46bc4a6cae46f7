// Package mcpx speaks to MCP servers through the official SDK, over stdio or streamable HTTP, and answers the op `mcp`
// (design 05). A server is started, or dialled, when the first call needs it; nothing here runs before.
//
// It may hold processes, connections, deadlines and the bytes that go over them. It must not know contract versions: what
// a call carries in `_meta` is the caller's business, and translation lives in engine/effect/tool.
//
// Facts of go-sdk 1.8.0 that shape this package:
//
//   - it drops the `_meta` of server/discover, so the protocol is pinned to 2025-11-25 and initialize is read off the wire;
//   - it writes into the caller's Meta map, so every call gets a fresh one;
//   - it reads integers above 2^53 as float64, so arguments are sent, and results are kept, as raw JSON.
package mcpx
