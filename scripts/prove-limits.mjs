// @ts-check
// node scripts/prove-limits.mjs [ioredis|node-redis|postgres|console|console-nodes|console-redis|<module>…] [--url <url>] [--rounds <n>]: many processes share one
// session with a limit, call at once, and are killed at random; in a second scene the server is. Afterwards the tools' own
// record is judged. A module exports `openBackend(url)` and needs --url; built-in backends get a server of their own.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Session } from '../packages/edictum/dist/index.js'
import { openBackend } from '../services/open-backend.mjs'
import { judgeHistory } from './limit-history.mjs'
import { startConsole, startConsoleNodes, startConsoleRedis, startPostgres, startRedis } from './services.mjs'
import { root } from './workspace.mjs'

/**
 * @typedef {object} ClientOptions
 * @property {string} backend
 * @property {string} url
 * @property {string} sessionId
 * @property {string} historyFile
 * @property {number} limit
 * @property {number} leaseSeconds
 * @property {number} calls of this process
 * @property {number} waves in which they are made; the calls of a wave are made at once
 * @property {number} waveMs from the end of one to the next
 * @property {number} toolMs a call takes up to this long
 * @property {number} failingShare of the calls that run
 */

/**
 * @typedef {object} Scene
 * @property {string} backend
 * @property {string} url
 * @property {number} processes
 * @property {number} kills processes that are killed
 * @property {number} [calls] @property {number} [waves] @property {number} [limit] @property {number} [leaseSeconds]
 * @property {number} [failingShare] @property {string} [sessionId] a new one if absent
 * @property {(denied: Promise<void>) => Promise<void>} [meanwhile] what else happens while the clients call; it is told when a
 *   call was denied because the storage was away, or all have ended
 */

/**
 * @typedef {import('./limit-history.mjs').Verdict & { killed: number, unavailable: number, limited: number, stored: number }} Proof
 */

const sceneDefaults = {
  calls: 100,
  waves: 1,
  waveMs: 100,
  limit: 50,
  leaseSeconds: 3_600,
  toolMs: 40,
  failingShare: 0.4,
}
let lastScene = 0

/**
 * @param {Scene} scene
 * @returns {Promise<Proof>}
 */
export async function proveLimits({ processes, kills, meanwhile, ...scene }) {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-limits-'))
  const historyFile = join(folder, 'history')
  writeFileSync(historyFile, '')
  /** @type {ClientOptions} */
  const options = {
    ...sceneDefaults,
    ...scene,
    historyFile,
    sessionId: `prove-${process.pid}-${++lastScene}`,
  }
  const clients = Array.from({ length: processes }, () => startClient(options))
  try {
    await Promise.all(clients.map(({ ready }) => ready))
    for (const { begin } of clients) begin()
    // While the first calls run, or before the last wave: a process that is done cannot be killed.
    const lengthMs = Math.max(options.toolMs, (options.waves - 1) * options.waveMs)
    const victims = shuffle(clients)
      .slice(0, kills)
      .map(async ({ kill }) => {
        await pause(Math.random() * lengthMs)
        kill()
      })
    const denied = Promise.any(clients.map((client) => client.denied))
    await Promise.all([...victims, meanwhile?.(denied)])
    const ends = await Promise.all(clients.map(({ ended }) => ended))
    const survivors = ends.filter((end) => end !== undefined)
    const verdict = judgeHistory(readFileSync(historyFile, 'utf8'), options.limit)
    const stored = await storedExecutions(options)
    if (stored > options.limit)
      verdict.faults.push(`${stored} executions are stored, ${options.limit} are allowed`)
    const other = sum(survivors, 'other')
    if (other > 0) verdict.faults.push(`${other} calls ended neither denied nor run`)
    return {
      ...verdict,
      killed: ends.length - survivors.length,
      unavailable: sum(survivors, 'unavailable'),
      limited: sum(survivors, 'limited'),
      stored,
    }
  } finally {
    for (const { kill } of clients) kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @template Item
 * @param {readonly Item[]} items
 */
function shuffle(items) {
  return items
    .map((item) => ({ item, position: Math.random() }))
    .toSorted((left, right) => left.position - right.position)
    .map(({ item }) => item)
}

/** @typedef {Record<'ran' | 'failed' | 'limited' | 'unavailable' | 'other', number>} Ends */

/** @param {ClientOptions} options */
function startClient(options) {
  const program = join(root, 'scripts/prove-limits-client.mjs')
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdin.on('error', () => undefined)
  /** @type {Promise<Ends | undefined>} undefined when it was killed */
  const ended = new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(undefined)
      else if (code === 0) resolve(JSON.parse(output.trimEnd().split('\n').at(-1) ?? ''))
      else reject(new Error(`a client ended with ${signal ?? code}`))
    })
  })
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  /** @type {(line: string) => Promise<void>} or when it has ended */
  const said = (line) =>
    new Promise((resolve, reject) => {
      child.stdout.on('data', () => {
        if (output.split('\n').includes(line)) resolve()
      })
      ended.then(() => resolve(), reject)
    })
  return {
    ready: said('ready'),
    denied: said('unavailable'),
    ended,
    begin: () => child.stdin.write('go\n'),
    kill: () => child.kill('SIGKILL'),
  }
}

