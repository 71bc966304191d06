// What the guard expects of any storage backend, for any test runner that has `describe` and `it`.
import assert from 'node:assert/strict'
import { Edictum } from '../edictum.js'
import { EdictumDenied } from '../guard/errors.js'
import {
  atomicStepsOf,
  type ReservationRequest,
  sessionKeys,
  type SessionLimitValues,
  type Settlement,
  type StorageBackend,
} from '../guard/ports/storage-backend.js'
import { Session } from '../guard/session.js'
import { openSessionStore } from '../guard/session-store.js'

export interface OpenedStorage {
  readonly backend: StorageBackend
  /** Another object on the same data, as another process would have it; absent when there can be none. */
  readonly other?: StorageBackend
  /** Lets time go by for the storage: moves its clock, or waits. */
  readonly passSeconds?: (seconds: number) => Promise<void>
  /** Takes the storage away as a crash would, and brings it back with what it held. */
  readonly outage?: { readonly begin: () => Promise<void>; readonly end: () => Promise<void> }
  readonly close?: () => Promise<void>
}

export interface StorageBackendKit {
  readonly describe: (name: string, body: () => void) => void
  readonly it: (name: string, body: () => Promise<void>) => void
  /** A backend; whatever it holds already is not about sessions that begin with `suite`. */
  readonly open: () => Promise<OpenedStorage>
  /** Which optional behaviours to ask for; an `OpenedStorage` must then have what they need. */
  readonly offers: readonly StorageOffer[]
}

/**
 * `atomic-steps`: `reserve` and `settle`, with leases. `shared`: other objects see the same data. `outage`: the storage can be
 * away.
 */
export type StorageOffer = 'atomic-steps' | 'shared' | 'outage'

const toolName = 'deploy'
let lastSession = 0

