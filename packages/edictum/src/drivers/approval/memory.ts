// Approvals kept in the process: an application shows them in its own interface and decides there. Every request ends
// exactly once: decided, timed out or cancelled.
import { randomUUID } from 'node:crypto'
import type {
  ApprovalBackend,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalStatus,
  ApprovalTerms,
} from '../../guard/ports/approval-backend.js'
import { ApprovalError } from './approval-error.js'

export interface PendingApproval extends ApprovalRequest, Omit<ApprovalTerms, 'signal'> {
  readonly toolName: string
  /** As the tool will get them, secrets included: redact before showing them. */
  readonly toolArgs: Readonly<Record<string, unknown>>
  readonly message: string
  readonly createdAt: Date
}

export interface DecisionNote {
  readonly approver?: string
  readonly reason?: string
}

export interface MemoryApprovalOptions {
  /** Told of every request as it is filed. If it fails, so does the wait for the decision: nobody was told. */
  readonly onRequest?: (request: PendingApproval) => Promise<void> | void
}

type Ending =
  | { readonly kind: 'decided'; readonly decision: ApprovalDecision }
  | { readonly kind: 'failed'; readonly error: unknown }

interface OpenRequest {
  readonly request: PendingApproval
  readonly signal: AbortSignal | undefined
  /** Set while somebody waits. */
  finish: ((ending: Ending) => void) | undefined
  /** Lets go of the timer and of the signals. */
  release: () => void
}

const mostPending = 10_000
const longestTimerMs = 2_147_483_647

/** For tests, and for applications that ask in their own interface: `pending()`, then `approve(id)` or `deny(id)`. */
export class MemoryApprovalBackend implements ApprovalBackend {
  readonly #open = new Map<string, OpenRequest>()
  /** Endings nobody has waited for yet, oldest first. */
  readonly #kept = new Map<string, Ending>()
  readonly #onRequest: MemoryApprovalOptions['onRequest']

  constructor(options: MemoryApprovalOptions = {}) {
    this.#onRequest = options.onRequest
  }

  // oxlint-disable-next-line max-params -- the port has four
  async requestApproval(
    toolName: string,
    toolArgs: Readonly<Record<string, unknown>>,
    message: string,
    terms: ApprovalTerms,
  ): Promise<PendingApproval> {
    const { signal, ...lasting } = terms
    signal?.throwIfAborted()
    const timeoutMs = millisecondsOf(terms.timeout)
    if (this.#open.size >= mostPending) {
      throw new ApprovalError('too-many-pending', `${mostPending} approvals are pending already`)
    }
    const request = freezeRequest({
      approvalId: randomUUID(),
      toolName,
      toolArgs,
      message,
      ...lasting,
      createdAt: new Date(),
    })
    const open: OpenRequest = { request, signal, finish: undefined, release: () => {} }
    this.#open.set(request.approvalId, open)
    // A request nobody ever waits for must not stay for ever.
    this.#watch(open, timeoutMs, signal)
    this.#announce(request)
    return request
  }

  /** Resolves with the decision, also one made before; with `timeout` when time is up. Works once for each request. */
  async waitForDecision(
    approvalId: string,
    timeoutSeconds?: number,
    signal?: AbortSignal,
  ): Promise<ApprovalDecision> {
    const kept = this.#kept.get(approvalId)
    if (kept !== undefined) {
      this.#kept.delete(approvalId)
      if (kept.kind === 'decided') return kept.decision
      throw kept.error
    }
    const open = this.#open.get(approvalId)
    if (open === undefined) throw unknownApproval(approvalId)
    if (open.finish !== undefined) {
      throw new ApprovalError('already-awaited', `approval \`${approvalId}\` is being waited for already`)
    }
    const timeoutMs = millisecondsOf(timeoutSeconds ?? open.request.timeout)
    return new Promise((resolve, reject) => {
      open.finish = (ending) => {
        if (ending.kind === 'decided') resolve(ending.decision)
        else reject(ending.error)
      }
      this.#watch(open, timeoutMs, signal)
    })
  }

