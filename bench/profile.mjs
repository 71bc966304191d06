// @ts-check
// node bench/profile.mjs [<subject>…] [--seconds 3]: where processor time and heap go, function by function, while one thing is
// done over and over. Without a subject all of them are shown.
import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { Edictum, FileAuditSink } from '../packages/edictum/dist/index.js'
import { ToolRuntime } from '../packages/edictum/dist/runtime/index.js'
import { readBatch } from '../packages/console/dist/server/ingest/read-batch.js'
import { startConsole } from '../packages/console/dist/server/start/start-console.js'
import { eventsPerBatch, makeBatches } from './event-batches.mjs'
import { formatBytes, formatTime } from './report.mjs'
import { benignCall, benignCalls, makeRules, writeEdictumBundle } from './rules.mjs'

/** @typedef {(index: number) => unknown} Work */

const outOfReach = {
  limits: { maxAttempts: Number.MAX_SAFE_INTEGER, maxToolCalls: Number.MAX_SAFE_INTEGER },
  maxBundleBytes: 16 * 1024 * 1024,
}
const folder = mkdtempSync(join(tmpdir(), 'edictum-profile-'))

/** @param {number} count */
const bundleOf = (count) => writeEdictumBundle(makeRules({ count, boundShare: 0.5 }))

/**
 * @param {number} contracts
 * @param {object} [options]
 * @returns {Work}
 */
function callsOf(contracts, options = {}) {
  const guard = Edictum.fromYamlString(bundleOf(contracts), { ...outOfReach, ...options })
  return (index) => {
    const call = benignCalls[index % benignCalls.length] ?? benignCall
    return guard.run(call.tool, call.args, () => benignCall.output, {
      principal: { role: call.role },
      environment: call.environment,
    })
  }
}

/** New every time, because events that are known are not stored. */
const newBatch = () => makeBatches(1)[0] ?? Buffer.alloc(0)

/** Told when all is profiled. @type {(() => Promise<void>)[]} */
const endings = []

/** @type {Record<string, () => Work | Promise<Work>>} */
const subjects = {
  'guard-1': () => callsOf(1),
  'guard-100': () => callsOf(100),
  'guard-10000': () => callsOf(10_000),
  sandbox: () => {
    const guard = Edictum.fromYamlString(
      JSON.stringify({
        apiVersion: 'edictum/v1',
        kind: 'ContractBundle',
        metadata: { name: 'profile' },
        defaults: { mode: 'enforce' },
        contracts: [
          {
            id: 'shell',
            type: 'sandbox',
            tool: 'shell',
            within: [folder],
            allows: { commands: ['grep', 'head'] },
            message: 'outside',
          },
        ],
      }),
    )
    process.chdir(folder)
    return (index) =>
      guard.evaluate('shell', { command: `grep -rn "TODO: fix" src | head -${index % 1_000}` })
  },
  runtime: () => {
    const guard = Edictum.fromYamlString(bundleOf(10), outOfReach)
    const tools = { [benignCall.tool]: { execute: () => benignCall.output } }
    const runtime = new ToolRuntime({ guard, tools })
    let turn = runtime.startTurn()
    return (index) => {
      if (index % 20 === 0) {
        turn.close()
        const { role, environment } = benignCall
        turn = runtime.startTurn({ maxToolCalls: 20, principal: { role }, environment })
      }
      const { args } = benignCalls[index % benignCalls.length] ?? benignCall
      return turn.run([{ id: String(index), name: benignCall.tool, arguments: args }])
    }
  },
  'audit-file': () => callsOf(10, { auditSink: new FileAuditSink(join(folder, 'audit.jsonl')) }),
  // The two threads of the console that take events: one reads batches, the other speaks HTTP (here also the sender's side of
  // it) and stores. Making the batch is part of both numbers.
  'ingest-read': () => {
    const sender = { env: 'production', agentId: 'agent', agentPattern: null }
    return () => {
      const reading = readBatch(newBatch(), sender)
      let piece = reading.next()
      while (!piece.isLast) piece = reading.next()
    }
  },
  'ingest-store': async () => {
    const console = await startConsole(
      {
        host: '127.0.0.1',
        port: 0,
        dataFolder: join(folder, 'console'),
        environment: 'production',
        trustedProxies: [],
        collapseApprovalsSeconds: 0,
        loginLink: 'when-needed',
      },
      { log: () => undefined },
    )
    endings.push(() => console.stop())
    const headers = {
      Authorization: `Bearer ${console.welcome.apiKey}`,
      'Content-Type': 'application/json',
    }
    return async () => {
      const asked = { method: 'POST', headers, body: newBatch() }
      const { accepted } = await (await fetch(`${console.url}/api/edictum/v1/events`, asked)).json()
      if (accepted !== eventsPerBatch) throw new Error(`only ${accepted} events were taken`)
    }
  },
  'load-1000': () => {
    const text = bundleOf(1_000)
    return () => Edictum.fromYamlString(text, outOfReach)
  },
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '3' } },
})
const unknown = positionals.filter((name) => !Object.hasOwn(subjects, name))
if (unknown.length > 0) {
  console.error(`no subject called ${unknown.join(', ')}; there are: ${Object.keys(subjects).join(', ')}`)
  process.exit(2)
}
const milliseconds = Number(flags.seconds) * 1_000
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: 100 })
for (const name of positionals.length > 0 ? positionals : Object.keys(subjects)) {
  const work = await subjects[name]?.()
  if (work !== undefined) await profile(name, work)
}
session.disconnect()
for (const end of endings) await end()
process.chdir(tmpdir())
rmSync(folder, { recursive: true })

