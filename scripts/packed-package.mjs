// @ts-check
// A package as a user gets it: packed by npm, unpacked in a folder that has nothing but it and what it declares.

import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runCommand } from './run-command.mjs'
import { root } from './workspace.mjs'

/** @typedef {import('./workspace.mjs').WorkspacePackage} WorkspacePackage */

/**
 * @param {WorkspacePackage} published
 * @param {string} folder an empty one
 * @returns {Promise<{ archive: string, installed: string } | { fault: string }>}
 */
export async function unpackPackage(published, folder) {
  const packed = await runCommand('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: published.folder,
  })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (!packed.ok || tarball === undefined) return { fault: `npm pack failed\n${packed.output}` }
  const archive = join(folder, tarball)
  const installed = join(folder, 'node_modules', published.name)
  mkdirSync(installed, { recursive: true })
  const extracted = await runCommand('tar', ['-xzf', archive, '--strip-components=1', '-C', installed])
  if (!extracted.ok) return { fault: `tar failed\n${extracted.output}` }
  linkDependencies(published, folder)
  return { archive, installed }
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
 * Opens every door, with `import` and with `require`.
 * @param {WorkspacePackage} published
 * @param {string} folder where it was unpacked
 * @param {string} [node] the program, if not this one
 * @returns {Promise<string[]>} what is wrong
 */
export async function openDoors({ doors }, folder, node = process.execPath) {
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
  const faults = []
  for (const program of ['import-doors.mjs', 'require-doors.cjs']) {
    const result = await runCommand(node, ['--disable-warning=ExperimentalWarning', program], {
      cwd: folder,
      timeoutMs: 60_000,
    })
    if (!result.ok) faults.push(`${program}\n${result.output.trimEnd()}`)
  }
  return faults
}
