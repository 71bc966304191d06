// @ts-check
// The table of frameworks: what the tests found out about each, in frameworks/results.json, and what can be read from the
// sources. Run without a parameter it compares the last test run with that file; `--update` takes the run over.

import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatTable } from './markdown.mjs'
import { formatCount } from './test-count.mjs'
import { cacheFolder, root } from './workspace.mjs'

/**
 * @typedef {object} FrameworkResult
 * @property {string} name
 * @property {string} adapter the folder of it
 * @property {string} package its name on npm
 * @property {string} version
 * @property {string | null} asksForNode what the package says it runs on
 * @property {string} node the version the tests ran on
 * @property {string} approvals
 * @property {readonly string[]} notes
 * @property {number} passed
 * @property {number} total
 * @property {Record<string, string>} limits reasons by behaviour
 */

export const lastRun = join(cacheFolder, 'framework-results.json')
const kept = join(root, 'frameworks/results.json')

/**
 * @param {string} file
 * @returns {FrameworkResult[]}
 */
function readResults(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** What the package manager installed for a dependency of frameworks/. @param {string} name */
export function installedFramework(name) {
  const file = ['frameworks', 'frameworks/heavy']
    .map((folder) => join(root, folder, 'node_modules', name, 'package.json'))
    .find((path) => existsSync(path))
  if (file === undefined) throw new Error(`the tests name ${name}, which is not installed in frameworks/`)
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  return { package: manifest.name, version: manifest.version, asksForNode: manifest.engines?.node ?? null }
}

/** For the page. A version that is not the locked one has not been tested. */
export function renderFrameworkTable() {
  const results = readResults(kept)
  const locked = new Set(['frameworks', 'frameworks/heavy'].flatMap(lockedVersions))
  for (const { package: name, version } of results) {
    if (!locked.has(`${name}@${version}`))
      throw new Error(`${name}@${version} in frameworks/results.json is not the locked version; run ${howTo}`)
  }
  const notes = notesOf(results)
  const rows = results.map((result) => {
    const { name, node, passed, total, adapter, approvals } = result
    const marks = notesOf([result]).map((note) => `(${notes.indexOf(note) + 1})`)
    return [
      name,
      `\`${result.package}\` ${result.version}`,
      asksForMore(result) ? `${node}, though it asks for ${result.asksForNode}` : node,
      [`${passed} of ${total}`, ...marks].join(' '),
      approvals,
      linesOf(adapter),
    ]
  })
  const header = ['framework', 'tested version', 'Node', 'behaviours', 'approvals', 'lines']
  return [formatTable(header, rows), '', ...notes.map((note, index) => `${index + 1}. ${note}`)].join('\n')
}

/** @param {readonly FrameworkResult[]} results */
export function renderPlainTable(results) {
  const rows = results.map(({ name, package: from, version, node, passed, total }) => [
    name,
    `${from} ${version}`,
    `node ${node}`,
    `${passed} of ${total}`,
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n')
}

const howTo = 'npm test -- --update-table'

/** @param {readonly FrameworkResult[]} results */
function notesOf(results) {
  const told = results.flatMap(({ limits, notes }) => [
    ...Object.entries(limits).map(([behaviour, reason]) => `Not “${behaviour}”: ${reason}.`),
    ...notes,
  ])
  return [...new Set(told)]
}

/** @param {FrameworkResult} result */
function asksForMore({ asksForNode, node }) {
  const least = Number(/(\d+)/.exec(asksForNode ?? '0')?.[1] ?? 0)
  return least > Number.parseInt(node, 10)
}

/** @param {string} folder */
function lockedVersions(folder) {
  const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8'))
  return Object.entries(packages).map(
    ([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`,
  )
}

/** Lines that say something: neither blank nor comment. @param {string} adapter */
function linesOf(adapter) {
  const folder = join(root, 'packages/edictum/src/adapters', adapter)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line)).length
}

/** Of two machines with other patches of Node the table is the same. @param {readonly FrameworkResult[]} results */
function comparable(results) {
  return JSON.stringify(results.map((result) => ({ ...result, node: 'any' })))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--update')) copyFileSync(lastRun, kept)
  const isSame = existsSync(kept) && comparable(readResults(kept)) === comparable(readResults(lastRun))
  if (!isSame) console.log(`frameworks/results.json is not what the tests found; run ${howTo}`)
  console.log(formatCount({ passed: isSame ? 1 : 0, failed: isSame ? 0 : 1 }))
  if (!isSame) process.exitCode = 1
}
