// @ts-check
// npm run bench [-- <suite>…] [--quick] [--json] [--targets]: runs bench/suites/<suite>.mjs, prints a report and writes it
// to bench/results. A quick pass is for looking, and one for the targets (see targets.mjs) is one of several: both leave the
// published results alone.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'

import { renderAsMarkdown, renderForTerminal } from './report.mjs'

const suitesDirectory = new URL('suites/', import.meta.url)
const resultsDirectory = new URL('results/', import.meta.url)

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    targets: { type: 'boolean', default: false },
  },
})
const pace = flags.targets ? 'targets' : flags.quick ? 'quick' : 'full'

const available = readdirSync(suitesDirectory)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -'.mjs'.length))
  .toSorted()
const unknown = positionals.filter((name) => !available.includes(name))
if (unknown.length > 0) {
  console.error(`no suite called ${unknown.join(', ')}; there are: ${available.join(', ')}`)
  process.exit(2)
}
if (!existsSync(new URL('../packages/edictum/dist/index.js', import.meta.url))) {
  console.error('the edictum package is not built yet: npm run build')
  process.exit(2)
}

const reports = []
for (const name of positionals.length > 0 ? positionals : available) {
  const { measure } = await import(new URL(`${name}.mjs`, suitesDirectory).href)
  const machine = describeMachine()
  const announce = (/** @type {string} */ line) => console.error(`${name}: ${line}`)
  /** @type {import('./report.mjs').Report} */
  const report = await measure({ pace, announce })
  report.intro.unshift(`${new Date().toISOString().slice(0, 10)}, ${machine.summary}`)
  const json = {
    suite: name,
    pace,
    machine,
    targets: report.targets,
    data: report.data,
  }
  reports.push(json)
  if (!flags.json) console.log(renderForTerminal(report))
  if (pace !== 'full') continue
  mkdirSync(resultsDirectory, { recursive: true })
  writeFileSync(new URL(`${name}.json`, resultsDirectory), `${JSON.stringify(json, null, 2)}\n`)
  writeFileSync(new URL(`${name}.md`, resultsDirectory), renderAsMarkdown(report))
}
if (flags.json) console.log(JSON.stringify(reports, null, 2))

function describeMachine() {
  const [cpu] = cpus()
  const processor = cpu?.model.trim() ?? 'unknown processor'
  const [load = 0] = loadavg()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  return {
    node: process.version,
    processor,
    cores: cpus().length,
    memory,
    loadAverage: load,
    summary: `Node ${process.version}, ${cpus().length} cores (${processor}), ${memory}, load average ${load.toFixed(1)} at the start`,
  }
}
