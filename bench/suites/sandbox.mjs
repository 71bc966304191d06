// @ts-check
// What it costs to read a call as commands, paths and hosts: ordinary calls, what is remembered, and commands that are
// made to keep the reader busy.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Edictum } from '../../packages/edictum/dist/index.js'
import { analyseCommand } from '../../packages/edictum/dist/policy/sandbox/commands/command-line.js'
import { measureSideBySide, method } from '../harness.mjs'
import { hostileCommands } from '../hostile-commands.mjs'
import { figures, formatTime, measurementCells, measurementColumns, words } from '../report.mjs'

/**
 * @typedef {import('../harness.mjs').Contender} Contender
 * @typedef {import('../harness.mjs').Measurement} Measurement
 * @typedef {import('../report.mjs').Section} Section
 * @typedef {import('../report.mjs').Target} Target
 * @typedef {typeof paces[keyof typeof paces]} Pace
 */

const paces = {
  full: { rounds: 12, roundMilliseconds: 100, warmUps: 15, hostileCalls: 40 },
  quick: { rounds: 4, roundMilliseconds: 25, warmUps: 10, hostileCalls: 10 },
}

/** More different lines than are remembered, but no more different words than a kernel knows to be no files. */
const differentLines = 1_000
const longestCall = 30_000
const longestBlock = 5_000_000

/** @type {readonly { name: string, write: (number: number) => string }[]} */
const lines = [
  { name: 'git log -n 17 --oneline', write: (number) => `git log -n ${number} --oneline` },
  { name: 'npm test -- --seed 17', write: (number) => `npm test -- --seed ${number}` },
  { name: 'grep -rn "…" src | head -17', write: (number) => `grep -rn "TODO: fix" src | head -${number}` },
  { name: 'cd src && cat a.ts | head -17', write: (number) => `cd src && cat a.ts | head -${number}` },
  {
    name: 'curl -sS https://…/17 -o out.json',
    write: (number) => `curl -sS https://api.example.com/v1/items/${number} -o out.json`,
  },
]

/**
 * @param {{ pace: keyof typeof paces, announce: (line: string) => void }} options
 * @returns {Promise<import('../report.mjs').Report>}
 */
export async function measure({ pace, announce }) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bench-sandbox-')))
  const startFolder = process.cwd()
  mkdirSync(join(folder, 'src/deep/deeper'), { recursive: true })
  for (const name of ['a.ts', 'b.ts', 'deep/c.ts']) writeFileSync(join(folder, 'src', name), '')
  process.chdir(folder)
  try {
    const guard = Edictum.fromYamlString(writeBundle(folder))
    announce('ordinary calls')
    const ordinary = await measureSideBySide(ordinaryCalls(guard), paces[pace])
    announce('analysis alone')
    const analysis = await measureSideBySide(analyses(), paces[pace])
    announce('hostile commands')
    const hostile = measureHostile(guard, paces[pace])
    return describe({ ordinary, analysis, hostile })
  } finally {
    process.chdir(startFolder)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} folder */
function writeBundle(folder) {
  return JSON.stringify({
    apiVersion: 'edictum/v1',
    kind: 'ContractBundle',
    metadata: { name: 'bench' },
    defaults: { mode: 'enforce' },
    contracts: [
      {
        id: 'shell',
        type: 'sandbox',
        tools: ['bash', 'read_file', 'fetch'],
        within: [folder],
        not_within: [join(folder, '.git')],
        allows: {
          commands: ['git', 'npm', 'grep', 'head', 'cd', 'cat', 'curl', 'ls', 'echo', 'env', 'find', 'tar'],
          domains: ['*.example.com'],
        },
        message: 'outside',
      },
      {
        id: 'delete-only-here',
        type: 'pre',
        tool: 'ask',
        when: { all: [{ 'command.programs': { in: ['rm', 'dd'] } }, { paths: { not_within: [folder] } }] },
        then: { effect: 'deny', message: 'not here' },
      },
      {
        id: 'protected',
        type: 'pre',
        tool: 'ask-paths',
        when: { paths: { within: [join(folder, '.git'), join(folder, 'secrets')] } },
        then: { effect: 'deny', message: 'protected' },
      },
    ],
  })
}

/**
 * @param {Edictum} guard
 * @returns {Contender[]}
 */
