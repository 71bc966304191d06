// @ts-check
// The console over HTTP: events per second until they are durable, how long a reservation takes, and how fast a fleet hears.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newRequestKey } from '../../packages/edictum/dist/server/request-key.js'
import { measureStreams } from '../console-streams.mjs'
import { eventsPerBatch, makeBatches } from '../event-batches.mjs'
import { figures, formatTime, words } from '../report.mjs'
import { runConsole, runEmptyServer } from '../running-console.mjs'

/** @typedef {import('../running-console.mjs').ConsoleProcess} ConsoleProcess */

const sizes = {
  full: { rounds: 10, batches: 40, calls: 1_000, clients: 1_000 },
  quick: { rounds: 2, batches: 20, calls: 250, clients: 200 },
}
const senders = 4

/**
 * @param {ConsoleProcess} server
 * @param {Buffer[]} batches
 * @returns {Promise<number>} events per second
 */
async function ingest(server, batches) {
  const waiting = [...batches]
  const startedAt = performance.now()
  const accepted = await Promise.all(
    Array.from({ length: senders }, async () => {
      let count = 0
      for (let body = waiting.pop(); body !== undefined; body = waiting.pop())
        count += (await server.post('/api/edictum/v1/events', body)).accepted
      return count
    }),
  )
  const total = accepted.reduce((sum, count) => sum + count, 0)
  if (total !== batches.length * eventsPerBatch) throw new Error(`only ${total} events were taken`)
  return total / ((performance.now() - startedAt) / 1_000)
}

/**
 * What a guard asks for a call that is allowed: a slot before it, and its settlement afterwards, both recognised when they
 * arrive twice. Each of the parallel callers has a connection of its own and waits for every answer.
 * @param {ConsoleProcess} server
 * @param {{ count: number, parallel: number }} options
 * @returns {Promise<{ reserve: number[], settle: number[] }>} nanoseconds each, sorted
 */
async function runCalls(server, { count, parallel }) {
  /** @type {number[]} */
  const reserve = []
  /** @type {number[]} */
  const settle = []
  /**
   * @param {string} step
   * @param {object} body
   * @param {number[]} times
   */
  const ask = async (step, body, times) => {
    const text = JSON.stringify(body)
    const once = { 'Idempotency-Key': newRequestKey() }
    const startedAt = performance.now()
    const answer = await server.post(`/api/edictum/v1/sessions/${step}`, text, once)
    times.push((performance.now() - startedAt) * 1e6)
    return answer
  }
  let left = count
  await Promise.all(
    Array.from({ length: parallel }, async (_, caller) => {
      while (left-- > 0) {
        const place = { sessionId: `session-${caller}-${left % 50}`, toolName: 'deploy' }
        const limits = { executions: 1_000_000 }
        const request = { ...place, attempt: 'count', slot: 'take', limits, leaseSeconds: 60 }
        const { slot } = await ask('reserve', request, reserve)
        if (slot.kind !== 'taken') throw new Error(`no slot: ${slot.kind}`)
        await ask('settle', { ...place, slotId: slot.id, outcome: 'executed' }, settle)
      }
    }),
  )
  return { reserve: sorted(reserve), settle: sorted(settle) }
}

/** @param {number[]} times */
function sorted(times) {
  return times.toSorted((left, right) => left - right)
}

/**
 * @param {readonly number[]} sorted
 * @param {number} share
 */
function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/**
 * The round the machine disturbed least says what the server needs.
 * @param {readonly (readonly number[])[]} rounds
 */
function leastDisturbed(rounds) {
  const [best = []] = rounds.toSorted((left, right) => quantile(left, 0.99) - quantile(right, 0.99))
  return { p50: quantile(best, 0.5), p99: quantile(best, 0.99) }
}

/**
 * What a request takes that asks for nothing: no answer over HTTP can be faster.
 * @param {Pick<ConsoleProcess, 'post'>} server
 * @param {number} count
 */
async function askNothing(server, count) {
  const body = JSON.stringify({ nothing: 'x'.repeat(200) })
  /** @type {number[]} */
  const times = []
  for (let left = count; left > 0; left--) {
    const startedAt = performance.now()
    await server.post('/', body)
    times.push((performance.now() - startedAt) * 1e6)
  }
  return sorted(times)
}

/**
 * What the disk alone takes: nothing durable can be faster.
 * @param {number} count
 */
