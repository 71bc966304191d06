// @ts-check
// How long it takes to look through what a tool returned, and for how long nothing else can happen meanwhile.
import { Edictum } from '../../packages/edictum/dist/index.js'

import { collectAllGarbage } from '../harness.mjs'
import { figures, formatBytes, formatTime, judge, words } from '../report.mjs'

/**
 * @typedef {{ name: string, size: number, bestMs: number, blockMs: number, found: number }} Row
 */

const megabyte = 1_000_000
const warmUps = 5
const paces = {
  full: { rounds: 12, offsets: 24 },
  targets: { rounds: 8, offsets: 12 },
  quick: { rounds: 5, offsets: 4 },
}

/** Made up, and put together here so that scanners of repositories do not take it for a real one. */
const token = ['gh', 'p_', 'a1B2c3D4e5F6'.repeat(3)].join('')
const number = '123-45-6789'

/** Repeats a text of lines, numbered so that they differ, up to a size. */
const texts = {
  prose: (/** @type {number} */ line) =>
    `${line}. The agent asked for a report and got one; nothing in it is a secret, and all of it has to be read.`,
  code: (/** @type {number} */ line) =>
    `  const token${line} = scanner.next(); if (options.password === undefined) return parse(token${line}, https)`,
  logs: (/** @type {number} */ line) =>
    `2026-05-01T12:00:00.${line}Z INFO GET https://example.org/users/${line}?page=2 200 12ms key=${line} bytes=${line * 7}`,
  JSON: (/** @type {number} */ line) =>
    JSON.stringify({
      id: line,
      name: `user ${line}`,
      at: '2026-05-01T12:00:00Z',
      ok: true,
      tags: ['a', 'b'],
    }),
  base64: (/** @type {number} */ line) =>
    btoa(`${line * 7_919}:${line * 104_729}:${Math.sin(line)}:${Math.cos(line)}`),
}

/**
 * @param {(line: number) => string} makeLine
 * @param {number} size
 */
function makeText(makeLine, size) {
  const lines = []
  for (let length = 0, line = 0; length < size; line++) {
    const text = makeLine(line)
    lines.push(text)
    length += text.length + 1
  }
  return lines.join('\n').slice(0, size)
}

/** @param {string} conditions one post contract each */
function makeGuard(...conditions) {
  const contracts = conditions.map((condition, index) => ({
    id: `contract-${index}`,
    type: 'post',
    tool: '*',
    when: { 'output.text': condition },
    then: { effect: 'redact', message: 'masked' },
  }))
  return Edictum.fromYamlString(
    JSON.stringify({
      apiVersion: 'edictum/v1',
      kind: 'ContractBundle',
      metadata: { name: 'outputs' },
      defaults: { mode: 'enforce' },
      tools: { look: { side_effect: 'read' } },
      contracts,
    }),
    { limits: { maxToolCalls: 1e9, maxAttempts: 1e9 } },
  )
}

/** Milliseconds of processor time this process has used: on a shared machine the clock also counts the neighbours. */
function usedMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * Runs a call and notes what it takes, and the most that is used between two turns of the event loop meanwhile.
 * @param {Edictum} guard
 * @param {unknown} output
 */
