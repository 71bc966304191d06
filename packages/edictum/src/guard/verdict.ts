// Contracts and hooks written in code, beside those of the bundle.
import type { Mode, TimeoutEffect } from '../contracts/bundle.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import { cut } from '../policy/redaction/redaction-policy.js'
import type { Session } from './session.js'

const longestMessage = 500

/** What a contract written in code says about a call. */
export class Verdict {
  readonly passed: boolean
  readonly message: string | null
  readonly metadata: Readonly<Record<string, unknown>>

  private constructor(passed: boolean, message: string | null, metadata: Readonly<Record<string, unknown>>) {
    this.passed = passed
    this.message = message
    this.metadata = Object.freeze({ ...metadata })
    Object.freeze(this)
  }

  static pass(): Verdict {
    return passing
  }

  static fail(message: string, metadata: Readonly<Record<string, unknown>> = {}): Verdict {
    return new Verdict(false, cut(String(message), longestMessage), metadata)
  }

  /** @internal */
  static makePassing(): Verdict {
    return new Verdict(true, null, {})
  }
}

const passing = Verdict.makePassing()

type Answer<Value> = Value | Promise<Value>

interface CodeContractFields {
  readonly name: string
  readonly tool: string
  readonly when: ((envelope: ToolEnvelope) => boolean) | undefined
  readonly mode: Mode
}

export interface CodePrecondition extends CodeContractFields {
  readonly kind: 'precondition'
  readonly check: (envelope: ToolEnvelope) => Answer<Verdict>
  readonly effect: 'deny' | 'approve'
  readonly timeoutSeconds: number
  readonly timeoutEffect: TimeoutEffect
}

export interface CodePostcondition extends CodeContractFields {
  readonly kind: 'postcondition'
  readonly check: (envelope: ToolEnvelope, response: unknown) => Answer<Verdict>
  readonly effect: 'warn' | 'deny'
}

export interface CodeSessionContract extends CodeContractFields {
  readonly kind: 'session_contract'
  readonly check: (session: Session) => Answer<Verdict>
}

export type CodeContract = CodePrecondition | CodePostcondition | CodeSessionContract

export interface CodeContractOptions {
  /** @default the function's name */
  readonly name?: string
  /** Whether the contract applies at all. A throw means it does. */
  readonly when?: (envelope: ToolEnvelope) => boolean
  /** @default 'enforce' */
  readonly mode?: Mode
}

export interface PreconditionOptions extends CodeContractOptions {
  /** @default 'deny' */
  readonly effect?: 'deny' | 'approve'
  /** Seconds to wait for an approval. @default 300 */
  readonly timeout?: number
  /** @default 'deny' */
  readonly timeoutEffect?: TimeoutEffect
}

/** A check before the call, for tools whose name matches the glob. */
export function precondition(
  tool: string,
  check: (envelope: ToolEnvelope) => Answer<Verdict>,
  options: PreconditionOptions = {},
): CodePrecondition {
  return {
    kind: 'precondition',
    tool,
    check,
    ...fields(check, options),
    effect: options.effect ?? 'deny',
    timeoutSeconds: options.timeout ?? 300,
    timeoutEffect: options.timeoutEffect ?? 'deny',
  }
}

/** A check of what a tool returned. */
export function postcondition(
  tool: string,
  check: (envelope: ToolEnvelope, response: unknown) => Answer<Verdict>,
  options: CodeContractOptions & { readonly effect?: 'warn' | 'deny' } = {},
): CodePostcondition {
  return { kind: 'postcondition', tool, check, ...fields(check, options), effect: options.effect ?? 'warn' }
}

/** A check of what the session has done so far. */
export function sessionContract(
  check: (session: Session) => Answer<Verdict>,
  options: CodeContractOptions = {},
): CodeSessionContract {
  return { kind: 'session_contract', tool: '*', check, ...fields(check, options) }
}

function fields(check: { readonly name: string }, { name, when, mode }: CodeContractOptions) {
  if (typeof check !== 'function')
    throw EdictumConfigError.of('invalid-option', 'a contract needs a function')
  return {
    name: name ?? (check.name === '' ? 'anonymous' : check.name),
    when,
    mode: mode ?? 'enforce',
  } as const
}

export class HookDecision {
  readonly result: 'allow' | 'deny'
  readonly reason: string | null

  private constructor(result: 'allow' | 'deny', reason: string | null) {
    this.result = result
    this.reason = reason
    Object.freeze(this)
  }

  static allow(): HookDecision {
    return new HookDecision('allow', null)
  }

  static deny(reason: string): HookDecision {
    return new HookDecision('deny', cut(String(reason), longestMessage))
  }
}

/** Called around every call of the tools its glob matches. */
export type HookRegistration =
  | {
      readonly phase: 'before'
      readonly tool: string
      readonly callback: (envelope: ToolEnvelope) => Answer<HookDecision>
      readonly when?: (envelope: ToolEnvelope) => boolean
      readonly name?: string
    }
  | {
      readonly phase: 'after'
      readonly tool: string
      readonly callback: (envelope: ToolEnvelope, response: unknown) => unknown
      readonly when?: (envelope: ToolEnvelope) => boolean
      readonly name?: string
    }
