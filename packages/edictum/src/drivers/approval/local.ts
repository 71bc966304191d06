// Approvals asked on the terminal of the process, one at a time. A terminal is a person only while somebody can both
// read the question and type the answer; otherwise the call is denied at once.
import { messageOf } from '../../internal/message-of.js'
import type { ApprovalBackend, ApprovalDecision, ApprovalTerms } from '../../guard/ports/approval-backend.js'
import { RedactionPolicy } from '../../policy/redaction/redaction-policy.js'
import { askLine, type Answer, type Terminal, type TerminalInput, type TerminalOutput } from './ask-line.js'
import { describeRequest } from './describe-request.js'
import { MemoryApprovalBackend, type PendingApproval } from './memory.js'
import { queueOf } from './question-queue.js'

export interface LocalApprovalOptions {
  /** Whatever is read here counts as a person's answer. @default process.stdin, if it is a terminal */
  readonly input?: TerminalInput
  /** @default process.stdout, or process.stderr if only that is a terminal */
  readonly output?: TerminalOutput
  /** What of the arguments may be shown. */
  readonly redaction?: RedactionPolicy
}

interface Question {
  readonly request: PendingApproval
  readonly deadline: number
  readonly withdrawn: AbortSignal
}

const prompt = 'Approve this call? [y/N] '
const consents = new Set(['y', 'yes', 'approve'])

/** Nothing else should read the same input while a question is open. */
export class LocalApprovalBackend implements ApprovalBackend {
  readonly #requests = new MemoryApprovalBackend()
  readonly #options: LocalApprovalOptions
  readonly #redaction: RedactionPolicy

  constructor(options: LocalApprovalOptions = {}) {
    this.#options = options
    this.#redaction = options.redaction ?? new RedactionPolicy()
  }

  // oxlint-disable-next-line max-params -- the port has four
  async requestApproval(
    toolName: string,
    toolArgs: Readonly<Record<string, unknown>>,
    message: string,
    terms: ApprovalTerms,
  ): Promise<PendingApproval> {
    return this.#requests.requestApproval(toolName, toolArgs, message, terms)
  }

  async waitForDecision(
    approvalId: string,
    timeoutSeconds?: number,
    signal?: AbortSignal,
  ): Promise<ApprovalDecision> {
    const terminal = this.#findTerminal()
    const request = this.#requests.find(approvalId)
    const decision = this.#requests.waitForDecision(approvalId, timeoutSeconds, signal)
    if (request === undefined) return decision
    if (terminal === undefined) {
      this.#settle(request, { kind: 'closed', why: 'there is no terminal' })
      return decision
    }
    const withdrawal = new AbortController()
    const deadline = Date.now() + (timeoutSeconds ?? request.timeout) * 1_000
    const queue = queueOf(terminal.input)
    const ask = async (): Promise<void> =>
      this.#ask(terminal, { request, deadline, withdrawn: withdrawal.signal })
    queue.add(ask)
    try {
      const made = await decision
      if (made.status === 'timeout') {
        withdrawal.abort(`no answer in time, the call is ${made.approved ? 'allowed' : 'denied'}`)
      }
      return made
    } finally {
      queue.remove(ask)
      withdrawal.abort('the call was cancelled')
    }
  }

  /** Never rejects: a question that cannot be asked is answered with no. */
  async #ask(terminal: Terminal, { request, deadline, withdrawn }: Question): Promise<void> {
    try {
      const { output } = terminal
      const description = describeRequest(request, {
        redaction: this.#redaction,
        columns: output.columns || 80,
        secondsLeft: Math.max(Math.ceil((deadline - Date.now()) / 1_000), 0),
      })
      const answer = await askLine(terminal, { description, prompt }, withdrawn)
      if (answer.kind === 'withdrawn') return
      const ending = this.#settle(request, answer)
      if (!output.destroyed && !output.writableEnded) output.write(`${ending}\n`)
    } catch (error) {
      this.#settle(request, { kind: 'closed', why: messageOf(error) })
    }
  }

  /** Returns what to tell the person. */
  #settle({ approvalId }: PendingApproval, answer: Exclude<Answer, { kind: 'withdrawn' }>): string {
    const isOpen = this.#requests.find(approvalId) !== undefined
    if (!isOpen) return 'Too late: the call was cancelled'
    if (answer.kind === 'closed') {
      this.#requests.deny(approvalId, { reason: `nobody could be asked: ${answer.why}` })
      return `\nDenied: ${answer.why}`
    }
    if (consents.has(answer.text.trim().toLowerCase())) {
      this.#requests.approve(approvalId, { approver: 'local' })
      return 'Approved'
    }
    this.#requests.deny(approvalId, { approver: 'local' })
    return 'Denied'
  }

  /** Text from a pipe is not a person: without streams of its own this backend asks on terminals only. */
  #findTerminal(): Terminal | undefined {
    const input = this.#options.input ?? (process.stdin.isTTY ? process.stdin : undefined)
    const output = this.#options.output ?? [process.stdout, process.stderr].find((stream) => stream.isTTY)
    return input === undefined || output === undefined ? undefined : { input, output }
  }
}