async function timeCall(guard, output) {
  let isOver = false
  let block = 0
  let last = 0
  const turn = () => {
    const now = usedMs()
    block = Math.max(block, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  await new Promise((resolve) => setImmediate(resolve))
  const started = usedMs()
  last = started
  setImmediate(turn)
  const result = await guard.run('look', {}, () => output)
  const ended = usedMs()
  isOver = true
  return { ms: ended - started, block: Math.max(block, ended - last), result }
}

/**
 * Best of several rounds: on a shared machine the others tell more about the neighbours.
 * @param {{ name: string, guard: Edictum, output: unknown, size: number, rounds: number }} options
 * @returns {Promise<Row>}
 */
async function measureRow({ name, guard, output, size, rounds }) {
  let bestMs = Infinity
  let blockMs = Infinity
  for (let round = 0; round < warmUps; round++) await timeCall(guard, output)
  collectAllGarbage()
  for (let round = 0; round < rounds; round++) {
    const { ms, block, result } = await timeCall(guard, output)
    if (result !== output) throw new Error(`${name}: a clean output was changed`)
    bestMs = Math.min(bestMs, ms)
    blockMs = Math.min(blockMs, block)
  }
  return { name, size, bestMs, blockMs, found: 0 }
}

/**
 * Plants a find at offsets spread over the text, the ends included, and counts in how many calls it was masked.
 * @param {{ guard: Edictum, planted: string, text: string, offsets: number }} options
 */
async function countMasked({ guard, planted, text, offsets }) {
  let masked = 0
  for (let index = 0; index < offsets; index++) {
    const offset = Math.round((text.length * index) / (offsets - 1))
    const output = `${text.slice(0, offset)} ${planted} ${text.slice(offset)}`
    const { result } = await timeCall(guard, output)
    if (result === output.replace(planted, '[REDACTED]')) masked++
  }
  return masked
}

/**
 * @param {{ pace: keyof typeof paces, announce: (line: string) => void }} options
 * @returns {Promise<import('../report.mjs').Report>}
 */
export async function measure({ pace, announce }) {
  const { rounds, offsets } = paces[pace]
  const secrets = makeGuard({ detects: ['secrets'] })
  const everything = makeGuard({ detects: ['secrets', 'pii'] })
  const patterns = makeGuard(
    ...[
      '\\b\\d{3}-\\d{2}-\\d{4}\\b',
      'AKIA[A-Z0-9]{16}',
      'BEGIN [A-Z ]*PRIVATE KEY',
      '\\bconfidential\\b',
      'hunter[0-9]',
    ].map((pattern) => ({ matches: pattern })),
  )
  const fifty = makeGuard(
    ...Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? { contains: `needle-${index}-x` } : { matches: `needle-${index}-[0-9]{4}` },
    ),
  )

  /** @type {Row[]} */
  const rows = []
  for (const [kind, makeLine] of Object.entries(texts)) {
    for (const size of [megabyte, 10 * megabyte]) {
      announce(`${kind}, ${formatBytes(size)}`)
      const output = makeText(makeLine, size)
      rows.push(await measureRow({ name: `secrets in ${kind}`, guard: secrets, output, size, rounds }))
      if (kind !== 'logs') continue
      rows.push(
        await measureRow({ name: 'secrets and pii in logs', guard: everything, output, size, rounds }),
      )
      rows.push(await measureRow({ name: '5 patterns in logs', guard: patterns, output, size, rounds }))
    }
  }

  announce('50 contracts on a list')
  const list = Array.from({ length: 9_000 }, (_, index) => ({
    id: index,
    name: `customer number ${index}`,
    note: 'some sixty characters of text that nobody looks for, ever',
  }))
  const listSize = JSON.stringify(list).length
  const ofList = await measureRow({
    name: '50 contracts on a list',
    guard: fifty,
    output: list,
    size: listSize,
    rounds,
  })

  announce('planting finds in ten megabytes')
  const text = makeText(texts.prose, 10 * megabyte)
  const tokens = await countMasked({ guard: secrets, planted: token, text, offsets })
  const numbers = await countMasked({ guard: patterns, planted: number, text, offsets })

  const ofSize = (/** @type {number} */ size) =>
    rows.filter((row) => row.size === size && row.name.startsWith('secrets in'))
  const slowest = Math.max(...ofSize(megabyte).map(({ bestMs }) => bestMs))
  const longestBlock = Math.max(...[megabyte, 10 * megabyte].flatMap(ofSize).map(({ blockMs }) => blockMs))
  const patternRow = rows.find(({ name, size }) => name === '5 patterns in logs' && size === 10 * megabyte)

  const found = Math.min(tokens, numbers) / offsets
  const targets = [
    judge({
      goal: 'scan of 1 MB with the default secret set: at most 25 ms',
      value: slowest * 1e6,
      limit: 25e6,
    }),
    judge({
      goal: 'longest block while scanning 1 MB or 10 MB: at most 10 ms',
      value: longestBlock * 1e6,
      limit: 10e6,
    }),
    judge({
      id: 'T13',
      goal: 'a find at any offset of 10 MB is masked: all of them',
      value: found,
      limit: 1,
      unit: 'ratio',
      better: 'more',
    }),
    judge({
      id: 'T13',
      goal: '5 patterns, per MB: at most 1 ms',
      value: ((patternRow?.bestMs ?? Number.NaN) * 1e6) / 10,
      limit: 1e6,
    }),
    judge({
      id: 'T13',
      goal: 'longest block with 5 patterns on 10 MB: at most 10 ms',
      value: (patternRow?.blockMs ?? Number.NaN) * 1e6,
      limit: 10e6,
    }),
    judge({
      id: 'T15',
      goal: '50 contracts on a list of 0.9 MB: at most 5 ms',
      value: ofList.bestMs * 1e6,
      limit: 5e6,
      floor: 10e6,
    }),
  ]
  return {
    title: 'Secrets: outputs of many megabytes',
    intro: [
      'A whole `guard.run` of a tool that returns the text, under one post contract unless said otherwise. Nothing is found, ' +
        'so everything is read. Processor time, best of several rounds; the longest block is the most that is used between ' +
        'two turns of the event loop during the call.',
    ],
    sections: [
      {
        title: 'Reading an output',
        columns: [
          words('what'),
          figures('size'),
          figures('time'),
          figures('per MB'),
          figures('longest block'),
        ],
        rows: [...rows, ofList].map(({ name, size, bestMs, blockMs }) => [
          name,
          formatBytes(size),
          formatTime(bestMs * 1e6),
          formatTime((bestMs * 1e6 * megabyte) / size),
          formatTime(blockMs * 1e6),
        ]),
      },
    ],
    targets,
    data: { rows: [...rows, ofList], tokens, numbers, offsets },
  }
}
