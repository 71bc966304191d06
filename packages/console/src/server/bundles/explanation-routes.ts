// Why a call was decided as it was: what is on record of it, judged again by the very version the event names.
import type { DecisionExplanation } from '../../protocol/decisions.js'
import { protocolPrefix } from '../../protocol/version.js'
import type { StoredEvent } from '../../store/events.js'
import { viewers } from '../auth/roles.js'
import { notFound } from '../routing/problem.js'
import { ok, type Route, userRoute } from '../routing/route.js'
import type { Services } from '../services.js'
import type { Evaluation } from './evaluate.js'
import { toJudgement } from './judgement.js'
import { readField, toSimulatedCall, verdictOf } from './recorded-call.js'

const nothingKnown: DecisionExplanation = {
  contract_version: null,
  judgement: null,
  agrees: null,
  judged_in_ms: null,
}

export function explanationRoutes(services: Services): readonly Route[] {
  const { decisions } = services.store
  return [
    userRoute(viewers, {
      method: 'GET',
      path: `${protocolPrefix}/decisions/{id}/explanation`,
      summary: 'Every condition that was looked at and what it saw, by the contracts the event names',
      tag: 'decisions',
      answers: { 200: { description: 'the explanation' }, 404: { description: 'no such event' } },
      handle: async ({ caller: { tenant }, params }) => {
        const id = params['id'] ?? ''
        const event = /^\d{1,15}$/.test(id) ? await decisions.find(tenant, Number(id)) : undefined
        if (event === undefined) throw notFound('decision')
        return ok(await explain(services, tenant, event))
      },
    }),
  ]
}

async function explain(
  { store: { bundles }, bundleWorkers }: Services,
  tenant: number,
  event: StoredEvent,
): Promise<DecisionExplanation> {
  const hash = readField(event)('policy_version')
  if (typeof hash !== 'string') return nothingKnown
  const [version] = await bundles.findByHashes(tenant, [hash])
  if (version === undefined) return nothingKnown
  const found = { contract_version: { name: version.name, version: version.version } }
  const text = await bundles.readText(version.id, 'as-uploaded')
  if (text === undefined) return { ...nothingKnown, ...found }
  const judged = await bundleWorkers.run('evaluate', { text: text.content, call: toSimulatedCall(event) })
  // What is on record need not be a call any more: arguments may have been cut.
  if (!judged.ok) return { ...nothingKnown, ...found }
  return {
    ...found,
    judgement: toJudgement(judged),
    agrees: agrees(event, judged),
    judged_in_ms: judged.judgedInMs,
  }
}

/** Limits and hooks are no part of a dry run, and what only observes decides nothing. */
function agrees(event: StoredEvent, judged: Extract<Evaluation, { ok: true }>): boolean | null {
  const recorded = verdictOf(event)
  const verdict = recorded === 'would_deny' ? 'allow' : recorded
  const source = readField(event)('decision_source')
  const isByContract = source === 'yaml_precondition' || source === 'yaml_sandbox'
  if (verdict === undefined || event.mode === 'observe' || (verdict !== 'allow' && !isByContract)) return null
  return verdict === (judged.verdict === 'warn' ? 'allow' : judged.verdict)
}