/**
 * @param {string} name
 * @param {Work} work
 */
async function profile(name, work) {
  await repeat(work, milliseconds / 2)
  await session.post('Profiler.start')
  const { calls, nanoseconds } = await repeat(work, milliseconds)
  const { profile: time } = await session.post('Profiler.stop')
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 4_096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  const weighed = await repeat(work, milliseconds / 2)
  const { profile: heap } = await session.post('HeapProfiler.stopSampling')
  console.log(`\n${name}: ${formatTime(nanoseconds / calls)} per call under the profiler`)
  print('time', shares(timesOf(time)), (share) => `${(share * 100).toFixed(1)} %`)
  const allocated = allocationsOf(heap)
  const total = [...allocated.values()].reduce((sum, bytes) => sum + bytes, 0) / weighed.calls
  console.log(`  heap: ${formatBytes(total)} per call, of which`)
  print('', shares(allocated), (share) => formatBytes(share * total))
}

/**
 * @param {Work} work
 * @param {number} atLeastMs
 */
async function repeat(work, atLeastMs) {
  const start = performance.now()
  let calls = 0
  while (performance.now() - start < atLeastMs) for (let once = 0; once < 20; once++) await work(calls++)
  return { calls, nanoseconds: (performance.now() - start) * 1e6 }
}

/** @param {import('node:inspector').Profiler.Profile} time */
function timesOf({ nodes, samples = [], timeDeltas = [] }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  /** @type {Map<string, number>} */
  const spent = new Map()
  samples.forEach((id, index) => add(spent, frames.get(id) ?? '', timeDeltas[index] ?? 0))
  return spent
}

/** @param {import('node:inspector').HeapProfiler.SamplingHeapProfile} heap */
function allocationsOf({ head }) {
  /** @type {Map<string, number>} */
  const allocated = new Map()
  const pending = [head]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    add(allocated, nameOf(node.callFrame), node.selfSize)
    pending.push(...node.children)
  }
  return allocated
}

/** @param {{ functionName: string, url: string, lineNumber: number }} frame */
function nameOf({ functionName, url, lineNumber }) {
  const file = url.split('/').slice(-2).join('/')
  return `${functionName === '' ? '(anonymous)' : functionName}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`
}

/**
 * @param {Map<string, number>} sums
 * @param {string} name
 * @param {number} amount
 */
function add(sums, name, amount) {
  sums.set(name, (sums.get(name) ?? 0) + amount)
}

/** @param {Map<string, number>} sums */
function shares(sums) {
  const total = [...sums.values()].reduce((sum, value) => sum + value, 0)
  return [...sums]
    .map(([name, value]) => ({ name, share: value / total }))
    .toSorted((a, b) => b.share - a.share)
    .slice(0, 12)
}

/**
 * @param {string} title
 * @param {{ name: string, share: number }[]} rows
 * @param {(share: number) => string} format
 */
function print(title, rows, format) {
  if (title !== '') console.log(`  ${title}:`)
  for (const { name, share } of rows) console.log(`  ${format(share).padStart(10)}  ${name}`)
}
