// Contracts on trial beside those in force: where they would decide otherwise about calls that are really made.
import type { Candidate, CandidateList, CandidateTexts } from '../../protocol/candidates.js'
import { protocolPrefix } from '../../protocol/version.js'
import type { CandidateCount } from '../../store/candidates.js'
import { quarterHourMs } from '../../store/count-events.js'
import { viewers } from '../auth/roles.js'
import { ok, type Route, userRoute } from '../routing/route.js'
import type { Services } from '../services.js'
import { readTime } from '../time-range.js'
import { candidateSuffix } from './recorded-call.js'

const weekMs = 7 * 24 * 60 * 60 * 1_000
const mostShown = 100
const mostTools = 10

export function candidateRoutes(services: Services): readonly Route[] {
  const { candidates } = services.store
  return [
    userRoute(viewers, {
      method: 'GET',
      path: `${protocolPrefix}/candidates/{contract}/texts`,
      summary: 'A contract as it is enforced and as it is on trial, as far as bundles stored here have it',
      tag: 'evaluation',
      answers: { 200: { description: 'both texts, and what is different in meaning' } },
      handle: async ({ caller: { tenant }, params }) =>
        ok(await readTexts(services, tenant, params['contract'] ?? '')),
    }),
    userRoute<undefined, { since?: string; env?: string }>(viewers, {
      method: 'GET',
      path: `${protocolPrefix}/candidates`,
      summary: 'Contracts on trial, and where they differ from what is in force',
      tag: 'evaluation',
      query: {
        type: 'object',
        properties: {
          since: { type: 'string', maxLength: 40 },
          env: { type: 'string', maxLength: 128 },
        },
      },
      answers: { 200: { description: 'candidates, those that differ most first' } },
      handle: async ({ caller: { tenant }, query, now }) => {
        const wanted = readTime(query.since, 'since', now) ?? now - weekMs
        const since = wanted - (wanted % quarterHourMs)
        const filter = { tenant, env: query.env, since }
        const counted = groupByContract(await candidates.count(filter)).slice(0, mostShown)
        const denials = await candidates.countDenials(
          filter,
          counted.map(({ contract }) => contract),
        )
        const list: CandidateList = {
          since: new Date(since).toISOString(),
          candidates: counted.map((candidate) => ({
            ...candidate,
            enforced_denials: denials.get(candidate.contract) ?? 0,
          })),
        }
        return ok(list)
      },
    }),
  ]
}

/** What is in force counts before what is only stored, and the newest before the others. */
async function readTexts(
  { store: { bundles, deployments }, bundleWorkers }: Services,
  tenant: number,
  contract: string,
): Promise<CandidateTexts> {
  const [stored, deployed] = await Promise.all([
    bundles.listWithContract(tenant, contract),
    deployments.listDeployed(tenant),
  ])
  const versions = stored
    .map(({ name, version, content }) => ({
      name,
      version,
      content,
      environments: deployed
        .filter(({ bundleName, bundleVersion }) => bundleName === name && bundleVersion === version)
        .map(({ env }) => env),
    }))
    .toSorted((left, right) => Number(right.environments.length > 0) - Number(left.environments.length > 0))
  return bundleWorkers.run('side-by-side', { contract, versions })
}

function groupByContract(counts: readonly CandidateCount[]): readonly Omit<Candidate, 'enforced_denials'>[] {
  const groups = new Map<string, CandidateCount[]>()
  for (const count of counts) groups.set(count.contract, [...(groups.get(count.contract) ?? []), count])
  return [...groups]
    .map(([candidate, ofCandidate]) => {
      const lastAt = Math.max(0, ...ofCandidate.map(({ last_difference_at: at }) => at ?? 0))
      return {
        candidate,
        contract: candidate.slice(0, -candidateSuffix.length),
        agrees: ofCandidate.reduce((sum, { agrees }) => sum + agrees, 0),
        differs: ofCandidate.reduce((sum, { differs }) => sum + differs, 0),
        last_difference_at: lastAt === 0 ? null : new Date(lastAt).toISOString(),
        tools: ofCandidate
          .slice(0, mostTools)
          .map(({ tool_name, agrees, differs }) => ({ tool_name, agrees, differs })),
      }
    })
    .toSorted((left, right) => right.differs - left.differs || (left.candidate < right.candidate ? -1 : 1))
}
