import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EdictumConfigError } from '../../contracts/config-error.js'
import { describeAuditSink } from '../../testing/describe-audit-sink.js'
import { sampleAuditEvent } from '../../testing/sample-audit-event.js'
import { FileAuditSink, type FileAuditSinkOptions } from './file.js'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const createPath = () => join(createFolder(), 'audit.jsonl')

function openSink(path: string, options?: FileAuditSinkOptions): FileAuditSink {
  const sink = new FileAuditSink(path, options)
  onTestFinished(() => sink.close())
  return sink
}

function readLines(path: string): readonly string[] {
  const content = readFileSync(path, 'utf8')
  expect(content.endsWith('\n')).toBe(true)
  return content.slice(0, -1).split('\n')
}

const callIdOf = (line: string) => (JSON.parse(line) as { readonly call_id: string }).call_id
const readCallIds = (path: string) => readLines(path).map(callIdOf)
const numbered = (prefix: string, length: number) =>
  Array.from({ length }, (_, index) => `${prefix}-${index}`)
const emitAll = (sink: FileAuditSink, callIds: readonly string[]) =>
  callIds.map(async (callId) => sink.emit(sampleAuditEvent({ callId })))

const descriptorsOf = (path: string) =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === path
    } catch {
      return false
    }
  })

for (const durability of ['written', 'synced'] as const) {
  describeAuditSink(`FileAuditSink (${durability})`, {
    describe,
    it,
    open: () => {
      const path = createPath()
      return { sink: openSink(path, { durability }), recorded: async () => readCallIds(path) }
    },
  })
}

