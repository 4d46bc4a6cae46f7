// Lists the flow and trace of every example whose trace has a finish event: one pair a line.
import { readdirSync, existsSync, readFileSync, statSync } from "node:fs";

const pairs = [["examples/research-pipeline.json", "examples/research-trace.json"]];
const walk = (dir) => {
  const [flow, trace] = [dir + "/flow.json", dir + "/trace.json"];
  if (existsSync(flow) && existsSync(trace)) pairs.push([flow, trace]);
  for (const name of readdirSync(dir)) if (statSync(dir + "/" + name).isDirectory()) walk(dir + "/" + name);
};
walk("examples");
for (const [flow, trace] of pairs) if (readFileSync(trace, "utf8").includes('"state_hash"')) console.log(flow, trace);
