// One contract ready to run: its condition as a closure, its message as a template, its passing record made once.
import { messageOf } from '../internal/message-of.js'
import type {
  Mode,
  PostContract,
  PreContract,
  SandboxContract,
  SessionContract,
} from '../contracts/bundle.js'
import { compileCondition, type Test } from './conditions/condition.js'
import type { PolicyError } from './conditions/operators.js'
import type { Scene } from './conditions/scene.js'
import { compileMessage, type MessageContext, type MessageTemplate } from './message.js'
import { compileSandbox } from './sandbox/sandbox.js'

interface Compiled<Source> {
  readonly contract: Source
  /** Position in the bundle; contracts are judged in this order. */
  readonly order: number
  readonly mode: Mode
  readonly message: MessageTemplate
}

/** A contract that is judged against a scene: everything but session contracts. */
export interface JudgedContract<
  Source = PreContract | PostContract | SandboxContract,
> extends Compiled<Source> {
  readonly judge: Test
}

export type CompiledSession = Compiled<SessionContract>

/** What a contract of each type is called in results and records. */
export const contractTypeNames = { pre: 'precondition', post: 'postcondition', sandbox: 'sandbox' } as const

/** Why a contract fired. */
export type Firing = { readonly kind: 'matched' } | PolicyError

const matched: Firing = Object.freeze({ kind: 'matched' })

export interface CompileContext extends MessageContext {
  readonly defaultMode: Mode
}

export function compileJudged<Source extends PreContract | PostContract | SandboxContract>(
  contract: Source,
  order: number,
  context: CompileContext,
): JudgedContract<Source> {
  const judge =
    contract.type === 'sandbox'
      ? compileSandbox(contract)
      : compileCondition(contract.when, context.extensions)
  const message = contract.type === 'sandbox' ? contract.message : contract.then.message
  return {
    contract,
    order,
    mode: contract.mode ?? context.defaultMode,
    message: compileMessage(message, context),
    judge,
  }
}

export function compileSession(
  contract: SessionContract,
  order: number,
  context: CompileContext,
): CompiledSession {
  return {
    contract,
    order,
    mode: contract.mode ?? context.defaultMode,
    message: compileMessage(contract.then.message, context),
  }
}

/** Undefined when the contract does not fire. Nothing thrown by foreign code escapes: it fires as a policy error. */
export function fire(contract: JudgedContract, scene: Scene): Firing | undefined {
  try {
    const truth = contract.judge(scene)
    if (truth === false) return undefined
    return truth === true ? matched : truth
  } catch (error) {
    return { kind: 'policy-error', detail: messageOf(error) }
  }
}
