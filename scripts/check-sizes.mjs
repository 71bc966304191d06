// @ts-check
// How much code each door of a package brings along, minified and compressed, without what package.json declares beside it.
// A door that has grown by more than a tenth over its budget fails; `--accept` writes today's sizes as the budget.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { listPackages } from './workspace.mjs'

const tolerance = 1.1
const isAccepting = process.argv.includes('--accept')

/**
 * @param {import('./workspace.mjs').WorkspacePackage} published
 * @param {string} file
 */
async function sizeOf({ folder, dependencies, peerDependencies }, file) {
  const declared = Object.keys({ ...dependencies, ...peerDependencies })
  const { output } = await build({
    input: join(folder, file),
    external: (id) =>
      id.startsWith('node:') || declared.some((name) => id === name || id.startsWith(`${name}/`)),
    platform: 'node',
    write: false,
    logLevel: 'silent',
    output: { minify: true },
  })
  const code = output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('\n')
  return gzipSync(code).length
}

for (const published of listPackages().filter(({ isPublished }) => isPublished)) {
  const budgetFile = join(published.folder, 'size-budget.json')
  /** @type {Record<string, number>} */
  const sizes = {}
  for (const { subpath, file } of published.doors) {
    if (file.endsWith('.js')) sizes[subpath] = await sizeOf(published, file)
  }
  if (Object.keys(sizes).length === 0) continue
  if (isAccepting) {
    writeFileSync(budgetFile, `${JSON.stringify(sizes, null, 2)}\n`)
    continue
  }
  /** @type {Record<string, number>} */
  const budget = existsSync(budgetFile) ? JSON.parse(readFileSync(budgetFile, 'utf8')) : {}
  for (const [subpath, size] of Object.entries(sizes)) {
    const allowed = (budget[subpath] ?? 0) * tolerance
    if (size <= allowed) continue
    console.log(
      `${published.name} ${subpath}: ${size} bytes, ${budget[subpath] ?? 'none'} are budgeted; ` +
        'if that is how it should be, run `node scripts/check-sizes.mjs --accept`',
    )
    process.exitCode = 1
  }
}
