// Captures what an MCP server answers to tools/list, as one JSON document that `flowdbg contract snapshot` reads.
//
//   node .ci/capture-mcp.mjs OUT.json COMMAND [ARG...]
//
// It speaks JSON-RPC 2.0 over the server's standard streams, one message a line: initialize, then tools/list page by page.
// The document is {protocolVersion, serverInfo, _meta (of the initialize answer), tools}. Plain Node, no dependency.
// Exit 0: written. Exit 1: the server answered with an error, said something unreadable, ended early or took too long.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [outFile, command, ...args] = process.argv.slice(2);
if (!outFile || !command) {
  console.error("usage: node capture-mcp.mjs OUT.json COMMAND [ARG...]");
  process.exit(2);
}
const limitMs = Number(process.env.CAPTURE_LIMIT_MS ?? 20000);

const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
let nextId = 1;
let finished = false;

function finish(code, message) {
  if (finished) return;
  finished = true;
  if (message) console.error(`capture-mcp: ${command}: ${message}`);
  process.exitCode = code;
  clearTimeout(timer);
  server.stdin.end();
  // A server that ignores the end of its input is asked once, then made to go.
  const politely = setTimeout(() => server.kill("SIGTERM"), 500);
  const firmly = setTimeout(() => server.kill("SIGKILL"), 2000);
  server.once("close", () => { clearTimeout(politely); clearTimeout(firmly); });
}

const timer = setTimeout(() => finish(1, `no complete answer after ${limitMs} ms`), limitMs);
server.once("error", (err) => finish(1, err.message));
server.once("exit", (code) => finish(1, `ended early with exit code ${code}`));
server.stdin.on("error", () => {}); // a broken pipe shows as the early end above

function send(message) {
  server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

function request(method, params) {
  const id = nextId++;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject, method }));
}

createInterface({ input: server.stdout }).on("line", (line) => {
  if (!line.trim()) return;
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    finish(1, `a line that is not JSON: ${line.slice(0, 80)}`);
    return;
  }
  if (message.method && message.id !== undefined) {
    // The server asks us something (roots, sampling); this client can do nothing of the kind.
    send({ id: message.id, error: { code: -32601, message: "not supported by this client" } });
    return;
  }
  const call = waiting.get(message.id);
  if (!call) return;
  waiting.delete(message.id);
  if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`));
  else call.resolve(message.result);
});

async function capture() {
  const hello = await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "capture-mcp", version: "1.0.0" },
  });
  send({ method: "notifications/initialized" });
  const tools = [];
  let cursor;
  do {
    const page = await request("tools/list", cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const doc = { protocolVersion: hello.protocolVersion, serverInfo: hello.serverInfo };
  if (hello._meta) doc._meta = hello._meta;
  doc.tools = tools;
  writeFileSync(outFile, JSON.stringify(doc, null, 2) + "\n");
  console.error(`capture-mcp: ${hello.serverInfo?.name} ${hello.serverInfo?.version}: ${tools.length} tools`);
  finish(0);
}

capture().catch((err) => finish(1, err.message));
