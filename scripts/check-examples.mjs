// @ts-check
// Runs examples/<name>/<name>.mjs and compares what it prints with expected.txt beside it.
// `--accept` writes expected.txt instead.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './run-command.mjs'
import { formatCount } from './test-count.mjs'
import { root } from './workspace.mjs'

const isAccepting = process.argv.includes('--accept')
const examplesFolder = join(root, 'examples')
const names = readdirSync(examplesFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

/**
 * @param {string} name
 * @returns {Promise<string | undefined>} what is wrong, if anything
 */
async function findFault(name) {
  const folder = join(examplesFolder, name)
  const program = join(folder, `${name}.mjs`)
  const expectedFile = join(folder, 'expected.txt')
  if (!existsSync(program)) return `examples/${name}/${name}.mjs is missing`
  const result = await runCommand(process.execPath, [program], {
    cwd: folder,
    timeoutMs: 60_000,
    environment: { NO_COLOR: '1', TZ: 'UTC' },
  })
  if (!result.ok) return `ended badly:\n${result.output}`
  if (isAccepting) writeFileSync(expectedFile, result.stdout)
  if (!existsSync(expectedFile)) return `examples/${name}/expected.txt is missing; --accept writes it`
  return describeDifference(readFileSync(expectedFile, 'utf8'), result.stdout)
}

/**
 * @param {string} expected
 * @param {string} actual
 * @returns {string | undefined}
 */
function describeDifference(expected, actual) {
  if (expected === actual) return undefined
  const expectedLines = expected.split('\n')
  const actualLines = actual.split('\n')
  const index = expectedLines.findIndex((line, position) => line !== actualLines[position])
  const line = index === -1 ? expectedLines.length : index
  return [
    `prints something else from line ${line + 1} on`,
    `  expected: ${expectedLines[line] ?? '(end of output)'}`,
    `  printed:  ${actualLines[line] ?? '(end of output)'}`,
  ].join('\n')
}

const count = { passed: 0, failed: 0 }
for (const name of names) {
  const fault = await findFault(name)
  count[fault === undefined ? 'passed' : 'failed'] += 1
  console.log(fault === undefined ? `ok      ${name}` : `failed  ${name}: ${fault}`)
}
if (names.length === 0) {
  count.failed += 1
  console.log('there is no folder in examples/')
}

console.log(`\n${formatCount(count)}`)
if (count.failed > 0) process.exitCode = 1
