// Where session counters live. Four plain methods are enough; a backend that can take an execution slot and settle it in
// one atomic step each adds `reserve` and `settle`, and then limits hold over any number of processes. A backend in the
// same process may answer those two at once instead of with a promise.

export interface StorageBackend {
  /** Null only for "does not exist". A failure must reject: a backend never answers "nothing" when it cannot know. */
  get(key: string): Promise<string | null>
  set(key: string, value: string): Promise<void>
  delete(key: string): Promise<void>
  /** Atomic; creates the counter at 0; returns the new value. */
  increment(key: string, amount?: number): Promise<number>
  /** One round trip for many keys. */
  batchGet?(keys: readonly string[]): Promise<Readonly<Record<string, string | null>>>
  /** Counts an attempt and takes an execution slot if the limits leave room, as one atomic step. */
  reserve?(request: ReservationRequest): Promise<Reservation> | Reservation
  /** Ends a reservation: turns it into an execution, or gives it back, as one atomic step. */
  settle?(settlement: Settlement): Promise<SessionCounters> | SessionCounters
}

/** The two atomic steps together. */
export type AtomicSteps = Required<Pick<StorageBackend, 'reserve' | 'settle'>>

/**
 * Steps of a backend in this process, tied to the object itself rather than to its methods: a wrapper around such a
 * backend that logs, delays or fails is asked through the four methods, so that nothing goes around it.
 */
const stepsInProcess = new WeakMap<StorageBackend, AtomicSteps>()

export function provideAtomicSteps(backend: StorageBackend, steps: AtomicSteps): void {
  stepsInProcess.set(backend, steps)
}

/** Undefined when the backend has only the four methods. */
export function atomicStepsOf(backend: StorageBackend): AtomicSteps | undefined {
  const inProcess = stepsInProcess.get(backend)
  if (inProcess !== undefined) return inProcess
  const { reserve, settle } = backend
  if (reserve === undefined || settle === undefined) return undefined
  return { reserve: reserve.bind(backend), settle: settle.bind(backend) }
}

export interface SessionCounters {
  /** Calls evaluated, denied ones included. */
  readonly attempts: number
  /** Successful executions. */
  readonly executions: number
  /** Successful executions of the tool in question. */
  readonly toolExecutions: number
}

export interface SessionLimitValues {
  /** Absent: unlimited. */
  readonly attempts?: number
  readonly executions?: number
  readonly toolExecutions?: number
}

export interface ReservationRequest {
  readonly sessionId: string
  readonly toolName: string
  /** Whether this step also counts the attempt; a call is counted once, however often it asks for a slot. */
  readonly attempt: 'count' | 'counted'
  /** Whether an execution slot is wanted. */
  readonly slot: 'take' | 'leave'
  readonly limits: SessionLimitValues
  /** A slot that is not settled within this time is free again: its process is gone. */
  readonly leaseSeconds: number
}

export interface Reservation {
  /** Attempts include this call; executions include slots held by other calls. */
  readonly counters: SessionCounters
  readonly slot: Slot
}

export type Slot =
  { readonly kind: 'taken'; readonly id: string } | { readonly kind: 'exhausted' } | { readonly kind: 'left' }

export interface Settlement {
  readonly sessionId: string
  readonly toolName: string
  /** The slot's id as `reserve` returned it. */
  readonly slotId: string
  /**
   * `executed` counts; `failed` gives the slot back and counts a consecutive failure; `uncertain` counts as both, because
   * nobody knows whether the tool did its work; `released` only gives the slot back.
   */
  readonly outcome: 'executed' | 'failed' | 'uncertain' | 'released'
}

export interface SessionKeys {
  readonly attempts: string
  readonly executions: string
  readonly toolExecutions: string
  readonly consecutiveFailures: string
}

/** Keys are asked for several times per call; the same texts serve, so that they are built and hashed once. */
const knownKeys = new Map<string, Map<string, SessionKeys>>()
const keptSessions = 1_000
const keptTools = 200

/** The keys of a session's counters, fixed so that any backend and any process read the same ones. */
export function sessionKeys(sessionId: string, toolName: string): SessionKeys {
  const ofSession = knownKeys.get(sessionId)
  const known = ofSession?.get(toolName)
  if (known !== undefined) return known
  const keys = Object.freeze({
    attempts: `s:${sessionId}:attempts`,
    executions: `s:${sessionId}:execs`,
    toolExecutions: `s:${sessionId}:tool:${toolName}`,
    consecutiveFailures: `s:${sessionId}:consec_fail`,
  })
  if (ofSession !== undefined && ofSession.size < keptTools) {
    ofSession.set(toolName, keys)
  } else {
    if (knownKeys.size >= keptSessions) knownKeys.clear()
    knownKeys.set(sessionId, new Map([[toolName, keys]]))
  }
  return keys
}
