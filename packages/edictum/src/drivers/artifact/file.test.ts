import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EdictumConfigError } from '../../contracts/config-error.js'
import { markRedacted } from '../../runtime/redacted.js'
import { describeArtifactStore } from '../../testing/describe-artifact-store.js'
import { FileArtifactStore } from './file.js'

/** A folder around the one the store gets, so that a test may put anything in its place. */
function createPlace() {
  const parent = mkdtempSync(join(tmpdir(), 'edictum-artifacts-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  return { parent, folder: join(parent, 'artifacts') }
}

const draft = (text: string, sessionId = 'session-1') => ({
  sessionId,
  toolName: 'list_files',
  text: markRedacted(text),
})
const modeOf = (path: string) => statSync(path).mode & 0o777
const isRoot = process.getuid?.() === 0

describeArtifactStore('FileArtifactStore', {
  describe,
  it,
  open: (settings) => new FileArtifactStore(createPlace().folder, settings),
})

describe('FileArtifactStore', () => {
  it('keeps its folder and its files to their owner', async () => {
    const { folder } = createPlace()
    await new FileArtifactStore(folder).store(draft('text'))
    expect(modeOf(folder)).toBe(0o700)
    const names = readdirSync(folder)
    expect(names).toHaveLength(1)
    for (const name of names) expect(modeOf(join(folder, name))).toBe(0o600)
  })

  it('writes the text and nothing about the session or the tool', async () => {
    const { folder } = createPlace()
    const { artifactId } = await new FileArtifactStore(folder).store(draft('text', '../../alice'))
    const [name = ''] = readdirSync(folder)
    expect(name).toContain(artifactId)
    expect(name).not.toMatch(/alice|list_files|\//)
    expect(readFileSync(join(folder, name), 'utf8')).toBe('text')
  })

  it('knows after a restart what it knew before', async () => {
    const { folder } = createPlace()
    let now = 1_750_000_000_000
    const open = () =>
      new FileArtifactStore(folder, { ttlSeconds: 60, limits: { sessionArtifacts: 1 }, now: () => now })
    const { artifactId } = await open().store(draft('text'))
    expect(await open().read('session-1', artifactId)).toBe('text')
    expect(await open().read('session-2', artifactId)).toBeUndefined()
    await expect(open().store(draft('more'))).rejects.toMatchObject({ code: 'quota-exceeded' })
    now += 60_000
    expect(await open().read('session-1', artifactId)).toBeUndefined()
    expect(await open().sweep()).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  })

  it('takes a text that was cut short for one that is not there', async () => {
    const { folder } = createPlace()
    const store = new FileArtifactStore(folder)
    const { artifactId } = await store.store(draft('the whole text'))
    writeFileSync(join(folder, readdirSync(folder)[0]!), 'the whole')
    expect(await store.read('session-1', artifactId)).toBeUndefined()
  })

  it('follows no link in place of a file', async () => {
    const { parent, folder } = createPlace()
    const store = new FileArtifactStore(folder)
    const { artifactId } = await store.store(draft('text'))
    const path = join(folder, readdirSync(folder)[0]!)
    writeFileSync(join(parent, 'secret'), 'abcd')
    rmSync(path)
    symlinkSync(join(parent, 'secret'), path)
    await expect(store.read('session-1', artifactId)).rejects.toMatchObject({ code: 'read-failed' })
  })

  it('leaves alone what it did not write', async () => {
    const { folder } = createPlace()
    const store = new FileArtifactStore(folder)
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    await store.store(draft('text'))
    await store.cleanupSession('session-1')
    await store.sweep()
    expect(readdirSync(folder)).toEqual(['notes.txt'])
  })

  it('removes what a process left unfinished, once that would have expired', async () => {
    const { folder } = createPlace()
    let now = 1_750_000_000_000
    const store = new FileArtifactStore(folder, { now: () => now })
    const name = `unfinished.${now + 60_000}.art_${'0'.repeat(32)}`
    writeFileSync(join(folder, name), 'half a te')
    expect(await store.sweep()).toBe(0)
    expect(readdirSync(folder)).toEqual([name])
    now += 60_000
    expect(await store.sweep()).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it('makes its folder again when someone has tidied it away', async () => {
    const { folder } = createPlace()
    const store = new FileArtifactStore(folder)
    rmSync(folder, { recursive: true })
    const { artifactId } = await store.store(draft('text'))
    expect(await store.read('session-1', artifactId)).toBe('text')
    expect(modeOf(folder)).toBe(0o700)
  })

  describe('refuses a folder', () => {
    const expectRefusal = (folder: string, message: RegExp) => {
      expect(() => new FileArtifactStore(folder)).toThrow(EdictumConfigError)
      expect(() => new FileArtifactStore(folder)).toThrow(message)
    }

    it('that is a link, also when it is written with a slash', () => {
      const { parent, folder } = createPlace()
      mkdirSync(join(parent, 'elsewhere'), { mode: 0o700 })
      symlinkSync(join(parent, 'elsewhere'), folder)
      expectRefusal(folder, /is a link/)
      expectRefusal(`${folder}/`, /is a link/)
      expectRefusal(`${folder}/.`, /is a link/)
    })

    it('that others can open', () => {
      const { folder } = createPlace()
      mkdirSync(folder)
      for (const mode of [0o755, 0o770, 0o701]) {
        chmodSync(folder, mode)
        expectRefusal(folder, /open to other users/)
      }
    })

    it.runIf(isRoot)('of another user', () => {
      const { folder } = createPlace()
      mkdirSync(folder, { mode: 0o700 })
      chownSync(folder, 12_345, 12_345)
      expectRefusal(folder, /belongs to another user/)
    })

    it('that is a file', () => {
      const { folder } = createPlace()
      writeFileSync(folder, '')
      expectRefusal(folder, /is not a folder/)
      expectRefusal(join(folder, 'inside'), /cannot be used \(ENOTDIR\)/)
    })
  })

  it('stores and reads nothing when its folder was exchanged for a link', async () => {
    const { parent, folder } = createPlace()
    const store = new FileArtifactStore(folder)
    const { artifactId } = await store.store(draft('text'))
    renameSync(folder, join(parent, 'moved'))
    symlinkSync(join(parent, 'moved'), folder)
    await expect(store.store(draft('more'))).rejects.toMatchObject({ code: 'unsafe-folder' })
    await expect(store.read('session-1', artifactId)).rejects.toMatchObject({ code: 'unsafe-folder' })
    await expect(store.sweep()).rejects.toMatchObject({ code: 'unsafe-folder' })
    expect(readdirSync(join(parent, 'moved'))).toHaveLength(1)
  })

  describe.runIf(existsSync('/usr/bin/prlimit'))('when the disk takes only a part', () => {
    const prlimit = (...options: readonly string[]) =>
      execFileSync('/usr/bin/prlimit', ['--pid', String(process.pid), ...options], {
        encoding: 'utf8',
      }).trim()

    it('rejects without naming a path, leaves nothing behind, and goes on when there is room', async () => {
      const { folder } = createPlace()
      const store = new FileArtifactStore(folder)
      const usual = prlimit('--fsize', '--output=SOFT', '--noheadings', '--raw')
      const ignore = () => {}
      process.on('SIGXFSZ', ignore)
      onTestFinished(() => {
        prlimit(`--fsize=${usual}:`)
        process.off('SIGXFSZ', ignore)
      })
      prlimit('--fsize=10000:')
      const failure = await store.store(draft('x'.repeat(20_000))).catch((error: unknown) => error)
      prlimit(`--fsize=${usual}:`)
      expect(failure).toMatchObject({
        code: 'write-failed',
        message: 'the artifact could not be written (EFBIG)',
        cause: expect.any(Error),
      })
      expect(readdirSync(folder)).toEqual([])
      const { artifactId } = await store.store(draft('x'.repeat(20_000)))
      expect(await store.read('session-1', artifactId)).toHaveLength(20_000)
    })
  })
})
