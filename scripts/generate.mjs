// @ts-check
// Writes the sources that are derived from other files. Runs before the compiler; `--check` only says what differs.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { format } from 'prettier'
import { listPackages, root } from './workspace.mjs'

const { values: flags } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

const library = listPackages().find(({ name }) => name === 'edictum')
if (library === undefined) throw new Error('the workspace has no package named `edictum`')
const drivers = join(library.folder, 'src/drivers/storage')

await produce(join(library.folder, 'src', 'version.ts'), [
  '// Written by scripts/generate.mjs from package.json.',
  '',
  '/** The version of this package. */',
  `export const VERSION: string = '${library.version}'`,
])

await produce(join(drivers, 'redis/scripts.ts'), [
  '// Written by scripts/generate.mjs from scripts/*.lua: a compiler copies no such files, and a bundler would lose them.',
  "import type { RedisScript } from './redis-script.js'",
  '',
  ...listScripts(join(drivers, 'redis/scripts')).flatMap(({ name, text }) => [
    `export const ${name}Script: RedisScript = { sha: '${createHash('sha1').update(text).digest('hex')}', text: ${literal(text)} }`,
    '',
  ]),
])

await produce(join(drivers, 'postgres/migrations.ts'), [
  '// Written by scripts/generate.mjs from migrations/*.sql: a compiler copies no such files, and a bundler would lose them.',
  "import type { Migration } from './migrate.js'",
  '',
  'export const migrations: readonly Migration[] = [',
  ...listMigrations(join(drivers, 'postgres/migrations')).map(
    ({ number, text }) => `{ number: ${number}, text: ${literal(text)} },`,
  ),
  ']',
])

/**
 * Leaves an equal file alone so that the incremental compiler sees no change.
 * @param {string} file
 * @param {readonly string[]} lines
 */
async function produce(file, lines) {
  const layout = { parser: 'typescript', semi: false, singleQuote: true, printWidth: 110 }
  const content = await format(`${lines.join('\n')}\n`, layout)
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return
  const name = relative(root, file)
  if (flags.check) {
    console.log(`${name} is not what scripts/generate.mjs writes; run npm run build`)
    process.exitCode = 1
    return
  }
  writeFileSync(file, content)
  console.log(`wrote ${name}`)
}

/**
 * @param {string} folder
 * @returns {{ name: string, text: string }[]}
 */
function listScripts(folder) {
  return readdirSync(folder)
    .filter((file) => /^[a-z]+\.lua$/.test(file))
    .toSorted()
    .map((file) => ({
      name: file.slice(0, -'.lua'.length),
      text: readFileSync(join(folder, file), 'utf8').replaceAll(/^--@include (\S+)\n/gm, (_, included) =>
        readFileSync(join(folder, `${included}.include.lua`), 'utf8'),
      ),
    }))
}

/**
 * @param {string} folder
 * @returns {{ number: number, text: string }[]}
 */
function listMigrations(folder) {
  const files = readdirSync(folder).toSorted()
  return files.map((file, position) => {
    const number = Number(/^(\d{4})_[a-z_]+\.sql$/.exec(file)?.[1])
    if (number !== position + 1) throw new Error(`${file} is not migration number ${position + 1}`)
    return { number, text: readFileSync(join(folder, file), 'utf8') }
  })
}

/** @param {string} text */
function literal(text) {
  return `\`${text.replaceAll(/[\\`]|\$\{/g, (found) => `\\${found}`)}\``
}