export function describeStorageBackend(name: string, kit: StorageBackendKit): void {
  const { describe, open, offers } = kit
  const run = Date.now().toString(36)

  /** Every behaviour has a session of its own, so that one storage serves all of them. */
  const it = (title: string, body: (storage: Prepared) => Promise<void>) => {
    kit.it(title, async () => {
      const opened = await open()
      try {
        await body(prepare(opened, `suite-${run}-${++lastSession}`))
      } finally {
        await opened.close?.()
      }
    })
  }

  describe(`${name} as a storage backend`, () => {
    it('answers null for a key that does not exist', async ({ backend, sessionId }) => {
      assert.equal(await backend.get(`s:${sessionId}:nothing`), null)
      await backend.delete(`s:${sessionId}:nothing`)
    })

    it('gives back exactly what was set', async ({ backend, sessionId }) => {
      const key = `s:${sessionId}:value`
      const texts = ['', ' ', '0', '007', '3.0', 'null', 'line\nline', 'é 🦊 {x} %25', 'x'.repeat(1_000_000)]
      for (const text of texts) {
        await backend.set(key, text)
        assert.equal(await backend.get(key), text)
      }
      await backend.delete(key)
      assert.equal(await backend.get(key), null)
    })

    it('counts from 0, up and down, and reads counters back as digits', async ({ backend, sessionId }) => {
      const key = `s:${sessionId}:counter`
      assert.equal(await backend.increment(key), 1)
      assert.equal(await backend.increment(key, 41), 42)
      assert.equal(await backend.get(key), '42')
      assert.equal(await backend.increment(key, -43), -1)
      assert.equal(await backend.get(key), '-1')
      await backend.increment(key, 1.5)
      assert.equal(await backend.increment(key, 0.5), 1)
      assert.equal(await backend.get(key), '1')
    })

    it('counts on from a number that was set', async ({ backend, sessionId }) => {
      const key = `s:${sessionId}:counter`
      await backend.set(key, '7')
      assert.equal(await backend.increment(key), 8)
    })

    it('rejects an increment of what is no number, and leaves it', async ({ backend, sessionId }) => {
      const key = `s:${sessionId}:counter`
      for (const text of ['', ' ', 'seven', 'NaN', 'Infinity', '12 calls', '1,5']) {
        await backend.set(key, text)
        await assert.rejects(backend.increment(key), /not a number/)
        assert.equal(await backend.get(key), text)
      }
    })

    it('rejects a count that would not be exact any more', async ({ backend, sessionId }) => {
      const key = `s:${sessionId}:counter`
      await backend.set(key, String(Number.MAX_SAFE_INTEGER - 1))
      assert.equal(await backend.increment(key), Number.MAX_SAFE_INTEGER)
      await assert.rejects(backend.increment(key), /too large/)
      await assert.rejects(backend.increment(key, Number.NaN))
    })

    it('loses none of 200 increments that arrive at once', async ({ backend, other, sessionId }) => {
      const key = `s:${sessionId}:counter`
      const answers = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => (index % 2 === 0 ? backend : other).increment(key)),
      )
      assert.deepEqual(
        answers.toSorted((left, right) => left - right),
        Array.from({ length: 200 }, (_, index) => index + 1),
      )
    })

    it('reads many keys at once, of several sessions, as it reads each', async ({ backend, sessionId }) => {
      const keys = [`s:${sessionId}:a`, `s:${sessionId}:b`, `s:${sessionId}-2:a`, `${sessionId} no session`]
      for (const [index, key] of keys.entries()) if (index !== 1) await backend.set(key, `value ${index}`)
      if (backend.batchGet === undefined) return
      const values = await backend.batchGet(keys)
      assert.deepEqual(
        keys.map((key) => values[key] ?? null),
        ['value 0', null, 'value 2', 'value 3'],
      )
      assert.deepEqual({ ...(await backend.batchGet([])) }, {})
    })

    it('keeps apart keys that look like patterns, tags, paths or broken text', async ({
      backend,
      sessionId,
    }) => {
      const names = [
        '{',
        '}',
        '{}',
        '{a}',
        '{a',
        'a}',
        '%7b',
        '%007b',
        '*',
        '?',
        'a b',
        "a'b",
        'a"b',
        'a:b',
        'a\nb',
      ]
      names.push(
        'é',
        'e\u0301',
        '🦊',
        '\u0000',
        '\ud800',
        '\ud801',
        '__proto__',
        'A',
        'a',
        '../a',
        'x'.repeat(9_000),
      )
      names.push(`${'x'.repeat(9_000)}y`)
      const keys = [...names, ...names.map((part) => `s:${part.replaceAll(':', '')}-${sessionId}:n`)]
      const placed = keys.map((key) => (key.startsWith('s:') ? key : `s:${sessionId}:${key}`))
      for (const [index, key] of placed.entries()) await backend.set(key, String(index))
      for (const [index, key] of placed.entries()) assert.equal(await backend.get(key), String(index), key)
      for (const key of placed) await backend.delete(key)
      for (const key of placed) assert.equal(await backend.get(key), null)
    })

    it('keeps the counters of a session under the published keys', async (storage) => {
      const { backend, sessionId, take, settle } = storage
      await settle(await take(), 'executed')
      await settle(await take(), 'failed')
      await settle(await take(), 'uncertain')
      const keys = sessionKeys(sessionId, toolName)
      assert.equal(await backend.get(keys.attempts), '3')
      assert.equal(await backend.get(keys.executions), '2')
      assert.equal(await backend.get(keys.toolExecutions), '2')
      assert.equal(await backend.get(keys.consecutiveFailures), '2')
      const session = new Session(sessionId, backend)
      assert.equal(await session.executionCount(), 2)
      await session.recordExecution(toolName, true)
      assert.equal(await session.toolExecutionCount(toolName), 3)
      assert.equal(await session.consecutiveFailures(), 0)
    })

    it('counts an attempt once, with or without a slot', async ({ reserve }) => {
      const first = await reserve({ slot: 'leave' })
      assert.deepEqual(first, {
        counters: { attempts: 1, executions: 0, toolExecutions: 0 },
        slot: { kind: 'left' },
      })
      const second = await reserve({ attempt: 'counted' })
      assert.equal(second.counters.attempts, 1)
      assert.equal(second.slot.kind, 'taken')
    })

    it('takes a slot up to a limit and not beyond, each limit by itself', async ({ reserve }) => {
      const limits: readonly SessionLimitValues[] = [
        { attempts: 3 },
        { executions: 2 },
        { toolExecutions: 1 },
      ]
      const granted: string[] = []
      for (const [index, limit] of limits.entries()) {
        for (let call = 0; call < 5; call++) {
          const { slot } = await reserve({ limits: limit, sessionId: `${index}` })
          granted.push(slot.kind)
        }
      }
      const row = (taken: number) =>
        Array.from({ length: 5 }, (_, call) => (call < taken ? 'taken' : 'exhausted'))
      assert.deepEqual(granted, [...row(3), ...row(2), ...row(1)])
    })

    it('has no limit where none is given', async ({ reserve }) => {
      const kinds = await Promise.all(Array.from({ length: 100 }, async () => (await reserve()).slot.kind))
      assert.deepEqual(new Set(kinds), new Set(['taken']))
    })

    it('counts each tool by itself, and all of them together', async ({ reserve }) => {
      const limits = { executions: 3, toolExecutions: 2 }
      const kinds = []
      for (const tool of ['read', 'read', 'read', 'write', 'write'])
        kinds.push((await reserve({ limits, toolName: tool })).slot.kind)
      assert.deepEqual(kinds, ['taken', 'taken', 'exhausted', 'taken', 'exhausted'])
    })

    it('keeps sessions apart, also those whose names resemble each other', async ({ reserve }) => {
      for (const session of [
        'a',
        'a}',
        '{a}',
        'a ',
        'A',
        'é',
        'e\u0301',
        '\ud800',
        '\ud801',
        'x'.repeat(9_000),
      ]) {
        const { slot, counters } = await reserve({ sessionId: session, limits: { executions: 1 } })
        assert.equal(slot.kind, 'taken')
        assert.equal(counters.attempts, 1)
      }
    })

    it('gives a slot back when a call failed or was released, and keeps it when it may have happened', async (storage) => {
      const { reserve, take, settle } = storage
      const limits = { executions: 1 }
      for (const outcome of ['failed', 'released', 'failed'] as const)
        await settle(await take(limits), outcome)
      const counters = await settle(await take(limits), 'uncertain')
      assert.deepEqual(counters, { attempts: 4, executions: 1, toolExecutions: 1 })
      assert.equal((await reserve({ limits })).slot.kind, 'exhausted')
    })

    it('admits exactly as many of 200 calls that arrive at once as the limit says', async ({
      reserve,
      isAtomic,
    }) => {
      const answers = await Promise.all(
        Array.from({ length: 200 }, async (_, index) =>
          reserve({
            limits: { executions: 50, toolExecutions: 30 },
            toolName: index % 4 === 0 ? 'read' : 'deploy',
          }),
        ),
      )
      const taken = answers.filter(({ slot }) => slot.kind === 'taken').length
      assert.ok(taken <= 50, `${taken} of 50`)
      if (isAtomic) assert.equal(taken, 50)
    })

    it('never exceeds a limit while calls come, fail and go', async ({
      take,
      settle,
      sessionId,
      backend,
    }) => {
      let running = 0
      let most = 0
      let executed = 0
      const worker = async (_: unknown, index: number) => {
        for (let call = 0; call < 10; call++) {
          const slotId = await take({ executions: 20 }).catch(() => undefined)
          if (slotId === undefined) continue
          most = Math.max(most, ++running + executed)
          await Promise.resolve()
          running--
          if ((index + call) % 3 === 0) executed++
          await settle(slotId, (index + call) % 3 === 0 ? 'executed' : 'failed')
        }
      }
      await Promise.all(Array.from({ length: 20 }, worker))
      assert.ok(most <= 20, `${most} of 20`)
      assert.equal(await new Session(sessionId, backend).executionCount(), executed)
    })

    it('stops a call whose counters are no numbers', async ({
      backend,
      sessionId,
      reserve,
      take,
      settle,
    }) => {
      const keys = sessionKeys(sessionId, toolName)
      for (const key of [keys.attempts, keys.executions, keys.toolExecutions]) {
        const slotId = await take()
        await backend.set(key, 'many')
        await assert.rejects(reserve(), /not a number/)
        await assert.rejects(settle(slotId, 'executed'), /not a number/)
        assert.equal(await backend.get(key), 'many')
        await backend.delete(key)
      }
    })

    if (offers.includes('atomic-steps')) {
      it('frees a slot when its lease is over, and not before', async ({ reserve, pass }) => {
        const limits = { executions: 1, toolExecutions: 1 }
        assert.equal((await reserve({ limits, leaseSeconds: 1.5 })).slot.kind, 'taken')
        assert.equal((await reserve({ limits, leaseSeconds: 60 })).slot.kind, 'exhausted')
        await pass(1.6)
        const { slot, counters } = await reserve({ limits, leaseSeconds: 60 })
        assert.equal(slot.kind, 'taken')
        assert.deepEqual(counters, { attempts: 3, executions: 0, toolExecutions: 0 })
        await pass(0.5)
        assert.equal((await reserve({ limits })).slot.kind, 'exhausted')
      })

      it('counts what is settled after its lease, so that the limit holds from then on', async (storage) => {
        const { reserve, take, settle, pass } = storage
        const late = await take({ executions: 2 }, 0.2)
        await pass(0.3)
        const inTime = await take({ executions: 2 })
        assert.deepEqual(await settle(late, 'executed'), { attempts: 2, executions: 1, toolExecutions: 1 })
        assert.equal((await reserve({ limits: { executions: 2 } })).slot.kind, 'exhausted')
        assert.deepEqual(await settle(inTime, 'executed'), { attempts: 3, executions: 2, toolExecutions: 2 })
      })

      it('takes nothing from another call when a slot is given back after its lease', async (storage) => {
        const { reserve, take, settle, pass } = storage
        const late = await take({ executions: 1 }, 0.2)
        await pass(0.3)
        await take({ executions: 1 })
        await settle(late, 'released')
        assert.equal((await reserve({ limits: { executions: 1 } })).slot.kind, 'exhausted')
      })
    }

    if (offers.includes('shared')) {
      it('shares counters and slots with others at once', async ({ backend, other, sessionId }) => {
        assert.notEqual(other, backend)
        const request = requestOf(sessionId, { limits: { executions: 1 } })
        const [mine, theirs] = await Promise.all([
          openSessionStore(backend).reserve(request),
          openSessionStore(other).reserve(request),
        ])
        assert.deepEqual([mine.slot.kind, theirs.slot.kind].toSorted(), ['exhausted', 'taken'])
        assert.equal(await other.get(`s:${sessionId}:attempts`), '2')
      })
    }

    if (offers.includes('outage')) {
      it('rejects while it is away, lets no call run, and keeps its counters', async (storage) => {
        const { backend, sessionId, outage } = storage
        assert.ok(outage !== undefined, 'the storage cannot be taken away')
        const guard = new Edictum({ backend, limits: { maxToolCalls: 3 } })
        const ran: number[] = []
        const call = async (id: number) => guard.run(toolName, {}, () => ran.push(id), { sessionId })
        await call(1)
        await outage.begin()
        try {
          const started = performance.now()
          const ends = await Promise.allSettled([call(2), call(3), call(4), call(5)])
          for (const end of ends) {
            assert.ok(end.status === 'rejected' && end.reason instanceof EdictumDenied)
            assert.equal(end.reason.decisionSource, 'storage_error')
          }
          assert.ok(performance.now() - started < 10_000, 'waited for too long')
          await assert.rejects(withinSeconds(5, backend.get(`s:${sessionId}:execs`)))
          await assert.rejects(withinSeconds(5, backend.increment(`s:${sessionId}:execs`)))
        } finally {
          await outage.end()
        }
        await untilItAnswers(backend)
        assert.equal(await backend.get(`s:${sessionId}:execs`), '1')
        for (const id of [6, 7]) await untilItRuns(() => call(id))
        await assert.rejects(call(8), EdictumDenied)
        assert.deepEqual(ran, [1, 6, 7])
      })
    }
  })
}

