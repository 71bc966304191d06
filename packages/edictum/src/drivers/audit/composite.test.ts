import { describe, expect, it } from 'vitest'
import { EdictumConfigError } from '../../contracts/config-error.js'
import type { AuditEvent } from '../../guard/ports/audit-event.js'
import type { AuditSink } from '../../guard/ports/audit-sink.js'
import { describeAuditSink } from '../../testing/describe-audit-sink.js'
import { sampleAuditEvent } from '../../testing/sample-audit-event.js'
import { CollectingAuditSink } from './collecting.js'
import { CompositeSink } from './composite.js'

/** Records like a collector, one turn later. */
class LateSink implements AuditSink {
  readonly events: AuditEvent[] = []

  async emit(event: AuditEvent): Promise<void> {
    await Promise.resolve()
    this.events.push(event)
  }
}

const throwing: AuditSink = {
  emit: () => {
    throw new Error('thrown')
  },
}
const rejecting: AuditSink = { emit: async () => Promise.reject(new Error('rejected')) }

async function failureOf(action: () => unknown): Promise<AggregateError> {
  try {
    await action()
  } catch (error) {
    expect(error).toBeInstanceOf(AggregateError)
    return error as AggregateError
  }
  throw new Error('nothing failed')
}

for (const [name, create] of [
  ['of sinks that answer at once', () => [new CollectingAuditSink(), new CollectingAuditSink()]],
  ['of sinks that answer later', () => [new LateSink(), new CollectingAuditSink(), new LateSink()]],
] as const) {
  describeAuditSink(`CompositeSink ${name}`, {
    describe,
    it,
    open: () => {
      const sinks = create()
      const recorded = async () => {
        const [first = [], ...others] = sinks.map((sink) => sink.events.map((event) => event.callId))
        for (const other of others) expect(other).toEqual(first)
        return first
      }
      return { sink: new CompositeSink(sinks), recorded }
    },
  })
}

describe('CompositeSink', () => {
  it('refuses to be made of nothing', () => {
    expect(() => new CompositeSink([])).toThrow(EdictumConfigError)
    expect(() => new CompositeSink(new CollectingAuditSink() as never)).toThrow(
      /at least one sink.*invalid-option/,
    )
  })

  it.each([[null], [undefined], ['stdout'], [{}], [{ emit: true }], [() => {}]])(
    'refuses %s, which is no sink',
    (stranger) => {
      const create = () => new CompositeSink([new CollectingAuditSink(), stranger as never])
      expect(create).toThrow(TypeError)
      expect(create).toThrow('audit sink 1 is not an object with an emit function')
    },
  )

  it('is not changed through the lists it was given and gives out', () => {
    const first = new CollectingAuditSink()
    const given = [first]
    const sink = new CompositeSink(given)
    given.push(new CollectingAuditSink())
    sink.sinks.push(new CollectingAuditSink())
    expect(sink.sinks).toEqual([first])
  })

  it('answers at once when all its sinks do', () => {
    const sink = new CompositeSink([new CollectingAuditSink(), new CollectingAuditSink()])
    expect(sink.emit(sampleAuditEvent())).toBeUndefined()
  })

  it('takes a return value that is no promise for an answer', () => {
    const events: AuditEvent[] = []
    const sink = new CompositeSink([
      { emit: (event) => void events.push(event) },
      { emit: (() => 7) as never },
    ])
    expect(sink.emit(sampleAuditEvent())).toBeUndefined()
    expect(events).toHaveLength(1)
  })

  it('fails at once when all its sinks answer at once', () => {
    const last = new CollectingAuditSink()
    const sink = new CompositeSink([throwing, last])
    expect(() => sink.emit(sampleAuditEvent())).toThrow('1 of 2 audit sinks failed: thrown')
    expect(last.events).toHaveLength(1)
  })

  it('delivers to every sink and then reports every failure', async () => {
    const first = new CollectingAuditSink()
    const last = new LateSink()
    const sink = new CompositeSink([first, throwing, rejecting, last])
    const failure = await failureOf(() => sink.emit(sampleAuditEvent()))
    expect(failure.errors).toEqual([new Error('thrown'), new Error('rejected')])
    expect(failure.message).toBe('2 of 4 audit sinks failed: thrown; rejected')
    expect([first.events.length, last.events.length]).toEqual([1, 1])
  })

  it('reports a failure that is not an error', async () => {
    const sink = new CompositeSink([{ emit: async () => Promise.reject('disk on fire') }])
    const failure = await failureOf(() => sink.emit(sampleAuditEvent()))
    expect(failure.errors).toEqual(['disk on fire'])
    expect(failure.message).toContain('disk on fire')
  })

  it('does not keep an event from the other sinks when one never answers', () => {
    const last = new CollectingAuditSink()
    const sink = new CompositeSink([{ emit: () => new Promise(() => {}) }, last])
    expect(sink.emit(sampleAuditEvent())).toBeInstanceOf(Promise)
    expect(last.events).toHaveLength(1)
  })

  it('works on after a failure', async () => {
    const collector = new CollectingAuditSink()
    let failures = 1
    const flaky: AuditSink = {
      emit: async () => (failures-- > 0 ? Promise.reject(new Error('once')) : undefined),
    }
    const sink = new CompositeSink([flaky, collector])
    await failureOf(() => sink.emit(sampleAuditEvent()))
    await sink.emit(sampleAuditEvent())
    expect(collector.events).toHaveLength(2)
  })

  it('closes every sink that can be closed and then reports every failure', async () => {
    const closed: string[] = []
    const closable = (name: string, close: () => Promise<void> | void): AuditSink => ({
      emit: () => {},
      close: () => {
        closed.push(name)
        return close()
      },
    })
    const sink = new CompositeSink([
      closable('throws', () => {
        throw new Error('stuck')
      }),
      new CollectingAuditSink(),
      closable('rejects', async () => Promise.reject(new Error('lost'))),
      closable('closes', () => {}),
    ])
    const failure = await failureOf(() => sink.close())
    expect(closed).toEqual(['throws', 'rejects', 'closes'])
    expect(failure.errors).toEqual([new Error('stuck'), new Error('lost')])
  })
})
