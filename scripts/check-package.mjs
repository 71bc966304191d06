// @ts-check
// Packs every published package as npm would, looks at what is inside, and uses it from a folder that has
// nothing but the tarball and its declared dependencies.

import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runCommand, runTool } from './run-command.mjs'
import { listPackages, root } from './workspace.mjs'

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
  const packed = await runCommand('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: published.folder,
  })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (!packed.ok || tarball === undefined) {
    faults.push(`${published.name}: npm pack failed\n${packed.output}`)
    return
  }
  const archive = join(folder, tarball)
  const dataDoors = published.doors.filter(({ types }) => types === undefined).map(({ subpath }) => subpath)
  const withoutData = dataDoors.length > 0 ? ['--exclude-entrypoints', ...dataDoors] : []
  await expectOk(`${published.name}: publint`, runTool('publint', ['run', archive, '--strict']))
  await expectOk(
    `${published.name}: attw`,
    runTool('attw', [archive, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', ...withoutData]),
  )
  const installed = join(folder, 'node_modules', published.name)
  mkdirSync(installed, { recursive: true })
  const extracted = runCommand('tar', ['-xzf', archive, '--strip-components=1', '-C', installed])
  if (!(await expectOk(`${published.name}: tar`, extracted))) return
  linkDependencies(published, folder)
  checkContent(published, installed)
  await checkDoors(published, folder)
  await checkBins(published, installed)
}

/**
 * Only what package.json declares is reachable, so an undeclared import fails here as it would for a user.
 * @param {WorkspacePackage} published
 * @param {string} folder
 */
function linkDependencies({ dependencies, peerDependencies }, folder) {
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
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
 * @param {string} folder
 */
async function checkDoors({ doors }, folder) {
  const modules = doors.filter(({ file }) => !file.endsWith('.json')).map(({ specifier }) => specifier)
  const data = doors.filter(({ file }) => file.endsWith('.json')).map(({ specifier }) => specifier)
  writeFileSync(
    join(folder, 'import-doors.mjs'),
    [
      ...modules.map((specifier) => `await import('${specifier}')`),
      ...data.map((specifier) => `await import('${specifier}', { with: { type: 'json' } })`),
    ].join('\n'),
  )
  writeFileSync(
    join(folder, 'require-doors.cjs'),
    [...modules, ...data].map((specifier) => `require('${specifier}')`).join('\n'),
  )
  const quiet = ['--disable-warning=ExperimentalWarning']
  for (const program of ['import-doors.mjs', 'require-doors.cjs']) {
    const result = runCommand(process.execPath, [...quiet, program], { cwd: folder, timeoutMs: 60_000 })
    await expectOk(program, result)
  }
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
