// @ts-check
// npm run bench:targets [-- --runs 5]: the targets of the specification, T1 to T15, each measured several times in processes of
// their own. Written to bench/results/targets.md with the best and the median: on a machine that others use too, the best is
// nearest to the cost, and the median says what to expect.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'

import { figures, formatFigure, renderAsMarkdown, renderForTerminal, words } from './report.mjs'

/**
 * @typedef {import('./report.mjs').Figure} Figure
 * @typedef {{ machine: { summary: string }, targets: import('./report.mjs').Target[] }} SuiteResult
 */

const suites = ['policy', 'guard', 'audit', 'secrets', 'storage']
const { values: flags } = parseArgs({ options: { runs: { type: 'string', default: '5' } } })
const runs = Number(flags.runs)
if (!Number.isInteger(runs) || runs < 1) {
  console.error('--runs takes a whole number of at least 1')
  process.exit(2)
}

/** @type {SuiteResult[][]} */
const results = []
for (let run = 1; run <= runs; run++) {
  console.error(`run ${run} of ${runs}`)
  results.push(suites.map(runSuite))
}
/** @type {Map<string, Figure[]>} */
const measured = new Map()
for (const figure of results.flat().flatMap(figuresOf)) {
  const key = `${figure.id} ${figure.goal}`
  measured.set(key, [...(measured.get(key) ?? []), figure])
}
const rows = [...measured.values()]
  .toSorted((a, b) => numberOf(a) - numberOf(b))
  .map((figuresOfTarget) => rowOf(figuresOfTarget))

/** @type {import('./report.mjs').Report} */
const report = {
  title: `Targets: ${runs} runs`,
  intro: [
    `${new Date().toISOString().slice(0, 10)}, ${results[0]?.[0]?.machine.summary ?? ''}`,
    'Every run is a process of its own per suite. A time is that of the best round of a run; best and median are over the runs.',
  ],
  sections: [
    {
      title: 'T1 to T15',
      columns: [
        words('id'),
        words('target'),
        figures('limit'),
        figures('floor'),
        figures('best'),
        figures('median'),
        words('result'),
      ],
      rows,
    },
  ],
  targets: [],
  data: Object.fromEntries(measured),
}
console.log(renderForTerminal(report))
const resultsDirectory = new URL('results/', import.meta.url)
writeFileSync(new URL('targets.md', resultsDirectory), renderAsMarkdown(report))
writeFileSync(new URL('targets.json', resultsDirectory), `${JSON.stringify(report.data, null, 2)}\n`)

/**
 * @param {string} suite
 * @returns {SuiteResult}
 */
function runSuite(suite) {
  const script = fileURLToPath(new URL('run.mjs', import.meta.url))
  const child = spawnSync(process.execPath, [script, suite, '--targets', '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.status !== 0) throw new Error(`the suite ${suite} failed`)
  const [result] = JSON.parse(child.stdout)
  return result
}

/** @param {SuiteResult} result */
function figuresOf({ targets }) {
  return targets.flatMap(({ figure }) => (figure === undefined ? [] : [figure]))
}

/** @param {readonly Figure[]} figuresOfTarget */
function numberOf([figure]) {
  return Number(figure?.id.slice(1))
}

/**
 * @param {readonly Figure[]} figuresOfTarget
 * @returns {string[]}
 */
function rowOf(figuresOfTarget) {
  const [first] = figuresOfTarget
  if (first === undefined) return []
  const { id, goal, limit, floor, unit, better } = first
  const direction = better === 'less' ? 1 : -1
  const values = figuresOfTarget.map(({ value }) => value).toSorted((a, b) => (a - b) * direction)
  const best = values[0] ?? Number.NaN
  const median = values[values.length >> 1] ?? Number.NaN
  const meets = (/** @type {number} */ value) => (better === 'less' ? value <= limit : value >= limit)
  const result = meets(median) ? 'met' : meets(best) ? 'met by the best' : 'not met'
  return [
    id,
    goal,
    formatFigure(limit, unit),
    floor === undefined ? '' : formatFigure(floor, unit),
    formatFigure(best, unit),
    formatFigure(median, unit),
    result,
  ]
}