describe('FileAuditSink', () => {
  it('creates the file for its owner alone', () => {
    const path = createPath()
    openSink(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('appends to what is there', async () => {
    const path = createPath()
    await using first = new FileAuditSink(path)
    await first.emit(sampleAuditEvent({ callId: 'before' }))
    await first.close()
    await openSink(path).emit(sampleAuditEvent({ callId: 'after' }))
    expect(readCallIds(path)).toEqual(['before', 'after'])
  })

  it('says so when the folder does not exist', () => {
    const path = join(createFolder(), 'missing', 'audit.jsonl')
    const open = () => new FileAuditSink(path)
    expect(open).toThrow(EdictumConfigError)
    expect(open).toThrow(/audit\.jsonl cannot be opened: ENOENT.*\[invalid-option\]\n.*its folder must exist/)
  })

  it.each([createFolder, () => 7 as unknown as string])('refuses a path that is no file', (path) => {
    expect(() => new FileAuditSink(path())).toThrow(EdictumConfigError)
  })

  it('refuses a durability it does not know', () => {
    const options = { durability: 'eventual' } as unknown as FileAuditSinkOptions
    const path = createPath()
    expect(() => new FileAuditSink(path, options)).toThrow("durability must be 'written' or 'synced'")
    expect(existsSync(path)).toBe(false)
  })

  it.runIf(existsSync('/dev/null'))('waits for the disk only when it is told to', async () => {
    // This device takes every write and cannot be synced.
    await openSink('/dev/null').emit(sampleAuditEvent())
    const synced = openSink('/dev/null', { durability: 'synced' })
    await expect(synced.emit(sampleAuditEvent())).rejects.toMatchObject({ syscall: 'fdatasync' })
  })

  it.runIf(existsSync('/proc/self/fd'))('uses one descriptor for any number of emits', async () => {
    const path = createPath()
    const sink = openSink(path)
    const emits = emitAll(sink, numbered('call', 5_000))
    await emits[0]
    expect(descriptorsOf(path)).toHaveLength(1)
    await Promise.all(emits)
    await sink.close()
    expect(descriptorsOf(path)).toHaveLength(0)
  })

  it('tears no line when two sinks write to one file', async () => {
    const path = createPath()
    const writers = ['left', 'right'].map((name) => ({
      name,
      sink: openSink(path),
      ids: numbered(name, 3_000),
    }))
    await Promise.all(writers.flatMap(({ sink, ids }) => emitAll(sink, ids)))
    const written = readCallIds(path)
    for (const { name, ids } of writers) {
      expect(written.filter((callId) => callId.startsWith(name))).toEqual(ids)
    }
    expect(written).toHaveLength(6_000)
  })

  it('writes lines that fill its buffer many times over', async () => {
    const path = createPath()
    const sink = openSink(path)
    const toolArgs = { text: '\u20ac'.repeat(32_000) }
    const callIds = numbered('call', 100)
    await Promise.all(callIds.map(async (callId) => sink.emit(sampleAuditEvent({ callId, toolArgs }))))
    const lines = readLines(path)
    expect(lines.map(callIdOf)).toEqual(callIds)
    expect(JSON.parse(lines[99] ?? '')).toMatchObject({ tool_args: toolArgs })
  })

  it('rejects an event that cannot be written and records those around it', async () => {
    const path = createPath()
    const sink = openSink(path)
    const results = await Promise.allSettled([
      sink.emit(sampleAuditEvent({ callId: 'before' })),
      sink.emit(sampleAuditEvent({ callId: 'timeless', timestamp: new Date(Number.NaN) })),
      sink.emit(sampleAuditEvent({ callId: 'after' })),
    ])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(readCallIds(path)).toEqual(['before', 'after'])
  })

  it('starts a line of its own after one that a crash has cut off', async () => {
    const path = createPath()
    writeFileSync(path, '{"call_id":"whole"}\n{"call_id":"cut o')
    await openSink(path).emit(sampleAuditEvent({ callId: 'next' }))
    const lines = readLines(path)
    expect(lines.slice(0, 2)).toEqual(['{"call_id":"whole"}', '{"call_id":"cut o'])
    expect(lines.slice(2).map(callIdOf)).toEqual(['next'])
  })

  it.runIf(existsSync('/dev/full'))('rejects every emit while the disk is full', async () => {
    const sink = openSink('/dev/full')
    for (let round = 0; round < 2; round++) {
      const results = await Promise.allSettled(emitAll(sink, numbered('call', 100)))
      expect(results).toHaveLength(100)
      for (const result of results)
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'ENOSPC' } })
    }
  })

  it('closes when what is waiting cannot be written', async () => {
    const sink = new FileAuditSink(existsSync('/dev/full') ? '/dev/full' : createPath())
    const waiting = Promise.allSettled(emitAll(sink, ['a', 'b']))
    await sink.close()
    expect(await waiting).toHaveLength(2)
  })

  it('rejects an emit and a reopening after it was closed', async () => {
    const path = createPath()
    const sink = openSink(path)
    const last = sink.emit(sampleAuditEvent({ callId: 'last' }))
    const closing = sink.close()
    await expect(sink.emit(sampleAuditEvent({ callId: 'late' }))).rejects.toThrow(
      `the audit file ${path} is closed`,
    )
    await expect(sink.reopen()).rejects.toThrow('is closed')
    await Promise.all([last, closing])
    expect(readCallIds(path)).toEqual(['last'])
  })

  describe('reopen', () => {
    it('goes on in a new file and loses nothing on the way', async () => {
      const path = createPath()
      const moved = `${path}.1`
      const sink = openSink(path)
      const callIds = numbered('call', 2_000)
      const before = emitAll(sink, callIds.slice(0, 1_000))
      await before[0]
      renameSync(path, moved)
      const reopening = sink.reopen()
      const after = emitAll(sink, callIds.slice(1_000))
      await Promise.all([...before, reopening, ...after])
      const [old, fresh] = [readCallIds(moved), readCallIds(path)]
      expect([...old, ...fresh]).toEqual(callIds)
      expect(old).toContain('call-0')
      expect(fresh).toContain('call-1999')
      expect(statSync(path).mode & 0o777).toBe(0o600)
    })

    it.runIf(existsSync('/proc/self/fd'))('lets go of the old file', async () => {
      const path = createPath()
      const sink = openSink(path)
      await sink.emit(sampleAuditEvent())
      renameSync(path, `${path}.1`)
      await Promise.all([sink.reopen(), sink.reopen()])
      expect(descriptorsOf(`${path}.1`)).toHaveLength(0)
      expect(descriptorsOf(path)).toHaveLength(1)
    })

    it('stays with the old file when there is no new one to be had', async () => {
      const folder = createFolder()
      const sink = openSink(join(folder, 'audit.jsonl'))
      renameSync(folder, `${folder}-moved`)
      onTestFinished(() => rmSync(`${folder}-moved`, { recursive: true }))
      await expect(sink.reopen()).rejects.toThrow(EdictumConfigError)
      await sink.emit(sampleAuditEvent({ callId: 'kept' }))
      expect(readCallIds(join(`${folder}-moved`, 'audit.jsonl'))).toEqual(['kept'])
    })
  })

  describe.runIf(process.platform === 'linux')('when the reader is slow', () => {
    /** A pipe holds far less than one batch, so no emit is answered before somebody reads. */
    function fillPipe() {
      const path = createPath()
      execFileSync('mkfifo', [path])
      const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      onTestFinished(() => closeSync(reader))
      const sink = openSink(path)
      const callIds = numbered('call', 20)
      const toolArgs = { text: 'x'.repeat(20_000) }
      const emits = callIds.map(async (callId) => sink.emit(sampleAuditEvent({ callId, toolArgs })))
      let received = ''
      const receive = async (enough: () => boolean) => {
        const chunk = Buffer.alloc(65_536)
        while (!enough()) {
          try {
            received += chunk.toString('latin1', 0, readSync(reader, chunk))
          } catch (error) {
            expect(error).toMatchObject({ code: 'EAGAIN' })
          }
          await new Promise(setImmediate)
        }
      }
      return {
        path,
        sink,
        emits,
        callIds,
        receiveFirst: async () => receive(() => received.length > 0),
        receiveAll: async () => {
          await receive(() => received.split('\n').length > callIds.length)
          return received.trimEnd().split('\n').map(callIdOf)
        },
      }
    }

    it('lets the emits wait and loses none', async () => {
      const { emits, callIds, receiveFirst, receiveAll } = fillPipe()
      let answered = 0
      const answers = emits.map(async (emit) => emit.then(() => answered++))
      await receiveFirst()
      expect(answered).toBe(0)
      expect(await receiveAll()).toEqual(callIds)
      await Promise.all(answers)
    })

    it('closes no file that is still being written to', async () => {
      const { path, sink, emits, callIds, receiveFirst, receiveAll } = fillPipe()
      await receiveFirst()
      const reopening = sink.reopen()
      // A descriptor closed too early would be gone by the time these are answered.
      for (let count = 0; count < 20; count++) await stat(path)
      expect(descriptorsOf(path)).toHaveLength(3)
      expect(await receiveAll()).toEqual(callIds)
      await Promise.all([...emits, reopening])
      expect(descriptorsOf(path)).toHaveLength(2)
    })
  })

  describe.runIf(existsSync('/usr/bin/prlimit'))('when only a part of a batch fits on the disk', () => {
    const prlimit = (...options: readonly string[]) =>
      execFileSync('/usr/bin/prlimit', ['--pid', String(process.pid), ...options], {
        encoding: 'utf8',
      }).trim()
    /** The largest file this process may write, in bytes. */
    const limitFileSize = (limit: number | string) => prlimit(`--fsize=${limit}:`)

    it('answers for each line whether it is in the file, and begins a new line afterwards', async () => {
      const usual = prlimit('--fsize', '--output=SOFT', '--noheadings', '--raw')
      const ignore = () => {}
      process.on('SIGXFSZ', ignore)
      onTestFinished(() => {
        limitFileSize(usual)
        process.off('SIGXFSZ', ignore)
      })
      const path = createPath()
      const sink = openSink(path)
      const callIds = numbered('call', 40)
      limitFileSize(10_000)
      const results = await Promise.allSettled(emitAll(sink, callIds))
      limitFileSize(usual)
      expect(statSync(path).size).toBe(10_000)
      const fitting = callIds.filter((_, index) => results[index]?.status === 'fulfilled')
      expect(fitting).toEqual(callIds.slice(0, fitting.length))
      expect(results[fitting.length]).toMatchObject({ status: 'rejected', reason: { code: 'EFBIG' } })
      expect(results.at(-1)?.status).toBe('rejected')
      await sink.emit(sampleAuditEvent({ callId: 'next' }))
      const lines = readLines(path)
      expect(lines.slice(0, fitting.length).map(callIdOf)).toEqual(fitting)
      expect(() => callIdOf(lines[fitting.length] ?? '')).toThrow(SyntaxError)
      expect(lines.slice(fitting.length + 1).map(callIdOf)).toEqual(['next'])
    })
  })
})
