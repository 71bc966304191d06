import { describe, expect, it } from 'vitest'
import { EdictumConfigError } from '../../contracts/config-error.js'
import { AuditAction, type AuditEvent } from '../../guard/ports/audit-event.js'
import { EdictumError } from '../../internal/edictum-error.js'
import { describeAuditSink } from '../../testing/describe-audit-sink.js'
import { sampleAuditEvent } from '../../testing/sample-audit-event.js'
import { CollectingAuditSink } from './collecting.js'
import { MarkEvictedError } from './mark-evicted-error.js'

const callIds = (events: readonly AuditEvent[]) => events.map((event) => event.callId)

function emitCalls(sink: CollectingAuditSink, ...ids: readonly string[]): void {
  for (const callId of ids) sink.emit(sampleAuditEvent({ callId }))
}

describeAuditSink('CollectingAuditSink', {
  describe,
  it,
  open: () => {
    const sink = new CollectingAuditSink()
    return { sink, recorded: async () => callIds(sink.events) }
  },
})

describe('CollectingAuditSink', () => {
  it('keeps the very objects it was given and answers at once', () => {
    const sink = new CollectingAuditSink()
    const event = sampleAuditEvent()
    expect(sink.emit(event)).toBeUndefined()
    expect(sink.last()).toBe(event)
  })

  it('hands out a list of its own', () => {
    const sink = new CollectingAuditSink()
    emitCalls(sink, 'a')
    sink.events.length = 0
    expect(callIds(sink.events)).toEqual(['a'])
  })

  it('evicts the oldest events when it is full, round after round', () => {
    const sink = new CollectingAuditSink(3)
    const ids = Array.from({ length: 10 }, (_, index) => String(index))
    for (const [index, id] of ids.entries()) {
      emitCalls(sink, id)
      expect(callIds(sink.events)).toEqual(ids.slice(Math.max(0, index - 2), index + 1))
      expect(sink.last().callId).toBe(id)
    }
  })

  it('holds a single event when that is its size', () => {
    const sink = new CollectingAuditSink(1)
    emitCalls(sink, 'a', 'b')
    expect(callIds(sink.events)).toEqual(['b'])
    expect(callIds(sink.sinceMark(1))).toEqual(['b'])
  })

  it('holds 50,000 events unless told otherwise', () => {
    const sink = new CollectingAuditSink()
    const event = sampleAuditEvent()
    for (let count = 0; count < 50_001; count++) sink.emit(event)
    expect(sink.events).toHaveLength(50_000)
    expect(() => sink.sinceMark(0)).toThrow(MarkEvictedError)
  })

  it('takes no longer for an event when it is full', () => {
    const sink = new CollectingAuditSink()
    const event = sampleAuditEvent()
    const started = performance.now()
    // Moving 50,000 entries for each of these would take minutes.
    for (let count = 0; count < 1_000_000; count++) sink.emit(event)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '10' as unknown as number])(
    'refuses to hold %s events',
    (maxEvents) => {
      const create = () => new CollectingAuditSink(maxEvents)
      expect(create).toThrow(EdictumConfigError)
      expect(create).toThrow('maxEvents must be a whole number of at least 1 [invalid-option]')
    },
  )

  it('finds the events of one action', () => {
    const sink = new CollectingAuditSink()
    sink.emit(sampleAuditEvent({ callId: 'a', action: AuditAction.CALL_DENIED }))
    sink.emit(sampleAuditEvent({ callId: 'b', action: AuditAction.CALL_EXECUTED }))
    sink.emit(sampleAuditEvent({ callId: 'c', action: AuditAction.CALL_DENIED }))
    expect(callIds(sink.filter(AuditAction.CALL_DENIED))).toEqual(['a', 'c'])
    expect(sink.filter(AuditAction.CALL_FAILED)).toEqual([])
  })

  it('has no last event when it is empty', () => {
    const sink = new CollectingAuditSink()
    expect(() => sink.last()).toThrow(RangeError)
    emitCalls(sink, 'a')
    sink.clear()
    expect(() => sink.last()).toThrow('no event was collected')
  })

  it('returns what was emitted after a mark', () => {
    const sink = new CollectingAuditSink()
    const start = sink.mark()
    emitCalls(sink, 'a', 'b')
    const middle = sink.mark()
    emitCalls(sink, 'c')
    expect([start, middle, sink.mark()]).toEqual([0, 2, 3])
    expect(callIds(sink.sinceMark(start))).toEqual(['a', 'b', 'c'])
    expect(callIds(sink.sinceMark(middle))).toEqual(['c'])
    expect(sink.sinceMark(sink.mark())).toEqual([])
  })

  it('answers for a mark until the first event after it is evicted', () => {
    const sink = new CollectingAuditSink(3)
    emitCalls(sink, 'a', 'b', 'c', 'd', 'e')
    expect(callIds(sink.sinceMark(2))).toEqual(['c', 'd', 'e'])
    expect(callIds(sink.sinceMark(4))).toEqual(['e'])
    expect(() => sink.sinceMark(1)).toThrow(MarkEvictedError)
    expect(() => sink.sinceMark(-1)).toThrow(MarkEvictedError)
  })

  it('says which mark is the oldest that can be asked for', () => {
    const sink = new CollectingAuditSink(3)
    emitCalls(sink, 'a', 'b', 'c', 'd', 'e')
    let thrown: unknown
    try {
      sink.sinceMark(1)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ name: 'MarkEvictedError', mark: 1, oldestMark: 2 })
    expect(EdictumError.isInstance(thrown)).toBe(true)
  })

  it.each([3, 1.5, Number.NaN])('refuses %s, which is no mark of its own', (mark) => {
    const sink = new CollectingAuditSink()
    emitCalls(sink, 'a', 'b')
    expect(() => sink.sinceMark(mark)).toThrow(RangeError)
  })

  it('goes on counting marks when it is cleared', () => {
    const sink = new CollectingAuditSink(3)
    emitCalls(sink, 'a', 'b', 'c', 'd')
    const before = sink.mark() - 1
    sink.clear()
    expect(sink.events).toEqual([])
    expect(sink.mark()).toBe(4)
    expect(sink.sinceMark(4)).toEqual([])
    expect(() => sink.sinceMark(before)).toThrow(MarkEvictedError)
    emitCalls(sink, 'e', 'f', 'g', 'h')
    expect(callIds(sink.events)).toEqual(['f', 'g', 'h'])
    expect(callIds(sink.sinceMark(5))).toEqual(['f', 'g', 'h'])
  })
})
