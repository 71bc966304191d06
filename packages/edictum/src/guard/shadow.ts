// Candidates beside the enforced contracts: judged when everything enforced has passed, recorded, never obeyed.
import { decidePreconditions, decideSandboxes } from '../policy/decide.js'
import type { Scene } from '../policy/conditions/scene.js'
import type { Policy } from '../policy/policy.js'
import type { ContractRecord } from '../policy/record.js'
import { reachedLimit } from './limits.js'
import type { SessionCounters } from './ports/storage-backend.js'

export interface ShadowResult {
  readonly name: string
  readonly source: 'yaml_precondition' | 'yaml_sandbox' | 'yaml_session'
  readonly passed: boolean
  readonly message: string | null
}

const sources = {
  precondition: 'yaml_precondition',
  sandbox: 'yaml_sandbox',
} as const

export function shadowResults(
  candidates: Policy,
  scene: Scene,
  before: SessionCounters,
): readonly ShadowResult[] {
  const plan = candidates.planFor(scene.envelope.toolName)
  const records = [...decidePreconditions(plan, scene).records, ...decideSandboxes(plan, scene).records]
  const sessions = candidates.sessions.map((session): ShadowResult => {
    const passed = reachedLimit(session.contract, before, scene.envelope.toolName) === undefined
    return {
      name: session.contract.id,
      source: 'yaml_session',
      passed,
      message: passed ? null : session.message(scene),
    }
  })
  return [...records.map(toResult), ...sessions]
}

function toResult({ name, type, passed, message }: ContractRecord): ShadowResult {
  return { name, source: type === 'sandbox' ? sources.sandbox : sources.precondition, passed, message }
}
