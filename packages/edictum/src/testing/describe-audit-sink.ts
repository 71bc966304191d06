// What the guard expects of any audit sink, for any test runner that has `describe` and `it`.
import assert from 'node:assert/strict'
import type { AuditSink } from '../guard/ports/audit-sink.js'
import { hostileAuditEvents } from './hostile-audit-events.js'
import { sampleAuditEvent } from './sample-audit-event.js'

export interface AuditSinkKit {
  readonly describe: (name: string, body: () => void) => void
  readonly it: (name: string, body: () => Promise<void>) => void
  /** A fresh sink, and a look at what it has recorded so far: the call ids, oldest first. */
  readonly open: () => {
    readonly sink: AuditSink
    readonly recorded: () => Promise<readonly string[]>
  }
}

export function describeAuditSink(name: string, { describe, it, open }: AuditSinkKit): void {
  describe(`${name} as an audit sink`, () => {
    it('has recorded an event when it answers', async () => {
      const { sink, recorded } = open()
      await sink.emit(sampleAuditEvent({ callId: 'first' }))
      assert.deepEqual(await recorded(), ['first'])
      await sink.emit(sampleAuditEvent({ callId: 'second' }))
      assert.deepEqual(await recorded(), ['first', 'second'])
      await sink.close?.()
    })

    it('keeps the order of 5,000 events that are emitted at once', async () => {
      const { sink, recorded } = open()
      const callIds = Array.from({ length: 5_000 }, (_, index) => `call-${index}`)
      await Promise.all(callIds.map(async (callId) => sink.emit(sampleAuditEvent({ callId }))))
      assert.deepEqual(await recorded(), callIds)
      await sink.close?.()
    })

    it('records an event exactly once whatever its content', async () => {
      const { sink, recorded } = open()
      const events = hostileAuditEvents()
      for (const event of events) await sink.emit(event)
      assert.deepEqual(
        await recorded(),
        events.map((event) => event.callId),
      )
      await sink.close?.()
    })

    it('has recorded everything when it is closed, and can be closed twice', async () => {
      const { sink, recorded } = open()
      const callIds = Array.from({ length: 100 }, (_, index) => `call-${index}`)
      const answers = callIds.map(async (callId) => sink.emit(sampleAuditEvent({ callId })))
      await sink.close?.()
      await sink.close?.()
      await Promise.all(answers)
      assert.deepEqual(await recorded(), callIds)
    })
  })
}
