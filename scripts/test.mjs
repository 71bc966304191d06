// @ts-check
// `npm test`: build, unit tests and suites, frameworks, tests on real servers, conformance cases, other versions of Node,
// examples; one count at the end. `--update-table` writes what was found out about the frameworks into the documentation.

import { join } from 'node:path'
import { runCommand, runScript, runTool } from './run-command.mjs'
import { missingServices } from './services.mjs'
import { formatCount, readCount } from './test-count.mjs'
import { root } from './workspace.mjs'

const build = await runScript('build.mjs', [], { display: 'show' })
if (!build.ok) {
  console.log('\nthe build failed, so nothing was tested')
  console.log(formatCount({ passed: 0, failed: 1 }))
  process.exit(1)
}

const beside = await runScript('install-beside.mjs', [], { display: 'show' })
if (!beside.ok) {
  console.log('\nwhat is needed beside the workspace could not be installed, so nothing was tested')
  console.log(formatCount({ passed: 0, failed: 1 }))
  process.exit(1)
}

// Shared storage is tested on real servers, or not at all: leaving those tests out would look like success.
if (missingServices().length > 0) {
  await runCommand('bash', [join(root, 'scripts/install-services.sh')], { display: 'show' })
  const missing = missingServices()
  if (missing.length > 0) {
    console.log(`\n${missing.join(' and ')} could not be installed, so nothing was tested`)
    console.log('install them yourself, so that redis-server and initdb are in the PATH, and try again')
    console.log(formatCount({ passed: 0, failed: 1 }))
    process.exit(1)
  }
}

const isTableUpdated = process.argv.includes('--update-table')

/** @type {ReadonlyArray<readonly [string, () => Promise<import('./run-command.mjs').CommandResult>]>} */
const programs = [
  ['tests', () => runTool('vitest', ['run'], { display: 'show', timeoutMs: 24 * 60_000 })],
  ['table', () => runScript('framework-table.mjs', isTableUpdated ? ['--update'] : [], { display: 'show' })],
  ['conformance', () => runScript('conformance.mjs', [], { display: 'show' })],
  ['versions', () => runScript('try-node-versions.mjs', [], { display: 'show' })],
  ['examples', () => runScript('check-examples.mjs', [], { display: 'show' })],
]

const total = { passed: 0, failed: 0 }
const lines = []
for (const [name, run] of programs) {
  console.log(`\n${name}\n`)
  const count = readCount(await run())
  total.passed += count.passed
  total.failed += count.failed
  lines.push(`${name.padEnd(12)} ${formatCount(count)}`)
}

if (isTableUpdated) await runScript('generate-reference.mjs', [], { display: 'show' })

console.log(`\n${lines.join('\n')}\n`)
console.log(formatCount(total))
if (total.failed > 0) process.exitCode = 1
