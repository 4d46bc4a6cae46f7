// Recomputes the example certificates without any code of the project: their digests, rule file, snapshot and
// candidate-set hashes, verdicts and Pareto ranks. `node .ci/certcheck.mjs [DIR]`; exit 1 when something does not fit.
// Canonical JSON (RFC 8785) is what JSON.stringify does once the keys are in UTF-16 order, which is JavaScript's own.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = process.argv[2] ?? "examples/judging";
const sha = (data) => "sha256:" + createHash("sha256").update(data).digest("hex");

function jcs(v) {
  if (Array.isArray(v)) return "[" + v.map(jcs).join(",") + "]";
  if (v === null || typeof v !== "object") return JSON.stringify(v);
  return "{" + Object.keys(v).sort().map((k) => JSON.stringify(k) + ":" + jcs(v[k])).join(",") + "}";
}

const compare = {
  "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b, "==": (a, b) => a === b,
};

function passes(candidate, rules) {
  if ((candidate.status ?? "ok") !== "ok") return false;
  return rules.every((r) => {
    if ((r.level ?? "error") !== "error") return true;
    const value = candidate.metrics[r.metric];
    if (value === undefined) return false;
    return compare[r.op](typeof r.limit === "number" ? Number(value) : value, r.limit);
  });
}

// ranks peels one front after the other off the passing candidates.
function ranks(candidates, objectives) {
  const point = (c) => objectives.map((o) => (o.direction === "higher" ? -1 : 1) * Number(c.metrics[o.metric]));
  const beats = (a, b) => a.every((x, i) => x <= b[i]) && a.some((x, i) => x < b[i]);
  let left = candidates.map((c) => ({ id: c.id, p: point(c) }));
  const rank = new Map();
  for (let front = 0; left.length > 0; front++) {
    const members = left.filter((c) => !left.some((d) => beats(d.p, c.p)));
    for (const c of members) rank.set(c.id, front);
    left = left.filter((c) => !members.includes(c));
  }
  return rank;
}

let checked = 0, wrong = 0;
function same(where, what, stated, computed) {
  checked++;
  if (stated === computed) return;
  wrong++;
  console.error(`${where}: ${what} is ${stated}, computed ${computed}`);
}

for (const set of readdirSync(root).filter((d) => existsSync(join(root, d, "certs")))) {
  const dir = join(root, set);
  const { candidates } = JSON.parse(readFileSync(join(dir, "candidates.json"), "utf8"));
  const rulesText = readFileSync(join(dir, "rules.json"));
  const { rules, objectives } = JSON.parse(rulesText);
  candidates.sort((a, b) => (a.id < b.id ? -1 : 1));
  const setHash = sha(jcs(candidates.map((c) => ({ id: c.id, metrics: c.metrics, feasible: passes(c, rules) }))));
  const rank = ranks(candidates.filter((c) => passes(c, rules)), objectives);
  for (const file of readdirSync(join(dir, "certs"))) {
    const { digest, ...cert } = JSON.parse(readFileSync(join(dir, "certs", file), "utf8"));
    const where = join(dir, "certs", file);
    same(where, "digest", digest, sha(jcs(cert)));
    same(where, "rules_hash", cert.rules_hash, sha(rulesText));
    same(where, "candidate_set", cert.candidate_set, setHash);
    same(where, "verdict", cert.gate_result.verdict, rank.has(cert.proposal_id) ? "PASS" : "FAIL");
    same(where, "rank", cert.pareto_position.rank, rank.get(cert.proposal_id) ?? null);
    if (cert.result_snap) same(where, "result_snap", cert.result_snap, sha(readFileSync(join(root, "snaps", cert.result_snap.slice(7)))));
  }
}
console.log(`${checked} values checked, ${wrong} do not fit`);
process.exit(wrong > 0 || checked === 0 ? 1 : 0);
