// @ts-check
// `edictum doctor` in projects that have one framework each, as users have them.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const here = dirname(fileURLToPath(import.meta.url))
const edictum = join(here, '../packages/edictum/dist/cli/main.js')
const start = promisify(execFile)

/** What the doctor says in a project with these packages, by name in the project. */
const examine = async (packages) => {
  const folder = await mkdtemp(join(tmpdir(), 'edictum-'))
  try {
    for (const [name, source] of Object.entries(packages)) {
      const place = join(folder, 'node_modules', name)
      await mkdir(dirname(place), { recursive: true })
      await symlink(source, place, 'dir')
    }
    const { stdout } = await start(process.execPath, [edictum, 'doctor', '--json'], { cwd: folder }).catch(
      (failed) => failed,
    )
    return JSON.parse(stdout)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const installed = (name) => join(here, 'node_modules', name)

const wellDenied = 'a call that must be denied did not run'

describe('edictum doctor', () => {
  it.each([
    { ai: 'ai-5' },
    { ai: 'ai-6' },
    { ai: 'ai-7' },
    { langchain: 'langchain' },
    { '@modelcontextprotocol/sdk': '@modelcontextprotocol/sdk' },
    {
      '@modelcontextprotocol/server': '@modelcontextprotocol/server',
      '@modelcontextprotocol/client': '@modelcontextprotocol/client',
    },
    { '@openai/agents': '@openai/agents' },
  ])('runs the framework itself: %j', async (packages) => {
    const sources = Object.entries(packages).map(([name, source]) => [name, installed(source)])
    const { ok, findings } = await examine(Object.fromEntries(sources))
    expect(findings.at(-1)).toMatchObject({
      name: expect.stringContaining(sources[0][0]),
      detail: wellDenied,
    })
    expect(ok).toBe(true)
  })

  it('tries the adapter alone where the framework wants a model or a service', async () => {
    const { findings } = await examine({ openai: installed('openai-7') })
    expect(findings.at(-1).detail).toBe(`${wellDenied} (tried with the adapter alone)`)
  })

  it('finds a framework in which the guard is not in the way', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edictum-'))
    try {
      const sdk = `
        export const tool = (tool) => tool
        export const jsonSchema = (schema) => schema
        export const generateText = async () => undefined
      `
      await writeFile(join(folder, 'package.json'), '{ "version": "9.0.0", "type": "module" }')
      await writeFile(join(folder, 'index.js'), sdk)
      const { ok, findings } = await examine({ ai: folder })
      expect(ok).toBe(false)
      expect(findings.at(-1)).toMatchObject({ ok: false, detail: 'the guard was never asked about the call' })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
