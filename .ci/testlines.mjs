// Turns `go test -json` into go test's closing lines, lists the skipped tests with their reasons, and exits 1 when a
// test skipped for want of ../shared although it is there.
import { readFileSync, existsSync } from "node:fs";

const [file, shared] = process.argv.slice(2);
const output = new Map(), skipped = [], lines = [];
let failed = 0;
for (const text of readFileSync(file, "utf8").split("\n")) {
  if (!text) continue;
  let e;
  try { e = JSON.parse(text); } catch { lines.push(text); continue; }
  const key = e.Package + " " + (e.Test ?? "");
  if (e.Action === "output") {
    output.set(key, (output.get(key) ?? "") + e.Output);
    if (!e.Test && /^(ok|FAIL|---|\?|panic)/.test(e.Output) || !e.Test && e.Output.startsWith("\t")) lines.push(e.Output.trimEnd());
  } else if (e.Action === "skip" && e.Test) {
    skipped.push([key, (output.get(key) ?? "").split("\n").filter((l) => !/^\s*(===|---)/.test(l)).join(" ").trim()]);
  } else if (e.Action === "fail" && e.Test) {
    failed++;
    lines.push("--- FAIL: " + key, output.get(key) ?? "");
  }
}
let bad = 0;
for (const [key, why] of skipped) {
  console.log("skipped: " + key + ": " + why);
  if (existsSync(shared) && /\bshared\b/.test(why)) { console.log("  ../shared is there: this skip is a fault"); bad = 1; }
}
console.log(lines.join("\n"));
process.exit(bad || failed ? 1 : 0);