  /** Frozen copies, oldest first. */
  pending(): readonly PendingApproval[] {
    return Object.freeze(Array.from(this.#open.values(), ({ request }) => freezeRequest(request)))
  }

  find(approvalId: string): PendingApproval | undefined {
    const open = this.#open.get(approvalId)
    return open === undefined ? undefined : freezeRequest(open.request)
  }

  /** @throws ApprovalError when the approval is not pending (any more). */
  approve(approvalId: string, note: DecisionNote = {}): void {
    this.#decide(approvalId, makeDecision('approved', true, note))
  }

  /** @throws ApprovalError when the approval is not pending (any more). */
  deny(approvalId: string, note: DecisionNote = {}): void {
    this.#decide(approvalId, makeDecision('denied', false, note))
  }

  #decide(approvalId: string, decision: ApprovalDecision): void {
    if (this.#kept.has(approvalId)) {
      throw new ApprovalError(
        'already-decided',
        `approval \`${approvalId}\` has been decided already or has timed out`,
      )
    }
    if (!this.#open.has(approvalId)) throw unknownApproval(approvalId)
    this.#end(approvalId, { kind: 'decided', decision })
  }

  #end(approvalId: string, ending: Ending): void {
    const open = this.#take(approvalId)
    if (open === undefined) return
    if (open.finish === undefined) this.#keep(approvalId, ending)
    else open.finish(ending)
  }

  #take(approvalId: string): OpenRequest | undefined {
    const open = this.#open.get(approvalId)
    this.#open.delete(approvalId)
    open?.release()
    return open
  }

  #keep(approvalId: string, ending: Ending): void {
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= mostPending) this.#kept.delete(oldest)
    this.#kept.set(approvalId, ending)
  }

  #watch(open: OpenRequest, timeoutMs: number, signal: AbortSignal | undefined): void {
    open.release()
    const { approvalId, timeoutEffect } = open.request
    const signals = [...new Set([open.signal, signal])].filter((watched) => watched !== undefined)
    const cancel = (): void => {
      const error: unknown = signals.find((watched) => watched.aborted)?.reason
      // Not kept: whoever cancels does not come back for the ending.
      this.#take(approvalId)?.finish?.({ kind: 'failed', error })
    }
    const timer = setTimeout(() => {
      this.#end(approvalId, { kind: 'decided', decision: makeDecision('timeout', timeoutEffect === 'allow') })
    }, timeoutMs)
    timer.unref()
    for (const watched of signals) watched.addEventListener('abort', cancel, { once: true })
    open.release = () => {
      clearTimeout(timer)
      for (const watched of signals) watched.removeEventListener('abort', cancel)
    }
    if (signals.some((watched) => watched.aborted)) cancel()
  }

  /** Not awaited: a listener may well ask its user and decide before it returns. */
  #announce(request: PendingApproval): void {
    const { approvalId } = request
    const told = (async () => this.#onRequest?.(request))()
    told.catch((cause: unknown) => {
      const error = new ApprovalError(
        'listener-failed',
        `nobody could be told of approval \`${approvalId}\``,
        { cause },
      )
      this.#end(approvalId, { kind: 'failed', error })
    })
  }
}

function unknownApproval(approvalId: string): ApprovalError {
  return new ApprovalError(
    'unknown-approval',
    `approval \`${approvalId}\` is not pending: it never existed, or it was decided, cancelled or timed out`,
  )
}

function makeDecision(status: ApprovalStatus, approved: boolean, note: DecisionNote = {}): ApprovalDecision {
  return Object.freeze({ approved, status, approver: note.approver ?? null, reason: note.reason ?? null })
}

/** A delay the platform cannot keep would fire at once, and a timeout may mean consent. */
function millisecondsOf(seconds: number): number {
  if (!(seconds >= 0)) throw new RangeError(`a timeout must be a number of seconds, not ${seconds}`)
  return Math.min(seconds * 1_000, longestTimerMs)
}

function freezeRequest(request: PendingApproval): PendingApproval {
  return Object.freeze({
    ...request,
    toolArgs: copyData(request.toolArgs),
    principal: copyData(request.principal),
    metadata: copyData(request.metadata),
    createdAt: new Date(request.createdAt),
  })
}

function copyData<Data>(data: Data): Data
function copyData(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  if (Array.isArray(data)) return Object.freeze(data.map((item: unknown) => copyData(item)))
  // Dates and bytes cannot be frozen, only kept apart.
  if (data instanceof Date || ArrayBuffer.isView(data)) return structuredClone(data)
  return Object.freeze(Object.fromEntries(Object.entries(data).map(([key, field]) => [key, copyData(field)])))
}
