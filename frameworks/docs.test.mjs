// @ts-check
// The programs in the documentation that need a framework (```js no-run framework), run with the framework itself.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPage } from '../scripts/markdown.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const howTos = join(here, '../docs/how-to')
const start = promisify(execFile)

/** What the programs import, and where it is here. */
const project = {
  ai: 'node_modules/ai-6',
  zod: 'node_modules/zod',
  edictum: '../packages/edictum',
}

const pages = await Promise.all(
  (await readdir(howTos)).map(async (name) => {
    const { blocks } = readPage(await readFile(join(howTos, name), 'utf8'))
    return { name, blocks, programs: blocks.filter(({ words }) => words.includes('framework')) }
  }),
)
const programs = pages.flatMap(({ name, blocks, programs: found }) =>
  found.map((program) => ({ place: `${name}:${program.line}`, program, blocks })),
)

describe('the documentation of frameworks', () => {
  let folder = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edictum-'))
    await mkdir(join(folder, 'node_modules'))
    for (const [name, source] of Object.entries(project))
      await symlink(join(here, source), join(folder, 'node_modules', name), 'dir')
  })

  afterAll(() => rm(folder, { recursive: true }))

  it.each(programs)('does what it says in $place', async ({ program, blocks }) => {
    for (const { words, text } of blocks) {
      const file = words.find((word) => word.startsWith('file='))?.slice('file='.length)
      if (file !== undefined) await writeFile(join(folder, file), text)
    }
    await writeFile(join(folder, 'program.mjs'), program.text)
    const { stdout } = await start(process.execPath, ['program.mjs'], { cwd: folder })
    const promised = [...program.text.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, line]) => line)
    expect(promised.length).toBeGreaterThan(0)
    for (const line of promised) expect(stdout).toContain(line)
  })
})
