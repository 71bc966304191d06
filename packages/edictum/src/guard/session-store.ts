// Takes and settles execution slots on any backend: in one atomic step where it offers one, else by counting first and
// giving back, which may refuse a call too many for a moment but never admits one.
import {
  atomicStepsOf,
  type Reservation,
  type ReservationRequest,
  type SessionCounters,
  sessionKeys,
  type Settlement,
  type StorageBackend,
} from './ports/storage-backend.js'
import type { MaybePromise } from './waiting.js'

/** How the guard takes and settles slots, whatever the backend offers. */
export interface SessionStore {
  readonly reserve: (request: ReservationRequest) => MaybePromise<Reservation>
  readonly settle: (settlement: Settlement) => MaybePromise<SessionCounters>
}

export function openSessionStore(backend: StorageBackend): SessionStore {
  return (
    atomicStepsOf(backend) ?? {
      reserve: (request) => reserveByCounting(backend, request),
      settle: (settlement) => settleByCounting(backend, settlement),
    }
  )
}

async function reserveByCounting(backend: StorageBackend, request: ReservationRequest): Promise<Reservation> {
  const { sessionId, toolName, limits } = request
  const keys = sessionKeys(sessionId, toolName)
  const attempts =
    request.attempt === 'count'
      ? countOf(await backend.increment(keys.attempts))
      : parseCount(await backend.get(keys.attempts))
  // Read first: a counter that cannot be understood must stop the call, not only one that is over its limit.
  const found = { ...(await readCounters(backend, sessionId, toolName)), attempts }
  if (request.slot === 'leave') return { counters: found, slot: { kind: 'left' } }
  const isFull =
    exceeds(attempts, limits.attempts) ||
    exceeds(found.executions + 1, limits.executions) ||
    exceeds(found.toolExecutions + 1, limits.toolExecutions)
  if (isFull) return { counters: found, slot: { kind: 'exhausted' } }
  const executions = countOf(await backend.increment(keys.executions))
  if (exceeds(executions, limits.executions)) {
    await backend.increment(keys.executions, -1)
    const toolExecutions = parseCount(await backend.get(keys.toolExecutions))
    return { counters: { attempts, executions: executions - 1, toolExecutions }, slot: { kind: 'exhausted' } }
  }
  const toolExecutions = countOf(await backend.increment(keys.toolExecutions))
  const counters = { attempts, executions: executions - 1, toolExecutions: toolExecutions - 1 }
  if (exceeds(toolExecutions, limits.toolExecutions)) {
    await backend.increment(keys.toolExecutions, -1)
    await backend.increment(keys.executions, -1)
    return { counters, slot: { kind: 'exhausted' } }
  }
  return { counters, slot: { kind: 'taken', id: '' } }
}

async function settleByCounting(backend: StorageBackend, settlement: Settlement): Promise<SessionCounters> {
  const { sessionId, toolName, outcome } = settlement
  const keys = sessionKeys(sessionId, toolName)
  if (outcome === 'executed') {
    await backend.delete(keys.consecutiveFailures)
  } else {
    await backend.increment(keys.executions, -1)
    await backend.increment(keys.toolExecutions, -1)
    if (outcome === 'failed') await backend.increment(keys.consecutiveFailures)
  }
  return readCounters(backend, sessionId, toolName)
}

async function readCounters(
  backend: StorageBackend,
  sessionId: string,
  toolName: string,
): Promise<SessionCounters> {
  const keys = sessionKeys(sessionId, toolName)
  const wanted = [keys.attempts, keys.executions, keys.toolExecutions]
  const values =
    backend.batchGet === undefined
      ? [
          await backend.get(keys.attempts),
          await backend.get(keys.executions),
          await backend.get(keys.toolExecutions),
        ]
      : await readBatch(backend.batchGet.bind(backend), wanted)
  const [attempts = 0, executions = 0, toolExecutions = 0] = values.map(parseCount)
  return { attempts, executions, toolExecutions }
}

async function readBatch(
  batchGet: NonNullable<StorageBackend['batchGet']>,
  keys: readonly string[],
): Promise<readonly (string | null)[]> {
  const values = await batchGet(keys)
  return keys.map((key) => values[key] ?? null)
}

function exceeds(count: number, limit: number | undefined): boolean {
  return limit !== undefined && count > limit
}

/** A counter that is not a number is an error: reading it as zero would switch a limit off. */
export function parseCount(stored: string | null): number {
  if (stored === null) return 0
  const count = Number(stored)
  if (typeof stored !== 'string' || stored.trim() === '' || !Number.isFinite(count)) {
    throw new TypeError(`stored counter is not a number: ${String(stored).slice(0, 40)}`)
  }
  return count
}

function countOf(value: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new TypeError('increment did not return a number')
  return value
}
