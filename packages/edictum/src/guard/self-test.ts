// Whether a wiring really stops calls: a guard that refuses everything, and a tool that tells when it ran after all.
import type { CallGuard } from './passage.js'
import { frozenEnvelope } from './envelope.js'

export interface SelfTest {
  readonly ok: boolean
  /** For people: what was tried and what came of it. */
  readonly detail: string
}

/** `wire` puts the guard around the handler the way the adapter always does, and makes one call through it. */
export async function probeWiring(
  wire: (guard: CallGuard, handler: () => string) => Promise<unknown>,
): Promise<SelfTest> {
  let runs = 0
  let refusals = 0
  const guard: CallGuard = {
    begin: async ({ toolName, args }) => {
      refusals++
      return {
        kind: 'refused',
        envelope: frozenEnvelope(toolName, args, {}),
        reason: 'self-test',
        decisionSource: 'self_test',
        decisionName: null,
        policyError: false,
      }
    },
  }
  try {
    await wire(guard, () => {
      runs++
      return 'the probe ran'
    })
  } catch {
    // Some frameworks reject when a call is refused. What counts is whether the handler ran.
  }
  if (runs > 0) return { ok: false, detail: 'a call that must be denied ran: the guard is not in the way' }
  if (refusals === 0) return { ok: false, detail: 'the guard was never asked about the call' }
  return { ok: true, detail: 'a call that must be denied did not run' }
}
