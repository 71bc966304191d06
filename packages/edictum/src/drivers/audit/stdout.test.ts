import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeAuditSink } from '../../testing/describe-audit-sink.js'
import { sampleAuditEvent } from '../../testing/sample-audit-event.js'
import { toWireLine } from '../../guard/ports/audit-event.js'
import { StdoutAuditSink } from './stdout.js'

const callIdOf = (line: string) => (JSON.parse(line) as { readonly call_id: string }).call_id

describeAuditSink('StdoutAuditSink', {
  describe,
  it,
  open: () => {
    let output = ''
    const stream = new PassThrough({ encoding: 'utf8' }).on('data', (chunk: string) => (output += chunk))
    const recorded = async () => {
      await new Promise(setImmediate)
      expect(output.endsWith('\n')).toBe(true)
      return output.slice(0, -1).split('\n').map(callIdOf)
    }
    return { sink: new StdoutAuditSink({ stream }), recorded }
  },
})

/** A program that has closed its standard input and lives on. */
async function startDeafProgram() {
  const program = spawn(process.execPath, [
    '-e',
    "require('node:fs').closeSync(0); process.stdout.write('deaf'); setInterval(() => {}, 60_000)",
  ])
  onTestFinished(() => void program.kill())
  await once(program.stdout, 'data')
  return program
}

describe('StdoutAuditSink', () => {
  it('writes to standard output unless told otherwise', async () => {
    const written: unknown[] = []
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((...parameters: readonly unknown[]) => {
      written.push(parameters[0])
      const done = parameters.at(-1)
      if (typeof done === 'function') done()
      return true
    })
    onTestFinished(() => spy.mockRestore())
    await new StdoutAuditSink().emit(sampleAuditEvent())
    expect(written).toEqual([`${toWireLine(sampleAuditEvent())}\n`])
  })

  it('writes one line per event to a program that reads them', async () => {
    const program = spawn(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)'])
    const sink = new StdoutAuditSink({ stream: program.stdin })
    for (const callId of ['a', 'b\nc', 'd']) await sink.emit(sampleAuditEvent({ callId }))
    program.stdin.end()
    const lines = (await text(program.stdout)).split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map(callIdOf)).toEqual(['a', 'b\nc', 'd'])
  })

  it('answers when the stream has passed the line on, not before', async () => {
    const held: (() => void)[] = []
    const stream = new Writable({ write: (_chunk, _encoding, done) => void held.push(done) })
    const sink = new StdoutAuditSink({ stream })
    const answered: string[] = []
    const emits = ['a', 'b'].map(async (callId) => {
      await sink.emit(sampleAuditEvent({ callId }))
      answered.push(callId)
    })
    await new Promise(setImmediate)
    expect(answered).toEqual([])
    held.shift()?.()
    await emits[0]
    expect(answered).toEqual(['a'])
    held.shift()?.()
    await emits[1]
    expect(answered).toEqual(['a', 'b'])
  })

  it('rejects when the reader is gone, and the program goes on', async () => {
    const program = await startDeafProgram()
    const sink = new StdoutAuditSink({ stream: program.stdin })
    const failure: unknown = await sink.emit(sampleAuditEvent()).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'EPIPE' })
    // Without a listener the error event would have ended this process by now.
    await new Promise(setImmediate)
    await expect(sink.emit(sampleAuditEvent())).rejects.toMatchObject({ code: 'ERR_STREAM_DESTROYED' })
  })

  it('rejects every emit that was waiting when the stream failed, and adds one listener at most', async () => {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => void setImmediate(() => done(new Error('no space left'))),
    })
    const sink = new StdoutAuditSink({ stream })
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, async () => sink.emit(sampleAuditEvent())),
    )
    expect(new Set(results.map((result) => result.status))).toEqual(new Set(['rejected']))
    expect(results[0]).toMatchObject({ reason: { message: 'no space left' } })
    await new Promise(setImmediate)
    for (let count = 0; count < 5; count++) await sink.emit(sampleAuditEvent()).catch(() => {})
    expect(stream.listenerCount('error')).toBeLessThanOrEqual(1)
  })

  it('leaves the listeners of a working stream alone', async () => {
    const stream = new PassThrough().resume()
    await new StdoutAuditSink({ stream }).emit(sampleAuditEvent())
    expect(stream.listenerCount('error')).toBe(0)
  })

  it('rejects when the stream throws', async () => {
    const stream = new PassThrough()
    stream.write = () => {
      throw new Error('not today')
    }
    await expect(new StdoutAuditSink({ stream }).emit(sampleAuditEvent())).rejects.toThrow('not today')
  })
})
