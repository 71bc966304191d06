// @ts-check
// The release script in a small repository of its own, with two packages and a check that only says that it was asked.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from './run-command.mjs'
import { root } from './workspace.mjs'

let folder = ''

/** @param {string} name @param {string | object} content */
function write(name, content) {
  const file = join(folder, name)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
}

/** @param {readonly string[]} words */
async function git(...words) {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
  const { ok, output } = await runCommand('git', [...who, ...words], { cwd: folder })
  if (!ok) throw new Error(output)
}

/** Nothing of this may reach a registry: there is none at this address. What npm would do is in its notices. */
const environment = {
  npm_config_registry: 'http://127.0.0.1:9',
  npm_config_fetch_retries: '0',
  npm_config_loglevel: 'notice',
}

/** @param {readonly string[]} words */
const release = (...words) =>
  runCommand(process.execPath, ['scripts/release.mjs', ...words], { cwd: folder, environment })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'edictum-release-'))
  mkdirSync(join(folder, 'scripts'))
  for (const name of ['release.mjs', 'run-command.mjs', 'workspace.mjs'])
    copyFileSync(join(root, 'scripts', name), join(folder, 'scripts', name))
  write('scripts/check.mjs', "console.log('checked')")
  write('package.json', { name: 'workspace', private: true, type: 'module' })
  write('package-lock.json', { name: 'workspace', lockfileVersion: 3, packages: {} })
  const files = ['index.js']
  write('packages/above/package.json', {
    name: '@edictum-test/above',
    version: '1.2.3',
    files,
    dependencies: { '@edictum-test/below': '1.2.3' },
  })
  write('packages/below/package.json', { name: '@edictum-test/below', version: '1.2.3', files })
  write('packages/inside/package.json', { name: '@edictum-test/inside', version: '1.2.3', private: true })
  for (const name of ['above', 'below']) write(`packages/${name}/index.js`, 'export {}')
  await git('init', '--quiet')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'first')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the release script', { timeout: 120_000 }, () => {
  it('says in a dry run what it would publish: checked, without leftovers, dependencies first', async () => {
    write('packages/below/dist/left-behind.js', 'stale')
    write('.gitignore', 'dist/')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'ignore')
    const { ok, output } = await release('publish', '--dry-run')
    expect(output).toContain('checked')
    const order = [...output.matchAll(/name: (@edictum-test\/\w+)/g)].map(([, name]) => name)
    expect(order).toEqual(['@edictum-test/below', '@edictum-test/above'])
    expect(existsSync(join(folder, 'packages/below/dist'))).toBe(false)
    expect(ok).toBe(true)
  })

  it('publishes nothing while something is not committed', async () => {
    write('packages/below/index.js', 'export const changed = true')
    const { ok, output } = await release('publish', '--dry-run')
    expect(ok).toBe(false)
    expect(output).toContain('what is published must be what is committed')
    expect(output).not.toContain('name: ')
  })

  it('publishes nothing when the check fails', async () => {
    write('scripts/check.mjs', 'process.exit(1)')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'a failing check')
    const { ok, output } = await release('publish', '--dry-run')
    expect(ok).toBe(false)
    expect(output).toContain('check failed, so nothing was published')
    expect(output).not.toContain('name: ')
  })

  it('says what it can do when it is asked for something else', async () => {
    const { ok, output } = await release('pubish')
    expect(ok).toBe(false)
    expect(output).toContain('usage: node scripts/release.mjs version | publish [--dry-run]')
  })
})
