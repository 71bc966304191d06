// @ts-check
// Packs every published package as npm would, looks at what is inside, and uses it from a folder that has
// nothing but the tarball and its declared dependencies.

import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDoors, unpackPackage } from './packed-package.mjs'
import { runCommand, runTool } from './run-command.mjs'
import { listPackages } from './workspace.mjs'

/** @typedef {import('./workspace.mjs').WorkspacePackage} WorkspacePackage */

/** @type {string[]} */
const faults = []

for (const published of listPackages().filter(({ isPublished }) => isPublished)) {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-package-'))
  try {
    await checkPackage(published, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

for (const fault of faults) console.log(fault)
if (faults.length > 0) process.exitCode = 1

/**
 * @param {WorkspacePackage} published
 * @param {string} folder an empty one
 */
async function checkPackage(published, folder) {
  const unpacked = await unpackPackage(published, folder)
  if ('fault' in unpacked) {
    faults.push(`${published.name}: ${unpacked.fault}`)
    return
  }
  const { archive, installed } = unpacked
  const dataDoors = published.doors.filter(({ types }) => types === undefined).map(({ subpath }) => subpath)
  const withoutData = dataDoors.length > 0 ? ['--exclude-entrypoints', ...dataDoors] : []
  await expectOk(`${published.name}: publint`, runTool('publint', ['run', archive, '--strict']))
  await expectOk(
    `${published.name}: attw`,
    runTool('attw', [archive, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', ...withoutData]),
  )
  checkContent(published, installed)
  faults.push(...(await openDoors(published, folder)))
  await checkBins(published, installed)
}

/**
 * @param {WorkspacePackage} published
 * @param {string} installed
 */
function checkContent({ name }, installed) {
  const strays = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.test\.|\.test-d\.|\.tsbuildinfo$/.test(file),
  )
  for (const file of strays) faults.push(`${name}: the package contains ${file}`)
}

/**
 * @param {WorkspacePackage} published
 * @param {string} installed
 */
async function checkBins({ bin, version }, installed) {
  for (const [name, file] of Object.entries(bin)) {
    const program = join(installed, file)
    try {
      accessSync(program, constants.X_OK)
    } catch {
      faults.push(`bin ${name}: ${file} is missing or not executable`)
      continue
    }
    if (!readFileSync(program, 'utf8').startsWith('#!/usr/bin/env node\n')) {
      faults.push(`bin ${name}: ${file} does not start with #!/usr/bin/env node`)
    }
    const result = await runCommand(process.execPath, [program, '--version'], { timeoutMs: 60_000 })
    if (!result.ok || !result.stdout.includes(version)) {
      faults.push(`bin ${name}: --version does not print ${version}\n${result.output}`)
    }
  }
}

/**
 * @param {string} name
 * @param {Promise<import('./run-command.mjs').CommandResult>} running
 * @returns {Promise<boolean>}
 */
async function expectOk(name, running) {
  const { ok, output } = await running
  if (!ok) faults.push(`${name}\n${output.trimEnd()}`)
  return ok
}
