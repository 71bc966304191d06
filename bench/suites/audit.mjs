// @ts-check
// What keeping a record costs: one call by where its events go, and a file that thousands of events are written to at once.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Edictum, FileAuditSink } from '../../packages/edictum/dist/index.js'
import { collectAllGarbage, measureSideBySide, method, sampling } from '../harness.mjs'
import {
  figures,
  formatCount,
  formatRatio,
  formatTime,
  judge,
  measurementCells,
  measurementColumns,
  words,
} from '../report.mjs'
import { benignCall, benignCalls, makeRules, writeEdictumBundle } from '../rules.mjs'

/**
 * @typedef {import('../../packages/edictum/dist/index.js').AuditEvent} AuditEvent
 * @typedef {import('../../packages/edictum/dist/index.js').AuditSink} AuditSink
 * @typedef {import('../harness.mjs').Contender} Contender
 * @typedef {import('../report.mjs').Section} Section
 * @typedef {typeof paces[keyof typeof paces]} Pace
 */

const paces = {
  full: { ...sampling.full, fileRounds: 12 },
  targets: { ...sampling.quick, fileRounds: 12 },
  quick: { ...sampling.quick, fileRounds: 3 },
}

/**
 * @param {{ pace: keyof typeof paces, announce: (line: string) => void }} options
 * @returns {Promise<import('../report.mjs').Report>}
 */
export async function measure({ pace, announce }) {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-bench-'))
  try {
    announce('a call by where its record goes')
    const calls = await measureCalls(folder, paces[pace])
    announce('audit file')
    const file = await measureFile(folder, paces[pace])
    return {
      title: 'Audit: what keeping a record costs',
      intro: [
        'One call is `guard.run` awaited under ten contracts; it makes two events. The local sink always keeps the last ' +
          '50,000 events in memory; what else is asked to keep them comes on top.',
        method,
      ],
      sections: [calls.section, file.section],
      targets: file.targets,
      data: { calls: calls.data, file: file.data },
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {AuditSink} [auditSink] */
function openGuard(auditSink) {
  return Edictum.fromYamlString(writeEdictumBundle(makeRules({ count: 10, boundShare: 0.5 })), {
    limits: { maxAttempts: Number.MAX_SAFE_INTEGER, maxToolCalls: Number.MAX_SAFE_INTEGER },
    ...(auditSink === undefined ? {} : { auditSink }),
  })
}

/**
 * @param {Edictum} guard
 * @param {number} index
 */
function runCall(guard, index) {
  const call = benignCalls[index % benignCalls.length] ?? benignCall
  return guard.run(call.tool, call.args, () => benignCall.output, {
    principal: { role: call.role },
    environment: call.environment,
  })
}

/**
 * @param {string} folder
 * @param {Pace} pace
 */
async function measureCalls(folder, pace) {
  const sink = new FileAuditSink(join(folder, 'calls.jsonl'))
  /** @type {readonly [string, Edictum][]} */
  const guards = [
    ['in memory only', openGuard()],
    ['a sink that does nothing', openGuard({ emit: async () => undefined })],
    ['a file', openGuard(sink)],
  ]
  /** @type {Contender[]} */
  const contenders = guards.map(([name, guard]) => ({
    name,
    calling: 'asynchronous',
    call: (index) => {
      if (index === 0) for (const [, { localSink }] of guards) localSink.clear()
      return runCall(guard, index)
    },
    expected: benignCall.output,
  }))
  const measurements = await measureSideBySide(contenders, pace)
  await sink.close()
  const base = measurements[0]?.best ?? Number.NaN
  /** @type {Section} */
  const section = {
    title: 'A call by where its record goes',
    columns: [words('record'), ...measurementColumns, figures('÷ in memory only')],
    rows: measurements.map((measurement) => [
      measurement.name,
      ...measurementCells(measurement),
      formatRatio(measurement.best / base),
    ]),
    notes: [
      'A call waits until its events are in the file, so one call at a time shows the whole way there.',
    ],
  }
  return { data: measurements, section }
}

const inFlight = 5_000
const wavesPerRound = 10

/**
 * @param {string} folder
 * @param {Pace} pace
 */
async function measureFile(folder, { fileRounds }) {
  const guard = openGuard()
  for (let index = 0; index < inFlight / 2; index++) await runCall(guard, index)
  const events = guard.localSink.events.map((event, callIndex) => Object.freeze({ ...event, callIndex }))
  if (events.length !== inFlight) throw new Error(`a call makes ${(2 * events.length) / inFlight} events`)
  const rates = []
  let lineBytes = 0
  let opened = 0
  // The first round warms up; it is checked like the others and not counted.
  for (let round = 0; round <= fileRounds; round++) {
    const path = join(folder, `${round}.jsonl`)
    const written = await writeWaves(path, events)
    lineBytes = checkLines(path)
    opened = Math.max(opened, written.opened)
    rmSync(path)
    if (round > 0) rates.push((wavesPerRound * inFlight) / (written.milliseconds / 1e3))
  }
  rates.sort((left, right) => left - right)
  const best = rates.at(-1) ?? Number.NaN
  const median = rates[rates.length >> 1] ?? Number.NaN
  /** @type {Section} */
  const section = {
    title: `Audit file: ${formatCount(inFlight)} events in flight`,
    columns: [
      figures('events/s, best'),
      figures('events/s, median'),
      figures('worst'),
      figures('per event'),
      figures('line'),
      figures('files open'),
    ],
    rows: [
      [
        formatCount(best),
        formatCount(median),
        formatCount(rates[0] ?? Number.NaN),
        formatTime(1e9 / best),
        `${formatCount(lineBytes)} B`,
        Number.isNaN(opened) ? '–' : String(opened),
      ],
    ],
    notes: [
      `${fileRounds} rounds of ${formatCount(wavesPerRound * inFlight)} events in waves; a wave starts when ` +
        'every event of the one before is in the file. Afterwards every line has to be there, whole and in order.',
    ],
  }
  const targets = [
    judge({
      id: 'T14',
      goal: 'audit file: 80,000 events/s, in order, none lost',
      value: best,
      limit: 80_000,
      floor: 50_000,
      unit: 'count',
      better: 'more',
    }),
  ]
  return { data: { best, median, rates, lineBytes, opened }, section, targets }
}

/** How many files the process has open, where the platform says so. */
function countOpenFiles() {
  return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : Number.NaN
}

/**
 * @param {string} path
 * @param {readonly AuditEvent[]} events
 */
async function writeWaves(path, events) {
  const before = countOpenFiles()
  const sink = new FileAuditSink(path)
  collectAllGarbage()
  const start = performance.now()
  for (let wave = 0; wave < wavesPerRound; wave++) await Promise.all(events.map((event) => sink.emit(event)))
  const milliseconds = performance.now() - start
  const last = events.map((event) => sink.emit(event))
  const opened = countOpenFiles() - before
  await Promise.all(last)
  await sink.close()
  return { milliseconds, opened }
}

/**
 * @param {string} path
 * @returns {number} mean length of a line in bytes
 */
function checkLines(path) {
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new Error('the last line of the audit file is not whole')
  if (lines.length !== (wavesPerRound + 1) * inFlight)
    throw new Error(`the audit file has ${lines.length} of ${(wavesPerRound + 1) * inFlight} lines`)
  for (const [index, line] of lines.entries())
    if (JSON.parse(line).call_index !== index % inFlight) throw new Error(`line ${index} is out of order`)
  return Buffer.byteLength(text) / lines.length
}
