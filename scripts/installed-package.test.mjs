// @ts-check
// The packages as people get them: packed, and installed by npm in an empty project, with what they depend on from the registry.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDoors } from './packed-package.mjs'
import { runCommand } from './run-command.mjs'
import { listPackages } from './workspace.mjs'

const published = listPackages().filter(({ isPublished }) => isPublished)
const library = published.find(({ name }) => name === 'edictum')
if (library === undefined) throw new Error('there is no package edictum')

const project = mkdtempSync(join(tmpdir(), 'edictum-installed-'))

/** @param {readonly string[]} tarballs */
async function install(...tarballs) {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error']
  const { ok, output } = await runCommand('npm', ['install', ...quiet, ...tarballs], { cwd: project })
  if (!ok) throw new Error(output)
}

/** @param {import('./workspace.mjs').WorkspacePackage} packed */
async function pack({ folder, name }) {
  const { ok, output } = await runCommand(
    'npm',
    ['pack', '--ignore-scripts', '--pack-destination', project],
    {
      cwd: folder,
    },
  )
  const prefix = `${name.replace('@', '').replace('/', '-')}-`
  const file = readdirSync(project).find((found) => found.startsWith(prefix) && found.endsWith('.tgz'))
  if (!ok || file === undefined) throw new Error(output)
  return join(project, file)
}

/** @param {readonly string[]} words */
const edictum = (...words) =>
  runCommand(join(project, 'node_modules/.bin/edictum'), words, { cwd: project, timeoutMs: 60_000 })

beforeAll(() => writeFileSync(join(project, 'package.json'), '{ "private": true }\n'))
afterAll(() => rmSync(project, { recursive: true, force: true }))

describe('the packages, installed in an empty project', { timeout: 300_000 }, () => {
  it('the library brings what it needs, and every door opens', async () => {
    await install(await pack(library))
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
    expect(Object.keys(dependencies)).toEqual(['edictum'])
    const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(installed).toEqual(expect.arrayContaining(['edictum', ...Object.keys(library.dependencies)]))
    expect(await openDoors(library, project)).toEqual([])
  })

  it('its command writes a first bundle, and denies a call by it', async () => {
    const begun = await edictum('init', '--template', 'file-agent', '--mode', 'enforce')
    expect(begun.ok).toBe(true)
    const tested = await edictum('test', 'contracts.yaml', '--cases', 'contracts.cases.yaml')
    expect(tested.output).toMatch(/(\d+)\/\1 passed/)
    const checked = await edictum(
      'check',
      'contracts.yaml',
      '--tool',
      'read_file',
      '--args',
      '{"path":".env"}',
    )
    expect(checked.ok).toBe(false)
    expect(checked.output).toContain('DENIED')
  })

  it('its command says how to install the console where it is not', async () => {
    const { ok, stdout, output } = await edictum('console', '--', '--port', '0')
    expect(ok).toBe(false)
    expect(stdout).toBe('')
    expect(output).toBe(
      'error: the console is not installed here; install it with: npm install @edictum/console\n',
    )
  })

  it('the console beside it is found, with what it needs', async () => {
    const others = published.filter(({ name }) => name !== 'edictum')
    await install(...(await Promise.all(others.map(pack))))
    for (const other of others) expect(await openDoors(other, project)).toEqual([])
    const { ok, stdout } = await edictum('console', '--', '--version')
    expect({ ok, stdout }).toEqual({ ok: true, stdout: expect.stringContaining(others[0]?.version ?? '?') })
  })
})
