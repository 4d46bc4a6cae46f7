// Lists the flow and trace of every example whose trace is whole: readable to its end, with finish last. One pair a line.
import { readdirSync, existsSync, readFileSync, statSync } from "node:fs";

const events = (file) => {
  const text = readFileSync(file, "utf8");
  try { const v = JSON.parse(text); return Array.isArray(v) ? v : [v]; } catch {}
  try { return text.split("\n").filter((l) => l.trim()).map((l) => JSON.parse(l)); } catch { return []; }
};
const pairs = [["examples/research-pipeline.json", "examples/research-trace.json"]];
const walk = (dir) => {
  const [flow, trace] = [dir + "/flow.json", dir + "/trace.json"];
  if (existsSync(flow) && existsSync(trace)) pairs.push([flow, trace]);
  for (const name of readdirSync(dir)) if (statSync(dir + "/" + name).isDirectory()) walk(dir + "/" + name);
};
walk("examples");
for (const [flow, trace] of pairs) if (events(trace).at(-1)?.type === "finish") console.log(flow, trace);