function ordinaryCalls(guard) {
  /** @type {(name: string, tool: string, args: (index: number) => Record<string, unknown>) => Contender} */
  const call = (name, tool, args) => ({
    name,
    calling: 'synchronous',
    expected: 'allow',
    call: (index) => guard.evaluate(tool, args(index)).verdict,
  })
  return [
    ...lines.map(({ name, write }) =>
      call(name, 'bash', (index) => ({ command: write(index % differentLines) })),
    ),
    call('the five lines in turn, new', 'bash', (index) => ({
      command: lines[index % lines.length]?.write(index % differentLines),
    })),
    call('the five lines in turn, repeated', 'bash', (index) => ({
      command: lines[index % lines.length]?.write(17),
    })),
    call('read_file: a path that exists', 'read_file', () => ({ path: 'src/deep/c.ts' })),
    call('read_file: a path that does not', 'read_file', (index) => ({ path: `src/deep/new-${index}.ts` })),
    call('fetch: a URL', 'fetch', (index) => ({ url: `https://api.example.com/v1/items/${index}` })),
    call('command.programs in, no match, new', 'ask', (index) => ({
      command: `git log -n ${index % differentLines}`,
    })),
    call('paths within, new', 'ask-paths', (index) => ({
      command: `git log -n ${index % differentLines} src/a.ts`,
    })),
  ]
}

/** @returns {Contender[]} */
function analyses() {
  return [
    { name: 'analyse a new line', write: (/** @type {number} */ index) => index % differentLines },
    { name: 'analyse a repeated line', write: () => 17 },
  ].map(({ name, write }) => ({
    name,
    calling: 'synchronous',
    expected: 'understood',
    call: (index) => analyseCommand(lines[index % lines.length]?.write(write(index)) ?? '').kind,
  }))
}

/**
 * @param {Edictum} guard
 * @param {Pace} pace
 */
function measureHostile(guard, { warmUps, hostileCalls }) {
  return Object.entries(hostileCommands).map(([name, write]) => {
    /** @type {number[]} */
    const times = []
    let verdict = ''
    for (let round = 0; round < warmUps + hostileCalls; round++) {
      const args = { command: write(round) }
      const start = performance.now()
      verdict = guard.evaluate('bash', args).verdict
      if (round >= warmUps) times.push((performance.now() - start) * 1e6)
    }
    times.sort((left, right) => left - right)
    return {
      name,
      verdict,
      best: times[0] ?? Number.NaN,
      p50: times[Math.floor(times.length / 2)] ?? Number.NaN,
      worst: times.at(-1) ?? Number.NaN,
    }
  })
}

/**
 * @param {{ ordinary: Measurement[], analysis: Measurement[], hostile: ReturnType<typeof measureHostile> }} results
 * @returns {import('../report.mjs').Report}
 */
function describe({ ordinary, analysis, hostile }) {
  const typical = ordinary.slice(0, lines.length)
  const slowest = typical.reduce((slow, row) => (row.p50 > slow.p50 ? row : slow))
  const [fresh, repeated] = analysis
  const block = hostile.reduce((worst, row) => (row.best > worst.best ? row : worst))
  return {
    title: 'Sandbox: commands, paths and hosts',
    intro: [
      'guard.evaluate of one call against one sandbox contract with folders, commands and domains, or against one ' +
        'precondition on normal forms. A line comes again after a thousand others, when nothing about it is remembered any ' +
        'more, unless the row says "repeated".',
      method,
    ],
    sections: [
      describeCalls('Ordinary calls', ordinary),
      describeCalls('The analysis of a command line alone', analysis),
      {
        title: 'Commands of 10 KB that are made to take long',
        columns: [words('made of'), words('verdict'), figures('best'), figures('p50'), figures('worst')],
        rows: hostile.map(({ name, verdict, best, p50, worst }) => [
          name,
          verdict,
          formatTime(best),
          formatTime(p50),
          formatTime(worst),
        ]),
        notes: [
          'Single calls after warm-up, each with another text. On a machine with other work to do, p50 and worst include ' +
            'what that took, and so does every call of several milliseconds to some degree; the best is nearest to the cost.',
        ],
      },
    ],
    targets: [
      {
        goal: 'a typical sandboxed shell call in at most 30 µs p50, parse included',
        measured: `${slowest.name}: ${formatTime(slowest.p50)}`,
        state: slowest.p50 <= longestCall ? 'met' : 'not met',
      },
      {
        goal: 'a hostile command of 10 KB blocks at most 5 ms (best of the worst kind)',
        measured: `${block.name}: ${formatTime(block.best)}, p50 ${formatTime(block.p50)}`,
        state: block.best <= longestBlock ? 'met' : 'not met',
      },
      {
        goal: 'remembering analyses pays',
        measured: `${formatTime(fresh?.p50 ?? null)} new, ${formatTime(repeated?.p50 ?? null)} repeated`,
        state: (fresh?.best ?? 0) > 4 * (repeated?.best ?? 0) ? 'met' : 'not met',
      },
    ],
    data: { ordinary, analysis, hostile },
  }
}

/**
 * @param {string} title
 * @param {Measurement[]} rows
 * @returns {Section}
 */
function describeCalls(title, rows) {
  return {
    title,
    columns: [words('call'), ...measurementColumns],
    rows: rows.map((measurement) => [measurement.name, ...measurementCells(measurement)]),
  }
}
