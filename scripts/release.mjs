// @ts-check
// node scripts/release.mjs version: turns the notes in .changeset/ into versions and changelogs, to be looked at and committed.
// node scripts/release.mjs publish [--dry-run]: publishes what is committed, with provenance, in the order of dependency.
// Provenance can only be given where the build service can sign for it; elsewhere npm refuses, and --dry-run shows the rest.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand, runScript } from './run-command.mjs'
import { listPackages, root } from './workspace.mjs'

/** Newer ones need a newer Node than we do. */
const changesets = '@changesets/cli@2.31.0'

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
})

/**
 * @param {string} what
 * @param {Promise<import('./run-command.mjs').CommandResult>} running
 */
async function need(what, running) {
  const { ok, stdout } = await running
  if (ok) return stdout
  console.log(`${what} failed, so nothing was published`)
  process.exit(1)
}

async function version() {
  await need(
    'making versions',
    runCommand('npx', ['-y', changesets, 'version'], { cwd: root, display: 'show' }),
  )
}

async function publish() {
  const changes = await need('git status', runCommand('git', ['status', '--porcelain'], { cwd: root }))
  if (changes.trim() !== '') {
    console.log('there is something that is not committed; what is published must be what is committed')
    process.exit(1)
  }
  // Only what is built from the commit goes out, not what an earlier build left behind.
  for (const { folder } of listPackages()) rmSync(join(folder, 'dist'), { recursive: true, force: true })
  await need('npm ci', runCommand('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, display: 'show' }))
  await need('check', runScript('check.mjs', [], { display: 'show' }))
  if (!flags['dry-run']) await need('test', runScript('test.mjs', [], { display: 'show' }))
  for (const { name, folder } of inOrderOfDependency()) {
    const how = flags['dry-run'] ? ['--dry-run'] : ['--provenance']
    await need(
      name,
      runCommand('npm', ['publish', '--access', 'public', ...how], { cwd: folder, display: 'show' }),
    )
  }
}

function inOrderOfDependency() {
  const published = listPackages().filter(({ isPublished }) => isPublished)
  return published.toSorted((a, b) => Number(b.name in a.dependencies) - Number(a.name in b.dependencies))
}

const commands = { version, publish }
const [name = ''] = positionals
const command = Object.hasOwn(commands, name)
  ? commands[/** @type {keyof typeof commands} */ (name)]
  : undefined
if (command === undefined) {
  console.log('usage: node scripts/release.mjs version | publish [--dry-run]')
  process.exit(2)
}
await command()