function syncDisk(count) {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-disk-'))
  const file = openSync(join(folder, 'file'), 'w')
  const page = Buffer.alloc(8_192, 1)
  const times = Array.from({ length: count }, () => {
    const startedAt = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return (performance.now() - startedAt) * 1e6
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return times.sort((left, right) => left - right)
}

/**
 * @param {string} store
 * @param {string | undefined} databaseUrl
 * @param {typeof sizes.full} size
 */
async function measureStore(store, databaseUrl, size) {
  const server = await runConsole({ connections: 16, ...(databaseUrl === undefined ? {} : { databaseUrl }) })
  const empty = await runEmptyServer()
  try {
    await askNothing(empty, 500)
    await ingest(server, makeBatches(10))
    const rates = []
    for (let round = 0; round < size.rounds; round++)
      rates.push(await ingest(server, makeBatches(size.batches)))
    await runCalls(server, { count: 500, parallel: 1 })
    const runs = []
    const trips = []
    for (const parallel of [1, 8]) {
      const rounds = []
      for (let round = 0; round < size.rounds; round++) {
        rounds.push(await runCalls(server, { count: size.calls, parallel }))
        // In turn, so that a slow minute of the machine hits both.
        if (parallel === 1) trips.push(await askNothing(empty, size.calls))
      }
      runs.push({
        parallel,
        reserve: leastDisturbed(rounds.map(({ reserve }) => reserve)),
        settle: leastDisturbed(rounds.map(({ settle }) => settle)),
      })
    }
    return {
      store,
      readyMs: server.readyMs,
      rates: rates.toSorted((left, right) => right - left),
      runs,
      trip: leastDisturbed(trips),
    }
  } finally {
    await empty.stop()
    await server.stop()
  }
}

/**
 * @param {{ pace: keyof typeof sizes, announce: (line: string) => void }} options
 * @returns {Promise<import('../report.mjs').Report>}
 */
export async function measure({ pace, announce }) {
  const size = sizes[pace]
  announce('on the embedded file')
  const results = [await measureStore('embedded file', undefined, size)]
  announce('a fleet on streams')
  const streams = [{ store: 'embedded file', ...(await measureStreams(size)) }]
  const { missingServices, startPostgres } = await import('../../scripts/services.mjs')
  if (!missingServices().includes('postgresql')) {
    announce('on PostgreSQL')
    const postgres = await startPostgres({ disk: 'wait' })
    try {
      results.push(await measureStore('PostgreSQL', postgres.url, size))
    } finally {
      await postgres.stop()
    }
    // Each measurement meets an empty database.
    const another = await startPostgres({ disk: 'wait' })
    try {
      const measured = await measureStreams({ ...size, databaseUrl: another.url })
      streams.push({ store: 'PostgreSQL', ...measured })
    } finally {
      await another.stop()
    }
  }
  announce('the disk alone')
  const disk = syncDisk(size.calls / 2)
  const [embedded] = results
  const rate = embedded?.rates[0] ?? 0
  const p99 = embedded?.runs[0]?.reserve.p99 ?? Number.NaN
  return {
    title: 'Console: what agents send and ask',
    intro: [
      'The console runs in a process of its own and is spoken to over HTTP on the same machine; the client takes part of its ' +
        'processors. Events are sent in batches of 1,000 by four senders and are on the disk when they are answered.',
      'A call is a reservation, which counts an attempt and takes an execution slot, and its settlement. Both carry an ' +
        'idempotency key, as the guard sends them, and the settlement is on the disk when it is answered; on PostgreSQL the ' +
        'reservation is as well. One at once means one connection that is kept, and the next request after the answer; eight at once means eight of these.',
    ],
    sections: [
      {
        title: 'Events per second, durable',
        columns: [words('store'), figures('best round'), figures('median round'), figures('ready after')],
        rows: results.map(({ store, rates, readyMs }) => [
          store,
          formatRate(rates[0]),
          formatRate(rates[Math.floor(rates.length / 2)]),
          `${Math.round(readyMs)} ms`,
        ]),
      },
      {
        title: 'One call',
        columns: [
          words('store'),
          figures('at once'),
          figures('reserve, p50'),
          figures('p99'),
          figures('settle, p50'),
          figures('p99'),
        ],
        rows: [
          ...results.flatMap(({ store, runs }) =>
            runs.map(({ parallel, reserve, settle }) => [
              store,
              String(parallel),
              ...[reserve.p50, reserve.p99, settle.p50, settle.p99].map(formatTime),
            ]),
          ),
          ...results.map(({ store, trip }) => [
            `a request that asks for nothing, between those to ${store}`,
            '1',
            ...[trip.p50, trip.p99, trip.p50, trip.p99].map(formatTime),
          ]),
          [
            'the disk alone: 8 kB and fdatasync',
            '1',
            ...[0.5, 0.99, 0.5, 0.99].map((share) => formatTime(quantile(disk, share))),
          ],
        ],
      },
      {
        title: 'A deploy to a fleet on streams',
        columns: [
          words('store'),
          figures('agents'),
          figures('last one told, best round'),
          figures('median round'),
          figures('memory of the server per idle agent'),
        ],
        rows: streams.map(({ store, clients, lastMs, bytesPerClient }) => [
          store,
          clients.toLocaleString('en-US'),
          formatTime((lastMs[0] ?? Number.NaN) * 1e6),
          formatTime((lastMs[Math.floor(lastMs.length / 2)] ?? Number.NaN) * 1e6),
          `${(bytesPerClient / 1_024).toFixed(1)} kB`,
        ]),
      },
    ],
    targets: [
      {
        goal: 'at least 20,000 events per second on the embedded file',
        measured: `${formatRate(rate)} per second`,
        state: rate >= 20_000 ? 'met' : 'not met',
      },
      {
        goal: 'a reservation on the embedded file takes at most 2 ms at p99',
        measured: formatTime(p99),
        state: p99 <= 2e6 ? 'met' : 'not met',
      },
    ],
    data: { results, streams },
  }
}

/** @param {number | undefined} perSecond */
function formatRate(perSecond = Number.NaN) {
  return Math.round(perSecond).toLocaleString('en-US')
}
