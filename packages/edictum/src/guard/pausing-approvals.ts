// Approvals by a framework that can stop a run, keep it, and go on with an answer later. The call is judged anew then, so
// nothing is remembered here: an answer carries what it was given to, and counts for exactly that.
import type { ToolEnvelope } from '../policy/envelope.js'
import { type ApprovalAnswer, type ApprovalNeed, readDecision } from './ask-approval.js'
import { hashOfCall } from './call-hash.js'
import { messageOf } from '../internal/message-of.js'

/** What a person is asked, in plain data that a framework can keep. */
export interface ApprovalQuestion {
  readonly toolName: string
  /** As the tool will get them, secrets included: redact before showing them. */
  readonly toolArgs: Readonly<Record<string, unknown>>
  readonly message: string
  /** The framework's own id of the call, the same when it goes on. */
  readonly toolUseId: string | null
  /** The contract that wants to know. */
  readonly contractId: string
  /** SHA-256 over the canonical form of tool name and arguments. */
  readonly argsHash: string
  /** ISO 8601. An answer that comes later is a timeout. */
  readonly expiresAt: string
}

/** What a run goes on with. */
export interface ApprovalReply extends Pick<
  ApprovalQuestion,
  'toolUseId' | 'contractId' | 'argsHash' | 'expiresAt'
> {
  readonly approved: boolean
  readonly approver?: string
  readonly reason?: string
}

/** How one framework pauses. */
export interface PausingApprovals {
  /** The answer that was given meanwhile, or a throw that pauses the run. */
  ask(question: ApprovalQuestion): unknown
  isPause(error: unknown): boolean
}

/** The run stops here; somebody has been asked. */
export interface Paused {
  readonly kind: 'paused'
  /** What the framework wants thrown. */
  readonly error: unknown
}

/** An answer to exactly this question, to resume the run with. */
export function answerApproval(
  { toolUseId, contractId, argsHash, expiresAt }: ApprovalQuestion,
  answer: { readonly approved: boolean; readonly approver?: string; readonly reason?: string },
): ApprovalReply {
  return Object.freeze({ toolUseId, contractId, argsHash, expiresAt, ...answer })
}

interface PauseContext {
  readonly envelope: ToolEnvelope
  readonly now: Date
  /** Called when the run is about to pause; the answer comes to another judgement of the same call. */
  readonly onRequested: () => Promise<void> | void
}

export async function askByPause(
  need: ApprovalNeed,
  { ask, isPause }: PausingApprovals,
  { envelope, now, onRequested }: PauseContext,
): Promise<ApprovalAnswer | Paused> {
  const question: ApprovalQuestion = Object.freeze({
    toolName: envelope.toolName,
    toolArgs: envelope.args,
    message: need.message,
    toolUseId: envelope.toolUseId,
    contractId: need.name,
    argsHash: hashOfCall(envelope),
    expiresAt: new Date(now.getTime() + need.timeoutSeconds * 1_000).toISOString(),
  })
  let reply: unknown
  try {
    reply = await ask(question)
  } catch (error) {
    if (!isPause(error)) return { kind: 'broken', detail: messageOf(error) }
    await onRequested()
    return { kind: 'paused', error }
  }
  return readReply(reply, need, { question, now })
}

function readReply(
  given: unknown,
  need: ApprovalNeed,
  { question, now }: { readonly question: ApprovalQuestion; readonly now: Date },
): ApprovalAnswer {
  const reply = (typeof given === 'object' && given !== null ? given : {}) as Partial<ApprovalReply>
  const { approved, approver = null, reason = null } = reply
  const isForThis = (['toolUseId', 'contractId', 'argsHash'] as const).every(
    (part) => reply[part] === question[part],
  )
  if (!isForThis) return { kind: 'denied', reason: 'The answer was given to another question.' }
  const end = Date.parse(String(reply.expiresAt))
  // A date nobody can read has passed.
  const isLate = !(now.getTime() <= end)
  const status = isLate ? 'timeout' : approved === true ? 'approved' : 'denied'
  return readDecision({ approved: approved === true, status, approver, reason }, need)
}
