// Step 3: hooks before the call. The first that denies ends it.
import type { Denial } from './denial.js'
import type { GuardedCall } from './guarded-call.js'

export async function askHooks(call: GuardedCall): Promise<Denial | undefined> {
  const { hooks, redaction } = call.parts
  const { records, denial } = await hooks.runBefore(call.envelope, call.patienceWithCode('a hook'))
  call.hookRecords = records.map(({ name, result, reason }) => ({
    name,
    result,
    reason: reason === null ? null : redaction.redactBashCommand(reason),
  }))
  return denial === undefined ? undefined : { source: 'hook', ...denial }
}
