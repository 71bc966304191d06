// @ts-check
// Writes the sources that are derived from other files. Runs before the compiler.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { listPackages, root } from './workspace.mjs'

/**
 * Leaves an equal file alone so that the incremental compiler sees no change.
 * @param {string} file
 * @param {string} content
 */
function writeWhenDifferent(file, content) {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return
  writeFileSync(file, content)
  console.log(`wrote ${relative(root, file)}`)
}

const library = listPackages().find(({ name }) => name === 'edictum')
if (library === undefined) throw new Error('the workspace has no package named `edictum`')

writeWhenDifferent(
  join(library.folder, 'src', 'version.ts'),
  [
    '// Written by scripts/generate.mjs from package.json.',
    '',
    '/** The version of this package. */',
    `export const VERSION: string = '${library.version}'`,
    '',
  ].join('\n'),
)
