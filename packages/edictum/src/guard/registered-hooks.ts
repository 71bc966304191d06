// Callbacks around calls, by the tools they look at. A before-hook that throws, hangs or answers nonsense denies.
import { applies } from './applies.js'
import { messageOf } from '../internal/message-of.js'
import { warn } from '../internal/platform.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import { compileGlob, type GlobMatcher } from '../policy/tool-glob.js'
import type { HookRecord } from './ports/audit-event.js'
import { HookDecision, type HookRegistration } from './verdict.js'
import { isPromise, type Patience, waitFor } from './waiting.js'

type BeforeHook = Extract<HookRegistration, { phase: 'before' }> & { readonly matches: GlobMatcher }
type AfterHook = Extract<HookRegistration, { phase: 'after' }> & { readonly matches: GlobMatcher }

export interface HookOutcome {
  readonly records: readonly HookRecord[]
  readonly denial:
    { readonly name: string; readonly reason: string; readonly policyError: boolean } | undefined
}

export class Hooks {
  readonly #before: readonly BeforeHook[]
  readonly #after: readonly AfterHook[]

  constructor(registrations: readonly HookRegistration[]) {
    const hooks = registrations.map((hook) => ({ ...hook, matches: compileGlob(hook.tool) }))
    this.#before = hooks.filter((hook): hook is BeforeHook => hook.phase === 'before')
    this.#after = hooks.filter((hook): hook is AfterHook => hook.phase === 'after')
  }

  hasBefore(toolName: string): boolean {
    return this.#before.length > 0 && this.#before.some(({ matches }) => matches(toolName))
  }

  hasAfter(toolName: string): boolean {
    return this.#after.length > 0 && this.#after.some(({ matches }) => matches(toolName))
  }

  async runBefore(envelope: ToolEnvelope, patience: Patience): Promise<HookOutcome> {
    const records: HookRecord[] = []
    for (const hook of this.#before) {
      if (!hook.matches(envelope.toolName) || !applies(hook, envelope)) continue
      const name = nameOf(hook)
      const decision = await ask(hook, envelope, { ...patience, what: `hook ${name}` })
      records.push({ name, result: decision.result, reason: decision.reason })
      if (decision.result === 'deny') {
        return { records, denial: { name, reason: decision.reason ?? '', policyError: decision.policyError } }
      }
    }
    return { records, denial: undefined }
  }

  /** After-hooks watch; what they return or throw changes nothing. */
  async runAfter(envelope: ToolEnvelope, response: unknown, patience: Patience): Promise<void> {
    for (const hook of this.#after) {
      if (!hook.matches(envelope.toolName) || !applies(hook, envelope)) continue
      try {
        const answer = hook.callback(envelope, response)
        if (isPromise(answer)) await waitFor(answer, { ...patience, what: `hook ${nameOf(hook)}` })
      } catch (error) {
        // Nothing to undo: the call has happened.
        warn(`after-hook ${nameOf(hook)} failed: ${messageOf(error)}`)
      }
    }
  }
}

async function ask(
  hook: BeforeHook,
  envelope: ToolEnvelope,
  patience: Patience,
): Promise<{
  readonly result: 'allow' | 'deny'
  readonly reason: string | null
  readonly policyError: boolean
}> {
  try {
    const answer = hook.callback(envelope)
    const decision = isPromise(answer) ? await waitFor(answer, patience) : answer
    if (!(decision instanceof HookDecision))
      throw new TypeError('a hook must return HookDecision.allow() or HookDecision.deny(reason)')
    return { result: decision.result, reason: decision.reason, policyError: false }
  } catch (error) {
    const { reason } = HookDecision.deny(`Hook error: ${messageOf(error)}`)
    return { result: 'deny', reason, policyError: true }
  }
}

function nameOf(hook: { readonly name?: string; readonly callback: { readonly name: string } }): string {
  return hook.name ?? (hook.callback.name === '' ? 'anonymous' : hook.callback.name)
}
