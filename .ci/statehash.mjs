// node statehash.mjs FLOW TRACE [FLOW TRACE …]: folds each trace from scratch, builds the canonical state document and
// compares its sha256 with finish.state_hash. It shares no line with the project. Exit 1 on the first mismatch.
import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'

const canonical = v => Array.isArray(v) ? `[${v.map(canonical).join()}]` : v === null || typeof v !== 'object' ? JSON.stringify(v)
  : `{${Object.keys(v).sort().map(k => `${JSON.stringify(k)}:${canonical(v[k])}`).join()}}` // sort() is by UTF-16 code units
const message = (from, tag, payload = null) => from == null ? { tag, payload } : { from, tag, payload }
const isNested = e => e.usage == null && e.response && e.response.output !== undefined && typeof e.response.usage === 'object'

function hashOf(flow, events) {
  const agents = new Map(flow.agents.map(a => [a.id, { id: a.id, kind: a.kind, state: null, inbox: [], ports: Object.create(null) }]))
  for (const e of flow.edges) (agents.get(e.from).ports[e.port] ??= []).push(e.to)
  const outputs = Object.create(null), ledger = { input_tokens: 0, output_tokens: 0, usd: 0 }
  const add = u => { for (const k in ledger) ledger[k] += u?.[k] ?? 0 }
  if (flow.input) agents.get(flow.input.to).inbox.push(message(null, flow.input.tag, flow.input.payload ?? null))

  const gone = new Set() // events of cancelled steps
  events.forEach((e, i) => {
    if (e.type !== 'x-cancel') return
    for (let j = i - 1; j >= 0; j--) {
      if (events[j].type.startsWith('x-') || gone.has(j) || events[j].step === undefined) continue
      if (events[j].step !== e.step) break
      gone.add(j)
      if (events[j].type === 'receive') break
    }
  })
  const live = events.filter((_, i) => !gone.has(i)), consumed = new Map() // agent → payloads of the answers it received
  for (const e of live) if (e.type === 'receive' && e.message.from === 'effect') consumed.set(e.agent, [...consumed.get(e.agent) ?? [], e.message.payload])
  live.forEach((e, i) => {
    const a = agents.get(e.agent)
    if (e.type === 'receive' && canonical(a.inbox.shift()) !== canonical(message(e.message.from, e.message.tag, e.message.payload))) throw Error(`event ${i}: not the head of the inbox`)
    if ((e.type === 'act' || e.type === 'x-init') && e.state !== undefined) a.state = e.state
    if (e.type === 'send') (e.to == null ? outputs[`${e.from}.${e.port}`] ??= [] : agents.get(e.to).inbox).push(message(e.message.from, e.message.tag, e.message.payload))
    if (e.type === 'error') add(e.usage)
    if (e.type === 'effect') {
      const got = consumed.get(e.agent)?.shift(), whole = isNested(e) && got !== undefined && canonical(got) === canonical(e.response)
      add(isNested(e) ? e.response.usage : e.usage)
      const refused = /^LimitExceeded: (message|inbox)/.test(live[i + 1]?.type === 'error' ? live[i + 1].error : '')
      if (!refused) a.inbox.push(message('effect', 'effect', isNested(e) && !whole ? e.response.output : e.response))
    }
    if (e.type === 'x-intervention') {
      if (e.do === 'inject') a.inbox.push(message(e.message.from, e.message.tag, e.message.payload))
      if (e.do === 'drop') a.inbox.splice(e.index, 1)
      if (e.do === 'answer') a.inbox[e.index] = message(a.inbox[e.index].from, a.inbox[e.index].tag, e.payload)
      if (e.do === 'state') a.state = e.state
    }
  })
  const byId = [...agents.values()].sort((x, y) => Buffer.compare(Buffer.from(x.id), Buffer.from(y.id)))
  return createHash('sha256').update(canonical({ agents: byId, outputs, ledger })).digest('hex')
}

for (let i = 2; i < process.argv.length; i += 2) {
  const text = readFileSync(process.argv[i + 1], 'utf8')
  const events = text.trimStart()[0] === '[' ? JSON.parse(text) : text.trim().split('\n').map(line => JSON.parse(line))
  const want = events.findLast(e => e.type === 'finish')?.state_hash, got = hashOf(JSON.parse(readFileSync(process.argv[i], 'utf8')), events)
  if (got !== want) { console.error(`${process.argv[i + 1]}: state hash ${got}, recorded ${want}`); process.exit(1) }
}