type Wish = Partial<ReservationRequest>

interface Prepared {
  readonly backend: StorageBackend
  readonly other: StorageBackend
  readonly sessionId: string
  readonly isAtomic: boolean
  readonly outage: OpenedStorage['outage']
  readonly reserve: (
    wish?: Wish,
  ) => Promise<Awaited<ReturnType<ReturnType<typeof openSessionStore>['reserve']>>>
  /** Takes a slot and answers with its id; rejects when there is none. */
  readonly take: (limits?: SessionLimitValues, leaseSeconds?: number) => Promise<string>
  readonly settle: (
    slotId: string,
    outcome: Settlement['outcome'],
  ) => Promise<Awaited<ReturnType<ReturnType<typeof openSessionStore>['settle']>>>
  readonly pass: (seconds: number) => Promise<void>
}

function prepare(opened: OpenedStorage, sessionId: string): Prepared {
  const { backend, other = backend, outage } = opened
  const store = openSessionStore(backend)
  const reserve: Prepared['reserve'] = async (wish = {}) => store.reserve(requestOf(sessionId, wish))
  return {
    backend,
    other,
    sessionId,
    outage,
    isAtomic: atomicStepsOf(backend) !== undefined,
    reserve,
    take: async (limits = {}, leaseSeconds = 60) => {
      const { slot } = await reserve({ limits, leaseSeconds })
      if (slot.kind !== 'taken') throw new Error(`no slot: ${slot.kind}`)
      return slot.id
    },
    settle: async (slotId, outcome) => store.settle({ sessionId, toolName, slotId, outcome }),
    pass: async (seconds) => {
      assert.ok(opened.passSeconds !== undefined, 'the storage has no way to let time go by')
      await opened.passSeconds(seconds)
    },
  }
}

/** A session in the wish is one beside the test's own. */
function requestOf(sessionId: string, wish: Wish): ReservationRequest {
  return {
    toolName,
    attempt: 'count',
    slot: 'take',
    limits: {},
    leaseSeconds: 60,
    ...wish,
    sessionId: wish.sessionId === undefined ? sessionId : `${sessionId}-${wish.sessionId}`,
  }
}

async function withinSeconds(seconds: number, answer: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1_000)
  })
  await Promise.race([answer, tooLate]).finally(() => clearTimeout(timer))
}

/**
 * A reservation that was lost with the storage may hold a place for a moment, until whoever asked for it has said that nobody
 * needs it: calls are refused then, never let through.
 */
async function untilItRuns(call: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + 15_000
  for (;;) {
    try {
      await call()
      return
    } catch (error) {
      if (!(error instanceof EdictumDenied) || performance.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Clients take a moment to notice that a server is back. */
async function untilItAnswers(backend: StorageBackend): Promise<void> {
  const deadline = performance.now() + 20_000
  for (;;) {
    try {
      await backend.get('s:suite:ready')
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
