// Consent asked for on the console. The request is bound to the hash of the exact arguments; an answer counts only if it is
// about that hash, in time, and clear. Whoever stops waiting withdraws the question, so that nobody decides about nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  ApprovalBackend,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalTerms,
} from '../guard/ports/approval-backend.js'
import { toPlainData } from '../guard/ports/plain-data.js'
import { messageOf } from '../internal/message-of.js'
import { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import { Backoff } from './backoff.js'
import { isIdentifier } from './identifier.js'
import { problemReporter, type ReportProblem } from './problem.js'
import { type Approval, type ApprovalCreate, approvalStatuses } from './protocol/approvals.js'
import { newRequestKey } from './request-key.js'
import type { EdictumServerClient, Repetition } from './server-client.js'
import { EdictumServerError, isPassing } from './server-error.js'

export interface ServerApprovalOptions {
  /** What people at the console see goes through it first. @default the default policy */
  readonly redaction?: RedactionPolicy
  /** @default a warning of the process */
  readonly onProblem?: ReportProblem
}

interface OpenRequest {
  /** Takes back a question whose asker never came to wait: it was given up while it was being asked. */
  readonly abandoned: NodeJS.Timeout
  readonly argsHash: string
  readonly timeoutEffect: ApprovalTerms['timeoutEffect']
}

const harmless: Repetition = { kind: 'harmless' }
const longestMessage = 4_096
const mostValues = 100_000
const mostOpen = 10_000
const abandonedMs = 30_000
/** The server holds a question open no longer than this. */
const longestPollSeconds = 25
/** On top of what the server was asked to wait. */
const answerMs = 5_000
/** A last look when time is up; the guard grants one second of grace in all. */
const lastLookMs = 500

export class ServerApprovalBackend implements ApprovalBackend {
  readonly #client: EdictumServerClient
  readonly #redaction: RedactionPolicy
  readonly #report: ReportProblem
  readonly #open = new Map<string, OpenRequest>()

  constructor(client: EdictumServerClient, options: ServerApprovalOptions = {}) {
    this.#client = client
    this.#redaction = options.redaction ?? new RedactionPolicy()
    this.#report = problemReporter(options.onProblem)
  }

  // oxlint-disable-next-line max-params -- the port has four
  async requestApproval(
    toolName: string,
    toolArgs: Readonly<Record<string, unknown>>,
    message: string,
    terms: ApprovalTerms,
  ): Promise<ApprovalRequest> {
    const { signal } = terms
    signal?.throwIfAborted()
    if (this.#open.size >= mostOpen) throw new Error(`${mostOpen} approvals are pending already`)
    const body = this.#describe(toolName, toolArgs, { message, terms })
    const idempotencyKey = newRequestKey()
    let approval: Approval
    try {
      approval = this.#read(await this.#create(body, idempotencyKey, signal), terms.argsHash)
    } catch (error) {
      // It may have arrived all the same.
      if (signal?.aborted === true || isPassing(error)) this.#withdraw(body, idempotencyKey)
      throw error
    }
    const { argsHash, timeoutEffect } = terms
    const abandoned = setTimeout(() => {
      this.#open.delete(approval.id)
      this.#cancel(approval.id)
    }, abandonedMs)
    abandoned.unref()
    this.#open.set(approval.id, { abandoned, argsHash, timeoutEffect })
    return { approvalId: approval.id }
  }

  /** Works once for each request. Rejects when the server does not say clearly what was decided. */
  async waitForDecision(
    approvalId: string,
    timeoutSeconds: number,
    signal?: AbortSignal,
  ): Promise<ApprovalDecision> {
    const request = this.#open.get(approvalId)
    if (request === undefined) throw new Error('this approval was not asked for here, or was answered')
    this.#open.delete(approvalId)
    clearTimeout(request.abandoned)
    try {
      const approval = await this.#poll(approvalId, request, { timeoutSeconds, signal })
      if (approval.status !== 'pending') return decisionOf(approval, request)
      this.#cancel(approvalId)
      return { approved: request.timeoutEffect === 'allow', status: 'timeout' }
    } catch (error) {
      this.#cancel(approvalId)
      throw error
    }
  }

  /** The approval as it is when it is decided, or when time is up. */
  async #poll(
    approvalId: string,
    { argsHash }: OpenRequest,
    patience: { readonly timeoutSeconds: number; readonly signal: AbortSignal | undefined },
  ): Promise<Approval> {
    const { signal } = patience
    const endsAt = performance.now() + patience.timeoutSeconds * 1_000
    const backoff = new Backoff({ firstMs: 200, longestMs: 5_000 })
    const look = async (waitSeconds: number, timeoutMs: number): Promise<Approval> =>
      this.#read(await this.#look(approvalId, { waitSeconds, timeoutMs, signal }), argsHash)
    for (let leftMs = endsAt - performance.now(); leftMs > 0; leftMs = endsAt - performance.now()) {
      const waitSeconds = Math.min(longestPollSeconds, leftMs / 1_000)
      // No answer may come so late that there is no time for a last look.
      const timeoutMs = Math.min(waitSeconds * 1_000 + answerMs, leftMs + lastLookMs / 2)
      try {
        const approval = await look(waitSeconds, timeoutMs)
        if (approval.status !== 'pending') return approval
        backoff.reset()
      } catch (error) {
        if (!isPassing(error)) throw error
        const pauseMs = Math.max(backoff.nextMs(), (error.retryAfterSeconds ?? 0) * 1_000)
        const restMs = Math.max(0, Math.min(pauseMs, endsAt - performance.now()))
        await sleep(restMs, undefined, signal === undefined ? {} : { signal }).catch(() =>
          signal?.throwIfAborted(),
        )
      }
    }
    // Time is up. A server that cannot be asked now may know of a refusal: then nothing is clear, and this rejects.
    return look(0, lastLookMs)
  }

  #look(
    approvalId: string,
    options: {
      readonly waitSeconds: number
      readonly timeoutMs: number
      readonly signal: AbortSignal | undefined
    },
  ): Promise<Approval> {
    const { waitSeconds, timeoutMs, signal } = options
    return this.#client.send<Approval>({
      method: 'GET',
      path: `/approvals/${approvalId}?wait=${Math.max(0, waitSeconds).toFixed(3)}`,
      repetition: { kind: 'never' },
      timeoutMs,
      signal,
    })
  }

  #create(body: ApprovalCreate, idempotencyKey: string, signal?: AbortSignal): Promise<Approval> {
    return this.#client.send<Approval>({
      method: 'POST',
      path: '/approvals',
      body,
      repetition: { kind: 'recognised', idempotencyKey },
      signal,
    })
  }

  /** Asks again under the same key, which tells the id, and takes it back. */
  #withdraw(body: ApprovalCreate, idempotencyKey: string): void {
    this.#create(body, idempotencyKey).then(
      ({ id }) => {
        if (isIdentifier(id)) this.#cancel(id)
      },
      () => undefined,
    )
  }

  /** Nobody waits for it: what fails here costs people at the console a question that leads nowhere. */
  #cancel(approvalId: string): void {
    this.#client
      .send({ method: 'POST', path: `/approvals/${approvalId}/cancel`, repetition: harmless })
      .catch((error: unknown) => {
        if (error instanceof EdictumServerError && error.code === 'approval-not-pending') return
        this.#report({
          part: 'approvals',
          message: `an approval nobody waits for stays on the console: ${messageOf(error)}`,
        })
      })
  }

  #describe(
    toolName: string,
    toolArgs: Readonly<Record<string, unknown>>,
    { message, terms }: { readonly message: string; readonly terms: ApprovalTerms },
  ): ApprovalCreate {
    const mask = (value: unknown): Readonly<Record<string, unknown>> =>
      (toPlainData(this.#redaction.redactArgs(value), mostValues) ?? {}) as Readonly<Record<string, unknown>>
    return {
      tool_name: toolName,
      tool_args: mask(toolArgs),
      message: readable(String(this.#redaction.redactArgs(message))).slice(0, longestMessage),
      timeout: terms.timeout,
      timeout_effect: terms.timeoutEffect,
      args_hash: terms.argsHash,
      principal: terms.principal === null ? null : mask(terms.principal),
      metadata: mask(terms.metadata),
      session_id: terms.sessionId,
    }
  }

  #read(approval: Approval, argsHash: string): Approval {
    if (!isIdentifier(approval.id) || !approvalStatuses.includes(approval.status))
      throw unclear('the server answered something that is not an approval')
    if (approval.args_hash !== argsHash) throw unclear('the approval is about other arguments')
    return approval
  }
}

/** Only a plain yes is a yes. */
function decisionOf(approval: Approval, { timeoutEffect }: OpenRequest): ApprovalDecision {
  const note = {
    approver: typeof approval.decided_by === 'string' ? approval.decided_by : null,
    reason: typeof approval.decision_reason === 'string' ? approval.decision_reason : null,
  }
  switch (approval.status) {
    case 'approved':
      return { approved: true, status: 'approved', ...note }
    case 'denied':
      return { approved: false, status: 'denied', ...note }
    case 'timeout':
      return { approved: timeoutEffect === 'allow', status: 'timeout', ...note }
    case 'cancelled':
      return {
        approved: false,
        status: 'denied',
        ...note,
        reason: note.reason ?? 'The request was cancelled.',
      }
    case 'pending':
      throw unclear('the approval is still pending')
    default:
      return approval.status satisfies never
  }
}

function unclear(message: string): EdictumServerError {
  return new EdictumServerError(message, { code: 'unclear-answer' })
}

// oxlint-disable-next-line no-control-regex -- control characters are what this finds
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** Lines and tabs stay; nothing else may move a cursor. */
function readable(text: string): string {
  return text.replace(control, '\ufffd')
}