/**
 * @param {readonly Ends[]} ends
 * @param {keyof Ends} name
 */
function sum(ends, name) {
  return ends.reduce((total, end) => total + end[name], 0)
}

/** @param {ClientOptions} options */
async function storedExecutions({ backend: name, url, sessionId }) {
  const { backend, close } = await openBackend(name, url)
  try {
    return await new Session(sessionId, backend).executionCount()
  } finally {
    await close()
  }
}

/**
 * Takes the server away under load, as a crash would, and brings it back when somebody has missed it: clients that ask again
 * for long enough would otherwise not notice.
 * @param {import('./services.mjs').Service} server
 */
export function crashOf(server) {
  return async (/** @type {Promise<void>} */ denied) => {
    await pause(150)
    await server.kill()
    await Promise.all([denied, pause(500)])
    await server.start()
  }
}

/** @type {Record<string, () => Promise<import('./services.mjs').Service>>} */
const servers = {
  ioredis: startRedis,
  'node-redis': startRedis,
  postgres: startPostgres,
  console: startConsole,
  'console-nodes': startConsoleNodes,
  'console-redis': startConsoleRedis,
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()

async function main() {
  const { values: flags, positionals } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string' }, rounds: { type: 'string', default: '1' } },
  })
  for (const name of positionals.length > 0 ? positionals : Object.keys(servers)) {
    const server = flags.url === undefined ? await servers[name]?.() : undefined
    const backend = name.startsWith('console-') ? 'console' : name
    const url = flags.url ?? server?.url ?? ''
    try {
      for (let round = 0; round < Number(flags.rounds); round++) {
        const crowd = { backend, url, processes: 20 }
        report(
          `${name}: 20 processes, 100 calls each`,
          await proveLimits({ ...crowd, kills: 0, failingShare: 0 }),
          50,
        )
        report(
          `${name}: 6 of the 20 killed, 4 of 10 calls fail`,
          await proveLimits({ ...crowd, kills: 6, waves: 5 }),
        )
        if (server === undefined) continue
        const crash = { ...crowd, kills: 2, waves: 20, meanwhile: crashOf(server) }
        report(`${name}: the server killed and restarted`, await proveLimits(crash))
      }
    } finally {
      await server?.stop()
    }
  }
}

/**
 * @param {string} scene
 * @param {Proof} proof
 * @param {number} [expected] successes; where nothing goes wrong it is all that the limit allows
 */
function report(scene, proof, expected = proof.succeeded) {
  const { begun, succeeded, most, stored, limited, unavailable, killed, faults } = proof
  if (succeeded !== expected) faults.push(`${succeeded} calls succeeded where ${expected} could have`)
  console.log(
    `${faults.length === 0 ? 'holds ' : 'BROKEN'} ${scene}: ${begun} begun, ${succeeded} succeeded (${stored} stored), ` +
      `at most ${most} counted at a time, ${limited} denied, ${unavailable} without storage, ${killed} processes killed`,
  )
  for (const fault of faults) console.log(`       ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}
